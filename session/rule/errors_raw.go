package rule

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// rawErrorRules judge calls of the operator's or a probe's own making that
// cannot be served: each can be answered with one error only.
var rawErrorRules = []Rule{
	rawError("errors.unknown-task", a2a.ErrTaskNotFound, "a task that never was is not answered with TaskNotFound",
		"A2A 1.0 §3.1.3 and §3.3.2; 0.3 §8.2", asksForNoTask),
	rawError("errors.unknown-method", a2a.ErrMethodNotFound, "an unknown method is not answered with MethodNotFound",
		"JSON-RPC 2.0 §5.1", asksNoMethod),
	rawError("errors.unknown-version", a2a.ErrVersionNotSupported, "an unknown version is not answered with VersionNotSupported",
		"A2A 1.0 §3.6.2", asksNoVersion),
	rawError("errors.malformed", a2a.ErrParse, "JSON that is cut off is not answered with ParseError",
		"JSON-RPC 2.0 §5.1", func(_ *session.State, _ *session.Exchange, cmd *session.Command) bool { return cmd.Broken }),
}

// rawError makes the rule of one error, from what calls for it.
func rawError(id string, want a2a.ErrorName, title, source string, calls func(*session.State, *session.Exchange, *session.Command) bool) Rule {
	return Rule{
		ID: id, Claim: session.ErrorCodes, Severity: session.Minor, Peer: "wrong-codes", Title: title, Source: source,
		Advice:   "Match errors by ErrorInfo reason, then code, then wording; take any of them for a refusal.",
		Disproof: fmt.Sprintf("%s as the answer to the same call.", want),
		On:       []session.Kind{session.KindResponse},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || p == nil || x.Op != a2a.OpRaw || x.Command == 0 || !calls(s, x, &s.Commands[x.Command-1].Cmd) {
				return nil
			}
			switch e := p.Error; {
			case e == nil && p.Task != nil:
				return saw(session.Contradicted, "it was answered with task "+cut(p.Task.ID), x.Request, c.Record.Seq)
			case e == nil:
				return saw(session.Inconclusive, fmt.Sprintf("it was answered with status %d and no error", x.Status), x.Request, c.Record.Seq)
			case e.Name == want:
				return saw(session.Honoured, fmt.Sprintf("%s (%d)", e.Name, e.Code), x.Request, c.Record.Seq)
			case !e.A2A:
				return saw(session.Inconclusive, fmt.Sprintf("status %d, and no word of the agent", x.Status), x.Request, c.Record.Seq)
			default:
				return saw(session.Contradicted, fmt.Sprintf("%s (%d) %q, where %s is due", e.Name, e.Code, cut(e.Message), want), x.Request, c.Record.Seq)
			}
		},
	}
}

// ordinary reports whether a raw call is one but for what it asks for.
func ordinary(cmd *session.Command) bool { return !cmd.Broken && cmd.Version == "" }

// asksForNoTask: it is a get, in the dialect in use, of the id that no peer
// gives. Any other id may be that of somebody's task.
func asksForNoTask(_ *session.State, x *session.Exchange, cmd *session.Command) bool {
	if !ordinary(cmd) {
		return false
	}
	var id string
	if verb, path, rest := strings.Cut(cmd.Method, " "); rest {
		path, _, _ = strings.Cut(path, "?")
		if _, id, _ = strings.Cut(path, "/tasks/"); verb != "GET" {
			return false
		}
	} else if cmd.Method == a2a.RPCMethod(a2a.OpGet, x.Gen) {
		var params struct {
			ID string `json:"id"`
		}
		if json.Unmarshal([]byte(cmd.JSON), &params) != nil {
			return false
		}
		id = params.ID
	}
	return id == session.NoSuchTask
}

// asksNoMethod: the method is the one that no generation and no extension has.
func asksNoMethod(_ *session.State, x *session.Exchange, cmd *session.Command) bool {
	return ordinary(cmd) && x.Binding == a2a.JSONRPC && cmd.Method == session.NoSuchMethod
}

// asksNoVersion: only 1.0 has a peer check the version.
func asksNoVersion(s *session.State, _ *session.Exchange, cmd *session.Command) bool {
	return !cmd.Broken && cmd.Version != "" && s.Peer.Use.Gen == a2a.Gen10 && !slices.Contains(session.Generations, a2a.Generation(cmd.Version))
}
