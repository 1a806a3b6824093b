package session

import (
	"strings"

	"a2ascope/session/a2a"
)

// Resources are what composing a request needs beside the state.
type Resources struct {
	MessageID string
	// File returns a --file's or --data @FILE's bytes and media type, as read
	// when the command was given.
	File func(command int, p FilePart) ([]byte, string, error)
	// Sent returns the message of an earlier request record.
	Sent func(seq uint64) (*a2a.Message, error)
	// Receiver is where push notifications are received, in clear; its URL is
	// empty while nothing listens.
	Receiver ReceiverAddress
}

// Compose fixes what a due piece of work asks of the peer.
func (s *State) Compose(w Work, res Resources) (Call, error) {
	p := s.Opened.Policy
	c := Call{
		Op: a2a.OpGet, URL: s.Peer.Use.URL, Binding: s.Peer.Use.Binding, Gen: s.Peer.Use.Gen,
		RPCID: int64(len(s.Exchanges) + 1), FirstByte: p.TimeoutFirstByte.D(), Connect: p.TimeoutConnect.D(),
	}
	c.Params.Tenant = s.Peer.Use.Tenant
	if w.Obligation != nil && w.Obligation.Op == a2a.OpToken {
		c.Op, c.URL, c.Binding, c.Gen, c.Params = a2a.OpToken, w.Obligation.URL, "", "", a2a.Params{}
		return c, nil // the runner has the secrets that it is made of
	}
	c.Extensions = s.requiredExtensions()
	if w.Reader != nil {
		c.Params.TaskID = w.Reader.Last().ServerID
		c.Params.HistoryLength = s.historyToAsk(0)
		c.Params.Form = s.Peer.Use.Form
		c.follow(w.Reader.Reader.Redirect)
		return c, nil
	}
	o := w.Obligation
	c.Op = o.Op
	if o.Op == a2a.OpCard {
		c.Binding, c.Gen = "", s.cardGeneration()
		c.cardCall(o.Places[o.Rung])
		if o.Purpose == PurposeReread {
			c.IfNoneMatch = s.Peer.CardETag
		}
		c.follow(o.Redirect)
		return c, nil
	}
	return c, s.composeCall(&c, o, res)
}

// composeCall fills in what an obligation asks of the agent itself.
func (s *State) composeCall(c *Call, o *Obligation, res Resources) error {
	on := o.rung(&s.Peer)
	c.URL, c.Binding, c.Gen, c.Params.Tenant, c.Params.Form = on.URL, on.Binding, on.Gen, on.Tenant, on.Form
	c.follow(o.Redirect)
	var cmd Command
	if cs := s.CommandN(o.Command); cs != nil {
		cmd = cs.Cmd
	}
	if t := s.TaskN(o.Task); t != nil {
		if a := t.Last(); a != nil {
			c.Params.TaskID = a.ServerID
		}
	}
	c.Fresh = o.Purpose == PurposeStaleView
	if o.Op == a2a.OpSubscribe {
		c.Quiet = s.Opened.Policy.WorkingDeadline.D()
	}
	s.composeAccess(c, o, &cmd)
	switch o.Op {
	case a2a.OpSend, a2a.OpStream:
		return s.composeMessage(c, o, &cmd, res)
	case a2a.OpGet:
		if !c.Fresh || cmd.History > 0 { // a stale view has nothing but the id
			c.Params.HistoryLength = s.historyToAsk(cmd.History)
		}
	case a2a.OpList:
		s.composeList(c, o, &cmd)
	case a2a.OpRaw:
		c.Params.Method, c.Params.Body, c.Params.Broken = cmd.Method, []byte(cmd.JSON), cmd.Broken
		if cmd.Version != "" {
			c.Gen = a2a.Generation(cmd.Version)
		}
		if c.Params.Method != "" && strings.Contains(c.Params.Method, " ") {
			c.Binding = a2a.REST
		}
	case a2a.OpPushSet:
		c.Params.Method = o.Method
		return s.composePush(c, &cmd, res)
	case a2a.OpPushGet, a2a.OpPushDelete, a2a.OpPushList:
		c.Params.Method, c.Params.PushID = o.Method, s.pushID(o.Task)
	}
	return nil
}

// composeList narrows a list as its command says, or to a lost task's context.
func (s *State) composeList(c *Call, o *Obligation, cmd *Command) {
	c.Params.TaskID = ""
	c.Params.ContextID, c.Params.State, c.Params.PageSize = cmd.Context, a2a.State(cmd.State), cmd.Page
	if cmd.Context == "current" {
		c.Params.ContextID = s.contextOf(s.Current)
	}
	if o.Purpose == PurposeReconcile {
		c.Params.ContextID = s.contextOf(o.Task)
	}
}

// follow has the request go where an answer to it said, and nowhere below.
func (c *Call) follow(redirect string) {
	if redirect != "" {
		c.URL, c.Whole = redirect, true
	}
}

// cardGeneration is what the card's GET claims to speak: some peers serve
// another card by it.
func (s *State) cardGeneration() a2a.Generation {
	if s.Peer.WantedGen != "" {
		return s.Peer.WantedGen
	}
	return a2a.Gen10
}

// historyToAsk is the historyLength of a get: what the operator asked for, or
// enough to see whether a declared history is kept.
func (s *State) historyToAsk(given int) *int {
	if given > 0 {
		return &given
	}
	if s.Declares(StateTransitionHistory) == a2a.DeclaredTrue {
		n := 50
		return &n
	}
	return nil
}

func (s *State) contextOf(task int) string {
	if t := s.TaskN(task); t != nil && t.Last() != nil {
		return t.Last().ContextID
	}
	return ""
}
