package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// factLog folds a log that no rule judges: what stands here are facts alone.
type factLog struct {
	t     *testing.T
	state *session.State
	now   time.Duration
	last  session.Change
}

func newFactLog(t *testing.T, policy func(*session.Policy)) *factLog {
	l := &factLog{t: t, state: session.NewState()}
	p := session.DefaultPolicy()
	if policy != nil {
		policy(&p)
	}
	l.write(session.KindOpened, 0, session.Opened{Session: "s", URL: "http://peer.example", Policy: p}, "")
	l.write(session.KindCommand, 0, session.Commanded{Line: "endpoint http://peer.example/rpc"}, "")
	return l
}

func (l *factLog) write(kind session.Kind, exchange int, body any, raw string) uint64 {
	l.t.Helper()
	r := &session.Record{
		Seq: l.state.Seq + 1, Elapsed: l.now, Wall: time.Unix(1800000000, 0).UTC().Add(l.now), Kind: kind, Exchange: exchange, Body: session.Encode(body), Raw: []byte(raw),
	}
	if exchange > 0 && exchange <= len(l.state.Exchanges) {
		r.Task = l.state.Exchanges[exchange-1].Task
	} else if exchange > 0 {
		r.Task = 1
	}
	r.Seal(l.state.Head)
	l.last = session.Fold(l.state, r)
	return r.Seq
}

func (l *factLog) command(line string) *session.CommandState {
	l.t.Helper()
	l.write(session.KindCommand, 0, session.Commanded{Line: line, Correlation: "c-1"}, "")
	return l.state.Commands[len(l.state.Commands)-1]
}

// ask writes the request of the first obligation that has none yet, or a read
// of the task's reader.
func (l *factLog) ask() int {
	l.t.Helper()
	n := len(l.state.Exchanges) + 1
	body := session.Requested{Op: a2a.OpGet, Gen: a2a.Gen10, Binding: a2a.JSONRPC, URL: "http://peer.example/rpc", Reader: true}
	if t := l.state.TaskN(1); t != nil && t.Last() != nil {
		body.TaskID = t.Last().ServerID
	}
	for _, o := range l.state.Obligations {
		if o.Exchange == 0 {
			body.Op, body.Obligation, body.Command, body.Purpose, body.Reader = o.Op, o.N, o.Command, o.Purpose, false
			if o.Op == a2a.OpSend || o.Op == a2a.OpStream {
				body.TaskID = ""
			}
			break
		}
	}
	l.write(session.KindRequest, n, body, "")
	return n
}

func (l *factLog) answer(x int, result string) uint64 {
	l.t.Helper()
	return l.write(session.KindResponse, x, session.Responded{Status: 200}, result)
}

func (l *factLog) read(result string) uint64 {
	l.t.Helper()
	l.command("get")
	return l.answer(l.ask(), result)
}

// stream opens a stream.
func (l *factLog) stream() int {
	l.t.Helper()
	l.command("stream x")
	x := l.ask()
	l.write(session.KindResponse, x, session.Responded{Status: 200, Stream: true}, "")
	return x
}

func (l *factLog) event(x int, data string) {
	l.t.Helper()
	l.write(session.KindFrame, x, &session.Framed{N: l.state.Exchanges[x-1].Stream.Frames + 1, Kind: "event"}, "data: "+data+"\n\n")
}

func (l *factLog) attempt() *session.Attempt { return l.state.Tasks[0].Last() }

func taskSays(state, artifacts string) string {
	return `{"task":{"id":"T1","contextId":"c","status":{"state":"` + state + `"},"artifacts":[` + artifacts + `]}}`
}

const one, two = `{"artifactId":"r","parts":[{"text":"1"}]}`, `{"artifactId":"r","parts":[{"text":"2"}]}`

