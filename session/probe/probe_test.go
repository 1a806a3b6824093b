package probe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

func facts(gen a2a.Generation, binding a2a.Binding, prompts map[string]string) Facts {
	return Facts{
		Use:     session.Interface{URL: "https://a.example/rpc", Gen: gen, Binding: binding},
		CardURL: "https://a.example/.well-known/agent-card.json",
		Declared: map[session.Claim]a2a.Declared{
			session.Streaming: a2a.DeclaredTrue, session.PushNotifications: a2a.DeclaredTrue,
			session.StateTransitionHistory: a2a.DeclaredTrue, session.ExtendedCard: a2a.DeclaredTrue,
		},
		InputModes: []string{"text/plain", "application/json"}, Prompts: prompts, Example: "task report",
		Policy: session.DefaultPolicy(),
	}
}

var allPrompts = map[string]string{"working": "slow 20", "input-required": "ask", "completed": "task x"}

func TestProbesAreComplete(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range All() {
		if names[p.Name] {
			t.Errorf("%s stands twice", p.Name)
		}
		names[p.Name] = true
		if p.Title == "" || p.What == "" || p.Lines == nil || !p.Claim.Known() {
			t.Errorf("%s: incomplete", p.Name)
		}
		for _, c := range p.Also {
			if !c.Known() || c == p.Claim {
				t.Errorf("%s: also %q", p.Name, c)
			}
		}
	}
}

// TestScripts checks what the runner relies on: every line is a command, what
// begins work says --new, what is about a task comes after it, and every wait
// has its bound.
func TestScripts(t *testing.T) {
	t.Parallel()
	hostile := map[string]string{
		"working": "--new \"q\" 'x' \\ & #", "input-required": "a  b\n\tc & ", "completed": "-c don't $X \x01 é 😀 &",
	}
	for _, gen := range session.Generations {
		for _, binding := range session.Spoken {
			for name, prompts := range map[string]map[string]string{"plain": allPrompts, "hostile": hostile} {
				f := facts(gen, binding, prompts)
				for _, p := range All() {
					if p.Skip(f, false) != "" {
						continue
					}
					checkScript(t, string(gen)+" "+string(binding)+" "+name+" "+p.Name, p.Lines(f), prompts)
				}
			}
		}
	}
}

func checkScript(t *testing.T, name string, lines []Line, prompts map[string]string) {
	t.Helper()
	begun := false
	if len(lines) == 0 {
		t.Errorf("%s: an empty script", name)
	}
	for _, l := range lines {
		cmd, err := session.ParseCommand(string(l))
		if err != nil {
			t.Errorf("%s: %s: %v", name, l, err)
			continue
		}
		u, _ := session.UsageOf(cmd.Name)
		switch {
		case cmd.Background:
			t.Errorf("%s: %s is not waited for", name, l)
		case cmd.Again:
			if !begun {
				t.Errorf("%s: %s repeats nothing", name, l)
			}
		case cmd.Name == "send" || cmd.Name == "stream":
			begun = true
			texts := slices.Collect(func(yield func(string) bool) {
				for _, text := range prompts {
					if !yield(text) {
						return
					}
				}
			})
			if !cmd.New || !slices.Contains(texts, cmd.Text) {
				t.Errorf("%s: %s says %q", name, l, cmd.Text)
			}
		case u.NeedsTask && !begun:
			t.Errorf("%s: %s is about no task", name, l)
		case cmd.Name == "wait" && (cmd.For <= 0 || cmd.For > 3*time.Minute):
			t.Errorf("%s: %s has no bound", name, l)
		}
	}
}

