package console

import "testing"

var sizes = []struct{ w, h int }{{60, 15}, {80, 24}, {109, 30}, {110, 15}, {120, 40}, {160, 45}, {200, 60}, {300, 100}}

func TestLayoutFillsTheScreenWithoutOverlap(t *testing.T) {
	t.Parallel()
	for _, s := range sizes {
		for shown := range pane(panes) {
			for _, zoom := range []bool{false, true} {
				for _, banner := range []int{0, 2} {
					for _, lines := range []int{1, 3, 50} {
						checkLayout(t, arrange(s.w, s.h, shown, zoom, banner, lines), s.w, s.h)
					}
				}
			}
		}
	}
}

// checkLayout counts how often each cell is covered: rows of text once, the
// grid of panes once within the borders, and borders at least once.
func checkLayout(t *testing.T, l layout, w, h int) {
	t.Helper()
	inside := make([]int, w*h)
	border := make([]int, w*h)
	mark := func(r rect, into []int) {
		for y := r.y; y < r.y+r.h; y++ {
			for x := r.x; x < r.x+r.w; x++ {
				if x < 0 || y < 0 || x >= w || y >= h {
					t.Fatalf("%dx%d: %v lies outside", w, h, r)
				}
				into[y*w+x]++
			}
		}
	}
	for _, r := range []rect{l.header, l.banner, l.status, l.footer} {
		mark(r, inside)
	}
	for p, r := range l.panes {
		if r.w == 0 {
			continue
		}
		if in := r.inner(); in.w < 20 || in.h < 1 {
			t.Errorf("%dx%d: pane %d has only %dx%d", w, h, p+1, in.w, in.h)
		}
		mark(r, border)
		mark(r.inner(), inside)
	}
	for i := range inside {
		if inside[i] > 1 || inside[i]+border[i] == 0 {
			t.Fatalf("%dx%d: cell %d,%d is covered %d times (%d by borders): %+v", w, h, i%w, i/w, inside[i], border[i], l)
		}
	}
}

func TestLayoutByWidth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w, h    int
		shown   pane
		zoom    bool
		small   bool
		tabs    bool
		visible []pane
	}{
		{0, 0, paneWire, false, true, false, nil},
		{59, 40, paneWire, false, true, false, nil},
		{200, 14, paneWire, false, true, false, nil},
		{60, 15, paneTask, false, false, true, []pane{paneTask, paneMessage}},
		{80, 24, paneWire, false, false, true, []pane{paneWire, paneMessage}},
		{80, 24, paneDetail, false, false, true, []pane{paneDetail, paneMessage}},
		{80, 50, paneClaims, false, false, true, []pane{paneClaims, paneDetail, paneMessage}},
		{120, 40, paneWire, false, false, false, []pane{paneTask, paneWire, paneClaims, paneDetail, paneMessage}},
		{160, 45, paneWire, false, false, false, []pane{paneTask, paneWire, paneClaims, paneDetail, paneMessage}},
		{200, 60, paneWire, false, false, false, []pane{paneTask, paneWire, paneClaims, paneDetail, paneMessage}},
		{160, 45, paneClaims, true, false, false, []pane{paneClaims}},
	} {
		l := arrange(c.w, c.h, c.shown, c.zoom, 0, 1)
		if l.small != c.small || l.tabs != c.tabs {
			t.Errorf("%dx%d: small %v tabs %v", c.w, c.h, l.small, l.tabs)
		}
		want := map[pane]bool{}
		for _, p := range c.visible {
			want[p] = true
		}
		for p := range pane(panes) {
			if (l.panes[p].w > 0) != want[p] {
				t.Errorf("%dx%d shown %d: pane %d shown: %v", c.w, c.h, c.shown, p+1, l.panes[p].w > 0)
			}
		}
	}
}

func TestAtFindsThePane(t *testing.T) {
	t.Parallel()
	l := arrange(160, 45, paneWire, false, 0, 1)
	for p := range pane(panes) {
		in := l.panes[p].inner()
		if got, ok := l.at(in.x, in.y+in.h-1); !ok || got != p {
			t.Errorf("the corner of pane %d belongs to %d %v", p+1, got+1, ok)
		}
	}
	if _, ok := l.at(0, 0); ok {
		t.Error("the header is in no pane")
	}
}
