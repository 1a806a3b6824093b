package rule

import (
	"fmt"
	"strconv"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var wireRules = []Rule{
	{
		ID: "wire.lossy", Claim: session.WireFormat, Severity: session.Major, Peer: "two-contents",
		Title:    "content on the wire is ambiguous or lost",
		Source:   "RFC 8259 §4; A2A 1.0 §4.1.6; field cases 45 and 59",
		Advice:   "Do not guess: keep the raw bytes and ask the vendor.",
		Disproof: "The same content told once and in one way.",
		On:       []session.Kind{session.KindResponse, session.KindFrame, session.KindPush},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Payload == nil || c.Payload.Kind == a2a.KindUnreadable {
				return nil
			}
			for _, a := range c.Payload.Anomalies {
				if a.Lossy && !a.Ours() {
					return saw(session.Contradicted, a.Code+": "+a.Detail, c.Record.Seq)
				}
			}
			return nil
		},
	},
	{
		ID: "wire.unreadable", Claim: session.WireFormat, Severity: session.Major, Peer: "broken-event",
		Title:    "an event cannot be read",
		Source:   "A2A 1.0 §9.4.2: each event is a JSON-RPC response; field case 65",
		Advice:   "One bad event ends no stream: skip it, go on, and read the task afterwards.",
		Disproof: "An event whose data is JSON.",
		On:       []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Payload == nil || c.Payload.Kind != a2a.KindUnreadable {
				return nil
			}
			b, err := session.DecodeFramed(c.Record.Body)
			if err != nil || b.Kind != "event" && b.Kind != "message" { // a cut tail is the transport's
				return nil
			}
			return saw(session.Contradicted, "the data of the event is no JSON", c.Record.Seq)
		},
	},
	{
		ID: "wire.other-id", Claim: session.WireFormat, Severity: session.Major, Peer: "other-id",
		Title:    "the answer carries another request's id",
		Source:   "JSON-RPC 2.0 §5; field case 62 (rpc-id-mismatch)",
		Advice:   "HTTP has matched them already; report it, and do not match by id alone.",
		Disproof: "The request's own id.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, p := c.Exchange, c.Payload
			if x == nil || p == nil || !p.Envelope || x.Binding != a2a.JSONRPC || x.Op == a2a.OpRaw || c.Record.Kind == session.KindFrame && !c.FirstEvent {
				return nil
			}
			id := strings.Trim(p.RPCID, `"`)
			if id == "" || id == "null" || id == fmt.Sprint(x.RPCID) {
				return nil
			}
			if n, err := strconv.ParseFloat(id, 64); err == nil && n == float64(x.RPCID) {
				return nil // 7.0 is 7: some readers know numbers of one kind alone
			}
			return saw(session.Contradicted, fmt.Sprintf("asked with id %d, answered with %s", x.RPCID, cut(p.RPCID)), x.Request, c.Record.Seq)
		},
	},
	{
		ID: "wire.tolerated", Claim: session.WireFormat, Severity: session.Minor, Peer: "loose-dialect",
		Title:    "the wire departs from the specification, and could be read all the same",
		Source:   "A2A 1.0 §4 and §9; field cases, classes D and E",
		Advice:   "Read tolerantly: decide by shape, take null for absent, and keep what is not known.",
		Disproof: "The shape that the specification gives.",
		On:       []session.Kind{session.KindResponse, session.KindFrame, session.KindPush, session.KindClosed},
		Judge:    tolerated,
	},
	{
		ID: "wire.clean", Claim: session.WireFormat, Peer: "honest",
		Title:  "answers are as the specification has them",
		Source: "A2A 1.0 §4",
		On:     []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			p := c.Payload
			if p == nil || len(p.Anomalies) > 0 || c.Exchange == nil || c.Record.Kind == session.KindFrame && !c.FirstEvent {
				return nil
			}
			switch p.Kind {
			case a2a.KindTask, a2a.KindMessage, a2a.KindStatus, a2a.KindArtifact:
				return saw(session.Honoured, "a "+string(p.Kind)+" without an oddity", c.Record.Seq)
			}
			return nil
		},
	},
}

// tolerated names the first oddity of what came: one that its bytes show, or
// one of its place.
func tolerated(_ *session.State, c *session.Change) []Saw {
	x, p, st := c.Exchange, c.Payload, stream(c)
	if c.ClosedNow && st != nil && st.Tail > 0 && st.How == session.ClosedClean {
		return saw(session.Contradicted, "sse-unterminated: no blank line follows the last event; readers that keep to the standard lose it", st.Tail, c.Record.Seq)
	}
	if p == nil {
		return nil
	}
	for _, a := range p.Anomalies {
		if !a.Lossy && !a.Ours() {
			return saw(session.Contradicted, a.Code+": "+a.Detail, c.Record.Seq)
		}
	}
	if x == nil || p.Error != nil {
		return nil
	}
	if odd := misplaced(c, x, p); odd != "" {
		return saw(session.Contradicted, odd, c.Record.Seq)
	}
	return nil
}

// misplaced says what is odd about an answer or event beside what was asked
// and what came before it; empty for nothing.
func misplaced(c *session.Change, x *session.Exchange, p *a2a.Payload) string {
	if c.Record.Kind == session.KindFrame && x.Stream != nil {
		if b, err := session.DecodeFramed(c.Record.Body); err == nil && b.Kind == "document" && c.FirstEvent {
			return "stream-not-sse: the stream is JSON documents one after another, and no text/event-stream"
		}
		if p.Message != nil && x.Stream.Statuses+x.Stream.Artifacts > 0 {
			return "event-order: a message stands among the events of a task"
		}
	}
	switch p.Kind {
	case a2a.KindTask, a2a.KindMessage, a2a.KindStatus, a2a.KindArtifact:
		// Over gRPC the service that was called says the generation, and the names
		// of 0.3's proto are those that 1.0 took over for JSON.
		if p.Gen != "" && x.Gen != "" && x.Op != a2a.OpRaw && x.Binding != a2a.GRPC && !session.SameDialect(p.Gen, x.Gen) {
			return fmt.Sprintf("version-shape-mix: asked in %s, answered in the shape of %s", x.Gen, p.Gen)
		}
	}
	return ""
}
