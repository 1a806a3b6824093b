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
		if left.last != "" {
			p.report.Left = append(p.report.Left, left.last)
		}
	}
	return made
}

// loose is what goes on of a logical task.
type loose struct {
	streams bool
	last    string   // server id of the last attempt; empty when that is over
	older   []string // of attempts before it, which the peer left open
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
		l.streams = len(s.OpenStreams(n)) > 0
		for _, a := range t.Attempts {
			switch {
			case a.ServerID == "" || a.State.Terminal() || a.Message:
			case a != t.Last():
				l.older = append(l.older, a.ServerID)
			case !t.Lost:
				l.last = a.ServerID
			}
		}
	}
	_ = p.r.ask(look)
	return l, sent
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
