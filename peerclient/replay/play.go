package replay

import (
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"a2ascope/session/a2a"
)

// How far from the recorded time a read may come and still gets the answer
// that was recorded next. One that comes early is answered when that is due.
const (
	slack = 250 * time.Millisecond
	lag   = time.Second
)

// maxPlays is how many conversations of clients are remembered.
const maxPlays = 10_000

// play is a conversation as one client has it again.
type play struct {
	conv    *conversation
	taken   map[*exchange]time.Time // turns that the client has taken, and when
	last    *exchange               // turn, or subscription, that was taken last
	at      time.Time               // when
	pointer map[string]int          // of the reads, by call and traits: the next one
	told    time.Duration           // recorded time of the latest state that an event told
	swaps   []swap
	hooked  bool
	telling map[*teller]uint64 // the record that each one shows, or is to show next
	changed chan struct{}      // closed when any of this changes
}

// served is a recorded exchange that is to be shown to a client.
type served struct {
	*exchange
	play  *play // nil for what belongs to no conversation
	start time.Time
	swaps []swap
	note  string // for the log
	hook  *hook  // deliveries begin
}

// find finds the recorded exchange that answers a request; nil when there is
// none.
func (s *Server) find(a *ask, now time.Time) *served {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.messages() {
		if x := s.message(a, now); x != nil {
			return x
		}
	} else if p := s.about(a.task); p != nil {
		if x := s.inPlay(p, a, now); x != nil {
			return x
		}
	}
	cands := fitting(s.rec.loose, a)
	cands = slices.DeleteFunc(cands, func(x *exchange) bool { return x.task != a.task && !(x.refused && a.task != "") })
	if same := slices.DeleteFunc(slices.Clone(cands), func(x *exchange) bool { return x.task != a.task }); len(same) > 0 {
		cands = same
	}
	if len(cands) == 0 {
		return nil
	}
	key := a.call + "\n" + a.traits + "\n" + cands[0].task
	i := min(s.pointer[key], len(cands)-1)
	s.pointer[key] = i + 1
	return &served{exchange: cands[i], start: now, note: nth(i, cands)}
}

// about returns the play of a task. A client that knows a task from an earlier
// run begins one by naming it.
func (s *Server) about(task string) *play {
	if task == "" || s.byTask[task] != nil {
		return s.byTask[task]
	}
	for _, c := range s.rec.convs {
		if slices.Contains(c.ids, task) {
			return s.begin(c)
		}
	}
	return nil
}

func (s *Server) begin(c *conversation) *play {
	p := &play{conv: c, taken: map[*exchange]time.Time{}, pointer: map[string]int{}, telling: map[*teller]uint64{}, changed: make(chan struct{})}
	if len(s.plays) >= maxPlays { // somebody calls without end: what is old is forgotten
		s.plays, s.byTask, s.byMsg = nil, map[string]*play{}, map[string]*play{}
	}
	s.plays = append(s.plays, p)
	s.begun[c] = true
	for _, id := range c.ids {
		s.byTask[id] = p
	}
	return p
}

// message finds the answer to a message.
func (s *Server) message(a *ask, now time.Time) *served {
	p := s.byMsg[a.message]
	if a.message == "" || p == nil {
		p = s.about(a.task)
	}
	if p == nil {
		c := s.fresh(a)
		if c == nil {
			return nil
		}
		p = s.begin(c)
		p.mapIDs(a)
		if c.ownID != "" && a.task != "" {
			s.byTask[a.task] = p
		}
	}
	cands := fitting(p.conv.turns, a)
	i := slices.IndexFunc(cands, func(x *exchange) bool { _, taken := p.taken[x]; return !taken })
	switch {
	case len(cands) == 0:
		return nil
	case i < 0 && s.byMsg[a.message] == p: // the same message once more
		i = len(cands) - 1
	case i < 0:
		return nil
	}
	x := cands[i]
	if a.message != "" {
		s.byMsg[a.message] = p
	}
	p.swap(x.message, a.message)
	p.take(x, now)
	out := &served{exchange: x, play: p, start: now, swaps: p.swaps, note: nth(i, cands)}
	out.hook = p.hook(a)
	return out
}

