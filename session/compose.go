package session

import (
	"encoding/json"
	"fmt"
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
		c.URL, c.Binding, c.Gen = o.Places[o.Rung], "", s.cardGeneration()
		if o.Purpose == PurposeReread {
			c.IfNoneMatch = s.Peer.CardETag
		}
		c.follow(o.Redirect)
		return c, nil
	}
	on := o.rung(&s.Peer)
	c.URL, c.Binding, c.Gen, c.Params.Tenant, c.Params.Form = on.URL, on.Binding, on.Gen, on.Tenant, on.Form
	c.follow(o.Redirect)
	var cmd Command
	if o.Command > 0 {
		cmd = s.Commands[o.Command-1].Cmd
	}
	if t := s.TaskN(o.Task); t != nil {
		if a := t.Last(); a != nil {
			c.Params.TaskID = a.ServerID
		}
	}
	c.Fresh = o.Purpose == PurposeStaleView
	s.composeAccess(&c, o, &cmd)
	switch o.Op {
	case a2a.OpSend, a2a.OpStream:
		return c, s.composeMessage(&c, o, &cmd, res)
	case a2a.OpGet:
		if !c.Fresh || cmd.History > 0 { // a stale view has nothing but the id
			c.Params.HistoryLength = s.historyToAsk(cmd.History)
		}
	case a2a.OpList:
		c.Params.TaskID = ""
		c.Params.ContextID, c.Params.State, c.Params.PageSize = cmd.Context, a2a.State(cmd.State), cmd.Page
		if cmd.Context == "current" {
			c.Params.ContextID = s.contextOf(s.Current)
		}
		if o.Purpose == PurposeReconcile {
			c.Params.ContextID = s.contextOf(o.Task)
		}
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
		return c, s.composePush(&c, &cmd, res)
	case a2a.OpPushGet, a2a.OpPushDelete, a2a.OpPushList:
		c.Params.Method, c.Params.PushID = o.Method, s.pushID(o.Task)
	}
	return c, nil
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

// composeMessage builds the message of a send or stream.
func (s *State) composeMessage(c *Call, o *Obligation, cmd *Command, res Resources) error {
	t := s.TaskN(o.Task)
	m := &a2a.Message{ID: res.MessageID, Role: a2a.User}
	if o.MessageID != "" {
		m.ID = o.MessageID // a rung of the ladder: the same message
	}
	if o.Resend != 0 {
		sent, err := res.Sent(o.Resend)
		if err != nil {
			return fmt.Errorf("reading the message of record %d: %w", o.Resend, err)
		}
		m.Parts, m.TaskID, m.ContextID = sent.Parts, sent.TaskID, sent.ContextID
		if o.Purpose == PurposeRedispatch {
			m.TaskID = ""
		}
	} else {
		parts, err := cmd.parts(o.Command, res)
		if err != nil {
			return err
		}
		m.Parts = parts
	}
	a := t.Last()
	if o.Resume && a != nil {
		m.TaskID, m.ContextID = a.ServerID, a.ContextID
	}
	switch cmd.Context {
	case "":
	case "current":
		m.ContextID = s.contextOf(s.priorTask(t))
	default:
		m.ContextID = cmd.Context
	}
	blocking := !cmd.Immediate
	c.Params.Message, c.Params.AcceptedModes = m, cmd.Accept
	c.Params.TaskID = m.TaskID
	if s.Push.On && res.Receiver.URL != "" && !cmd.Plain {
		c.Params.Push = res.Receiver.config()
	}
	if c.Gen == a2a.Gen01 && m.TaskID == "" {
		c.Params.TaskID = t.Correlation // 0.1 has the client name the task
	}
	if o.Op == a2a.OpSend {
		c.Params.Blocking = &blocking
		if blocking {
			c.FirstByte = 0 // it must wait; bounded by the working deadline
		}
	}
	return nil
}

// priorTask is the task that "--context current" means: the one before a task
// that the command itself began.
func (s *State) priorTask(t *Task) int {
	if len(t.Attempts) > 0 {
		return t.N
	}
	return t.N - 1
}

// parts builds the message's parts: text, then data, then files.
func (cmd *Command) parts(command int, res Resources) ([]a2a.Part, error) {
	var out []a2a.Part
	if cmd.Text != "" {
		out = append(out, a2a.Part{Kind: a2a.PartText, Text: cmd.Text})
	}
	for _, d := range cmd.Data {
		raw := []byte(d)
		if path, ok := strings.CutPrefix(d, "@"); ok {
			b, _, err := res.File(command, FilePart{Path: path})
			if err != nil {
				return nil, err
			}
			raw = b
		}
		if !json.Valid(raw) {
			return nil, fmt.Errorf("--data %s: not valid JSON", d)
		}
		out = append(out, a2a.Part{Kind: a2a.PartData, Data: raw})
	}
	for _, f := range cmd.Files {
		b, mediaType, err := res.File(command, f)
		if err != nil {
			return nil, err
		}
		name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
		out = append(out, a2a.Part{Kind: a2a.PartBytes, Bytes: b, MediaType: mediaType, Filename: name})
	}
	return out, nil
}
