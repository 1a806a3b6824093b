package console

// pane is a part of the session screen, and where the focus is.
type pane int

// The panes, in the order of the keys 1 to 5.
const (
	paneTask pane = iota
	paneWire
	paneClaims
	paneDetail
	paneMessage
	panes int = iota
)

// Sizes of the screen, in cells.
const (
	minWidth  = 60
	minHeight = 15
	wideFrom  = 110 // three columns from here on
	tallFrom  = 32  // the detail under the tabs from here on
	maxLines  = 6   // of the message field
)

// rect is a part of the screen. Rectangles of panes include their borders,
// which neighbours share.
type rect struct{ x, y, w, h int }

// inner is what is left within the borders.
func (r rect) inner() rect {
	return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)}
}

func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// layout says where everything stands. A pane without width is not shown.
type layout struct {
	small  bool // nothing fits: say so
	tabs   bool // panes 1 to 3 (and 4, where it has no room of its own) share one place
	header rect
	banner rect
	panes  [panes]rect
	status rect
	footer rect
}

// arrange lays the session screen out: shown is the pane that tabs and zoom
// show, banner and lines are how many rows the announcement and the message
// ask for.
func arrange(w, h int, shown pane, zoom bool, banner, lines int) layout {
	if w < minWidth || h < minHeight {
		return layout{small: true}
	}
	var l layout
	l.header = rect{0, 0, w, 1}
	y := 1
	if banner > 0 {
		l.banner = rect{0, y, w, banner}
		y += banner
	}
	l.status, l.footer = rect{0, h - 2, w, 1}, rect{0, h - 1, w, 1}
	grid := rect{0, y, w, h - 2 - y}
	switch {
	case zoom:
		l.panes[shown] = grid
		return l
	case w < wideFrom:
		l.arrangeTabs(grid, shown, lines)
	default:
		l.arrangeColumns(grid, lines)
	}
	return l
}

// arrangeTabs gives one place to all panes, the message below.
func (l *layout) arrangeTabs(g rect, shown pane, lines int) {
	l.tabs = true
	message := clamp(lines, 1, min(maxLines, g.h-7)) + 2
	l.panes[paneMessage] = rect{g.x, g.y + g.h - message, g.w, message}
	top := rect{g.x, g.y, g.w, g.h - message + 1}
	if g.h < tallFrom-3 {
		if shown == paneMessage {
			shown = paneWire
		}
		l.panes[shown] = top
		return
	}
	if shown >= paneDetail {
		shown = paneWire
	}
	detail := top.h * 2 / 5
	l.panes[shown] = rect{top.x, top.y, top.w, top.h - detail + 1}
	l.panes[paneDetail] = rect{top.x, top.y + top.h - detail, top.w, detail}
}

// arrangeColumns puts task, wire and claims beside each other, the detail
// below them, the message at the bottom.
func (l *layout) arrangeColumns(g rect, lines int) {
	message := clamp(lines, 1, min(maxLines, g.h/4)) + 2
	detail := max(6, (g.h-message)*2/5)
	top := g.h - message - detail + 2
	if g.h < 18 { // too low for three rows of panes
		detail, top = 0, g.h-message+1
	}
	task := clamp(g.w/5, 26, 34)
	claims := clamp(g.w*3/8, 47, 64)
	wire := g.w - task - claims + 2
	l.panes[paneTask] = rect{g.x, g.y, task, top}
	l.panes[paneWire] = rect{g.x + task - 1, g.y, wire, top}
	l.panes[paneClaims] = rect{g.x + task + wire - 2, g.y, claims, top}
	if detail > 0 {
		l.panes[paneDetail] = rect{g.x, g.y + top - 1, g.w, detail}
	}
	l.panes[paneMessage] = rect{g.x, g.y + g.h - message, g.w, message}
}

// at says which pane a point lies in.
func (l layout) at(x, y int) (pane, bool) {
	for p := range l.panes {
		if r := l.panes[p]; r.w > 0 && r.inner().has(x, y) {
			return pane(p), true
		}
	}
	return 0, false
}

func clamp(v, low, high int) int { return max(low, min(v, max(low, high))) }
