package themes

import (
	"reflect"
	"strings"
	"testing"
)

func roles(s Styles) map[string]Style {
	out := map[string]Style{}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if st, ok := v.Field(i).Interface().(Style); ok {
			out[v.Type().Field(i).Name] = st
		}
	}
	return out
}

func TestEveryRoleOfEveryThemeHasAColour(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			s := New(name, dark, false)
			if s.Name != name || s.Dark != dark {
				t.Errorf("%s dark=%v is %s dark=%v", name, dark, s.Name, s.Dark)
			}
			for role, st := range roles(s) {
				if colour := strings.Contains(st.open, "38;2") || strings.Contains(st.open, "48;2"); colour == s.Mono {
					t.Errorf("%s dark=%v %s: %q", name, dark, role, st.open)
				}
			}
		}
	}
}

func TestWithoutColourOnlyBoldDimUnderlineReverse(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for role, st := range roles(New(name, true, true)) {
			for _, attr := range strings.Split(strings.Trim(st.open, "\x1b[m"), ";") {
				if !strings.Contains(" 1 2 4 7 ", " "+attr+" ") && attr != "" {
					t.Errorf("%s %s uses attribute %q", name, role, attr)
				}
			}
		}
	}
}

func TestBadAndGoodAreToldApartWithoutHue(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			s := New(name, dark, false)
			if !strings.Contains(s.Bad.open, "\x1b[1") || strings.Contains(s.Good.open, "\x1b[1") {
				t.Errorf("%s: bad %q good %q", name, s.Bad.open, s.Good.open)
			}
		}
	}
}

func TestNextGoesRound(t *testing.T) {
	t.Parallel()
	name, seen := "no such theme", 0
	for range Names() {
		name = Next(name)
		seen++
		if !Known(name) {
			t.Fatalf("%q is no theme", name)
		}
	}
	if seen != len(Names()) || Next(name) != Names()[0] {
		t.Errorf("after %d steps at %s", seen, name)
	}
}

func TestRenderAndOver(t *testing.T) {
	t.Parallel()
	s := New("slate", true, true)
	if got := s.Bad.Render("x"); got != "\x1b[1mx\x1b[m" {
		t.Errorf("%q", got)
	}
	if got := s.Text.Render("x"); got != "x" {
		t.Errorf("%q", got)
	}
	if got := s.Bad.Over(s.Selected).Render("x"); got != "\x1b[1m\x1b[7mx\x1b[m" {
		t.Errorf("%q", got)
	}
	if got := s.Bad.Render(""); got != "" {
		t.Errorf("%q", got)
	}
}
