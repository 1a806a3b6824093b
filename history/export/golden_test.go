package export

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/session"
)

var update = flag.Bool("update", false, "write the golden files")

// recorded are sessions with embedded peers, as they were run.
var recorded = []string{"leaky-cancel", "refused-mode", "hidden-artifact"}

func load(t testing.TB, name string) []session.Record {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []session.Record
	c, err := ReadJSONL(f, func(r session.Record) error { out = append(out, r); return nil })
	if err != nil || !c.Whole {
		t.Fatalf("%s: %v %+v", name, err, c)
	}
	return out
}

func exported(t testing.TB, records []session.Record, format string, o Options) string {
	t.Helper()
	e, err := Open(pages(records), o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := e.Write(&out, format); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range recorded {
		for _, f := range Formats {
			if f.Name == "jsonl" || f.Name == "har" {
				continue // they have tests of their own
			}
			t.Run(name+"."+f.Name, func(t *testing.T) {
				t.Parallel()
				got := exported(t, load(t, name), f.Name, Options{Tool: "a2ascope 1.0.0"})
				path := filepath.Join("testdata", name+"."+f.Name+".golden")
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("it is not %s: look at what changed, then go test ./history/export -update", path)
				}
			})
		}
	}
}

// What a vendor must find in a report, whoever words it.
func TestReportTells(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"leaky-cancel":    {"cancel-final", "Canceled is terminal", "TASK_STATE_CANCELED", "a2ascope run demo:leaky-cancel", "-c 'stream slow 20'", "-c 'cancel'", "CancelTask", "field note 000", "SHA-256"},
		"refused-mode":    {"input-modes", "unsupported part type", "-c 'resume hello --data {}'", "application/json", "-32602"},
		"hidden-artifact": {"artifacts-streamed", "the stream brought none", "-c 'stream task report'", "GetTask"},
	} {
		records := load(t, name)
		head := records[len(records)-1].Hash.String()
		for _, format := range []string{"md", "html"} {
			got := exported(t, records, format, Options{})
			got = strings.NewReplacer("&#39;", "'", "&quot;", `"`, "&gt;", ">", "&lt;", "<", "&amp;", "&").Replace(got)
			for _, w := range append(want, head, "curl -sS", "Expected", "Observed", "1.4.0") {
				if !strings.Contains(got, w) {
					t.Errorf("%s as %s does not say %q", name, format, w)
				}
			}
		}
	}
}

func TestSelectFinding(t *testing.T) {
	t.Parallel()
	records := load(t, "leaky-cancel")
	all := exported(t, records, "md", Options{})
	for _, by := range []string{"cancel.not-final", "#" + seqOf(t, all, "cancel.not-final")} {
		got := exported(t, records, "md", Options{Finding: by})
		if strings.Contains(got, "rule `cancel.frames-after`") || !strings.Contains(got, "rule `cancel.not-final`") {
			t.Errorf("--finding %s tells other findings, or not its own", by)
		}
	}
	if got := exported(t, records, "md", Options{Finding: "cancel-final"}); !strings.Contains(got, "rule `cancel.frames-after`") {
		t.Error("a claim selects all of its findings")
	}
	_, err := Open(pages(records), Options{Finding: "no.such"})
	if err == nil || !strings.Contains(err.Error(), `"no.such"`) || !strings.Contains(err.Error(), "cancel.not-final") {
		t.Errorf("an unknown finding gives %v", err)
	}
	if _, err := Open(pages(sample(3, true)), Options{Finding: "no.such"}); err == nil || !strings.Contains(err.Error(), "no findings") {
		t.Errorf("a session without findings gives %v", err)
	}
}

// seqOf finds the record of a finding in the timeline.
func seqOf(t *testing.T, md, rule string) string {
	t.Helper()
	for line := range strings.Lines(md) {
		if strings.HasPrefix(line, "| `#") && strings.Contains(line, rule) {
			n, _, _ := strings.Cut(strings.TrimPrefix(line, "| `#"), "`")
			return n
		}
	}
	t.Fatalf("%s is not in the timeline", rule)
	return ""
}

// Every line of a script is a command again, and no script is without one.
func TestScriptParses(t *testing.T) {
	t.Parallel()
	for _, name := range recorded {
		n := 0
		for line := range strings.Lines(exported(t, load(t, name), "script", Options{})) {
			_, err := session.ParseCommand(line)
			switch {
			case err == nil:
				n++
			case !strings.HasPrefix(line, "#"):
				t.Errorf("%s: %q: %v", name, line, err)
			}
		}
		if n < 2 {
			t.Errorf("%s: %d commands", name, n)
		}
	}
}

func TestNoRecords(t *testing.T) {
	t.Parallel()
	if _, err := Open(pages(nil), Options{}); err == nil || !strings.Contains(err.Error(), "no records") {
		t.Errorf("got %v", err)
	}
	for _, f := range Formats { // a log that makes no sense is written all the same
		if got := exported(t, sample(8, true), f.Name, Options{}); got == "" {
			t.Errorf("%s: nothing", f.Name)
		}
	}
}
