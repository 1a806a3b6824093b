package export

import (
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A finding on what the card declares shows the card, and one on an answer
// shows what was asked.
func TestGrounds(t *testing.T) {
	t.Parallel()
	e, err := Open(pages(load(t, "refused-mode")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.fold(); err != nil {
		t.Fatal(err)
	}
	if got, want := e.told[0].Shown, []uint64{5, 8, 9, 20, 21}; !slices.Equal(got, want) {
		t.Errorf("the finding is shown by %v, want %v: the card, the question, the answer", got, want)
	}
	for _, format := range []string{"md", "html"} {
		got := strings.ReplaceAll(exported(t, load(t, "refused-mode"), format, Options{}), "&quot;", `"`)
		_, got, _ = strings.Cut(got, "hortest sequence that shows it")
		for _, want := range []string{
			`{"defaultInputModes":["text/plain","application/json"]}` + "\n(the other members of the card are left out)",
			"What is your name?",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not show %q", format, want)
			}
		}
	}

	e.cards = []cardSeen{{Seq: 5}, {Seq: 7, Extended: true}, {Seq: 15}, {Seq: 21}, {Seq: 40}}
	for _, c := range []struct {
		claim    session.Claim
		evidence []uint64
		want     []uint64
	}{
		{session.Streaming, []uint64{8, 9}, []uint64{5}},
		{session.Security, []uint64{20, 21}, []uint64{15}},
		{session.Security, []uint64{2}, []uint64{5}}, // none was read before: the first since
		{session.CancelFinal, []uint64{20, 21}, nil},
		{session.CardStable, []uint64{5, 15}, nil}, // the cards are the evidence
		{session.ResumeSameTask, []uint64{20, 21}, []uint64{9, 8}},
		{session.ResumeSameTask, []uint64{27, 28}, []uint64{9, 8}}, // not the reads that came between
		{session.ResumeSameTask, []uint64{8, 9}, nil},              // nothing was asked yet
	} {
		got, err := e.grounds(&session.FindingState{Finding: session.Finding{Claim: c.claim}, Seq: 22}, c.evidence)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s by %v: %v %v, want %v", c.claim, c.evidence, got, err, c.want)
		}
	}
}

// The question is the last one, though the first was the same state.
func TestQuestion(t *testing.T) {
	t.Parallel()
	e := &Export{state: session.NewState()}
	for i, op := range []a2a.Operation{a2a.OpSend, a2a.OpSend, a2a.OpGet, a2a.OpSend} {
		e.state.Exchanges = append(e.state.Exchanges, &session.Exchange{N: i + 1, Op: op, Task: 1, Request: uint64(10 * (i + 1)), Asked: a2a.InputRequired})
	}
	seen := func(st a2a.State, seq uint64, x int) session.Seen {
		return session.Seen{State: st, Seq: seq, Exchange: x}
	}
	for name, c := range map[string]struct {
		states []session.Seen
		want   []uint64
	}{
		"asked twice":      {[]session.Seen{seen(a2a.InputRequired, 11, 1), seen(a2a.InputRequired, 21, 2), seen(a2a.InputRequired, 31, 3)}, []uint64{21, 20}},
		"seen by a read":   {[]session.Seen{seen(a2a.InputRequired, 11, 1), seen(a2a.Working, 21, 2), seen(a2a.InputRequired, 31, 3)}, []uint64{31, 30}},
		"pushed":           {[]session.Seen{seen(a2a.InputRequired, 12, 0)}, []uint64{12}},
		"asked afterwards": {[]session.Seen{seen(a2a.InputRequired, 41, 4)}, nil},
		"no longer asked":  {[]session.Seen{seen(a2a.InputRequired, 11, 1), seen(a2a.Working, 21, 2)}, nil},
	} {
		e.state.Tasks = []*session.Task{{N: 1, Attempts: []*session.Attempt{{N: 1, States: c.states}}}}
		if got := e.question(e.state.Exchanges[3]); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim      session.Claim
		card, want string
	}{
		{session.Streaming, `{"name":"x","capabilities":{"streaming": true,"pushNotifications":false}}`, `{"capabilities":{"streaming":true}}`},
		{session.PushNotifications, `{"capabilities":{"push_notifications":true}}`, `{"capabilities":{"push_notifications":true}}`},
		{session.InputModes, `{"defaultInputModes":["a/b"],"skills":[{"id":"s","inputModes":[ "c/d" ],"tags":[]},{"id":"t"}]}`,
			`{"defaultInputModes":["a/b"],` + "\n" + ` "skills":[{"id":"s","inputModes":["c/d"]}]}`},
		{session.OutputModes, `{"default_output_modes":["<b>"],"skills":[{"id":"t"}]}`, `{"default_output_modes":["<b>"]}`},
		{session.Endpoint, `{"url":"http://a","version":"1"}`, `{"url":"http://a"}`},
		{session.Streaming, `{"name":"x","capabilities":{}}`, ""},
		{session.Streaming, `{"name":"x","capabilities":[]}`, ""},
		{session.InputModes, `{"skills":"none"}`, ""},
		{session.Streaming, `null`, ""},
		{session.Streaming, `{`, ""},
	} {
		got, ok := declared([]byte(c.card), declaring[c.claim])
		got = strings.TrimSuffix(got, "\n(the other members of the card are left out)")
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s of %s: %s, want %s", c.claim, c.card, got, c.want)
		}
	}
}
