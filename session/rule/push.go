package rule

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A refused configuration is judged by push-notifications, one that was taken
// and brought nothing by push-delivered (DESIGN.md §5, one cause, one claim).
var pushRules = []Rule{
	{
		ID: "push.refused", Claim: session.PushNotifications, Severity: session.Major, Peer: "no-push",
		Title:    "push notifications are declared, and their configuration is refused",
		Source:   "A2A 1.0 §3.1.7 and §3.3.4; field note 001; field case 127 (push-unsupported)",
		Advice:   "Poll this peer; do not build on its callbacks.",
		Disproof: "A configuration that is taken.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge:    pushRefused,
	},
	{
		ID: "push.supported", Claim: session.PushNotifications, Peer: "honest",
		Title:  "push notifications work",
		Source: "A2A 1.0 §3.5.3; field case 129",
		On:     []session.Kind{session.KindPush, session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			switch {
			case !c.Delivered:
				return nil
			case s.Declares(session.PushNotifications) == a2a.DeclaredTrue:
				return saw(session.Honoured, "declared, and a callback came", c.Attempt.Push.LastSeq)
			}
			return saw(session.UnderDeclared, "not declared, and a callback came all the same", c.Attempt.Push.LastSeq)
		},
	},
	{
		ID: "push.absent", Claim: session.PushDelivered, Severity: session.Major, Peer: "deaf-push",
		Title:    "the configuration was taken, and no callback comes",
		Source:   "field note 001: absent push callback; A2A 1.0 §4.3.3: at least one attempt for each webhook",
		Advice:   "Poll beside every callback that you wait for.",
		Disproof: "A callback within the window. A peer that keeps away from receivers on its own machine (A2A 1.0 §13.2) stays silent too: repeat it with --push-url, through an address that it may call.",
		On:       []session.Kind{session.KindTimer},
		Judge:    pushAbsent,
	},
	{
		ID: "push.partial", Claim: session.PushDelivered, Severity: session.Minor, Peer: "patchy-push",
		Title:    "some changes of the task are not called back",
		Source:   "field case 128 (push-partial); A2A 1.0 §4.3.3",
		Advice:   "Take a callback as a hint to read the task, and not as its whole story.",
		Disproof: "A callback that tells the state.",
		On:       []session.Kind{session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			f := pushDue(c)
			if f == nil || f.Count+f.Untokened == 0 {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("%d callbacks came, none within %s told %s", f.Count+f.Untokened, c.Timer.Full, f.Want), f.WantSeq, f.LastSeq, c.Record.Seq)
		},
	},
	{
		ID: "push.untokened", Claim: session.PushDelivered, Severity: session.Minor, Peer: "tokenless-push",
		Title:    "a callback comes without the token that it was given",
		Source:   "A2A 1.0 §4.3.3 and §13.2: credentials of the configuration must go with it; field case 130",
		Advice:   "Refuse such callbacks: anybody could have sent them.",
		Disproof: "The token in A2A-Notification-Token, X-A2A-Notification-Token or Authorization.",
		On:       []session.Kind{session.KindPush, session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Attempt == nil || c.Attempt.Push == nil || c.Attempt.Push.Untokened == 0 {
				return nil
			}
			return saw(session.Contradicted, "it came to the address that only the peer was told, and was answered with 401", c.Attempt.Push.Seqs...)
		},
	},
	{
		ID: "push.delivered", Claim: session.PushDelivered, Peer: "honest",
		Title:  "callbacks come",
		Source: "A2A 1.0 §4.3.3",
		On:     []session.Kind{session.KindPush, session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if !c.Delivered {
				return nil
			}
			f := c.Attempt.Push
			detail := "a callback with our token came"
			if f.Last != "" {
				detail += ", and told " + string(f.Last)
			}
			return saw(session.Honoured, detail, f.LastSeq)
		},
	},
}

// pushRefused judges the error that a configuration met, set by a call of its
// own or sent along with a message.
func pushRefused(s *session.State, c *session.Change) []Saw {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || p.Error == nil || c.Climbed || x.Stream != nil && !c.FirstEvent {
		return nil
	}
	e := p.Error
	detail := fmt.Sprintf("%s was refused with %s (%d) %q", x.Op, e.Name, e.Code, cut(e.Message))
	unsupported, set := false, x.Op == a2a.OpPushSet
	switch x.Op {
	case a2a.OpPushSet:
		unsupported = e.Name == a2a.ErrPushNotSupported || e.A2A && e.Name == a2a.ErrMethodNotFound ||
			e.Name == a2a.ErrUnsupportedOperation && !x.Asked.Terminal()
	case a2a.OpPushGet, a2a.OpPushList, a2a.OpPushDelete:
		unsupported = e.Name == a2a.ErrPushNotSupported
	default:
		// With a message, other errors may be about the message.
		if !x.Receiver {
			return nil
		}
		unsupported, set = e.Name == a2a.ErrPushNotSupported, e.Name == a2a.ErrInvalidParams
	}
	switch {
	case unsupported && s.Declares(session.PushNotifications) == a2a.DeclaredTrue:
		return saw(session.Contradicted, detail, x.Request, c.Record.Seq)
	case unsupported:
		return saw(session.Honoured, "not declared, and "+detail, x.Request, c.Record.Seq)
	case set: // many peers refuse the address, and rightly so (A2A 1.0 §13.2)
		return saw(session.Inconclusive, detail+": it may be the address that the peer does not take", x.Request, c.Record.Seq)
	}
	return nil
}

// pushDue is what is known of the callbacks of a task whose time for one has
// passed.
func pushDue(c *session.Change) *session.PushFacts {
	if c.Timer == nil || c.Timer.Kind != session.DuePush || c.Attempt == nil || c.Attempt.Push == nil || c.Attempt.Push.Want == "" {
		return nil
	}
	return c.Attempt.Push
}

func pushAbsent(s *session.State, c *session.Change) []Saw {
	f := pushDue(c)
	if f == nil || f.Count+f.Untokened > 0 {
		return nil
	}
	sure, how := s.PushReachable()
	what := fmt.Sprintf("no callback within %s after the task was seen %s", c.Timer.Full, f.Want)
	evidence := []uint64{f.Asked, f.Accepted, f.WantSeq, c.Record.Seq}
	switch {
	case s.Declares(session.PushNotifications) != a2a.DeclaredTrue:
		return saw(session.Inconclusive, what+", and none was declared", evidence...)
	case f.Weak:
		return saw(session.Inconclusive, what+": "+f.WhyWeak, evidence...)
	case s.Push.StraySeq > f.Asked:
		return saw(session.Inconclusive, what+", but one came that names no task of this session", append(evidence, s.Push.StraySeq)...)
	case !sure:
		return saw(session.Inconclusive, what+": "+how, evidence...)
	}
	return saw(session.Contradicted, what+", although the peer can call the receiver: "+how, evidence...)
}
