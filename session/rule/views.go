package rule

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

var viewRules = append([]Rule{
	{
		ID: "views.differ", Claim: session.ViewsAgree, Severity: session.Major, Peer: "two-faced",
		Title:    "the stream and get tell two stories of one task",
		Source:   "A2A 1.0 §3.1.2 and §3.1.3; 0.3 §7.3; field cases 80 and 88 (stream-get-divergence)",
		Advice:   "Believe neither alone: read the task until two reads agree, and keep both stories.",
		Disproof: "Reads that say what the stream said.",
		On:       []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge:    viewsDiffer,
	},
	{
		ID: "views.foreign", Claim: session.ViewsAgree, Severity: session.Major, Peer: "crossed-stream",
		Title:    "an event on a task's stream names another task",
		Source:   "A2A 1.0 §3.1.2: a stream is of one task",
		Advice:   "Match every event by its task id before using it.",
		Disproof: "Events that name the stream's own task.",
		On:       []session.Kind{session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			if c.Foreign == "" {
				return nil
			}
			return saw(session.Contradicted, fmt.Sprintf("the stream is of task %s, the event names %s", c.Attempt.ServerID, c.Foreign), c.Exchange.Answer, c.Record.Seq)
		},
	},
	{
		ID: "views.unlisted", Claim: session.ViewsAgree, Severity: session.Minor,
		Title:    "the list leaves out a task that get shows",
		Source:   "A2A 1.0 §3.1.4; field case 125 (list-incomplete)",
		Advice:   "Do not take this peer's list for what there is: keep the task ids.",
		Disproof: "The task on a list without a filter.",
		On:       []session.Kind{session.KindResponse},
		Judge:    unlisted,
	},
	{
		ID: "views.agree", Claim: session.ViewsAgree, Peer: "honest",
		Title:  "the stream and get tell one story",
		Source: "A2A 1.0 §3.1.2",
		On:     []session.Kind{session.KindResponse, session.KindClosed, session.KindTimer},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x := endedStream(s, c)
			if !c.Settled || x == nil || saidCanceled(c) || c.Attempt.Stable < 2 || x.Stream.Terminal.State != c.Attempt.State {
				return nil
			}
			if x.Stream.Artifacts > 0 && len(c.Attempt.Told.Items) == 0 || viewsDiffer(s, c) != nil {
				return nil // the state is not the whole story
			}
			return saw(session.Honoured, "both say "+string(c.Attempt.State), x.Stream.Terminal.Seq, c.Record.Seq)
		},
	},
}, settledViewRules...)

// unlisted looks for the session's tasks on a list that was asked for without a
// filter and has no further page. Only those count that a get found last.
func unlisted(s *session.State, c *session.Change) []Saw {
	x, p := c.Exchange, c.Payload
	if x == nil || p == nil || p.List == nil || x.Op != a2a.OpList || p.List.NextPageToken != "" || x.Command == 0 {
		return nil
	}
	if cmd := s.Commands[x.Command-1].Cmd; cmd.Name != "list" || cmd.Context != "" || cmd.State != "" {
		return nil
	}
	missing, id := 0, ""
	evidence := []uint64{x.Request, c.Record.Seq}
	for _, t := range s.Tasks {
		a := t.Last()
		if a == nil || len(a.Reads) == 0 {
			continue
		}
		last := a.Reads[len(a.Reads)-1]
		if !last.Found || last.Answer > x.Request || slices.ContainsFunc(p.List.Tasks, func(l a2a.Task) bool { return l.ID == a.ServerID }) {
			continue
		}
		if missing++; id == "" {
			id = a.ServerID
		}
		evidence = append(evidence, last.Answer)
	}
	if missing == 0 {
		return nil
	}
	return saw(session.Contradicted, fmt.Sprintf("%s of this session not on it: %s", count(missing, "task"), cut(id)), evidence...)
}

