package session

import (
	"cmp"
	"slices"
	"time"

	"a2ascope/session/a2a"
)

// Comparison is what two sessions say differently: of two builds of a peer, or
// of a recording and its rerun. Lists are never null.
type Comparison struct {
	A        ComparedDoc    `json:"a"`
	B        ComparedDoc    `json:"b"`
	Claims   []ClaimChange  `json:"claims"`   // whose verdict is another, in the claims' order
	Gone     []FindingDoc   `json:"gone"`     // findings of a alone
	New      []FindingDoc   `json:"new"`      // findings of b alone
	Card     []CardChange   `json:"card"`     // by path
	CardNote string         `json:"cardNote"` // why the cards could not be compared; empty when they were
	Timings  []TimingChange `json:"timings"`  // by form; empty until Time was called
}

// ComparedDoc names one side of a Comparison.
type ComparedDoc struct {
	Session     string `json:"session"`
	Started     string `json:"started"`
	Peer        string `json:"peer"`
	Name        string `json:"name"`
	CardVersion string `json:"cardVersion"`
	Generation  string `json:"generation"`
	Binding     string `json:"binding"`
	Records     uint64 `json:"records"`
}

// ClaimChange is a claim with two verdicts.
type ClaimChange struct {
	ID       Claim   `json:"id"`
	Was      Verdict `json:"was"`
	Now      Verdict `json:"now"`
	Declared string  `json:"declared"` // now
}

// TimingChange is how long tasks of one form took on either side.
type TimingChange struct {
	Form string     `json:"form"`
	Was  FormTiming `json:"was"`
	Now  FormTiming `json:"now"`
}

// FormTiming is how long the tasks took that were begun in one way. A time is
// the median of those that were seen, and 0 when none was.
type FormTiming struct {
	Form       string   `json:"form"` // "stream", "send", "send --immediate", "resume" or "resume --stream"
	Turns      int      `json:"turns"`
	FirstEvent Duration `json:"firstEvent"` // from the request to the first event, or to the answer where there was no stream
	Settle     Duration `json:"settle"`     // from the request that began the task to its first terminal state
}

// Compare compares what two sessions came to. A card is that session's last,
// as it was read; nil when there was none. Findings are told apart by rule and
// severity: tasks of two sessions have no common name.
func Compare(a, b Document, cardA, cardB []byte) Comparison {
	c := Comparison{
		A: compared(&a), B: compared(&b), Claims: []ClaimChange{}, Timings: []TimingChange{},
		Gone: findingsWithout(a.Findings, b.Findings), New: findingsWithout(b.Findings, a.Findings),
	}
	verdicts := map[Claim]Verdict{}
	for _, x := range a.Claims {
		verdicts[x.ID] = x.Verdict
	}
	for _, x := range b.Claims {
		if was := cmp.Or(verdicts[x.ID], Unproven); was != x.Verdict {
			c.Claims = append(c.Claims, ClaimChange{ID: x.ID, Was: was, Now: x.Verdict, Declared: x.Declared})
		}
	}
	c.Card, c.CardNote = diffCards(cardA, cardB)
	return c
}

func compared(d *Document) ComparedDoc {
	p := &d.Peer
	return ComparedDoc{
		Session: d.Session, Started: d.Started, Peer: p.URL, Name: p.Name, CardVersion: p.CardVersion,
		Generation: p.Generation, Binding: p.Binding, Records: d.Log.Records,
	}
}

// findingsWithout returns the findings of a that b has none like: of each rule
// and severity the first.
func findingsWithout(a, b []FindingDoc) []FindingDoc {
	type kind struct {
		rule     string
		severity Severity
	}
	met := map[kind]bool{}
	for _, f := range b {
		met[kind{f.Rule, f.Severity}] = true
	}
	out := []FindingDoc{}
	for _, f := range a {
		if k := (kind{f.Rule, f.Severity}); !met[k] {
			met[k] = true
			out = append(out, f)
		}
	}
	return out
}

// Same reports whether the two sessions say the same. Timings, which are never
// the same, do not count.
func (c *Comparison) Same() bool {
	return len(c.Claims)+len(c.Gone)+len(c.New)+len(c.Card) == 0 && c.CardNote == ""
}

// Time fills in the timings of the two sessions' states.
func (c *Comparison) Time(a, b *State) {
	was, now := Timings(a), Timings(b)
	c.Timings = []TimingChange{}
	for _, w := range was {
		change := TimingChange{Form: w.Form, Was: w, Now: FormTiming{Form: w.Form}}
		if i := slices.IndexFunc(now, func(n FormTiming) bool { return n.Form == w.Form }); i >= 0 {
			change.Now = now[i]
			now = slices.Delete(now, i, i+1)
		}
		c.Timings = append(c.Timings, change)
	}
	for _, n := range now {
		c.Timings = append(c.Timings, TimingChange{Form: n.Form, Was: FormTiming{Form: n.Form}, Now: n})
	}
}

// Bounds of what is noticed between two times: less is the weather.
const (
	noticedShare = 4 // a quarter of the longer one
	noticedLeast = 50 * time.Millisecond
)

// Notable reports whether a form takes another time than before: by a quarter,
// and by more than 50 ms. What was seen on one side alone is not compared.
func (t *TimingChange) Notable() bool {
	return notable(t.Was.FirstEvent.D(), t.Now.FirstEvent.D()) || notable(t.Was.Settle.D(), t.Now.Settle.D())
}

func notable(was, now time.Duration) bool {
	apart := max(was, now) - min(was, now)
	return was > 0 && now > 0 && apart > noticedLeast && apart > max(was, now)/noticedShare
}

// Timings is how long each form of task took in a session, in the order in
// which the forms were first used.
func Timings(s *State) []FormTiming {
	var out []FormTiming
	first, settle := map[string][]time.Duration{}, map[string][]time.Duration{}
	for _, x := range s.Exchanges {
		if x.Turn == nil || x.Rung > 0 {
			continue
		}
		form := formOf(x)
		i := slices.IndexFunc(out, func(t FormTiming) bool { return t.Form == form })
		if i < 0 {
			i = len(out)
			out = append(out, FormTiming{Form: form})
		}
		out[i].Turns++
		switch {
		case x.Stream != nil && x.Stream.Events > 0:
			first[form] = append(first[form], x.Stream.FirstAt-x.Sent)
		case x.Stream == nil && x.Answer > 0 && x.Fault == "":
			first[form] = append(first[form], x.Answered-x.Sent)
		}
		if _, a := s.attemptOf(x); a != nil && a.First == x.Request && a.Terminal != nil && a.Terminal.Epoch == x.Epoch {
			settle[form] = append(settle[form], a.Terminal.At-x.Sent)
		}
	}
	for i := range out {
		t := &out[i]
		t.FirstEvent, t.Settle = Duration(median(first[t.Form])), Duration(median(settle[t.Form]))
	}
	return out
}

// formOf is how a message was sent, in the words of the commands.
func formOf(x *Exchange) string {
	form := "send"
	if x.ServerTask != "" {
		form = "resume"
	}
	switch {
	case x.Op == a2a.OpStream && form == "send":
		return "stream"
	case x.Op == a2a.OpStream:
		return "resume --stream"
	case form == "send" && !x.Blocking:
		return "send --immediate"
	}
	return form
}

func median(ds []time.Duration) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	slices.Sort(ds)
	return ds[len(ds)/2]
}
