package console

import (
	"strings"

	"a2ascope/themes"

	"github.com/charmbracelet/x/ansi"
)

// canvas puts a screen together: borders, which neighbours share, and blocks
// of finished lines. Each cell belongs to one of them.
type canvas struct {
	w, h  int
	cells []cell
	rows  [][]block
	ascii bool
}

// cell is a border's cell: the weight of its four arms, or a character of a
// title.
type cell struct {
	up, down, left, right uint8
	s                     string // a title's character with its marks; empty for none
	covered               bool   // by the wide character before it
	st                    themes.Style
}

// block is one finished line at a place.
type block struct {
	x, w int
	s    string
}

// The weights of borders. A heavy border marks the focus, also without colour.
const (
	light uint8 = 1
	heavy uint8 = 2
)

// junctions holds the box-drawing character for four arms of weight 0 to 2, by
// up, down, left, right as digits of base 3.
var junctions = []rune(" ╶╺╴─╼╸╾━" + "╷┌┍┐┬┮┑┭┯" + "╻┎┏┒┰┲┓┱┳" +
	"╵└┕┘┴┶┙┵┷" + "│├┝┤┼┾┥┽┿" + "╽┟┢┧╁╆┪╅╈" +
	"╹┖┗┚┸┺┛┹┻" + "╿┞┡┦╀╄┩╃╇" + "┃┠┣┨╂╊┫╉╋")

func newCanvas(w, h int, ascii bool) *canvas {
	return &canvas{w: w, h: h, cells: make([]cell, w*h), rows: make([][]block, h), ascii: ascii}
}

// surface is the canvas of the whole screen, empty. It is used again for each
// frame.
func (m *model) surface() *canvas {
	c := m.screenful
	if c == nil || c.w != m.w || c.h != m.h {
		c = newCanvas(m.w, m.h, m.opt.ASCII)
		m.screenful = c
		return c
	}
	clear(c.cells)
	for i := range c.rows {
		c.rows[i] = c.rows[i][:0]
	}
	return c
}

func (c *canvas) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return &cell{}
	}
	return &c.cells[y*c.w+x]
}

// frame draws the border of a pane. Where borders meet the heavier one wins.
func (c *canvas) frame(r rect, weight uint8, st themes.Style) {
	if r.w < 2 || r.h < 2 {
		return
	}
	touch := func(x, y int, up, down, left, right uint8) {
		k := c.at(x, y)
		if weight >= max(k.up, k.down, k.left, k.right) {
			k.st = st
		}
		k.up, k.down, k.left, k.right = max(k.up, up*weight), max(k.down, down*weight), max(k.left, left*weight), max(k.right, right*weight)
	}
	x2, y2 := r.x+r.w-1, r.y+r.h-1
	for x := r.x + 1; x < x2; x++ {
		touch(x, r.y, 0, 0, 1, 1)
		touch(x, y2, 0, 0, 1, 1)
	}
	for y := r.y + 1; y < y2; y++ {
		touch(r.x, y, 1, 1, 0, 0)
		touch(x2, y, 1, 1, 0, 0)
	}
	touch(r.x, r.y, 0, 1, 0, 1)
	touch(x2, r.y, 0, 1, 1, 0)
	touch(r.x, y2, 1, 0, 0, 1)
	touch(x2, y2, 1, 0, 1, 0)
}

// label writes into a border, from x on, and returns the cell after it.
func (c *canvas) label(x, y int, st themes.Style, s string) int {
	for s = safe(s); s != ""; {
		g, n := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		k := c.at(x, y)
		k.s, k.st = g, st
		for i := 1; i < n; i++ {
			k := c.at(x+i, y)
			k.covered, k.st = true, st
		}
		x += max(1, n)
		s = s[len(g):]
	}
	return x
}

// put places lines within a rectangle. Each is r.w cells wide.
func (c *canvas) put(r rect, lines []string) {
	for i, s := range lines {
		if y := r.y + i; i < r.h && y >= 0 && y < c.h && r.w > 0 {
			c.rows[y] = append(c.rows[y], block{r.x, r.w, s})
		}
	}
}

// lines returns the screen, row by row.
func (c *canvas) lines() []string {
	out := make([]string, c.h)
	var b strings.Builder
	for y := range out {
		b.Reset()
		for x := 0; x < c.w; {
			if k, ok := c.blockAt(x, y); ok {
				b.WriteString(k.s)
				x += k.w
				continue
			}
			x = c.run(&b, x, y)
		}
		out[y] = b.String()
	}
	return out
}

func (c *canvas) blockAt(x, y int) (block, bool) {
	for _, k := range c.rows[y] {
		if k.x == x {
			return k, true
		}
	}
	return block{}, false
}

// run writes border cells of one style up to the next block.
func (c *canvas) run(b *strings.Builder, x, y int) int {
	st := c.at(x, y).st
	var text strings.Builder
	for ; x < c.w; x++ {
		if _, ok := c.blockAt(x, y); ok {
			break
		}
		k := c.at(x, y)
		if k.st != st {
			break
		}
		switch {
		case k.covered:
		case k.s != "":
			text.WriteString(k.s)
		default:
			text.WriteRune(c.rune(k))
		}
	}
	b.WriteString(st.Render(text.String()))
	return x
}

func (c *canvas) rune(k *cell) rune {
	if !c.ascii {
		return junctions[27*int(k.up)+9*int(k.down)+3*int(k.left)+int(k.right)]
	}
	across, along := k.up|k.down, k.left|k.right
	switch {
	case across == 0 && along == 0:
		return ' '
	case across != 0 && along != 0:
		return '+'
	case across == heavy:
		return '#'
	case across != 0:
		return '|'
	case along == heavy:
		return '='
	}
	return '-'
}

// overlay lays a box of lines over finished rows.
func overlay(rows []string, r rect, lines []string) {
	for i, s := range lines {
		y := r.y + i
		if i >= r.h || y < 0 || y >= len(rows) {
			continue
		}
		total := ansi.StringWidth(rows[y])
		rows[y] = cells(rows[y], 0, r.x) + s + cells(rows[y], r.x+r.w, total)
	}
}
