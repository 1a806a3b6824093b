package console

import (
	"slices"
	"strings"

	"a2ascope/keymap"
	"a2ascope/themes"
)

// column is one column of a table.
type column struct {
	title string
	w     int // cells; 0 takes a share of what is left
	share int
	right bool
	wide  bool // only where there is room for it
}

// tableRow is one line of a table: what is shown, what it sorts by where that
// differs, and what stands behind it.
type tableRow struct {
	cells  []string
	styles []func(*themes.Styles) themes.Style // nil: plain
	sort   []string                            // empty: the cell
	words  string                              // that a filter finds too, beside the cells
	ref    int                                 // place in the list that it was made from
	near   string                              // what a cell that is cut shows the surroundings of
	dim    bool
}

// table is a list with columns that can be sorted and filtered. Its lines are
// few: peers, sessions, decisions.
type table struct {
	columns []column
	rows    []tableRow
	shown   []int // places in rows, filtered and sorted
	by      int   // column that it is sorted by; -1: as given
	down    bool
	filter  match
	sel     int
	top     int
	h       int
}

func newTable(columns ...column) table { return table{columns: columns, by: -1, h: 10} }

// fill takes other rows, keeping the selected one where it is still there.
func (t *table) fill(rows []tableRow) {
	at := t.selected()
	t.rows = rows
	t.arrange()
	for i, n := range t.shown {
		if at >= 0 && rows[n].ref == at {
			t.sel = i
		}
	}
}

func (t *table) setFilter(text string) {
	t.filter = parseMatch(text)
	t.arrange()
}

func (t *table) arrange() {
	t.shown = t.shown[:0]
	for i, r := range t.rows {
		if t.filter.line(strings.Join(r.cells, " ") + " " + r.words) {
			t.shown = append(t.shown, i)
		}
	}
	if t.by >= 0 {
		slices.SortStableFunc(t.shown, func(a, b int) int {
			c := strings.Compare(t.rows[a].key(t.by), t.rows[b].key(t.by))
			if t.down {
				return -c
			}
			return c
		})
	}
	t.sel = clamp(t.sel, 0, len(t.shown)-1)
}

func (r *tableRow) key(column int) string {
	if column < len(r.sort) && r.sort[column] != "" {
		return r.sort[column]
	}
	return strings.ToLower(r.cells[column])
}

// sortNext sorts by the next column; after the last one as given.
func (t *table) sortNext() {
	t.by++
	if t.by == len(t.columns) {
		t.by = -1
	}
	t.down = false
	t.arrange()
}

func (t *table) turn() {
	if t.by < 0 {
		t.by = 0
	}
	t.down = !t.down
	t.arrange()
}

// selected is the place that the selected line was made from; -1 for none.
func (t *table) selected() int {
	if t.sel < 0 || t.sel >= len(t.shown) {
		return -1
	}
	return t.rows[t.shown[t.sel]].ref
}

// match goes to the next line that the filter shows; after the last one to the
// first.
func (t *table) match(by int) {
	if n := len(t.shown); n > 0 {
		t.sel = (t.sel + by + n) % n
	}
}

func (t *table) move(a keymap.Action) { t.sel = moved(a, t.sel, len(t.shown), max(1, t.h-1)) }

// roomy is the width from which on the columns for wide screens are shown.
const roomy = 96

// widths shares the room out; 0 leaves a column out.
func (t *table) widths(w int) []int {
	out := make([]int, len(t.columns))
	left, shares := w+1, 0
	for i, c := range t.columns {
		if c.wide && w < roomy {
			continue
		}
		out[i] = max(1, c.w)
		left -= c.w + 2
		shares += c.share
	}
	for i, c := range t.columns {
		if out[i] > 0 && c.share > 0 {
			out[i] = max(4, left*c.share/shares)
		}
	}
	return out
}

// view draws the head and as many lines as fit.
func (t *table) view(m *model, w, h int, empty string) []string {
	widths := t.widths(w)
	head := newLine(w).skip(1)
	for i, c := range t.columns {
		if widths[i] == 0 {
			continue
		}
		title := c.title
		if i == t.by {
			title += map[bool]string{true: " ▼", false: " ▲"}[t.down]
		}
		if i > 0 {
			head.skip(2)
		}
		put(head, m.st.Title, title, widths[i], c.right)
	}
	lines := []string{head.end()}
	t.h = max(1, h-1)
	t.top = window(t.top, t.sel, len(t.shown), t.h)
	if len(t.shown) == 0 {
		if len(t.rows) > 0 {
			empty = "nothing matches /" + t.filter.text
		}
		for _, text := range wrap(safe(empty), w-2, t.h) {
			lines = append(lines, newLine(w).skip(1).put(m.st.Faint, text).end())
		}
		return lines
	}
	for i := t.top; i < min(len(t.shown), t.top+t.h); i++ {
		r := &t.rows[t.shown[i]]
		l := newLine(w)
		point(l, &m.st, i == t.sel, true)
		for c := range t.columns {
			if widths[c] == 0 {
				continue
			}
			st := m.st.Text
			if r.dim || c > 0 {
				st = m.st.Muted
			}
			if c < len(r.styles) && r.styles[c] != nil {
				st = r.styles[c](&m.st)
			}
			if c > 0 {
				l.skip(2)
			}
			put(l, st, around(r.cells[c], r.near, widths[c]), widths[c], t.columns[c].right)
		}
		lines = append(lines, l.end())
	}
	return lines
}

// around leaves out the beginning of a text that does not fit into w cells, so
// that near stands in the middle of what is left.
func around(text, near string, w int) string {
	if near == "" || width(text) <= w {
		return text
	}
	i := strings.Index(strings.ToLower(text), strings.ToLower(near))
	if i < 0 || i > len(text) {
		return text
	}
	from := width(text[:i]) - max(0, w-width(near))/2
	from = min(from, width(text)-w)
	if from <= 1 {
		return text
	}
	return "…" + cutLeft(text, from+1)
}

func put(l *line, st themes.Style, s string, w int, right bool) {
	if right {
		l.right(st, s, w)
	} else {
		l.cell(st, s, w)
	}
}
