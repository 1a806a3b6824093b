package rule

import (
	"fmt"
	"slices"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var resubscribeRules = []Rule{
	{
		ID: "resubscribe.refused", Claim: session.Resubscribe, Severity: session.Major, Peer: "stale-subscribe",
		Title:    "a task that is working cannot be subscribed to",
		Source:   "field note 002; A2A 1.0 §3.1.6",
		Advice:   "Streaming is no promise of resumption: after a lost stream, poll this peer.",
		Disproof: "A subscription to a task that get shows working.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    resubscribeRefused,
	},
	{
		ID: "resubscribe.at-input", Claim: session.Resubscribe, Severity: session.Minor, Peer: "forgets-task",
		Title:    "a task that waits for input cannot be subscribed to",
		Source:   "A2A 1.0 §3.1.6; field note 002: -32001 on resubscribe after input-required",
		Advice:   "Take input-required for the end of the connection, and answer with a new message to the same task.",
		Disproof: "A subscription to a task at input-required.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if x, e := subscribeError(c); e != nil && x.Asked.Interrupted() && declared(s) {
				return saw(session.Contradicted, refusal(x, e), x.Request, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "resubscribe.undeclared", Claim: session.Resubscribe, Severity: session.Info, Peer: "slow-silent",
		Title:    "a subscription was asked of a peer that never declared streaming",
		Source:   "field note 002; A2A 1.0 §3.1.6",
		Advice:   "Poll: the fault is the caller's.",
		Disproof: "streaming: true on the card.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if x, e := subscribeError(c); e != nil && !declared(s) {
				return saw(session.Contradicted, refusal(x, e), x.Request, c.Record.Seq)
			}
			return nil
		},
	},
	{
		ID: "resubscribe.works", Claim: session.Resubscribe, Peer: "honest",
		Title:  "a task under way can be subscribed to",
		Source: "A2A 1.0 §3.1.6",
		On:     []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if x == nil || x.Op != a2a.OpSubscribe || !c.FirstEvent || c.Payload == nil || c.Payload.Error != nil || x.Asked.Terminal() {
				return nil
			}
			return saw(session.Honoured, "subscribed in "+orNone(x.Asked), x.Request, c.Record.Seq)
		},
	},
	{
		ID: "resubscribe.replays", Claim: session.StatesForward, Severity: session.Minor, Peer: "replays",
		Title:    "a subscription replays what was seen before",
		Source:   "field note 002: all prior events from the beginning; A2A 1.0 §3.1.6 begins with the task as it is",
		Advice:   "Deduplicate by task, state and timestamp; do not count replayed transitions.",
		Disproof: "A subscription that begins with the task as it is and goes on with news.",
		On:       []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := c.Exchange
			if !c.Replayed || x == nil || x.Op != a2a.OpSubscribe || x.Stream.Replayed < 2 || x.Gen != a2a.Gen10 {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%d events had been seen before", x.Stream.Replayed), x.Answer, c.Record.Seq)
		},
	},
}

// subscribeError returns the refusal of a subscription, as its answer or its
// first event.
func subscribeError(c *session.Change) (*session.Exchange, *a2a.Error) {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || p.Error == nil || x.Op != a2a.OpSubscribe || c.Climbed || x.Stream != nil && !c.FirstEvent {
		return x, nil
	}
	if !p.Error.A2A { // a web server's 405: 0.3 says POST in its text and GET in its proto
		return x, nil
	}
	if p.Error.Name == a2a.ErrUnauthenticated || p.Error.Name == a2a.ErrPermissionDenied {
		return x, nil // our credentials, and not the task
	}
	return x, p.Error
}

func refusal(x *session.Exchange, e *a2a.Error) string {
	return fmt.Sprintf("in %s the subscription was refused with %s (%d)", orNone(x.Asked), e.Name, e.Code)
}

// resubscribeRefused speaks twice: the refusal alone does not tell whether the
// task had just ended; the read that follows does.
func resubscribeRefused(s *session.State, c *session.Change) []Saw {
	if !declared(s) {
		return nil
	}
	if x, e := subscribeError(c); e != nil && (x.Asked == a2a.Working || x.Asked == a2a.Submitted) {
		if streamBeside(s, x) {
			return saw(session.Inconclusive, refusal(x, e)+"; another stream of the task was open, and a peer may serve one at a time (1.0 §3.5.2)", x.Request, c.Record.Seq)
		}
		return saw(session.Inconclusive, refusal(x, e)+"; one read tells whether it was over by then", x.Request, c.Record.Seq)
	}
	r := c.Read
	if r == nil || !r.Found || c.Exchange.Purpose != session.PurposeSubscribeRefused || r.State != a2a.Working {
		return nil
	}
	if x := lastSubscribe(s, c); x != nil && streamBeside(s, x) {
		return nil
	}
	return saw(session.Contradicted, "the subscription was refused, and get says "+string(r.State), r.Answer)
}

// lastSubscribe is the last subscription to a change's attempt before its
// record, or nil.
func lastSubscribe(s *session.State, c *session.Change) *session.Exchange {
	for _, x := range slices.Backward(s.Exchanges) {
		if x.Op == a2a.OpSubscribe && x.Task == c.Task.N && x.Attempt == c.Attempt.N && x.N < c.Exchange.N {
			return x
		}
	}
	return nil
}

// streamBeside reports whether another stream of the task was open when a
// subscription was answered.
func streamBeside(s *session.State, x *session.Exchange) bool {
	return slices.ContainsFunc(s.Exchanges, func(y *session.Exchange) bool {
		return y.N != x.N && y.Task == x.Task && y.Attempt == x.Attempt && y.Stream != nil && y.Answer < x.Answer && (!y.Over || y.OverSeq > x.Answer)
	})
}
