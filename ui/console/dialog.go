package console

import (
	"a2ascope/keymap"

	tea "charm.land/bubbletea/v2"
)

// dialog is a question that is answered yes or no; no unless the operator says
// otherwise.
type dialog struct {
	title string
	text  []string
	yes   string // what yes does
	no    string
	onYes func(m *model) tea.Cmd
	point bool // at yes
	// moot says why there is nothing left to ask about; empty, or nil, while
	// there is. Any answer only closes the question then.
	moot func(m *model) string
}

// over is what moot says.
func (d *dialog) over(m *model) string {
	if d.moot == nil {
		return ""
	}
	return d.moot(m)
}

func (d *dialog) context() keymap.Context { return keymap.Dialog }

func (d *dialog) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	b, ok := m.keys.Lookup(keyName(k), keymap.Dialog)
	if !ok {
		return nil
	}
	if d.over(m) != "" {
		m.pop()
		return nil
	}
	switch b.Action {
	case keymap.Switch:
		d.point = !d.point
		return nil
	case keymap.No:
		m.pop()
		return nil
	case keymap.Choose:
		m.pop()
		if !d.point {
			return nil
		}
		return d.onYes(m)
	case keymap.Yes:
		m.pop()
		return d.onYes(m)
	}
	return nil
}

func (d *dialog) view(m *model) (rect, []string) {
	w := clamp(m.w*3/5, min(64, m.w-6), 74)
	var body []string
	text, over := d.text, d.over(m)
	if over != "" {
		text = []string{over}
	}
	for _, s := range text {
		for _, l := range wrap(s, w-6, 6) {
			body = append(body, newLine(w-4).skip(1).put(m.st.Text, l).end())
		}
	}
	if room := m.h - 6; len(body) > room { // the answers are seen on the smallest screen too
		body = append(body[:room-1], newLine(w-4).skip(1).put(m.st.Faint, "…").end())
	}
	body = append(body, spaces(w-4))
	l := newLine(w - 4).skip(1)
	var from, to []int
	answer := func(point bool, text string) {
		from = append(from, w-4-l.left)
		defer func() { to = append(to, w-4-l.left); l.skip(2) }()
		if point {
			l.put(m.st.Key.Over(m.st.Selected), "▸ "+text+" ")
		} else {
			l.put(m.st.Muted, "  "+text+" ")
		}
	}
	if over != "" {
		answer(true, "Close")
	} else {
		answer(!d.point, "No, "+d.no)
		answer(d.point, "Yes, "+d.yes)
	}
	body = append(body, l.end())
	r, lines := boxed(m, d.title, body, w)
	for i := range from {
		m.zoned(rect{r.x + 2 + from[i], r.y + r.h - 2, to[i] - from[i], 1}, func(m *model) tea.Cmd { return d.answer(m, i == 1) })
	}
	return r, lines
}

// answer closes the question, with a yes where there is still something to
// say it to.
func (d *dialog) answer(m *model, yes bool) tea.Cmd {
	m.pop()
	if !yes || d.over(m) != "" {
		return nil
	}
	return d.onYes(m)
}

// boxed puts lines of w-4 cells into a box in the middle of the screen.
func boxed(m *model, title string, body []string, w int) (rect, []string) {
	h := min(len(body)+2, m.h-2)
	r := rect{max(0, (m.w-w)/2), max(0, (m.h-h)/2), w, h}
	c := newCanvas(w, h, m.opt.ASCII)
	c.frame(rect{0, 0, w, h}, heavy, m.st.BorderFocus)
	c.label(2, 0, m.st.TitleFocus, cut(" "+title+" ", w-4))
	for i := range body {
		body[i] = " " + body[i] + " "
	}
	c.put(rect{1, 1, w - 2, h - 2}, body)
	return r, c.lines()
}
