package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"a2ascope/session/a2a"
)

// Draft is a record that is to be written: the runner numbers it, hashes it
// and folds it.
type Draft struct {
	Kind     Kind
	Task     int
	Exchange int
	Body     any
	Raw      []byte
}

// Follow returns the records that follow from a record by themselves: the card
// that a response brought, and what an operator's command decides or notes.
// They are written in the same transaction.
func Follow(s *State, c *Change) []Draft {
	switch c.Record.Kind {
	case KindResponse:
		return followResponse(s, c)
	case KindCommand:
		if n := len(s.Commands); n > 0 {
			return followCommand(s, c, s.Commands[n-1])
		}
	}
	return nil
}

func followResponse(s *State, c *Change) []Draft {
	x := c.Exchange
	if x == nil {
		return nil
	}
	if c.CodeCame || c.NoToken {
		return s.tokenNote(c, x)
	}
	public := x.Op == a2a.OpCard && x.Kind == a2a.KindCard
	extended := x.Op == a2a.OpExtendedCard && c.Payload != nil && c.Payload.Card != nil
	if !public && !extended {
		return nil
	}
	var b Responded
	if err := c.Record.Decode(&b); err != nil {
		return nil
	}
	raw, err := responseBody(c.Record.Raw, &b)
	if err != nil {
		return nil
	}
	if extended {
		raw = a2a.CardOf(raw)
	}
	sum := sha256.Sum256(raw)
	return []Draft{{Kind: KindCard, Exchange: x.N, Raw: append([]byte(nil), raw...), Body: CardRead{
		URL: cardAt(x), Response: c.Record.Seq, SHA256: hex.EncodeToString(sum[:]), Extended: extended,
		MaxAge: Duration(maxAge(c.Record.Raw[:headEnd(b.Head, c.Record.Raw)])), ETag: headValue(c.Record.Raw[:headEnd(b.Head, c.Record.Raw)], "ETag"),
		Asked: strings.TrimSpace(string(x.Gen) + " " + x.With), Cause: c.Record.Seq,
	}}}
}

// maxAge reads Cache-Control's max-age from a response head; 0 when there is
// none.
func maxAge(head []byte) time.Duration {
	for _, d := range strings.Split(headValue(head, "Cache-Control"), ",") {
		if v, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(d)), "max-age="); ok {
			if n, err := strconv.Atoi(v); err == nil && n > 0 && n < 1<<31 {
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}

// headValue returns the value of a response head's first field of this name.
func headValue(head []byte, name string) string {
	for _, line := range strings.Split(string(head), "\n") {
		if n, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(n), name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func followCommand(s *State, c *Change, cs *CommandState) []Draft {
	if cs.Seq != c.Record.Seq || cs.Over && cs.Result != ResultOK {
		return nil
	}
	cmd := &cs.Cmd
	d := Decision{ID: s.LastDecision + 1, By: "operator", Reason: cmd.Text, Cause: cs.Seq, Evidence: []uint64{}}
	switch cmd.Name {
	case "note":
		return []Draft{{Kind: KindNote, Task: cs.Task, Body: Noted{Text: cmd.Text}}}
	case "mark":
		return []Draft{{Kind: KindNote, Task: cs.Task, Body: Noted{Text: "mark", Mark: true}}}
	case "demote":
		d.Action, d.Claim = ActDemote, Claim(cmd.Claim)
		d.Until = c.Record.Wall.Add(s.Opened.Policy.TrustTTL.D())
	case "restore":
		d.Action, d.Claim = ActRestore, Claim(cmd.Claim)
	case "confirm", "overrule":
		old := s.DecisionN(cmd.Number)
		d.Action, d.Claim, d.Supersedes, d.Evidence = ActConfirm, old.Claim, old.ID, old.Evidence
		if cmd.Name == "overrule" {
			d.Action = ActOverrule
		}
		return []Draft{{Kind: KindDecision, Task: old.Task, Body: d}}
	case "redispatch":
		d.Action, d.To = ActRedispatch, cmd.URL
		d.Reason = "asked for by the operator"
		if s.elsewhere(cmd.URL) {
			d.Reason += ": it goes to " + cmd.URL
		}
		if o := s.offerOf(cs.Task); o != nil { // this is the answer to it
			d.Supersedes = o.ID
		}
		return []Draft{{Kind: KindDecision, Task: cs.Task, Body: d}}
	default:
		return nil
	}
	if tr := s.TrustOf(d.Claim); tr.Decision > 0 {
		d.Supersedes = tr.Decision
	}
	return []Draft{{Kind: KindDecision, Body: d}}
}

// headEnd is where a head ends, whatever a log from elsewhere says.
func headEnd(head int, raw []byte) int { return max(0, min(head, len(raw))) }