func TestSkip(t *testing.T) {
	t.Parallel()
	byName := func(name string) Probe {
		i := slices.IndexFunc(All(), func(p Probe) bool { return p.Name == name })
		return All()[i]
	}
	no := func(f Facts, change func(*Facts)) Facts { change(&f); return f }
	full := facts(a2a.Gen10, a2a.JSONRPC, allPrompts)
	none := facts(a2a.Gen10, a2a.JSONRPC, nil)
	undeclared := no(full, func(f *Facts) { f.Declared = nil })
	for _, tc := range []struct {
		probe      string
		facts      Facts
		undeclared bool
		want       string
	}{
		{"cancel-working", full, false, ""},
		{"cancel-working", none, false, ""},
		{"cancel-input-required", full, false, ""},
		{"cancel-input-required", none, false, "no prompt for input-required"},
		{"stream-short", undeclared, false, "the card does not declare streaming"},
		{"stream-short", undeclared, true, ""},
		{"history", undeclared, false, "the card does not declare state-transition-history"},
		{"list", facts(a2a.Gen03, a2a.JSONRPC, nil), false, "generation 0.3 has no list"},
		{"list", full, false, ""},
		{"unknown-version", facts(a2a.Gen03, a2a.JSONRPC, nil), false, "generation 0.3 does not check the version"},
		{"malformed-json", facts(a2a.Gen10, a2a.REST, nil), false, "this is an error of JSON-RPC alone"},
		{"unknown-task", facts(a2a.Gen10, a2a.GRPC, nil), false, "there is no such call over GRPC 1.0"},
		{"unknown-task", facts(a2a.Gen10, a2a.REST, nil), false, ""},
		{"answer-json", no(full, func(f *Facts) { f.InputModes = []string{"text/plain"} }), false, "application/json is not declared"},
		{"answer-json", no(full, func(f *Facts) { f.InputModes = []string{"*/*"} }), false, ""},
		{"answer-other-modes", no(full, func(f *Facts) { f.InputModes = []string{"text/plain", "image/png"} }), false, "there is no sample of image/png; resume --file PATH tries one"},
		{"card-again", no(full, func(f *Facts) { f.CardURL = "" }), false, "no card was read"},
		{"cancel-working", no(full, func(f *Facts) { f.Use.URL = "" }), false, "the peer has no endpoint"},
	} {
		if got := byName(tc.probe).Skip(tc.facts, tc.undeclared); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.probe, got, tc.want)
		}
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	names := func(list []Probe) (out []string) {
		for _, p := range list {
			out = append(out, p.Name)
		}
		return out
	}
	for _, tc := range []struct {
		claims []session.Claim
		want   string
	}{
		{[]session.Claim{session.CancelFinal}, "cancel-working cancel-input-required"},
		{[]session.Claim{session.TaskDurable, session.CardStable}, "card-again resume-send resume-stream canary-input-required canary-working"},
		{[]session.Claim{session.Signature}, ""},
	} {
		if got := strings.Join(names(For(tc.claims)), " "); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.claims, got, tc.want)
		}
	}
	if len(For(nil)) != len(All()) {
		t.Errorf("no claims: %d probes, want all %d", len(For(nil)), len(All()))
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		on   session.Interface
		want Line
	}{
		{session.Interface{Gen: a2a.Gen10, Binding: a2a.JSONRPC}, `raw GetTask '{"id":"it\u0027s"}'`},
		{session.Interface{Gen: a2a.Gen10, Binding: a2a.JSONRPC, Tenant: "blue"}, `raw GetTask '{"tenant":"blue","id":"it\u0027s"}'`},
		{session.Interface{Gen: a2a.Gen03, Binding: a2a.JSONRPC}, `raw tasks/get '{"id":"it\u0027s"}'`},
		{session.Interface{Gen: a2a.Gen10, Binding: a2a.REST}, `raw "GET /tasks/it%27s"`},
		{session.Interface{Gen: a2a.Gen03, Binding: a2a.REST}, `raw "GET /v1/tasks/it%27s"`},
		{session.Interface{Gen: a2a.Gen10, Binding: a2a.GRPC}, ""},
		{session.Interface{Gen: a2a.Gen01, Binding: a2a.REST}, ""},
	} {
		got := Raw(a2a.OpGet, tc.on, "it's")
		if got != tc.want {
			t.Errorf("%v: %s, want %s", tc.on, got, tc.want)
		}
		if _, err := session.ParseCommand(string(got)); got != "" && err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestFactsOf(t *testing.T) {
	t.Parallel()
	s := session.NewState()
	if f := FactsOf(s); f.Prompt(a2a.Completed) != "hello" || f.Prompt(a2a.InputRequired) != "" {
		t.Errorf("without a card: %q, %q", f.Prompt(a2a.Completed), f.Prompt(a2a.InputRequired))
	}
	s.Peer.Card = &a2a.Card{
		InputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.Skill{
			{Examples: []string{" ", "bad \x00 one", "echo hello", "task report"}, InputModes: []string{"text/plain", "image/png"}},
			{},
		},
	}
	if f := FactsOf(s); f.Example != "echo hello" || !slices.Equal(f.InputModes, []string{"text/plain"}) {
		t.Errorf("example %q, modes %v", f.Example, f.InputModes)
	}
	s.Tasks = []*session.Task{{
		N: 1, Attempts: []*session.Attempt{{Message: true}}, Messages: []session.MessageSeen{{Role: "user", Text: "echo hello"}},
	}}
	if f := FactsOf(s); f.Example != "task report" {
		t.Errorf("after a message: %q", f.Example)
	}
	s.Prompts["working"] = "slow 9"
	if f := FactsOf(s); f.Prompt(a2a.Working) != "slow 9" || f.Prompt(a2a.Completed) != "task report" {
		t.Errorf("with a prompt: %q, %q", f.Prompt(a2a.Working), f.Prompt(a2a.Completed))
	}
}
