package console

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"

	tea "charm.land/bubbletea/v2"
)

// onSession is a bench with a session on its screen and the focus in the wire
// log.
func onSession(t *testing.T, f *fakeLive, w, h int) (*bench, *sessionScreen) {
	t.Helper()
	b := newBench(t, Options{Sessions: &fakeSessions{}}, w, h)
	s := b.show(f, false)
	return b, s
}

// working is a session whose task works on an open stream.
func working() *fakeLive {
	full := leaky()
	f := newFake()
	for i := range full.records {
		if r := &full.records[i]; r.Kind == session.KindCommand && strings.Contains(string(r.Body), "cancel") {
			break
		}
		f.records = append(f.records, full.records[i])
		session.Fold(f.state, &f.records[i])
	}
	f.view = session.MakeView(f.state)
	f.view.Live = true
	return f
}

// asking is a session whose task waits for input.
func asking() *fakeLive {
	f := working()
	f.add(ms(2500), session.KindFrame, 1, 2, session.Framed{N: 9, Kind: "event"},
		event(`{"jsonrpc":"2.0","id":2,"result":{"statusUpdate":{"taskId":"t-7f3a","contextId":"c-1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m-9","role":"ROLE_AGENT","parts":[{"text":"Which year?"}]}}}}}`))
	return f
}

// settled is a session whose task nothing more is to be seen of.
func settled() *fakeLive {
	f := leaky()
	v := *f.view
	v.Tasks = slices.Clone(v.Tasks)
	v.Tasks[0].Settled, v.Tasks[0].State, v.Tasks[0].Outcome = true, "completed", session.OutcomeOrphaned
	v.Tasks[0].States = []string{"submitted", "working", "canceled", "completed"}
	f.view = &v
	return f
}

func TestKeysThatSendOneCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		from func() *fakeLive
		keys []string
		want []string
	}{
		{"poll", working, []string{"p"}, []string{"poll"}},
		{"resubscribe", working, []string{"b"}, []string{"resubscribe"}},
		{"detach", working, []string{"d"}, []string{"detach"}},
		{"get", working, []string{"."}, []string{"get"}},
		{"mark", working, []string{"m"}, []string{"mark"}},
		{"cancel asks, and does nothing on enter", working, []string{"c", "enter"}, nil},
		{"cancel on yes", working, []string{"c", "y"}, []string{"cancel"}},
		{"cancel on the other answer", working, []string{"c", "tab", "enter"}, []string{"cancel"}},
		{"cancel on no", working, []string{"c", "n"}, nil},
		{"cancel on escape", working, []string{"c", "esc"}, nil},
		{"confirm what is selected", leaky, []string{"C"}, []string{"confirm 1"}},
		{"probe a claim", leaky, []string{"3", "T"}, []string{"probe cancel-final"}},
		{"probe all", leaky, []string{"P", "enter"}, []string{"probe"}},
		{"send", working, []string{"s", "h", "i", "enter"}, []string{"send hi"}},
		{"stream", working, []string{"S", "h", "i", "enter"}, []string{"stream hi"}},
		{"resume", asking, []string{"r", "4", "enter"}, []string{"resume 4"}},
		{"resume by the other kind", asking, []string{"S", "x", "ctrl+t", "enter"}, []string{"resume x"}},
		{"new line", working, []string{"s", "a", "ctrl+j", "b", "enter"}, []string{`send -- "a\nb"`}},
		{"new line by alt", working, []string{"s", "a", "alt+enter", "b", "enter"}, []string{`send -- "a\nb"`}},
		{"history of messages", working, []string{"s", "a", "enter", "s", "up", "enter"}, []string{"send a", "send a"}},
		{"an empty message is not sent", working, []string{"s", "space", "enter"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := c.from()
			b, _ := onSession(t, f, 120, 40)
			b.keys(c.keys...)
			if !slices.Equal(f.commands, c.want) {
				t.Errorf("commands %q, want %q\n%s", f.commands, c.want, b.screen())
			}
		})
	}
}

func TestKeysThatBeginACommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		line string
		then string
		want string
	}{
		{[]string{":"}, ":", "get --history 3", "get --history 3"},
		{[]string{"n"}, ":note ", "seen by hand", "note seen by hand"},
		{[]string{"O"}, ":overrule 1 ", "the proxy did it", "overrule 1 the proxy did it"},
		{[]string{"3", "D"}, ":demote cancel-final ", "again", "demote cancel-final again"},
		{[]string{"3", "R"}, ":restore cancel-final ", "fixed", "restore cancel-final fixed"},
	} {
		f := leaky()
		b, _ := onSession(t, f, 100, 30)
		b.keys(c.keys...).wants(c.line).text(c.then).keys("enter")
		if len(f.commands) != 1 || f.commands[0] != c.want {
			t.Errorf("%v: commands %q, want %q", c.keys, f.commands, c.want)
		}
		if b.m.field != nil {
			t.Errorf("%v: the line is still open", c.keys)
		}
	}
}

func TestAKeyThatCannotWorkSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		from func() *fakeLive
		want string
	}{
		{"s", newFake, "no card was read yet"},
		{"c", discovered, "there is no task yet"},
		{"c", leaky, "task 1 is already canceled"},
		{"r", working, "task 1 is working and waits for nothing"},
		{"p", discovered, "there is no task yet"},
		{"p", settled, "poll: task 1 is settled; . reads it once more"},
		{"C", working, "no decision waits for an answer"},
		{"u", leaky, "you have made no decision that still stands"},
		{"]", leaky, "there is no other task"},
		{"ctrl+r", leaky, "this session goes on already"},
	} {
		f := c.from()
		b, _ := onSession(t, f, 120, 40)
		b.keys(c.key).wants(c.want)
		if len(f.commands) > 0 {
			t.Errorf("%s sent %q", c.key, f.commands)
		}
	}
}

func TestMessagesBecomeCommandLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how, typed string
		text       string
		data       []string
		files      int
	}{
		{"send", "hello", "hello", nil, 0},
		{"send", "it's  \"quoted\" & done &", "it's  \"quoted\" & done &", nil, 0},
		{"send", "two\nlines", "two\nlines", nil, 0},
		{"send", `--data '{"a": 1}' see the data`, "see the data", []string{`{"a": 1}`}, 0},
		{"stream", `--data '{"a":"x y"}' --file './my plan.pdf;type=application/pdf' look`, "look", []string{`{"a":"x y"}`}, 1},
		{"resume", "--force yes", "yes", nil, 0},
		{"send", "-- --data is what I mean", "--data is what I mean", nil, 0},
		{"send", "# not a comment", "# not a comment", nil, 0},
		{"send", "mid --data stays text", "mid --data stays text", nil, 0},
	} {
		m := newComposer()
		m.how = c.how
		m.edit.set(c.typed)
		got, err := session.ParseCommand(m.commandLine())
		if err != nil {
			t.Errorf("%q became %q: %v", c.typed, m.commandLine(), err)
			continue
		}
		if got.Name != c.how || got.Text != c.text || !slices.Equal(got.Data, c.data) || len(got.Files) != c.files || got.Background {
			t.Errorf("%q became %q: %+v", c.typed, m.commandLine(), got)
		}
	}
}

func TestAnUnknownFlagIsSaidAndTheTextStays(t *testing.T) {
	t.Parallel()
	f := working()
	b, s := onSession(t, f, 120, 40)
	b.keys("s").text("--dta x").keys("enter").wants("--dta")
	if len(f.commands) > 0 || s.message.edit.value() != "--dta x" {
		t.Errorf("commands %q, text %q", f.commands, s.message.edit.value())
	}
}

func TestPasteNeverSubmits(t *testing.T) {
	t.Parallel()
	f := working()
	b, s := onSession(t, f, 120, 40)
	b.keys("s")
	b.send(tea.PasteMsg{Content: "one\ntwo\r\n\x1b[31mthree\n"})
	if len(f.commands) > 0 || s.message.edit.value() != "one\ntwo\n[31mthree\n" {
		t.Errorf("commands %q, text %q", f.commands, s.message.edit.value())
	}
	b.keys("esc", ":")
	b.send(tea.PasteMsg{Content: "note a\nnote b\n"})
	if len(f.commands) > 0 || b.m.field.edit.value() != "note a note b" {
		t.Errorf("commands %q, line %q", f.commands, b.m.field.edit.value())
	}
}

