package runner

import (
	"fmt"
	"slices"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/probe"
)

// clean ends what a probe began and is not over: its streams are dropped and
// its tasks canceled. It returns how many tasks were made. Once the session is
// to end there is no time for it: what goes on at the peer is named.
func (p *prober) clean(tasks []int) (made int) {
	for _, n := range tasks {
		left, sent := p.loose(n)
		if !sent {
			continue
		}
		made++
		if left.streams {
			_, _ = p.do(p.r.life, fmt.Sprintf("detach --task %d", n), p.answerLimit())
		}
		if len(left.older) > 0 || left.last != "" {
			p.cancel(n, left)
			left, _ = p.loose(n)
		}
		switch {
		case left.last != "":
			p.report.Left = append(p.report.Left, left.last)
		case left.unnamed:
			p.report.Left = append(p.report.Left, fmt.Sprintf("what it made of task %d and did not name", n))
		}
	}
	return made
}

// begun returns the logical tasks that commands of a probe began since as many
// commands were given. There is one probe at a time.
func (p *prober) begun(before int) (tasks []int) {
	_ = p.r.ask(func(s *session.State) {
		for _, cs := range s.Commands[max(before, 0):] {
			if cs.By == session.ByProbe && cs.Cmd.New && cs.Task > 0 {
				tasks = append(tasks, cs.Task)
			}
		}
	})
	return tasks
}

// loose is what goes on of a logical task.
type loose struct {
	streams bool
	last    string   // server id of the last attempt; empty when that is over
	older   []string // of attempts before it, which the peer left open
	unnamed bool     // the peer took a message, and has not named what it made of it
	on      session.Interface
}

// loose looks at a task. Sent is false for one of which nothing reached the
// wire.
func (p *prober) loose(n int) (l loose, sent bool) {
	look := func(s *session.State) {
		t := s.TaskN(n)
		if t == nil || t.FirstSend == 0 {
			return
		}
		sent = true
		l.on = s.Peer.Use
		l.streams = len(s.Listening(n)) > 0
		for _, a := range t.Attempts {
			switch {
			case a.State.Terminal() || a.Message || a.ServerID != "" && (a.Gone > 0 || t.Lost):
			case a.ServerID == "":
				l.unnamed = l.unnamed || mayWork(s, t, a)
			case a != t.Last():
				l.older = append(l.older, a.ServerID)
			default:
				l.last = a.ServerID
			}
		}
	}
	_ = p.r.ask(look)
	return l, sent
}

// mayWork reports whether a message of the attempt was taken, or may have
// been, though no task was named.
func mayWork(s *session.State, t *session.Task, a *session.Attempt) bool {
	return slices.ContainsFunc(s.Exchanges, func(x *session.Exchange) bool {
		return x.Task == t.N && x.Attempt == a.N && x.Turn != nil && x.Error == nil && (x.Stream != nil || !x.Over || x.InDoubt)
	})
}

// cancel cancels a task. An attempt that is not the last is canceled by a call
// of our own making: the command knows the last alone. A refused cancel is
// followed by one look, because the task may have ended meanwhile.
func (p *prober) cancel(n int, l loose) {
	for _, id := range slices.Compact(l.older) {
		if raw := probe.Raw(a2a.OpCancel, l.on, id); raw != "" {
			_, _ = p.do(p.r.life, string(raw), p.answerLimit())
		}
	}
	if l.last == "" {
		return
	}
	cmd := session.Command{Name: "cancel"}
	_, _ = p.do(p.r.life, fmt.Sprintf("cancel --task %d", n), p.limit(cmd))
	if after, _ := p.loose(n); after.last != "" {
		_, _ = p.do(p.r.life, fmt.Sprintf("get --task %d", n), p.answerLimit())
	}
}
