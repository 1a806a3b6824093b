package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"a2ascope/session"
)

func TestElapsed(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                              "+0.000",
		31 * time.Millisecond:          "+0.031",
		59*time.Second + 999*1e6:       "+59.999",
		72*time.Second + 400*1e6:       "+1:12.4",
		time.Hour - 40*1e6:             "+1:00:00",
		time.Hour + 2*time.Minute:      "+1:02:00",
		26*time.Hour + 61*time.Second:  "+26:01:01",
		10*time.Minute + 5*time.Second: "+10:05.0",
	} {
		if got := elapsed(d); got != want {
			t.Errorf("elapsed(%s) = %s, want %s", d, got, want)
		}
	}
}

// A line keeps to the terminal's width, and says the same with colours and
// without.
func TestRecordLineFits(t *testing.T) {
	t.Parallel()
	records := []session.Record{
		{Kind: session.KindCommand, Body: session.Encode(session.Commanded{Line: "stream " + strings.Repeat("長い ", 60)})},
		{Kind: session.KindNote, Body: session.Encode(session.Noted{Text: strings.Repeat("long ", 100)})},
		{Kind: session.KindFinding, Body: session.Encode(session.Finding{Rule: "cancel.frames-after", Severity: session.Critical, Title: strings.Repeat("went on ", 40)})},
		{Kind: session.KindEnded, Body: session.Encode(session.Ended{Reason: "done"})},
		{Kind: session.KindFault, Body: []byte("{")},
	}
	for _, width := range []int{40, 80, 200} {
		for i := range records {
			line := recordLine(style{colours: true, width: width}, &records[i])
			if w := ansi.StringWidth(line); w > width {
				t.Errorf("width %d: %d cells: %q", width, w, line)
			}
			if plain := recordLine(style{width: width}, &records[i]); strings.TrimRight(ansi.Strip(line), " ") != plain {
				t.Errorf("with colours %q, without %q", ansi.Strip(line), plain)
			}
			if !strings.Contains(line, "\x1b[") {
				t.Errorf("no colours in %q", line)
			}
		}
	}
}

// Every row carries its number where evidence can be looked up by it.
func TestRecordLineNumber(t *testing.T) {
	t.Parallel()
	for seq, want := range map[uint64]string{
		7:     "     #7     +0.000  · ended",
		1234:  "  #1234     +0.000  · ended",
		54321: "  #54321     +0.000  · ended",
	} {
		r := session.Record{Seq: seq, Kind: session.KindEnded, Body: session.Encode(session.Ended{Reason: "done"})}
		if got := recordLine(style{}, &r); !strings.HasPrefix(got, want) {
			t.Errorf("record %d is %q, want %q", seq, got, want)
		}
		if got := recordLine(style{colours: true}, &r); !strings.Contains(got, "\x1b[2m"+want[2:15]) {
			t.Errorf("record %d in colours is %q", seq, got)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	s := style{colours: true, width: 30}
	table := newTable(s).heading("A", "B", "C")
	if !table.empty() {
		t.Error("a heading alone is not empty")
	}
	table.row("日本", s.level(session.LevelBad, "✗"), "short")
	table.row("x", "wide cell", strings.Repeat("y", 40))
	var b strings.Builder
	if err := table.write(&b); err != nil {
		t.Fatal(err)
	}
	want := []string{"A     B          C", "日本  ✗          short", "x     wide cell  yyyyyyyyyyyy…"}
	if got := strings.Split(strings.TrimSpace(ansi.Strip(b.String())), "\n"); !equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

// A panic becomes an error that says where it happened.
func TestGuarded(t *testing.T) {
	t.Parallel()
	err := <-background(func() error { panic("on purpose") })
	if err == nil || !strings.Contains(err.Error(), "on purpose") || !strings.Contains(err.Error(), "lines_test.go") {
		t.Errorf("%v", err)
	}
	if err := <-background(func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 10 * time.Minute: "10m", 15 * time.Second: "15s", 90 * time.Second: "1m30s", 500 * time.Millisecond: "500ms", 0: "0s",
		time.Hour + time.Second: "1h0m1s",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%s) = %s, want %s", d, got, want)
		}
	}
}
