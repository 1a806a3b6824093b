package session_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

func TestCompareDocuments(t *testing.T) {
	t.Parallel()
	finding := func(rule string, severity session.Severity, task string) session.FindingDoc {
		return session.FindingDoc{Rule: rule, Severity: severity, Task: task}
	}
	a := session.Document{
		Session: "a", Peer: session.PeerDoc{Name: "Acme", CardVersion: "1"}, Log: session.LogDoc{Records: 9},
		Claims:   []session.ClaimDoc{{ID: session.Streaming, Verdict: session.Honoured}, {ID: session.CancelFinal, Verdict: session.Contradicted}},
		Findings: []session.FindingDoc{finding("a.gone", session.Critical, "1"), finding("a.gone", session.Critical, "2"), finding("a.kept", session.Major, "1")},
	}
	b := session.Document{
		Session:  "b",
		Claims:   []session.ClaimDoc{{ID: session.Streaming, Verdict: session.Honoured}, {ID: session.CancelFinal, Verdict: session.Honoured, Declared: "implied"}},
		Findings: []session.FindingDoc{finding("a.kept", session.Major, "7"), finding("a.new", session.Minor, "7")},
	}
	c := session.Compare(a, b, nil, nil)
	if want := []session.ClaimChange{{ID: session.CancelFinal, Was: session.Contradicted, Now: session.Honoured, Declared: "implied"}}; !reflect.DeepEqual(c.Claims, want) {
		t.Errorf("claims %+v", c.Claims)
	}
	if len(c.Gone) != 1 || c.Gone[0].Rule != "a.gone" || c.Gone[0].Task != "1" || len(c.New) != 1 || c.New[0].Rule != "a.new" {
		t.Errorf("gone %+v, new %+v", c.Gone, c.New)
	}
	if c.A.Name != "Acme" || c.A.Records != 9 || c.B.Session != "b" || c.Same() {
		t.Errorf("%+v", c)
	}
	same := session.Compare(a, a, []byte(`{"a":1}`), []byte(` {"a": 1}`))
	if !same.Same() {
		t.Errorf("a session is not as itself: %+v", same)
	}
	text, err := json.Marshal(same)
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestCompareCards(t *testing.T) {
	t.Parallel()
	deep := func(leaf string) string { return strings.Repeat(`{"a":`, 70) + leaf + strings.Repeat(`}`, 70) }
	for name, tc := range map[string]struct {
		was, now string
		want     []string
		note     string
	}{
		"capability":     {`{"capabilities":{"streaming":true,"x":1}}`, `{"capabilities":{"streaming":false,"x":1}}`, []string{"capabilities.streaming true → false"}, ""},
		"come and gone":  {`{"a":1,"b":{"c":2}}`, `{"b":{},"d":[1]}`, []string{"a 1 → ", "b.c 2 → ", `d  → [1]`}, ""},
		"order":          {`{"a":1,"b":2}`, `{"b":2,"a":1}`, nil, ""},
		"skills by id":   {`{"skills":[{"id":"x","t":1},{"id":"y"}]}`, `{"skills":[{"id":"z"},{"id":"x","t":2}]}`, []string{"skills[x].t 1 → 2", `skills[y] {"id":"y"} → `, `skills[z]  → {"id":"z"}`}, ""},
		"twice one id":   {`{"s":[{"id":"x"},{"id":"x"}]}`, `{"s":[{"id":"x"}]}`, []string{`s[1] {"id":"x"} → `}, ""},
		"modes by place": {`["a","b"]`, `["a","c","d"]`, []string{`[1] "b" → "c"`, `[2]  → "d"`}, ""},
		"kind":           {`{"a":[1]}`, `{"a":{"b":1}}`, []string{`a [1] → {"b":1}`}, ""},
		"null is told":   {`{"a":null}`, `{}`, []string{`a null → `}, ""},
		"numbers":        {`{"a":1.0}`, `{"a":1}`, []string{`a 1.0 → 1`}, ""},
		"odd names":      {`{"a.b":1}`, `{"a.b":2}`, []string{`"a.b" 1 → 2`}, ""},
		"deep":           {deep("1"), deep("1"), nil, ""},
		"one card":       {`{}`, ``, nil, "only the first session read a card"},
		"other card":     {``, `{}`, nil, "only the second session read a card"},
		"no card":        {``, ``, nil, ""},
		"no JSON":        {`<html>`, `{}`, nil, "the cards differ, and one of them is no JSON"},
		"the same HTML":  {`<html>`, `<html>`, nil, ""},
	} {
		c := session.Compare(session.Document{}, session.Document{}, []byte(tc.was), []byte(tc.now))
		var got []string
		for _, x := range c.Card {
			got = append(got, x.Path+" "+x.Was+" → "+x.Now)
		}
		if !reflect.DeepEqual(got, tc.want) || c.CardNote != tc.note {
			t.Errorf("%s: %q, %q", name, got, c.CardNote)
		}
	}
	var many, other strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
		fmt.Fprintf(&other, `,"k%d":%q`, i, strings.Repeat("é", 500))
	}
	c := session.Compare(session.Document{}, session.Document{}, []byte("{"+many.String()[1:]+"}"), []byte("{"+other.String()[1:]+"}"))
	if len(c.Card) != 200 || c.CardNote != "100 more differences are not listed" || len(c.Card[0].Now) > 210 {
		t.Errorf("%d changes, %q, %d bytes", len(c.Card), c.CardNote, len(c.Card[0].Now))
	}
}

func TestTimings(t *testing.T) {
	t.Parallel()
	log := recorded(t, "honest", "stream slow 8", "wait settled", "send task x", "wait settled", "send slow 3 --immediate", "wait settled", "send ask", "resume --data {\"a\":1} --stream", "wait settled")
	s, err := session.At(log.Page, uint64(len(log.records)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]session.FormTiming{}
	for _, f := range session.Timings(s) {
		got[f.Form] = f
	}
	if len(got) != 4 || got["send"].Turns != 2 || got["stream"].Turns != 1 || got["resume --stream"].Turns != 1 {
		t.Fatalf("%+v", got)
	}
	// Eight chunks come 10 ms apart.
	if f := got["stream"]; f.FirstEvent <= 0 || f.Settle.D() < 60*time.Millisecond || f.Settle <= f.FirstEvent {
		t.Errorf("stream: %+v", f)
	}
	if f := got["send --immediate"]; f.Settle < f.FirstEvent || f.FirstEvent <= 0 {
		t.Errorf("send: %+v", f)
	}
	c := session.Compare(session.Document{}, session.Document{}, nil, nil)
	c.Time(s, session.NewState())
	if len(c.Timings) != 4 || c.Timings[0].Form != "stream" || c.Timings[0].Notable() || !c.Same() {
		t.Errorf("%+v", c.Timings)
	}
	slower := func(was, now time.Duration) bool {
		c := session.TimingChange{Was: session.FormTiming{Settle: session.Duration(was)}, Now: session.FormTiming{Settle: session.Duration(now)}}
		return c.Notable()
	}
	if slower(time.Second, 1200*time.Millisecond) || slower(10*time.Millisecond, 50*time.Millisecond) || !slower(time.Second, 2*time.Second) || !slower(2*time.Second, time.Second) {
		t.Error("what is notable is not")
	}
}
