package cli_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// Each kind of damage is found, and the first record that is bad is named.
func TestVerifyNamesTheFirstBadRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	damages := []struct{ name, do, want string }{
		{"a flipped byte of what was said", `UPDATE records SET body = CAST(replace(body, 'e', 'f') AS BLOB) WHERE seq = 5 AND session = ?`, "record 5: the body is not what was hashed"},
		{"a flipped byte on the wire", `UPDATE records SET raw = CAST(raw || ' ' AS BLOB) WHERE seq = (SELECT min(seq) FROM records WHERE raw IS NOT NULL AND session = ?1) AND session = ?1`, "the wire bytes are not what was hashed"},
		{"a changed time", `UPDATE records SET wall = wall + 1 WHERE seq = 4 AND session = ?`, "record 4: its hash does not follow from record 3"},
		{"a missing record", `DELETE FROM records WHERE seq = 6 AND session = ?`, "record 7 follows record 5: 1 missing"},
		{"a cut tail", `DELETE FROM records WHERE seq > 9 AND session = ?`, "records 10 to %d are missing"},
		{"nothing", `UPDATE sessions SET origin = origin WHERE id = ?`, "✓ whole"},
	}
	ids, records := make([]string, len(damages)), make([]uint64, len(damages))
	for i := range damages {
		d := document(t, b.session(0, "demo:honest", "json", "send echo hi").out)
		ids[i], records[i] = d.Session, d.Log.Records
	}
	db, err := sql.Open("sqlite3", b.db())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, trigger := range []string{"records_never_change", "records_never_go"} {
		if _, err := db.Exec("DROP TRIGGER " + trigger); err != nil {
			t.Fatal(err)
		}
	}
	for i, d := range damages {
		if _, err := db.Exec(d.do, ids[i]); err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
	}
	for i, d := range damages {
		status, want := 1, d.want
		if strings.Contains(want, "%d") {
			want = fmt.Sprintf(want, records[i])
		}
		if strings.Contains(want, "whole") {
			status = 0
		}
		r := b.run("history", "verify", ids[i])
		if r.status != status || !strings.Contains(r.out, want) || !strings.Contains(r.out, ids[i]) {
			t.Errorf("%s: %+v, want %q", d.name, r, want)
		}
	}
	r := b.run(append([]string{"history", "verify"}, ids...)...)
	if r.status != 1 || strings.Count(r.out, "✗ broken") != len(ids)-1 || strings.Count(r.out, "✓ whole") != 1 {
		t.Errorf("all of them: %+v", r)
	}
}
