package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// Error codes are never more than minor: official SDKs differ in them.
var errorRules = []Rule{
	{
		ID: "errors.code", Claim: session.ErrorCodes, Severity: session.Minor, Peer: "wrong-codes",
		Title:    "the refusal has another code than the specification's",
		Source:   "A2A 1.0 §3.3.2 and §9.5; 0.3 §8; field cases 115, 121, 127 (error-code-wrong)",
		Advice:   "Match errors by ErrorInfo reason, then code, then wording; take any of them for a refusal.",
		Disproof: "The code that the specification names for the case.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			want, when, got := expectedError(c)
			if want == "" || got.Name == want {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%s: %s (%d) %q, where %s is due", when, got.Name, got.Code, cut(got.Message), want), c.Exchange.Request, c.Record.Seq)
		},
	},
	{
		ID: "errors.right", Claim: session.ErrorCodes, Peer: "honest",
		Title:  "refusals have the specification's codes",
		Source: "A2A 1.0 §3.3.2",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if want, when, got := expectedError(c); want != "" && got.Name == want {
				return saw(session.Honoured, fmt.Sprintf("%s: %s", when, got.Name), c.Exchange.Request, c.Record.Seq)
			}
			return nil
		},
	},
}

// expectedError is the error that the specification names for what was asked,
// where the state seen before leaves no doubt about it.
func expectedError(c *session.Change) (want a2a.ErrorName, when string, got *a2a.Error) {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || p.Error == nil || !p.Error.A2A || c.Climbed || x.Stream != nil && !c.FirstEvent {
		return "", "", nil
	}
	over := x.Asked.Terminal() && c.Attempt != nil && c.Attempt.Settled
	switch {
	case x.Op == a2a.OpCancel && over && x.Asked != a2a.Canceled:
		return a2a.ErrTaskNotCancelable, "cancel of a finished task", p.Error
	case x.Turn != nil && x.ServerTask != "" && over && x.Gen == a2a.Gen10:
		return a2a.ErrUnsupportedOperation, "message to a finished task", p.Error
	case x.Op == a2a.OpSubscribe && over && x.Gen == a2a.Gen10:
		return a2a.ErrUnsupportedOperation, "subscription to a finished task", p.Error
	}
	return "", "", nil
}
