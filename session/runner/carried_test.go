package runner_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"a2ascope/history"
	"a2ascope/history/export"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// carried checks that the session says the same in another log: exported as
// jsonl and imported there, whole byte for byte, redacted in its verdicts.
func (l *live) carried(t testing.TB, d session.Document) {
	t.Helper()
	log, err := l.store.OpenRead(l.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []bool{true, false} {
		e, err := export.Open(log.Page, export.Options{Raw: raw})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := e.Write(&file, "jsonl"); err != nil {
			t.Fatal(err)
		}
		other := store(t)
		id, report, err := other.Import(t.Context(), &file, history.Summarise)
		if err != nil || report.Incomplete != "" {
			t.Fatalf("importing, raw is %t: %v %s", raw, err, report.Incomplete)
		}
		if v, err := other.Verify(t.Context(), id); err != nil || v.Problem != nil {
			t.Errorf("the imported session, raw is %t: %+v %v", raw, v, err)
		}
		there, err := other.OpenRead(id)
		if err != nil {
			t.Fatal(err)
		}
		s := session.NewState()
		if err := runner.Replay(s, there.Page); err != nil {
			t.Fatal(err)
		}
		now := session.MakeDocument(s, d.Tool)
		now.Exit = d.Exit
		if !raw {
			now, d = unquoted(now), unquoted(d)
		}
		if was, is := asJSON(t, d), asJSON(t, now); was != is {
			t.Errorf("imported, raw is %t, the log says something else:\n%s\nwas\n%s", raw, is, was)
		}
	}
}

// unquoted leaves of a document what does not quote the peer.
func unquoted(d session.Document) session.Document {
	out := session.Document{Session: d.Session, Claims: d.Claims}
	for _, f := range d.Findings {
		f.Detail = ""
		out.Findings = append(out.Findings, f)
	}
	return out
}

func asJSON(t testing.TB, d session.Document) string {
	t.Helper()
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