func TestAnErrorStaysInItsPlace(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 120, 40)
	b.keys(":").text("frobnicate").keys("enter").wants(":frobnicate", `unknown command "frobnicate"`)
	b.keys("backspace").lacks("unknown command")
	f.refuse = errors.New("the session is ending")
	b.keys("esc", ":").text("mark").keys("enter").wants(":mark", "the session is ending")
	b.keys("esc", "m").wants("the session is ending", "reads it in full")
	b.keys("e").wants("Errors", "mark: the session is ending")
	b.keys("esc").lacks("Errors")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, leaky(), 120, 40)
	b.keys(":").text("dem").wants("demote")
	b.keys("tab").text("can").wants("cancel-final", "demote CLAIM REASON").keys("tab")
	if got := b.m.field.edit.value(); got != "demote cancel-final " {
		t.Errorf("line %q", got)
	}
	b.keys("ctrl+u").text("use ").wants("1", "t-7f3a").keys("tab", "tab", "shift+tab")
	if got := b.m.field.edit.value(); got != "use 1" {
		t.Errorf("line %q", got)
	}
}

func TestHistoryOfTheCommandLine(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 120, 40)
	b.keys(":").text("mark").keys("enter", ":").text("note x").keys("enter", ":").text("dra").keys("up", "up", "down", "down")
	if got := b.m.field.edit.value(); got != "dra" {
		t.Errorf("the line being written became %q", got)
	}
	b.keys("up", "up", "enter")
	if want := []string{"mark", "note x", "mark"}; !slices.Equal(f.commands, want) {
		t.Errorf("commands %q, want %q", f.commands, want)
	}
}

func TestReviewIsReadOnly(t *testing.T) {
	t.Parallel()
	f := leaky()
	src := &fakeSessions{live: map[string]*fakeLive{"018e-demo": f}}
	b := newBench(t, Options{Sessions: src}, 120, 40)
	b.show(f, true)
	b.wants("review", "under review: read-only")
	for _, k := range []string{"s", "S", "c", "p", "b", "d", "P", ":", "n", "m", "C", "O", "u"} {
		b.keys(k).wants("under review").keys("esc", "esc")
	}
	b.keys("5", "x", "enter")
	if len(f.commands) > 0 {
		t.Errorf("commands %q", f.commands)
	}
	b.keys("esc", "ctrl+r")
	if want := []string{"continue 018e-demo"}; !slices.Equal(src.opened, want) {
		t.Errorf("opened %q, want %q", src.opened, want)
	}
}

func TestReadOnlyRefusesToAct(t *testing.T) {
	t.Parallel()
	f := working()
	b := newBench(t, Options{Sessions: &fakeSessions{}, ReadOnly: true}, 120, 40)
	b.show(f, false)
	for _, k := range []string{"c", "s", "p"} {
		b.keys(k).wants("the console is read-only")
	}
	b.keys("m")
	if !slices.Equal(f.commands, []string{"mark"}) {
		t.Errorf("commands %q", f.commands)
	}
}

func TestPauseHoldsThePictureAndNotTheRecord(t *testing.T) {
	t.Parallel()
	f := working()
	b, s := onSession(t, f, 120, 40)
	b.keys("space").wants("paused")
	before := s.view.Seq
	for range 5 {
		f.add(ms(2500), session.KindNote, 0, 0, session.Noted{Text: "late"}, "")
	}
	b.tell(f)
	b.wants("paused", "5 new").lacks("late")
	if s.view.Seq != before {
		t.Error("the picture moved")
	}
	b.keys("space").wants("late").lacks("paused")
}

