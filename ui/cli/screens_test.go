package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/ui/console"
)

// terminal is the console with all that it stands on (runner, log, embedded
// peers), in a terminal of its own.
type terminal struct {
	t       *testing.T
	shelf   *shelf
	ptmx    *os.File
	mu      sync.Mutex
	screen  *vt.Emulator
	changed chan struct{}
	ended   chan struct{} // closed when the program has ended
	err     error         // of the program
}

// openTerminal starts the console. Chunks of embedded peers come at a pace at
// which a key can be pressed between two of them.
func openTerminal(t *testing.T, w, h int, o console.Options) *terminal {
	t.Helper()
	s := newShelf(t, filepath.Join(t.TempDir(), "demo.db"))
	s.app.demoPace = "40ms"
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, shelf: s, ptmx: ptmx, screen: vt.NewEmulator(w, h), changed: make(chan struct{}, 1), ended: make(chan struct{})}
	x.size(w, h)
	o.Sessions, o.Demo, o.In, o.Out = s, true, tty, tty
	o.Env = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	fed, answered := make(chan struct{}), make(chan struct{})
	go func() { defer close(fed); x.read() }()
	go func() { // what the terminal answers to queries
		defer close(answered)
		_, _ = io.Copy(ptmx, x.screen) // it ends when either is closed
	}()
	go func() {
		defer close(x.ended)
		x.err = console.Run(t.Context(), o)
	}()
	t.Cleanup(func() {
		<-x.ended // after a failure too: its context has ended
		_ = tty.Close()
		_ = ptmx.Close() // ends what feeds the emulator
		<-fed
		_ = x.screen.Close() // ends its answers
		<-answered
	})
	return x
}

// read feeds what the program writes to the emulator.
func (x *terminal) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.ptmx.Read(buf)
		if err != nil {
			return
		}
		x.mu.Lock()
		_, _ = x.screen.Write(buf[:n]) // an emulator takes everything
		x.mu.Unlock()
		select {
		case x.changed <- struct{}{}:
		default:
		}
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

// wait waits until all the texts are on the screen.
func (x *terminal) wait(texts ...string) *terminal {
	x.t.Helper()
	x.until(fmt.Sprintf("%q on the screen", texts), func(s string) bool {
		for _, t := range texts {
			if !strings.Contains(s, t) {
				return false
			}
		}
		return true
	})
	return x
}

// gone waits until a text is on the screen no more.
func (x *terminal) gone(text string) *terminal {
	x.t.Helper()
	x.until(fmt.Sprintf("%q gone", text), func(s string) bool { return !strings.Contains(s, text) })
	return x
}

func (x *terminal) until(what string, ok func(screen string) bool) {
	x.t.Helper()
	late := time.After(30 * time.Second)
	for {
		if ok(x.text()) {
			return
		}
		select {
		case <-x.changed:
		case <-x.ended:
			x.t.Fatalf("the console ended (%v) instead of %s", x.err, what)
		case <-late:
			x.t.Fatalf("not %s:\n%s", what, x.text())
		}
	}
}

// keys types.
func (x *terminal) keys(keys ...string) *terminal {
	x.t.Helper()
	for _, k := range keys {
		if _, err := x.ptmx.WriteString(k); err != nil {
			x.t.Fatal(err)
		}
	}
	return x
}

// Keys as a terminal sends them. An escape of its own is told from the
// beginning of a sequence by the time after it, so it waits for its effect.
const (
	enter = "\r"
	ctrlC = "\x03"
	ctrlU = "\x15"
)

func (x *terminal) escape(goes string) *terminal {
	x.t.Helper()
	return x.keys("\x1b").gone(goes)
}

// size sets the size of the terminal.
func (x *terminal) size(w, h int) {
	x.t.Helper()
	if err := pty.Setsize(x.ptmx, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		x.t.Fatal(err)
	}
}

// resize changes it while the program runs.
func (x *terminal) resize(w, h int) *terminal {
	x.t.Helper()
	x.size(w, h)
	x.mu.Lock()
	x.screen.Resize(w, h)
	x.mu.Unlock()
	// The terminal is not this process's own, so the kernel does not tell it.
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		x.t.Fatal(err)
	}
	return x
}

