package export

import (
	"strings"
	"time"

	"a2ascope/session"
)

// beat is one line of a timeline: a record, or several that are left out.
type beat struct {
	Seq      uint64
	At       time.Duration
	Wall     time.Time
	Kind     session.Kind
	Exchange int
	D        session.Description
	Evidence bool // of a finding that is told
	Left     int  // records that this beat stands for; 0 for a record
	Upto     uint64
}

// beats gathers a timeline within bounds: runs of frames, and of reads that
// only confirm, are told by their first and last; of what is still too much,
// the middle is left out. Evidence and what rules say always stay, as far as
// their own bound goes.
type beats struct {
	state    *session.State
	evidence map[uint64]bool
	head     []beat // the first ones
	kept     []beat // evidence from the middle
	tail     []beat // the last ones
	most     int    // of each of the three
	run      run
	left     int // from the middle, since the last one that was kept
	leftFrom beat
	leftUpto uint64
}

// run is what may be told by its first and last.
type run struct {
	key   string
	first bool
	held  []beat // at most one: the last
	left  int
	from  beat
}

func newBeats(s *session.State, evidence map[uint64]bool, most int) *beats {
	return &beats{state: s, evidence: evidence, most: most}
}

// wanted leaves out what only this program does for itself.
func wanted(k session.Kind) bool {
	return k != session.KindObserved && k != session.KindTimer && k != session.KindTrust && k != session.KindCard
}

func (b *beats) add(r *session.Record) {
	if !wanted(r.Kind) && !b.evidence[r.Seq] {
		return
	}
	if r.Kind == session.KindCommand && byConsole(r) {
		return
	}
	x := beat{Seq: r.Seq, At: r.Elapsed, Wall: r.Wall, Kind: r.Kind, Exchange: r.Exchange, D: session.Describe(r), Evidence: b.evidence[r.Seq]}
	x.D.Title, x.D.Detail = oneLine(x.D.Title), oneLine(x.D.Detail)
	key := b.runKey(&x)
	if key == "" || key != b.run.key {
		b.endRun()
		b.run = run{key: key}
	}
	switch {
	case key == "":
		b.put(x)
	case !b.run.first:
		b.run.first = true
		b.put(x)
	default:
		if len(b.run.held) > 0 {
			if b.run.left == 0 {
				b.run.from = b.run.held[0]
			}
			b.run.left++
			b.run.held = b.run.held[:0]
		}
		b.run.held = append(b.run.held, x)
	}
}

// byConsole reports whether the console gave a command by itself.
func byConsole(r *session.Record) bool {
	var c session.Commanded
	return r.Decode(&c) == nil && c.By == "console"
}

// runKey is what a record has in common with those of its run; empty for a
// record that stands alone.
func (b *beats) runKey(x *beat) string {
	if x.Evidence {
		return ""
	}
	e := b.state.ExchangeN(x.Exchange)
	switch {
	case x.Kind == session.KindFrame:
		return "frame " + strings.Fields(x.D.Title + " .")[0]
	case e != nil && e.Reader && (x.Kind == session.KindRequest || x.Kind == session.KindResponse):
		return "read"
	}
	return ""
}

func (b *beats) endRun() {
	switch {
	case b.run.left == 1:
		b.put(b.run.from)
	case b.run.left > 1:
		x := b.run.from
		x.Left, x.Upto = b.run.left, b.run.held[0].Seq-1
		x.D = session.Description{Title: leftOut(b.run.left, b.run.key)}
		b.put(x)
	}
	for _, x := range b.run.held {
		b.put(x)
	}
	b.run = run{}
}

func leftOut(n int, key string) string {
	what := "record"
	switch {
	case strings.HasPrefix(key, "frame"):
		what = "frame"
	case key == "read":
		what = "record" // requests and their answers
	}
	return counted(n, "more "+what)
}

// put places a beat at the beginning, or at the end; what falls out of the end
// is left out, unless it is evidence.
func (b *beats) put(x beat) {
	if len(b.head) < b.most {
		b.head = append(b.head, x)
		return
	}
	b.tail = append(b.tail, x)
	if len(b.tail) <= b.most {
		return
	}
	old := b.tail[0]
	b.tail = append(b.tail[:0], b.tail[1:]...)
	keep := old.Evidence || old.Kind == session.KindFinding || old.Kind == session.KindCommand
	if keep && len(b.kept) < b.most {
		b.flushLeft()
		b.kept = append(b.kept, old)
		return
	}
	if b.left == 0 {
		b.leftFrom = old
	}
	b.left += max(old.Left, 1)
	b.leftUpto = max(old.Upto, old.Seq)
}

// flushLeft says how many were left out before the next that is kept.
func (b *beats) flushLeft() {
	if b.left == 0 {
		return
	}
	x := b.leftFrom
	x.Left, x.Upto, x.Evidence = b.left, b.leftUpto, false
	x.D = session.Description{Title: leftOut(b.left, "")}
	b.kept = append(b.kept, x)
	b.left = 0
}

// all ends the gathering and returns the timeline.
func (b *beats) all() []beat {
	b.endRun()
	b.flushLeft()
	return append(append(b.head, b.kept...), b.tail...)
}

// timeline gathers the beats of the session.
func (e *Export) timeline(most int) ([]beat, error) {
	evidence := map[uint64]bool{}
	for _, f := range e.told[:min(len(e.told), maxTold)] {
		for _, n := range f.Shown {
			evidence[n] = true
		}
	}
	b := newBeats(e.state, evidence, most)
	err := walk(e.pages, func(r *session.Record) error { b.add(r); return nil })
	return b.all(), err
}
