package session

import (
	"encoding/json"
	"fmt"
	"strings"

	"a2ascope/session/a2a"
)

// composeMessage builds the message of a send or stream.
func (s *State) composeMessage(c *Call, o *Obligation, cmd *Command, res Resources) error {
	if cs := s.CommandN(o.Meant); cs != nil {
		again := cs.Cmd
		again.Context = "" // what it came to is in the message that goes out again
		again.Plain = again.Plain || again.Streams() && o.Op == a2a.OpSend
		cmd = &again
	}
	t := s.TaskN(o.Task)
	m := &a2a.Message{ID: res.MessageID, Role: a2a.User}
	if o.MessageID != "" {
		m.ID = o.MessageID // a rung of the ladder: the same message
	}
	if err := s.fillMessage(m, o, cmd, res); err != nil {
		return err
	}
	if a := t.Last(); o.Resume && a != nil {
		m.TaskID, m.ContextID = a.ServerID, a.ContextID
	}
	switch cmd.Context {
	case "":
	case "current":
		m.ContextID = s.contextOf(s.priorTask(t))
	default:
		m.ContextID = cmd.Context
	}
	c.Params.Message, c.Params.AcceptedModes = m, cmd.Accept
	c.Params.TaskID = m.TaskID
	if s.Push.On && res.Receiver.URL != "" && !cmd.Plain {
		c.Params.Push = res.Receiver.config()
	}
	if c.Gen == a2a.Gen01 && m.TaskID == "" {
		c.Params.TaskID = t.mint(t.attemptBegun(o)) // 0.1 has the client name the task
	}
	if o.Op == a2a.OpSend {
		blocking := !cmd.Immediate
		c.Params.Blocking = &blocking
		if blocking {
			c.FirstByte = 0 // it must wait; bounded by the working deadline
		}
	}
	return nil
}

// fillMessage gives a message its parts: those of an earlier one where that
// goes out again, else the command's.
func (s *State) fillMessage(m *a2a.Message, o *Obligation, cmd *Command, res Resources) error {
	if o.Resend == 0 {
		parts, err := cmd.parts(o.Command, res)
		m.Parts = parts
		return err
	}
	sent, err := res.Sent(o.Resend)
	if err != nil {
		return fmt.Errorf("reading the message of record %d: %w", o.Resend, err)
	}
	m.Parts, m.TaskID, m.ContextID = sent.Parts, sent.TaskID, sent.ContextID
	if x := s.exchangeOf(o.Resend); x == nil || x.ServerTask == "" {
		m.TaskID = "" // it began its task, and begins another now: an id in it was ours
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
