package history

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// tamper changes the file past the triggers, as an editor of it would.
func tamper(t *testing.T, s *Store, query string, args ...any) {
	t.Helper()
	var trigger [2]string
	for i, name := range []string{"records_never_change", "records_never_go"} {
		if err := s.write.QueryRow(`SELECT sql FROM sqlite_schema WHERE name = ?`, name).Scan(&trigger[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []string{"DROP TRIGGER records_never_change", "DROP TRIGGER records_never_go"} {
		if _, err := s.write.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.write.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
	for _, q := range trigger {
		if _, err := s.write.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRecordsAreAppendOnly(t *testing.T) {
	t.Parallel()
	s, c := open(t), newChain()
	record(t, s, "s1", summary("s1", "peer"), c.opened("s1"))
	for _, q := range []string{
		`UPDATE records SET body = x'00'`,
		`DELETE FROM records`,
		`INSERT OR REPLACE INTO records SELECT session, seq, wall, elapsed, kind, task, exchange, x'00', raw, body_sha, raw_sha, hash, redacted FROM records`,
	} {
		if _, err := s.write.Exec(q); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestVerifyNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`UPDATE records SET body = CAST(body || ' ' AS BLOB) WHERE seq = 3`: "record 3: the body",
		`UPDATE records SET raw = x'00' WHERE seq = 4`:                      "record 4: the wire bytes",
		`UPDATE records SET hash = zeroblob(32) WHERE seq = 5`:              "record 5: its hash",
		`UPDATE records SET hash = x'00' WHERE seq = 5`:                     "record 5: its hash",
		`UPDATE records SET wall = wall + 1 WHERE seq = 2`:                  "record 2: its hash",
		`UPDATE records SET elapsed = elapsed + 1 WHERE seq = 2`:            "record 2: its hash",
		`UPDATE records SET kind = 'note' WHERE seq = 2`:                    "record 2: its hash",
		`UPDATE records SET task = 7 WHERE seq = 2`:                         "record 2: its hash",
		`UPDATE records SET exchange = 7 WHERE seq = 2`:                     "record 2: its hash",
		`DELETE FROM records WHERE seq = 6`:                                 "record 7 follows record 5",
		`DELETE FROM records WHERE seq = 1`:                                 "record 2 follows record 0",
		`DELETE FROM records WHERE seq > 8`:                                 "records 9 to 20 are missing",
		`DELETE FROM records`:                                               "records 1 to 20 are missing",
		`UPDATE sessions SET head = zeroblob(32)`:                           "record 20: its hash is not the stored head",
		`UPDATE sessions SET records = 19`:                                  "record 19: its hash is not the stored head",
		`UPDATE records SET redacted = 1, body = x'20' WHERE seq = 20`:      "",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			s, c := open(t), newChain()
			record(t, s, "s1", summary("s1", "peer"), append([]session.Record{c.opened("s1")}, random(rand.New(rand.NewPCG(1, 2)), c, 19)...)...)
			tamper(t, s, query)
			v, err := s.Verify(t.Context(), "s1")
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				if v.Problem != nil || v.Redacted != 1 || v.Records != 20 {
					t.Errorf("%+v", v)
				}
				return
			}
			if v.Problem == nil || !errors.Is(v.Problem, session.ErrBroken) || !strings.Contains(v.Problem.Error(), want) {
				t.Errorf("got %v, want %s", v.Problem, want)
			}
			if l, err := s.Continue("s1"); strings.Contains(want, "missing") || strings.Contains(want, "stored head") {
				if !errors.Is(err, session.ErrBroken) {
					t.Errorf("continued over a cut: %v", err)
				}
			} else if err == nil {
				_ = l.Close()
			}
		})
	}
}

// Every byte of every body and of all wire bytes is covered.
func TestVerifyFindsEveryFlippedByte(t *testing.T) {
	t.Parallel()
	s, c := open(t), newChain()
	records := append([]session.Record{c.opened("s1")}, c.add(session.KindFrame, session.Framed{N: 1}, []byte("data: {\"x\":1}\n\n")), c.add(session.KindNote, session.Noted{Text: "x"}, nil))
	record(t, s, "s1", summary("s1", "peer"), records...)
	for _, q := range []string{"DROP TRIGGER records_never_change"} {
		if _, err := s.write.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range records {
		for column, b := range map[string][]byte{"body": r.Body, "raw": r.Raw} {
			for i := range b {
				flipped := append([]byte(nil), b...)
				flipped[i] ^= 1 << (i % 8)
				set := fmt.Sprintf(`UPDATE records SET %s = ? WHERE seq = ?`, column)
				if _, err := s.write.Exec(set, flipped, int64(r.Seq)); err != nil {
					t.Fatal(err)
				}
				v, err := s.Verify(t.Context(), "s1")
				if err != nil || v.Problem == nil || !strings.Contains(v.Problem.Error(), fmt.Sprintf("record %d:", r.Seq)) {
					t.Fatalf("%s of record %d, byte %d: %v %v", column, r.Seq, i, v.Problem, err)
				}
				if _, err := s.write.Exec(set, b, int64(r.Seq)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if v, err := s.Verify(t.Context(), "s1"); err != nil || v.Problem != nil || v.Records != 3 {
		t.Errorf("put back: %+v %v", v, err)
	}
}

// dump returns a table's rows as text.
func dump(t *testing.T, s *Store, table string) string {
	t.Helper()
	rows, err := s.read.Query("SELECT * FROM " + table + " ORDER BY 1, 2")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%+v\n", cells)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fixedFold sums a session up as its recording did.
func fixedFold(sums map[string]session.Summary) Fold {
	return func(id string, page func(uint64, int) ([]session.Record, error)) (session.Summary, error) {
		if _, err := page(1, 10); err != nil {
			return session.Summary{}, err
		}
		return sums[id], nil
	}
}

func TestRebuildMakesTheSameProjections(t *testing.T) {
	t.Parallel()
	s := open(t)
	sums := map[string]session.Summary{}
	for i, id := range []string{"s1", "s2", "s3", "s4"} {
		c, sum := newChain(), summary(id, []string{"peer", "peer", "other", "demo"}[i])
		if i == 3 {
			sum.Origin = "demo"
		}
		sum.Started = sum.Started.Add(time.Duration(i) * time.Second)
		sum.Profile.VerifiedStates = []string{"working"}
		sums[id] = sum
		l, err := s.Create(id)
		if err != nil {
			t.Fatal(err)
		}
		early := sum
		early.Peer, early.PeerName, early.CardVersion = "", "", ""
		for n, batch := range [][]session.Record{{c.opened(id)},
			{c.add(session.KindTrust, session.Carried{Peer: sum.Peer, CardVersion: "1"}, nil), c.add(session.KindDecision, demote(1, session.Streaming, start), nil)},
			{c.add(session.KindPush, session.Pushed{TokenOK: i == 1}, []byte("x"))}} {
			with := sum
			if n == 0 {
				with = early
			}
			if err := l.Append(batch, with); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	before := dump(t, s, "sessions") + dump(t, s, "peers") + dump(t, s, "trust")
	if !strings.Contains(before, "demote") || strings.Count(before, "demote") != 3 {
		t.Fatalf("three demotions of field sessions expected:\n%s", before)
	}
	for _, wreck := range []string{`SELECT 1`, `DELETE FROM trust`, `DELETE FROM peers`, `DELETE FROM sessions`} {
		if _, err := s.write.Exec(wreck); err != nil {
			t.Fatal(err)
		}
		report, err := s.Rebuild(t.Context(), fixedFold(sums))
		if err != nil || len(report.Refused) > 0 || len(report.Rebuilt) != 4 {
			t.Fatalf("%s: %+v %v", wreck, report, err)
		}
		if un := wreck == `DELETE FROM sessions`; (len(report.Unanchored) > 0) != un {
			t.Errorf("%s: unanchored %v", wreck, report.Unanchored)
		}
		if after := dump(t, s, "sessions") + dump(t, s, "peers") + dump(t, s, "trust"); after != before {
			t.Errorf("after %s:\n%s\nwant\n%s", wreck, after, before)
		}
	}
}

func TestRebuildRefuses(t *testing.T) {
	t.Parallel()
	s, sums := open(t), map[string]session.Summary{}
	for _, id := range []string{"busy", "cut", "fine"} {
		c := newChain()
		sums[id] = summary(id, "peer")
		record(t, s, id, sums[id], append([]session.Record{c.opened(id)}, random(rand.New(rand.NewPCG(1, 2)), c, 5)...)...)
	}
	tamper(t, s, `DELETE FROM records WHERE session = 'cut' AND seq > 4`)
	l, err := s.Continue("busy")
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Rebuild(t.Context(), fixedFold(sums))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if len(report.Rebuilt) != 1 || report.Rebuilt[0] != "fine" || len(report.Refused) != 2 {
		t.Fatalf("%+v", report)
	}
	for i, want := range []error{session.ErrBusy, session.ErrBroken} {
		if !errors.Is(report.Refused[i].Err, want) {
			t.Errorf("%s: %v", report.Refused[i].Session, report.Refused[i].Err)
		}
	}
	if v, err := s.Verify(t.Context(), "cut"); err != nil || v.Problem == nil {
		t.Errorf("the cut is hidden: %+v %v", v, err)
	}
}