// fresh is the next conversation that begins with such a message. When all
// were had, they begin anew.
func (s *Server) fresh(a *ask) *conversation {
	var first *conversation
	for _, c := range s.rec.convs {
		opens := func(x *exchange) bool { return x.call == a.call && x.message == c.turns[0].message && !x.missing }
		if !slices.ContainsFunc(c.turns, opens) || (c.ownID == "") != (a.task == "") {
			continue
		}
		if !s.begun[c] {
			return c
		}
		if first == nil {
			first = c
		}
	}
	if first != nil {
		for _, c := range s.rec.convs {
			if c.turns[0].call == first.turns[0].call {
				delete(s.begun, c)
			}
		}
	}
	return first
}

// inPlay finds the answer to what is asked about a task.
func (s *Server) inPlay(p *play, a *ask, now time.Time) *served {
	cands := fitting(p.conv.exchanges, a)
	if len(cands) == 0 {
		return nil
	}
	key := a.call + "\n" + a.traits
	out := &served{play: p, start: now, swaps: p.swaps}
	i := min(p.pointer[key], len(cands)-1)
	if a.op == a2a.OpGet {
		if i = s.read(p, cands, p.pointer[key], now); i < 0 {
			return nil
		}
		if early := s.real(p, cands[i].sent).Sub(now); early > 0 && !s.o.Fast {
			out.start = now.Add(min(early, slack))
		}
	}
	p.pointer[key] = i + 1
	out.exchange, out.note = cands[i], nth(i, cands)
	if out.changes() || out.op == a2a.OpSubscribe {
		p.take(out.exchange, now)
	}
	out.hook = p.hook(a)
	return out
}

// read chooses among the reads of one call: the next one, unless the task is
// far from where it was then. It returns -1 when the recording has no read as
// early as this.
func (s *Server) read(p *play, cands []*exchange, next int, now time.Time) int {
	turn := 0 // that the client has come to
	for x := range p.taken {
		if x.changes() {
			turn = max(turn, x.turn)
		}
	}
	until := sort.Search(len(cands), func(i int) bool { return cands[i].turn > turn && len(p.taken) > 0 }) - 1
	if until < 0 {
		return -1
	}
	from := min(until, sort.Search(len(cands), func(i int) bool { return cands[i].turn >= turn }))
	// A state that an event has told is not taken back by a read.
	shown := sort.Search(len(cands), func(i int) bool { return cands[i].at >= p.told })
	from = max(from, min(until, shown))
	if !s.o.Fast && p.last != nil {
		pace := func(d time.Duration) time.Duration { return time.Duration(float64(d) * s.o.Pace) }
		at := p.last.sent + pace(now.Sub(p.at))
		latest := func(t time.Duration) int {
			return sort.Search(len(cands), func(i int) bool { return cands[i].sent > t }) - 1
		}
		from = max(from, min(until, latest(at-pace(lag))))
		until = max(from, min(until, latest(at+pace(slack))))
	}
	return max(from, min(next, until))
}

// take notes that the client has taken a turn.
func (p *play) take(x *exchange, now time.Time) {
	p.last, p.at = x, now
	if _, again := p.taken[x]; again {
		return
	}
	p.taken[x] = now
	p.moved()
}

// moved wakes those who wait for something of the play.
func (p *play) moved() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// mapIDs maps what the client named itself.
func (p *play) mapIDs(a *ask) {
	if p.conv.ownID != "" {
		p.swap(p.conv.ownID, a.task)
	}
	p.swap(p.conv.context, a.context)
}

func (p *play) swap(was, now string) {
	if was == "" || now == "" || was == now {
		return
	}
	p.swaps = append(slices.Clip(p.swaps), swap{quoted(was), quoted(now)})
}

// swapsOf are the ids of a client as they are by now.
func (s *Server) swapsOf(x *served) []swap {
	if x.play == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.play.swaps
}

