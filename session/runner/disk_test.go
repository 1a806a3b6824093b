package runner_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/runner"
)

// moody is a log that is slow at times, and refuses while it is told to.
type moody struct {
	session.Log
	refuse  atomic.Bool
	refused atomic.Int64
	slow    func() time.Duration
	mu      sync.Mutex
	stored  uint64 // the last record that is on the disk
}

var errFull = errors.New("database or disk is full")

func (m *moody) Append(r []session.Record, s session.Summary) error {
	if m.slow != nil {
		if d := m.slow(); d > 0 {
			<-time.After(d) // the disk's own time, not the test's
		}
	}
	if m.refuse.Load() {
		m.refused.Add(1)
		return errFull
	}
	err := m.Log.Append(r, s)
	if err == nil && len(r) > 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.stored = r[len(r)-1].Seq
	}
	return err
}

func (m *moody) onDisk() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stored
}

func openMoody(t *testing.T, url string, m *moody, change ...func(*runner.Config)) *live {
	t.Helper()
	st := store(t)
	return open(t, st, url, append(change, func(c *runner.Config) {
		m.Log = c.Log
		c.Log = m
	})...)
}

// TestSlowDisk: an honest peer is not accused because our disk takes its time.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"stream":      {"stream slow 12", "wait settled"},
		"cancel":      {"stream slow 60", "wait state working", "cancel", "wait settled"},
		"two streams": {"stream slow 10", "stream slow 10 --new", "wait settled"},
		"resume":      {"stream ask", "wait settled", "resume yes --stream", "wait settled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, 2))
			peer := demo(t, "honest")
			l := openMoody(t, peer.URL(), &moody{slow: func() time.Duration {
				if rnd.IntN(4) > 0 {
					return 0
				}
				return time.Duration(300+rnd.IntN(400)) * time.Millisecond
			}})
			d := l.script(t, peer.URL(), lines...)
			if d.Exit.Status != 0 {
				t.Errorf("exit %+v\n%s", d.Exit, l.transcript(t))
			}
		})
	}
}

// TestDiskRefuses: while the disk refuses, reads go out and messages do not,
// everyone is told, and nothing of it is missing once it takes records again.
func TestDiskRefuses(t *testing.T) {
	t.Parallel()
	peer := countedDemo(t, "honest")
	m := &moody{}
	l := openMoody(t, peer.URL, m)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	commandLines(ctx, t, l.Runner, []string{"discover " + peer.URL, "send slow 40 --immediate"})
	reads := peer.readCount()
	m.refuse.Store(true)
	if _, err := l.Command("poll", "test"); err != nil {
		t.Fatal(err)
	}
	sends, err := l.Command("send echo hello --new", "test")
	if err != nil {
		t.Fatal(err)
	}
	awaitView(ctx, t, l.Runner, func(v *session.View) bool { return !v.Recorded && v.Trouble != "" })
	for peer.readCount() < reads+3 { // reads go on
		changed := l.Changed()
		if peer.readCount() >= reads+3 {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("no read goes out while the disk refuses")
		}
	}
	if n := len(peer.messages()); n != 1 {
		t.Errorf("%d messages were sent, the second while its record was not on the disk", n)
	}
	servesTail(t, l.Runner, m.onDisk())
	m.refuse.Store(false)
	awaitView(ctx, t, l.Runner, func(v *session.View) bool { return v.Recorded })
	if cv, err := l.Await(ctx, sends); err != nil || cv.Result != session.ResultOK {
		t.Errorf("the message that had waited: %+v, %v", cv, err)
	}
	if err := peer.twice(nil); err != nil || len(peer.messages()) != 2 {
		t.Errorf("messages %v: %v", peer.messages(), err)
	}
	d := l.script(t, peer.URL)
	if d.Exit.Status != 0 {
		t.Errorf("exit %+v", d.Exit)
	}
	if _, err := l.store.Verify(ctx, l.id); err != nil {
		t.Error(err)
	}
	if records, _ := l.store.Page(l.id, 1, 5000); uint64(len(records)) != d.Log.Records {
		t.Errorf("%d records on the disk, want %d", len(records), d.Log.Records)
	}
}

