package console

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// hunt is a search in the wire text of all sessions. It fills its list while
// it runs.
type hunt struct {
	text    string
	id      int
	hits    []Hit
	running bool
	stop    context.CancelFunc

	come        chan Hit // closed when the search is over
	done, total atomic.Uint64
}

// Messages of the history screen.
type (
	// huntedMsg: hits of a search came, or it is over.
	huntedMsg struct {
		id   int
		hits []Hit
		over bool
	}
	// huntOverMsg: the search itself ended.
	huntOverMsg struct {
		id  int
		err error
	}
	// rulesMsg: the rules that found something were read.
	rulesMsg struct {
		rules map[string][]string
		err   error
	}
)

// openHistoryFilter opens the filter; the rules that found something, which it
// looks at too, are read for the first one.
func (m *model) openHistoryFilter() tea.Cmd {
	h := m.history
	if h.tab == tabFound {
		h.tab = tabSessions
	}
	cmd := m.openField(fieldFilter, h.current().filter.text)
	if h.asked || m.opt.Sessions == nil {
		return cmd
	}
	h.asked = true
	src, ctx := m.opt.Sessions, m.ctx
	return tea.Batch(cmd, func() tea.Msg {
		rules, err := src.Rules(ctx)
		return rulesMsg{rules, err}
	})
}

func (m *model) gotRules(msg rulesMsg) {
	if msg.err != nil {
		m.fail("reading which rules found something: " + msg.err.Error())
		return
	}
	m.history.rules = msg.rules
	m.history.fillTables(m)
}

// search looks for a text in the wire text of all sessions. The first hits
// show at once.
func (m *model) search(text string) tea.Cmd {
	h := m.history
	h.giveUpHunt()
	id := 1
	if h.hunt != nil {
		id = h.hunt.id + 1
	}
	ctx, stop := context.WithCancel(m.ctx)
	n := &hunt{text: text, id: id, running: true, stop: stop, come: make(chan Hit, 64)}
	h.hunt, h.tab = n, tabFound
	h.tables[tabFound].setFilter("")
	h.tables[tabFound].sel = 0
	h.fillTables(m)
	src := m.opt.Sessions
	return tea.Batch(func() tea.Msg {
		defer close(n.come)
		err := src.Search(ctx, text, func(done, total uint64) {
			n.done.Store(done)
			n.total.Store(total)
		}, func(hit Hit) bool {
			select {
			case n.come <- hit: // there is room
				return true
			default:
			}
			select {
			case n.come <- hit:
				return true
			case <-ctx.Done():
				return false
			}
		})
		return huntOverMsg{id, err}
	}, n.collect(), m.hurry())
}

// collect waits for a hit, and takes what comes right after it.
func (n *hunt) collect() tea.Cmd {
	return func() tea.Msg {
		msg := huntedMsg{id: n.id}
		hit, ok := <-n.come
		if !ok {
			msg.over = true
			return msg
		}
		msg.hits = append(msg.hits, hit)
		t := time.NewTimer(50 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case hit, ok := <-n.come:
				if !ok {
					msg.over = true
					return msg
				}
				msg.hits = append(msg.hits, hit)
			case <-t.C:
				return msg
			}
		}
	}
}

func (m *model) hunted(msg huntedMsg) tea.Cmd {
	n := m.history.hunt
	if n == nil || n.id != msg.id {
		return nil
	}
	n.hits = append(n.hits, msg.hits...)
	m.history.fillTables(m)
	if msg.over {
		return nil
	}
	return n.collect()
}

func (m *model) huntOver(msg huntOverMsg) {
	n := m.history.hunt
	if n == nil || n.id != msg.id {
		return
	}
	given := !n.running
	n.running = false
	n.stop()
	if msg.err != nil && !given {
		m.fail("searching: " + msg.err.Error())
	}
}

// giveUpHunt ends a search; what it found stays.
func (h *historyScreen) giveUpHunt() {
	if h.hunt != nil && h.hunt.running {
		h.hunt.running = false
		h.hunt.stop()
	}
}

// huntStatus says how far a search is.
func (m *model) huntStatus() (piece, bool) {
	n := m.history.hunt
	if m.screen != screenHistory || n == nil || !n.running {
		return piece{}, false
	}
	text := fmt.Sprintf("%s looking for “%s”", m.spin(), clean.Line(n.text, 40))
	if total := n.total.Load(); total > 0 {
		text += fmt.Sprintf(", %d of %d records", n.done.Load(), total)
	}
	return piece{m.st.Accent, text + fmt.Sprintf(", %d found · esc stops", len(n.hits))}, true
}
