package cli

import (
	"sync/atomic"

	"a2ascope/session"
)

// pump prints records as they are committed. It reads them from the log, so
// that a slow reader of our output neither holds up the session nor fills the
// memory.
type pump struct {
	page  func(from uint64, limit int) ([]session.Record, error)
	print func(*session.Record) error
	next  uint64 // to print
	upTo  atomic.Uint64
	poke  chan struct{}
}

// newPump makes a pump. Without a print it reads nothing: a record may be many
// megabytes long.
func newPump(page func(uint64, int) ([]session.Record, error), print func(*session.Record) error, from uint64) *pump {
	return &pump{page: page, print: print, next: from, poke: make(chan struct{}, 1)}
}

// committed is told of every commit, from the session's loop.
func (p *pump) committed(records []session.Record) {
	if len(records) == 0 {
		return
	}
	p.upTo.Store(records[len(records)-1].Seq)
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// run prints until done is closed and everything that was committed is
// printed.
func (p *pump) run(done <-chan struct{}) error {
	for {
		select {
		case <-p.poke:
			if err := p.drain(p.page, p.upTo.Load()); err != nil {
				return err
			}
		case <-done:
			return p.drain(p.page, p.upTo.Load())
		}
	}
}

// drain prints records up to number upTo.
func (p *pump) drain(page func(uint64, int) ([]session.Record, error), upTo uint64) error {
	for p.print != nil && p.next <= upTo {
		records, err := page(p.next, 256)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return nil
		}
		for i := range records {
			if err := p.print(&records[i]); err != nil {
				return err
			}
			p.next = records[i].Seq + 1
		}
	}
	return nil
}