func (c *counted) readCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads
}

func awaitView(ctx context.Context, t *testing.T, r *runner.Runner, is func(*session.View) bool) {
	t.Helper()
	for {
		changed := r.Changed()
		if is(r.View()) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the view never came: recorded %v %s", r.View().Recorded, r.View().Trouble)
		}
	}
}

// servesTail checks that pages go on where the disk ends, without a gap.
func servesTail(t *testing.T, r *runner.Runner, stored uint64) {
	t.Helper()
	var all []session.Record
	for {
		page, err := r.Page(uint64(len(all))+1, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	s := session.NewState()
	for i := range all {
		if err := all[i].Verify(s.Seq, s.Head); err != nil {
			t.Fatal(err)
		}
		session.Fold(s, &all[i])
	}
	if s.Seq <= stored {
		t.Errorf("pages end at record %d, the disk has %d", s.Seq, stored)
	}
}

// TestMessageLosesTheDisk: the disk refuses the very record of a message. It
// goes out once, when the record is there.
func TestMessageLosesTheDisk(t *testing.T) {
	t.Parallel()
	peer := countedDemo(t, "honest")
	m := &refusesRequests{}
	st := store(t)
	l := open(t, st, peer.URL, func(c *runner.Config) {
		m.Log = c.Log
		c.Log = m
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	commandLines(ctx, t, l.Runner, []string{"discover " + peer.URL})
	m.armed.Store(true)
	n, err := l.Command("send echo hello", "test")
	if err != nil {
		t.Fatal(err)
	}
	awaitView(ctx, t, l.Runner, func(v *session.View) bool { return !v.Recorded })
	if got := peer.messages(); len(got) != 0 {
		t.Errorf("sent %v before its record was on the disk", got)
	}
	m.armed.Store(false)
	if cv, err := l.Await(ctx, n); err != nil || cv.Result != session.ResultOK {
		t.Errorf("%+v %v", cv, err)
	}
	if got := peer.messages(); len(got) != 1 {
		t.Errorf("sent %v, want one message", got)
	}
	if d := l.script(t, peer.URL); d.Exit.Status != 0 || len(d.Tasks) != 1 || d.Tasks[0].State != "message" {
		t.Errorf("%+v %+v", d.Exit, d.Tasks)
	}
}

// refusesRequests refuses batches that hold the request of a message.
type refusesRequests struct {
	session.Log
	armed atomic.Bool
}

func (l *refusesRequests) Append(r []session.Record, s session.Summary) error {
	for i := range r {
		var b session.Requested
		if l.armed.Load() && r[i].Kind == session.KindRequest && r[i].Decode(&b) == nil && b.Op == a2a.OpSend {
			return errFull
		}
	}
	return l.Log.Append(r, s)
}

// TestDiskNeverComesBack: a script does not wait for ever for a disk that
// refuses; the message was not sent, and the exit status is 6.
func TestDiskNeverComesBack(t *testing.T) {
	t.Parallel()
	peer := countedDemo(t, "honest")
	m := &moody{}
	l := openMoody(t, peer.URL, m, func(c *runner.Config) { c.DiskPatience = 300 * time.Millisecond })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	commandLines(ctx, t, l.Runner, []string{"discover " + peer.URL})
	m.refuse.Store(true)
	err := runner.Script(ctx, l.Runner, []string{"send echo hello", "wait settled"})
	if !errors.Is(err, runner.ErrUnrecorded) {
		t.Errorf("the script ended with %v", err)
	}
	l.Stop("error")
	if err := <-l.ended; !errors.Is(err, errFull) {
		t.Errorf("Run returned %v", err)
	}
	d := l.Document(session.ToolDoc{})
	if d.Exit.Status != 6 || d.Exit.Reasons[0] != session.ReasonLog {
		t.Errorf("exit %+v", d.Exit)
	}
	if n := len(peer.messages()); n != 0 {
		t.Errorf("%d messages were sent", n)
	}
	if l.View().Recorded {
		t.Error("the last view says that all is recorded")
	}
}