// TestSettles: how many reads in a row agree on the end.
func TestSettles(t *testing.T) {
	t.Parallel()
	const gone = `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}`
	tests := []struct {
		name    string
		reads   []string
		stable  int
		gone    int
		settled bool
	}{
		{"one read", []string{taskSays("completed", one)}, 1, 0, false},
		{"two equal reads", []string{taskSays("completed", one), taskSays("completed", one)}, 2, 0, true},
		{"other artifacts", []string{taskSays("completed", one), taskSays("completed", two)}, 1, 0, false},
		{"another end", []string{taskSays("completed", one), taskSays("failed", one)}, 1, 0, false},
		{"not over any more", []string{taskSays("completed", one), taskSays("working", one)}, 0, 0, false},
		{"and over again", []string{taskSays("completed", one), taskSays("working", one), taskSays("completed", one)}, 1, 0, false},
		{"gone once", []string{gone}, 0, 1, false},
		{"gone twice", []string{gone, gone}, 0, 2, true},
		{"a read without an answer that tells", []string{taskSays("completed", one), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"oops"}}`, taskSays("completed", one)}, 2, 0, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newFactLog(t, nil)
			l.command("send x")
			l.answer(l.ask(), taskSays("completed", one))
			for _, r := range tc.reads {
				l.read(r)
			}
			if a := l.attempt(); a.Stable != tc.stable || a.Gone != tc.gone || a.Settled != tc.settled {
				t.Errorf("stable %d, gone %d, settled %t", a.Stable, a.Gone, a.Settled)
			}
		})
	}
}

// TestPairs: a read is compared with the one before it only if that one was
// answered before it was sent.
func TestPairs(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	l.command("send x")
	l.answer(l.ask(), taskSays("working", ""))
	l.read(taskSays("working", ""))
	l.read(taskSays("working", ""))
	if l.last.PrevRead == nil {
		t.Error("two reads one after the other are no pair")
	}
	l.command("get")
	x := l.ask()
	l.command("get")
	y := l.ask()
	l.answer(x, taskSays("working", ""))
	l.answer(y, taskSays("working", ""))
	if l.last.Read == nil || l.last.PrevRead != nil {
		t.Error("two reads side by side are a pair")
	}
}

// TestGivesUp: reads that never agree are not repeated for ever.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, func(p *session.Policy) { p.SettleMax = 5 })
	l.command("send x")
	l.answer(l.ask(), taskSays("completed", one))
	for i := range 6 {
		if a := l.attempt(); a.GaveUp != (i >= 5) || (l.state.Tasks[0].Reader == nil) != a.GaveUp {
			t.Fatalf("after %d reads: gave up is %t, the reader %+v", i, a.GaveUp, l.state.Tasks[0].Reader)
		}
		l.read(taskSays("completed", []string{one, two}[i%2]))
	}
}

// TestEpochArmsAnew: at an epoch's end every deadline but a command's begins
// from now.
func TestEpochArmsAnew(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	l.stream()
	l.command("wait closed --for 20s")
	due := map[session.DeadlineKind]time.Duration{}
	for _, d := range l.state.Deadlines {
		due[d.Kind] = d.Due
	}
	l.now = 7 * time.Second
	l.write(session.KindTimer, 0, session.Ticked{ID: session.TimerStall}, "")
	if len(l.state.Deadlines) != 3 {
		t.Fatalf("deadlines are %+v", l.state.Deadlines)
	}
	for _, d := range l.state.Deadlines {
		want := 7 * time.Second
		if d.Kind == session.DueCommand {
			want = 0
		}
		if d.Due-due[d.Kind] != want {
			t.Errorf("%s moved by %s, want %s", d.Kind, d.Due-due[d.Kind], want)
		}
	}
	if !slices.IsSortedFunc(l.state.Deadlines, func(a, b session.Deadline) int { return int(a.Due - b.Due) }) {
		t.Errorf("out of order: %+v", l.state.Deadlines)
	}
}

// TestContinued: what was open when the console died is in doubt and over, and
// nothing is sent again but reads.
func TestContinued(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	x := l.stream()
	l.event(x, taskSays("completed", one))
	l.command("get")
	y := l.ask()
	l.command("resume more --force") // asked for, and not sent
	b := l.state.Opened
	b.Continued = true
	l.now = time.Minute
	l.write(session.KindOpened, 0, b, "")
	if st := l.state.Exchanges[x-1]; !st.Over || st.InDoubt || st.Stream.How != session.ClosedContinued {
		t.Errorf("the stream is %+v", st)
	}
	if g := l.state.Exchanges[y-1]; !g.Over || !g.InDoubt {
		t.Errorf("the request without an answer: over %t, in doubt %t", g.Over, g.InDoubt)
	}
	if len(l.state.Open) != 0 || len(l.state.Pending) != 0 || len(l.state.Obligations) != 0 {
		t.Errorf("open %v, pending %v, obligations %d", l.state.Open, l.state.Pending, len(l.state.Obligations))
	}
	due := l.state.Due(l.now, true)
	if len(due) != 1 || due[0].Reader == nil {
		t.Errorf("due are %+v: only the read that confirms goes on", due)
	}
}

// TestHints: the cadence that a peer asks for is kept, and bounded.
func TestHints(t *testing.T) {
	t.Parallel()
	for retry, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "99999999999999999999": 0, "9999999": 24 * time.Hour} {
		l := newFactLog(t, nil)
		l.command("send x --immediate")
		l.write(session.KindResponse, l.ask(), session.Responded{Status: 200, RetryAfter: retry}, taskSays("working", ""))
		if got := l.attempt().PollHint; got != want {
			t.Errorf("Retry-After %q: %s, want %s", retry, got, want)
		}
	}
}

// TestWholeTurns: what was there before a message is known for sure only at
// the beginning, or when the last word was a whole task.
func TestWholeTurns(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	x := l.stream()
	if !l.state.Exchanges[x-1].Turn.Whole {
		t.Error("the first message of a task: something may have been there before")
	}
	l.event(x, taskSays("working", ""))
	l.event(x, `{"statusUpdate":{"taskId":"T1","contextId":"c","status":{"state":"input-required"}}}`)
	l.write(session.KindRequest, 2, session.Requested{Op: a2a.OpSend, TaskID: "T1"}, "")
	if l.state.Exchanges[1].Turn.Whole {
		t.Error("the last word came on a stream, and all is known")
	}
	l.write(session.KindResponse, 2, session.Responded{Status: 200}, taskSays("input-required", one))
	l.write(session.KindRequest, 3, session.Requested{Op: a2a.OpStream, TaskID: "T1"}, "")
	if turn := l.state.Exchanges[2].Turn; !turn.Whole || len(turn.Known) != 1 {
		t.Errorf("after a whole task the turn is %+v", turn)
	}
}

// TestBounds: a state does not grow with what a peer sends.
func TestBounds(t *testing.T) {
	t.Parallel()
	l := newFactLog(t, nil)
	x := l.stream()
	l.event(x, taskSays("submitted", ""))
	for i := range 600 {
		state := []string{"working", "input-required"}[i%2]
		l.event(x, fmt.Sprintf(`{"statusUpdate":{"taskId":"T1","status":{"state":%q,"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"step %d"}]}}}}`, state, i))
	}
	for i := range 1100 {
		l.event(x, fmt.Sprintf(`{"artifactUpdate":{"taskId":"T1","artifact":{"artifactId":"a%d","parts":[{"text":"x"}]}}}`, i))
	}
	l.event(x, `{"artifactUpdate":{"taskId":"T1","artifact":{"artifactId":"a0","parts":[{"text":"`+strings.Repeat("y", 200<<10)+`"}]}}}`)
	for range 30 {
		l.read(taskSays("working", ""))
	}
	a, task := l.attempt(), l.state.Tasks[0]
	arts := a.Streamed.Artifacts()
	for what, n := range map[string][2]int{
		"states": {len(a.States), 256}, "keys": {len(a.Keys), 256}, "reads": {len(a.Reads), 8}, "messages": {len(task.Messages), 100},
		"artifacts": {len(arts), a2a.MaxAssembled}, "text": {len(arts[0].Text), a2a.MaxText},
	} {
		if n[0] != n[1] {
			t.Errorf("%d %s are kept, want %d", n[0], what, n[1])
		}
	}
	if a.StatesMore == 0 || task.MessagesMore == 0 || a.Streamed.Beyond == 0 || !arts[0].Truncated {
		t.Errorf("not counted: %d states, %d messages, %d artifacts beyond; truncated %t", a.StatesMore, task.MessagesMore, a.Streamed.Beyond, arts[0].Truncated)
	}
}