func TestStatusSaysWhatIsAwaited(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, working(), 120, 40)
	b.now = start.Add(2500 * time.Millisecond)
	b.wants("task 1 working", "stream open, 8 events")
	b.now = start.Add(14 * time.Second)
	b.wants("stream silent for 12 s")
	f := working()
	f.add(ms(2400), session.KindCommand, 1, 0, session.Commanded{Line: "get", By: "operator"}, "")
	f.add(ms(2401), session.KindRequest, 1, 3, session.Requested{Op: a2a.OpGet, Gen: a2a.Gen10, Binding: a2a.JSONRPC, URL: "https://agents.acme.example/a2a", RPCMethod: "GetTask", TaskID: "t-7f3a", Obligation: 3}, "")
	b, _ = onSession(t, f, 120, 40)
	b.now = start.Add(4401 * time.Millisecond)
	b.wants("awaiting get, 2.00 s")
	b, _ = onSession(t, asking(), 120, 40)
	b.wants("task 1 input-required", "Which year?", "r answers")
	f = working()
	f.view.Trouble, f.view.Recorded = "the disk is full", false
	b, _ = onSession(t, f, 120, 40)
	b.wants("not recorded", "the disk is full")
}

func TestOutcomesOfCommandsAreTold(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 120, 40)
	v := *f.view
	v.Last = session.CommandView{N: 7, Line: "wait state completed --for 1s", Over: true, Result: session.ResultRanOut, Detail: "the task is working"}
	f.view = &v
	b.tell(f)
	b.wants("wait state completed --for 1s: the task is working")
	b.keys("e").wants("the task is working").keys("esc")
	w := v
	w.Last = session.CommandView{N: 8, Line: "export md", Over: true, Result: session.ResultOK, Detail: "exported as md to /tmp/a b.md"}
	f.view = &w
	b.tell(f)
	b.wants("written: /tmp/a b.md")
	b.keys("r", "e").wants("Errors", "resume: task 1 is working and waits for nothing")
}

// only styles may reach the terminal.
var styles = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestNothingOfThePeerIsObeyed(t *testing.T) {
	t.Parallel()
	evil := "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u202eevil\u200b\r\x9b31m"
	hostile := strings.NewReplacer("Acme Research", jsonText(evil), "research", jsonText(evil), "2.3.0", jsonText(evil)).Replace(card)
	f := newFake()
	f.add(0, session.KindOpened, 0, 0, session.Opened{Session: "s", Typed: evil, URL: "https://x.example", Policy: session.DefaultPolicy()}, "")
	f.add(ms(1), session.KindCard, 0, 0, session.CardRead{URL: "https://x.example/" + evil, SHA256: "00"}, hostile)
	full := leaky()
	for _, r := range full.records[5:] {
		f.add(r.Elapsed, r.Kind, r.Task, r.Exchange, rawBody(r.Body), strings.ReplaceAll(string(r.Raw), "chunk", jsonText(evil)))
	}
	f.add(ms(9000), session.KindFinding, 1, 2, session.Finding{Rule: evil, Claim: session.Claim(evil), Severity: session.Critical, Title: evil, Detail: evil, Advice: evil, Source: evil, Evidence: []uint64{1}, Count: 1}, "")
	f.add(ms(9000), session.Kind("evil\x1b[2J"), 0, 0, session.Noted{Text: evil}, evil)
	b, s := onSession(t, f, 160, 45)
	check := func(what string) {
		t.Helper()
		v := b.m.View()
		for _, r := range styles.ReplaceAllString(v.Content, "") + v.WindowTitle {
			if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
				t.Fatalf("%s: %U reaches the terminal:\n%q", what, r, v.Content)
			}
		}
	}
	check("at first")
	for seq := uint64(1); seq <= uint64(len(f.records)); seq++ {
		b.m.jump(seq)
		b.do(b.m.refill())
		for range s.detail.tabs() {
			s.detail.turn(1)
			check("record")
		}
	}
	for range s.claims.claims {
		b.keys("3", "j")
		check("claim")
	}
	b.keys("1")
	check("task")
	b.keys("Y", "y")
	for _, msg := range b.sent {
		if text, ok := clipboard(msg); ok && strings.ContainsAny(text, "\x1b\x07\r\u009b") {
			t.Errorf("the clipboard gets %q", text)
		}
	}
}