// toHistory leaves the session, which asks while something is still open.
func (x *terminal) toHistory() *terminal {
	x.t.Helper()
	x.keys("H").until("the session left", func(s string) bool {
		return strings.Contains(s, "Leave the session?") || strings.Contains(s, "[Sessions]")
	})
	if strings.Contains(x.text(), "Leave the session?") {
		x.keys("y")
	}
	return x
}

// end leaves the program in order, and expects the terminal as it was.
func (x *terminal) end() {
	x.t.Helper()
	x.keys(ctrlC)
	select {
	case <-x.ended:
		if x.err != nil {
			x.t.Errorf("the console ended with %v", x.err)
		}
	case <-time.After(30 * time.Second):
		x.t.Fatalf("the console does not end:\n%s", x.text())
	}
	x.shelf.end()
}

func TestWalkThroughALyingPeer(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 160, 45, console.Options{})
	x.wait("Embedded peers", "leaky-cancel", "lies").keys("/", "leaky-cancel", enter).wait("/leaky-cancel 1/").keys(enter)
	x.wait("discovered", "card-valid", "stream ▸ slow").keys(ctrlU, "slow 400", enter)
	x.wait("✓ submitted", "▸ working", "artifact slow", "stream open").keys("c")
	x.wait("Cancel the task?", "▸ No, let it go on", "task 1 (").resize(80, 24)
	x.wait("Cancel the task?").keys("y").wait("DEMOTED", "cancel-final", "C confirm", "[2 Wire]")
	x.keys("3").wait("[3 Claims]", "✗ broken", "demoted").keys(enter).gone("DEMOTED").resize(120, 40)
	x.wait("Declared vs observed", "✗ broken", "after the end").keys("C", "G").wait("decision 2: confirm cancel")
	v := x.shelf.begun[0].View()
	if len(v.Tasks) != 1 || len(v.Findings) == 0 || len(v.Decisions) != 2 || v.Decisions[1].By != "operator" {
		t.Errorf("tasks %d, findings %d, decisions %+v", len(v.Tasks), len(v.Findings), v.Decisions)
	}

	// The same session, from the history, as it was before and after.
	x.toHistory().wait("[Sessions]", "✗ cancel-final").keys(enter).wait(" review ", "confirm cancel")
	x.keys("{").wait("as of #", "esc returns to now").keys("1").keys("g").escape("as of #").wait(" review ")
	x.keys("q").wait("[Sessions]").keys("/", "TASK_STATE_CANCELED", enter).wait("[Found “TASK_STATE_CANCELED”", "response")
	x.keys(enter).wait(" review ", "application/json task can")
	x.end()
	if s, err := x.shelf.List(console.Filter{}); err != nil || len(s) != 1 || !s[0].Ended || len(s[0].Contradicted) != 1 {
		t.Errorf("sessions %+v, %v", s, err)
	}
}

func TestWalkThroughAQuestion(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 120, 40, console.Options{Start: "demo:resumes"})
	x.wait("discovered", "▸").keys(ctrlU, "ask", enter)
	x.wait("input-required", "r answers").keys("r").wait("resume ▸", "enter sends").keys("the blue one", enter)
	x.wait("completed", "settled", "the blue one")
	x.end()
}

