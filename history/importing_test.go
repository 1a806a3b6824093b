package history

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"a2ascope/history/export"
	"a2ascope/session"
)

// recordedJSONL records a session elsewhere and exports it.
func recordedJSONL(t *testing.T, id string, ended bool) ([]byte, []session.Record) {
	t.Helper()
	s, c := open(t), newChain()
	records := append([]session.Record{c.opened(id), c.add(session.KindDecision, demote(1, session.Streaming, start.AddDate(9, 0, 0)), nil)}, random(rand.New(rand.NewPCG(1, 2)), c, 1200)...)
	if ended {
		records = append(records, c.add(session.KindEnded, session.Ended{Reason: "done"}, nil))
	}
	record(t, s, id, summary(id, "peer"), records...)
	return exported(t, s, id), records
}

func exported(t *testing.T, s *Store, id string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := export.JSONL(&out, func(from uint64, n int) ([]session.Record, error) { return s.Page(id, from, n) }); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// asPeer sums any session up as one with a peer in the field.
func asPeer(id string, page func(uint64, int) ([]session.Record, error)) (session.Summary, error) {
	first, err := page(1, 1)
	if err != nil || len(first) == 0 {
		return session.Summary{}, errors.Join(err, errors.New("no records"))
	}
	return summary(id, "peer"), nil
}

func TestImport(t *testing.T) {
	t.Parallel()
	file, records := recordedJSONL(t, "s1", true)
	s := open(t)
	id, report, err := s.Import(t.Context(), bytes.NewReader(file), asPeer)
	if err != nil || id != "s1" || report.Incomplete != "" || report.Already || !report.Whole {
		t.Fatalf("%s %+v %v", id, report, err)
	}
	if got := all(t, s, id); !reflect.DeepEqual(got, records) {
		t.Error("the records came in otherwise")
	}
	if v, err := s.Verify(t.Context(), id); err != nil || v.Problem != nil {
		t.Errorf("%+v %v", v, err)
	}
	// It is listed, and feeds no trust, also after a rebuild.
	for range 2 {
		list, err := s.Sessions(Filter{})
		if err != nil || len(list) != 1 || list[0].Origin != OriginImported {
			t.Fatalf("%+v %v", list, err)
		}
		if c, err := s.Trust("peer", "1", start); err != nil || c.Known || c.Demoted != nil {
			t.Errorf("trust was fed: %+v %v", c, err)
		}
		if _, err := s.Rebuild(t.Context(), asPeer); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Continue(id); err == nil || !strings.Contains(err.Error(), "imported") {
		t.Errorf("continued: %v", err)
	}
	// The same again is already there, from a redacted copy too.
	if again, report, err := s.Import(t.Context(), bytes.NewReader(file), asPeer); err != nil || !report.Already || again != id {
		t.Errorf("%s %+v %v", again, report, err)
	}
	// Another session of that id gets another.
	other, _ := recordedJSONL(t, "s1", false)
	id, report, err = s.Import(t.Context(), bytes.NewReader(other), asPeer)
	if err != nil || id != "s1-2" || !strings.Contains(report.Incomplete, "not ended") {
		t.Errorf("%s %+v %v", id, report, err)
	}
	if got, err := s.recorded(); err != nil || len(got) != 2 {
		t.Errorf("left behind: %v %v", got, err)
	}
}

func TestImportSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	file, _ := recordedJSONL(t, "s1", true)
	lines := bytes.SplitAfter(file, []byte("\n"))
	upTo := func(n int) []byte { return bytes.Join(lines[:n], nil) }
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"in a line":      {file[:len(file)/2], "breaks off in line"},
		"between lines":  {upTo(600), "may be cut"},
		"as a run wrote": {upTo(len(lines) - 2), ""}, // no trailer, but ended
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			id, report, err := s.Import(t.Context(), bytes.NewReader(c.file), asPeer)
			if err != nil {
				t.Fatal(err)
			}
			if (report.Incomplete == "") != (c.want == "") || !strings.Contains(report.Incomplete, c.want) {
				t.Errorf("%q, want %q", report.Incomplete, c.want)
			}
			if c.want != "" && !strings.Contains(report.Incomplete, "last transaction") {
				t.Errorf("nothing of the last transaction: %q", report.Incomplete)
			}
			if v, err := s.Verify(t.Context(), id); err != nil || v.Problem != nil || v.Records != report.Records {
				t.Errorf("%+v %v", v, err)
			}
		})
	}
}

// An import that fails leaves nothing behind.
func TestImportFails(t *testing.T) {
	t.Parallel()
	file, _ := recordedJSONL(t, "s1", true)
	broken := bytes.Replace(file, []byte(`"seq":900,`), []byte(`"seq":901,`), 1)
	failing := func(string, func(uint64, int) ([]session.Record, error)) (session.Summary, error) {
		return session.Summary{}, errors.New("no sum")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	s := open(t)
	for name, f := range map[string]func() error{
		"chain": func() error { _, _, err := s.Import(t.Context(), bytes.NewReader(broken), asPeer); return err },
		"fold":  func() error { _, _, err := s.Import(t.Context(), bytes.NewReader(file), failing); return err },
		"stop":  func() error { _, _, err := s.Import(stopped, bytes.NewReader(file), asPeer); return err },
		"empty": func() error {
			_, _, err := s.Import(t.Context(), bytes.NewReader(export.Header("s1")), asPeer)
			return err
		},
	} {
		err := f()
		if err == nil {
			t.Errorf("%s: imported", name)
		}
		if name == "chain" && !errors.Is(err, session.ErrBroken) {
			t.Errorf("%v is not ErrBroken", err)
		}
		for _, table := range []string{"records", "sessions", "imports", "trust", "peers"} {
			if left := dump(t, s, table); left != "" {
				t.Errorf("%s: left in %s: %s", name, table, left)
			}
		}
	}
}

// What an import leaves when its process dies is in no list, is not taken for
// a session in the field by rebuild, and goes with the next import.
func TestImportThatDied(t *testing.T) {
	t.Parallel()
	file, records := recordedJSONL(t, "s1", true)
	s := open(t)
	in := importer{store: s, ctx: t.Context()}
	for _, r := range records[:700] {
		if err := in.add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.lock.release(); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Sessions(Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	report, err := s.Rebuild(t.Context(), asPeer)
	if err != nil || len(report.Refused) != 1 || !errors.Is(report.Refused[0].Err, errUnfinished) {
		t.Errorf("%+v %v", report, err)
	}
	id, _, err := s.Import(t.Context(), bytes.NewReader(file), asPeer)
	if err != nil || id != "s1" || len(all(t, s, id)) != len(records) {
		t.Errorf("%s %v", id, err)
	}
}
