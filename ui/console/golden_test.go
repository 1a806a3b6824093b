package console

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "write the golden files")

// Screens show times of day: in these tests those of one zone.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// golden compares a screen with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (go test ./ui/console -update writes it anew):\n%s", path, got)
	}
}

// picture is a screen for a golden file: trailing blanks are cut, so that the
// files can be edited.
func picture(b *bench) string {
	b.t.Helper()
	rows := strings.Split(b.screen(), "\n")
	if len(rows) != b.m.h {
		b.t.Errorf("%d rows for a screen of %d", len(rows), b.m.h)
	}
	for i, r := range rows {
		if w := ansi.StringWidth(r); w != b.m.w {
			b.t.Errorf("row %d has %d cells of %d: %q", i, w, b.m.w, r)
		}
		rows[i] = strings.TrimRight(r, " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ w, h int }{{60, 15}, {80, 24}, {120, 40}, {160, 45}} {
		for name, set := range map[string]func(b *bench){
			"leaky":  func(b *bench) { b.show(leaky(), false) },
			"review": func(b *bench) { b.show(leaky(), true); b.keys("g", "enter") },
			"claims": func(b *bench) { b.show(leaky(), false); b.keys("esc", "3") },
			"announced": func(b *bench) {
				f := working()
				b.show(f, false)
				claim(f, uint64(len(f.records)))
				b.tell(f)
			},
			"cancel":  func(b *bench) { b.show(working(), false); b.keys("c") },
			"command": func(b *bench) { b.show(leaky(), false); b.keys(":").text("re") },
			"task":    func(b *bench) { b.show(asking(), false); b.keys("1", "G") },
			"fresh":   func(b *bench) { b.show(discovered(), false); b.keys("s").text("hello\nworld") },
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.w, size.h), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, Options{Sessions: &fakeSessions{}}, size.w, size.h)
				set(b)
				golden(t, fmt.Sprintf("%s-%dx%d", name, size.w, size.h), picture(b))
			})
		}
	}
}