// hook returns where to deliver to, the first time that the client says so.
func (p *play) hook(a *ask) *hook {
	if a.hook == nil || p.hooked || len(p.conv.pushes) == 0 {
		return nil
	}
	p.hooked = true
	return a.hook
}

// real is when a recorded time of a conversation comes round, by the turn that
// was taken last.
func (s *Server) real(p *play, recorded time.Duration) time.Time {
	if p.last == nil {
		return time.Time{}
	}
	return p.at.Add(s.scaled(recorded - p.last.sent))
}

func (s *Server) scaled(d time.Duration) time.Duration {
	if s.o.Fast {
		return 0
	}
	return time.Duration(float64(d) / s.o.Pace)
}

// due is when what came at a recorded time of an exchange is to be shown; the
// past for at once. While it is an effect of a turn that the client has yet to
// take, it returns that turn. The caller holds the lock.
func (s *Server) due(x *served, recorded time.Duration) (time.Time, *exchange) {
	base, at := x.exchange, x.start
	if x.play == nil {
		return at.Add(s.scaled(recorded - base.sent)), nil
	}
	turns := x.play.conv.turns
	n := sort.Search(len(turns), func(i int) bool { return turns[i].sent > recorded })
	for _, later := range turns[n:] {
		if _, taken := x.play.taken[later]; taken {
			return time.Time{}, nil // the client is further on than the recording was
		}
	}
	if n == 0 || turns[n-1].n <= base.n {
		return at.Add(s.scaled(recorded - base.sent)), nil
	}
	turn := turns[n-1]
	when, taken := x.play.taken[turn]
	if !taken {
		return time.Time{}, turn
	}
	return when.Add(s.scaled(recorded - turn.sent)), nil
}

// next says whether a teller may show a record now: it is due, and what was
// recorded before it was shown. If not, it says until when to wait, which turn
// of the client is missing, and gives a channel that is closed when to ask
// again. A teller that stands still for long is not waited for.
func (s *Server) next(t *teller, seq uint64, recorded time.Duration) (ok bool, until time.Time, missing *exchange, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	due, missing := s.due(t.served, recorded)
	if t.play == nil {
		return !due.After(now), due, nil, nil
	}
	p := t.play
	if p.telling[t] != seq {
		p.telling[t] = seq
		p.moved()
	}
	switch {
	case missing != nil:
		return false, time.Time{}, missing, p.changed
	case due.After(now):
		return false, due, nil, p.changed
	}
	if t.ready.IsZero() {
		t.ready = now
	}
	for other, before := range p.telling {
		if until := t.ready.Add(courtesy); other != t && before < seq && until.After(now) {
			return false, until, nil, p.changed
		}
	}
	t.ready = time.Time{}
	return true, due, nil, nil
}

// tells notes that an event, recorded at a time, was shown.
func (s *Server) tells(x *served, event []byte, recorded time.Duration) {
	if x.play == nil {
		return
	}
	e := a2a.Decode(a2a.Input{Raw: event})
	if e.Task == nil && e.Status == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x.play.told = max(x.play.told, recorded)
}

// courtesy is how long what is due waits for what was recorded before it.
const courtesy = time.Second

// leave is called by a teller that shows nothing more.
func (s *Server) leave(t *teller) {
	if t.play == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(t.play.telling, t)
	t.play.moved()
}

// fitting are those of the recorded exchanges that answer such a request:
// those of the same traits, where there are any.
func fitting(xs []*exchange, a *ask) []*exchange {
	var all, same []*exchange
	for _, x := range xs {
		if x.call != a.call || x.missing || x.head != nil && x.head.Status == http.StatusNotModified && !a.conditional() {
			continue
		}
		all = append(all, x)
		if x.traits == a.traits {
			same = append(same, x)
		}
	}
	if len(same) > 0 {
		return same
	}
	return all
}

func nth(i int, of []*exchange) string {
	return strconv.Itoa(i+1) + " of " + strconv.Itoa(len(of))
}
