package export

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/session"
)

// The diagram's measures, in its own units.
const (
	svgWidth  = 780
	xTime     = 4
	xOperator = 110
	xConsole  = 370
	xPeer     = 730
	rowLeast  = 27.0
	rowMost   = 110.0
	perSecond = 160.0
	svgTop    = 46.0
)

// placed is a beat at its height.
type placed struct {
	beat
	y   float64
	gap time.Duration // before it, when it is too long to be drawn
}

// place draws beats to time: no closer than a line of text, and with the
// longest gaps shortened.
func place(all []beat) (out []placed, height float64) {
	y := svgTop
	for i, b := range all {
		x := placed{beat: b}
		if i > 0 {
			gap := b.At - all[i-1].At
			step := gap.Seconds() * perSecond
			if step > rowMost {
				step, x.gap = rowMost, gap
			}
			y += max(step, rowLeast)
		}
		x.y = y
		out = append(out, x)
	}
	return out, y + 30
}

// diagram writes the sequence of operator, console and peer.
func (p *page) diagram() error {
	all, err := p.timeline(pageBeats)
	if err != nil {
		return err
	}
	p.print("<section aria-labelledby=\"sequence\">\n<h2 id=\"sequence\">Sequence</h2>\n<figure>\n")
	p.put("<figcaption>Operator, console and agent, drawn to time: one second is %d units high, a line is never lower than its text, and longer gaps are shortened and say how long they were. What is evidence is drawn bold. The log below tells the same in words.</figcaption>\n", int(perSecond))
	rows, height := place(all)
	p.put("<section class=\"scroll\" tabindex=\"0\" aria-label=\"Sequence diagram\">\n<svg viewBox=\"0 0 %d %d\" role=\"group\" aria-labelledby=\"svgt\"><title id=\"svgt\">Sequence of %s between operator, console and agent</title>\n",
		svgWidth, int(height), counted(len(rows), "step"))
	for _, l := range []struct {
		x   int
		who string
	}{{xOperator, "Operator"}, {xConsole, "a2ascope"}, {xPeer, "Agent"}} {
		p.put("<text class=\"who\" x=\"%d\" y=\"18\" text-anchor=\"middle\">%s</text><line class=\"life\" x1=\"%d\" y1=\"26\" x2=\"%d\" y2=\"%d\"/>\n", l.x, l.who, l.x, l.x, int(height)-6)
	}
	p.openStreams(rows, height)
	for _, x := range rows {
		p.arrow(x)
	}
	p.print("</svg>\n</section>\n</figure>\n</section>\n")
	return nil
}

// openStreams draws how long each stream was open, along the peer's line.
func (p *page) openStreams(rows []placed, height float64) {
	from, to, order := map[int]float64{}, map[int]float64{}, []int{}
	for _, x := range rows {
		e := p.state.ExchangeN(x.Exchange)
		if e == nil || e.Stream == nil {
			continue
		}
		if _, ok := from[x.Exchange]; !ok {
			from[x.Exchange] = x.y
			order = append(order, x.Exchange)
		}
		to[x.Exchange] = x.y
		if !e.Over {
			to[x.Exchange] = height - 10
		}
	}
	for i, n := range order {
		p.put("<rect class=\"open\" x=\"%d\" y=\"%.1f\" width=\"4\" height=\"%.1f\" rx=\"2\"/>\n", xPeer+3+5*(i%6), from[n], max(to[n]-from[n], 4))
	}
}

// shape of a beat: where its line goes, and its class.
func (x *placed) line() (from, to int, class string) {
	switch x.Kind {
	case session.KindCommand, session.KindNote:
		return xOperator, xConsole, ""
	case session.KindRequest:
		return xConsole, xPeer, ""
	case session.KindResponse, session.KindFrame, session.KindPush, session.KindClosed, session.KindFault:
		return xPeer, xConsole, ""
	case session.KindFinding:
		return 0, 0, "f"
	case session.KindDecision:
		return 0, 0, "d"
	}
	return 0, 0, "q"
}

func (p *page) arrow(x placed) {
	if x.gap > 0 {
		p.put("<text class=\"gap\" x=\"%d\" y=\"%.1f\">⋮ %s later</text>\n", xTime, x.y-rowMost/2+4, x.gap.Round(100*time.Millisecond).String())
	}
	if x.Left > 0 {
		p.put("<text class=\"gap l\" x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">⋮ %s</text>\n", (xConsole+xPeer)/2, x.y-2, x.D.Title)
		return
	}
	from, to, class := x.line()
	if x.Evidence {
		class = strings.TrimSpace(class + " e")
	}
	full := x.D.Title
	if x.D.Detail != "" {
		full += " · " + x.D.Detail
	}
	p.put("<g class=\"%s\"><title>%s</title><text class=\"t\" x=\"%d\" y=\"%.1f\">%s</text>", class, fmt.Sprintf("#%d %s", x.Seq, cut(full, 300)), xTime, x.y+4, at(x.At))
	open, shut := markup(""), markup("")
	if p.has(x.Seq) {
		open, shut = fill("<a href=\"#r%d\">", x.Seq), "</a>"
	}
	p.print(string(open))
	if from == 0 {
		p.put("<circle class=\"dot\" cx=\"%d\" cy=\"%.1f\" r=\"4\"/><text class=\"l\" x=\"%d\" y=\"%.1f\">%s %s</text>", xConsole, x.y, xConsole+10, x.y+4, x.D.Arrow, fit(x.D.Title, 52))
	} else {
		room := int(float64(max(from, to)-min(from, to)-16) / 6.3)
		p.put("<text class=\"l\" x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">%s</text><path class=\"a\" d=\"M%d %.1fH%d\"/>%s",
			(from+to)/2, x.y-5, fit(label(&x), room), from, x.y, tip(from, to), head(from, to, x.y))
	}
	p.print(string(shut) + "</g>\n")
}

// label is what stands on an arrow.
func label(x *placed) string {
	switch x.Kind {
	case session.KindFault, session.KindClosed:
		return x.D.Arrow + " " + x.D.Title
	case session.KindResponse, session.KindFrame, session.KindPush:
		if x.D.Detail != "" {
			return x.D.Title + " · " + x.D.Detail
		}
	}
	return x.D.Title
}

// tip is where an arrow's line ends, before its head.
func tip(from, to int) int {
	if to > from {
		return to - 7
	}
	return to + 7
}

func head(from, to int, y float64) markup {
	return fill("<path class=\"h\" d=\"M%d %.1fL%d %.1fL%d %.1fZ\"/>", to, y, tip(from, to), y-3.5, tip(from, to), y+3.5)
}

// fit cuts text to a number of characters.
func fit(s string, room int) string {
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	out := []rune(s)
	return string(out[:max(room-1, 0)]) + "…"
}