func TestWalkThroughAPeerThatDies(t *testing.T) {
	t.Parallel()
	h, err := demopeer.Handler(demopeer.Options{Scenario: "honest", Pace: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	peer := httptest.NewServer(h)
	defer peer.Close()
	x := openTerminal(t, 120, 40, console.Options{Start: peer.URL})
	x.wait("discovered").keys("S").wait("stream ▸").keys("slow 4000", enter).wait("artifact slow", "stream open")
	peer.CloseClientConnections()
	if c, ok := h.(io.Closer); ok {
		defer func() { _ = c.Close() }() // it has no error to report
	}
	peer.Listener.Close()
	x.wait("stream broke off", "p polls, b opens its stream again").gone("stream open").resize(60, 15).wait("1 Task").resize(40, 10).wait("too small").resize(120, 40).wait("Declared vs observed")
	x.keys("p").wait("✗").keys("3").wait("Detail of")
	v := x.shelf.begun[0].View()
	for _, c := range v.Claims {
		if c.Verdict == session.Contradicted {
			t.Errorf("a broken connection contradicts %s: %+v", c.ID, c)
		}
	}
	x.end()
}

// TestWalkToAnotherPeer: a task is given to another embedded peer, whose session
// sends the same message under the same correlation id and leads back.
func TestWalkToAnotherPeer(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 120, 40, console.Options{Start: "demo:honest"})
	x.wait("discovered", "▸").keys(ctrlU, `--data '{"n":1}' slow 3`, enter).wait("completed", "settled")
	x.keys(":").wait("tab complete").keys("redispatch --to demo:honest@0.3", enter).wait("Give the task to another peer?", "It is over there already").keys("y")
	x.wait("goes on with task 1 of session", "0.3 JSON-RPC").wait("completed", "settled")
	first, second := x.shelf.begun[0], x.shelf.begun[1]
	a, b := first.View(), second.View()
	if len(b.Tasks) != 1 || b.Tasks[0].Correlation != a.Tasks[0].Correlation || b.Tasks[0].Messages[0].Text != a.Tasks[0].Messages[0].Text || a.Ended == "" {
		t.Errorf("the second session has %+v after %+v", b.Tasks, a.Tasks)
	}
	if n := len(a.Decisions); n != 1 || a.Decisions[0].Action != session.ActRedispatch || a.Decisions[0].To != second.Address {
		t.Errorf("the first session decided %+v, and the second is at %s", a.Decisions, second.Address)
	}
	if before, err := x.shelf.Followers(console.TaskRef{Session: a.Session, Task: 1}); err != nil || len(before) != 1 || before[0].Session != b.Session {
		t.Errorf("followed by %+v, %v", before, err)
	}
	x.keys("q").wait(" review ", "redispatch --to http")
	x.end()
}

// TestWalkWithASecretThatIsNotSet: it is asked for where it is named, before a
// session and in one; what is typed reaches the peer, and no byte of the log.
func TestWalkWithASecretThatIsNotSet(t *testing.T) {
	t.Parallel()
	const secret = "open-sesame-4711"
	h, err := demopeer.Handler(demopeer.Options{Scenario: "honest", Pace: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	sent := map[string]bool{}
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		sent[r.Header.Get("Authorization")], sent[r.Header.Get("X-Key")] = true, true
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	defer peer.Close()
	if c, ok := h.(io.Closer); ok {
		defer func() { _ = c.Close() }() // it has no error to report
	}
	x := openTerminal(t, 120, 40, console.Options{})
	x.shelf.flags.headers = []string{"X-Key: $KEY"}
	x.wait("Embedded peers").keys("o").wait("address ▸").keys(peer.URL, enter).wait("$KEY ▸").keys(secret + "-1").wait("••••").keys(enter)
	x.wait("discovered").keys(":").wait("tab complete").keys("auth bearer $TOKEN", enter).wait("$TOKEN ▸").keys(secret + "-2").wait("••••").keys(enter).gone("••••")
	x.keys("s").wait("send ▸").keys("echo hi", enter).wait("answered by a message")
	x.end()
	mu.Lock()
	defer mu.Unlock()
	if !sent["Bearer "+secret+"-2"] || !sent[secret+"-1"] {
		t.Errorf("the peer was given %v", sent)
	}
	for _, part := range []string{"", "-wal"} {
		data, err := os.ReadFile(x.shelf.store.Path() + part)
		if err != nil && part == "" {
			t.Fatal(err)
		}
		if strings.Contains(string(data), secret) {
			t.Errorf("the log%s holds the secret", part)
		}
	}
	if strings.Contains(x.text(), secret) {
		t.Error("the secret is on the screen")
	}
}