// viewsDiffer compares, once the task is settled by equal reads, what its
// stream told. What another rule judges (a cancel, events behind the end, a
// stream without any artifact) is left to that rule.
func viewsDiffer(s *session.State, c *session.Change) []Saw {
	x := endedStream(s, c)
	a := c.Attempt
	if x == nil || canceled(c) {
		return nil
	}
	if r, prev := c.Read, c.PrevRead; a.GaveUp && r != nil && prev != nil && underWay(r, x) && underWay(prev, x) {
		return saw(session.Contradicted, fmt.Sprintf("the stream ended with %s, %d reads later get still says %s", x.Stream.Terminal.State, a.AfterEnd, r.State), x.Stream.Terminal.Seq, prev.Answer, r.Answer)
	}
	if !c.Settled || a.Stable < 2 || x.Stream.AfterTerminal > 0 {
		return nil
	}
	told := x.Stream.Terminal
	if told.State != a.State {
		return saw(session.Contradicted, fmt.Sprintf("the stream ended with %s, %d reads say %s", told.State, a.Stable, a.State), told.Seq, c.Record.Seq)
	}
	if !wholeStory(s, c, x) {
		return nil
	}
	streamed := map[string]string{}
	for _, art := range a.Streamed.Artifacts() {
		streamed[art.ID] = art.Digest
	}
	for _, art := range a.Told.Artifacts() {
		digest, ok := streamed[art.ID]
		switch {
		case !ok:
			return saw(session.Contradicted, fmt.Sprintf("get has artifact %q, the stream brought %d others", art.ID, len(streamed)), told.Seq, c.Record.Seq)
		case digest != art.Digest && !joinable(art):
			return saw(session.Contradicted, fmt.Sprintf("artifact %q is not the same on the stream and in get", art.ID), told.Seq, c.Record.Seq)
		}
	}
	if id := forgotten(a, x); id != "" {
		return saw(session.Contradicted, fmt.Sprintf("the stream brought artifact %q, %d reads show %s without it", id, a.Stable, count(len(a.Told.Items), "artifact")), told.Seq, c.Record.Seq)
	}
	return nil
}

// forgotten names an artifact with content that a stream brought in its own turn
// and that no read shows; empty for none. Nothing takes an artifact away again:
// get brings those of the task (1.0 §3.1.3; 0.3 §7.3). Those of earlier turns are
// left out, as a peer may begin each turn anew.
func forgotten(a *session.Attempt, x *session.Exchange) string {
	if x.Turn == nil {
		return ""
	}
	for _, art := range a.Streamed.Artifacts() {
		_, known := x.Turn.Known[art.ID]
		shown := slices.ContainsFunc(a.Told.Items, func(t a2a.Assembled) bool { return t.ID == art.ID })
		if art.ID != "" && art.Size > 0 && !known && !shown {
			return art.ID
		}
	}
	return ""
}

// underWay reports whether a read that was sent after the stream's end shows a
// task that goes on.
func underWay(r *session.Read, x *session.Exchange) bool {
	return r.Found && !r.State.Terminal() && r.State != "" && r.State != a2a.Unspecified && r.Request > x.Stream.Terminal.Seq
}

// wholeStory reports whether the attempt's streams should have brought every
// artifact: each of its messages was answered with a stream that we read to
// its end.
func wholeStory(s *session.State, c *session.Change, last *session.Exchange) bool {
	a := c.Attempt
	if last.Stream.Artifacts == 0 || fellSilent(s, last) || a.Streamed.Beyond > 0 || a.Told.Beyond > 0 {
		return false
	}
	var before *session.Exchange // the attempt's stream before this one
	for _, n := range c.Task.Talk {
		x := s.Exchanges[n-1]
		if x.Attempt != a.N {
			continue
		}
		if before != nil && x.Stream != nil && (!before.Over || before.OverSeq > x.Request) {
			return false // two streams side by side bring the same chunks twice
		}
		if x.Stream != nil {
			before = x
		}
		if x.Turn == nil {
			continue
		}
		st := x.Stream
		if x.Op != a2a.OpStream || st == nil || st.Unread > 0 || st.Terminal == nil && !st.Last.Interrupted() {
			return false
		}
		if x.Over && st.How != session.ClosedClean {
			return false
		}
	}
	return true
}

// joinable reports whether an artifact may be the same although its digests
// differ: the parts of a file that came in chunks can be joined in another
// view, and only text is joined in the digest.
func joinable(a a2a.AssembledArtifact) bool {
	for _, m := range a.MediaTypes {
		if m != "application/json" && !strings.HasPrefix(m, "text/") {
			return true
		}
	}
	return false
}
