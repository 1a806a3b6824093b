package cli_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // to damage a log

	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/ui/cli"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if r := b.run("history", "list"); r.status != 0 || r.out != "" || !strings.Contains(r.err, "nothing was recorded yet") {
		t.Errorf("list of nothing: %+v", r)
	}
	if r := b.run("history", "list", "--output", "json"); r.status != 0 || strings.TrimSpace(r.out) != "[]" {
		t.Errorf("list of nothing: %+v", r)
	}
	one := document(t, b.session(0, "demo:honest", "json", "send echo pineapple").out)
	two := document(t, b.session(1, "demo:leaky-cancel", "json", leaky...).out)

	r := b.run("history", "list")
	if r.status != 0 || !strings.Contains(r.out, one.Session) || !strings.Contains(r.out, "demo:leaky-cancel") || !strings.Contains(r.out, "cancel-final") {
		t.Errorf("list: %+v", r)
	}
	var rows []session.Summary
	if r := b.run("history", "list", "--text", "leaky", "--output", "json"); json.Unmarshal([]byte(r.out), &rows) != nil || len(rows) != 1 || rows[0].Session != two.Session {
		t.Errorf("list as json: %+v", r)
	}
	if r := b.run("history", "show", one.Session); r.status != 0 || !strings.Contains(r.out, "pineapple") || !strings.Contains(r.out, "status 0") {
		t.Errorf("show: %+v", r)
	}
	if r := b.run("history", "show", "2"); r.status != 2 || r.out != "" {
		t.Errorf("show of an unclear beginning: %+v", r)
	}
	if r := b.run("history", "search", "PINEAPPLE", "--kind", "request"); r.status != 0 || !strings.Contains(r.out, one.Session+"  #") || strings.Contains(r.out, two.Session) {
		t.Errorf("search: %+v", r)
	}
	if r := b.run("history", "search", "pineapple", "--session", two.Session); r.status != 1 || r.out != "" || r.err != "a2ascope history search: no record of session "+two.Session+" holds \"pineapple\"\n" {
		t.Errorf("search in vain: %+v", r)
	}
	if r := b.run("history", "search", "NOPE", "here"); r.status != 1 || r.out != "" || r.err != "a2ascope history search: no record holds \"NOPE here\"\n" {
		t.Errorf("search in vain everywhere: %+v", r)
	}
	if r := b.run("history", "search", "pineapple", "--since", "1ns", "--kind", "frame"); r.status != 1 || !strings.Contains(r.err, "no record of kind frame of a session begun since 20") {
		t.Errorf("search too late: %+v", r)
	}
	if r := b.run("history", "search", "x", "--since", "yesterday"); r.status != 2 {
		t.Errorf("search since: %+v", r)
	}
	if r := b.run("history", "verify", one.Session, two.Session); r.status != 0 || strings.Count(r.out, "✓ whole") != 2 || !strings.Contains(r.out, two.Log.Head) {
		t.Errorf("verify: %+v", r)
	}
	if r := b.run("history", "rebuild"); r.status != 0 || r.out != "2 sessions made anew\n" {
		t.Errorf("rebuild: %+v", r)
	}
	for _, d := range []session.Document{one, two} { // the rules have not changed since
		if r := b.run("rejudge", d.Session); r.status != 0 || !strings.Contains(r.out, "say the same") {
			t.Errorf("rejudge: %+v", r)
		}
	}
	if r := b.run("history", "prune", one.Session); r.status != 2 || !strings.Contains(r.err, "--yes") {
		t.Errorf("prune unasked: %+v", r)
	}
	if r := b.run("history", "prune", one.Session, "--yes"); r.status != 0 || r.out != "1 session deleted\n" {
		t.Errorf("prune: %+v", r)
	}
	if r := b.run("history", "show", one.Session); r.status != 2 {
		t.Errorf("show of what was pruned: %+v", r)
	}
}

func TestVerifyOfABrokenChain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := document(t, b.session(0, "demo:honest", "json", "send echo hi").out)
	db, err := sql.Open("sqlite3", b.db())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'records'`)
	if err != nil {
		t.Fatal(err)
	}
	var drops []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		drops = append(drops, `DROP TRIGGER "`+name+`"`)
	}
	if err := rows.Err(); err != nil || len(drops) == 0 {
		t.Fatal(drops, err)
	}
	for _, q := range append(drops, `UPDATE records SET body = CAST('{"text":"another"}' AS BLOB) WHERE seq = 4`) {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r := b.run("history", "verify", d.Session)
	if r.status != 1 || !strings.Contains(r.out, "✗ broken") || !strings.Contains(r.out, "record 4") {
		t.Errorf("%+v", r)
	}
}

func TestExportAndImport(t *testing.T) {
	t.Parallel()
	b, other := newBench(t), newBench(t)
	d := document(t, b.session(1, "demo:leaky-cancel", "json", leaky...).out)
	path := filepath.Join(b.dir, "bug.jsonl")
	if r := b.run("export", "last", "-o", path); r.status != 0 || r.out != "" {
		t.Fatalf("export: %+v", r)
	}
	if r := other.run("import", path); r.status != 0 || r.out != d.Session+"\n" {
		t.Fatalf("import: %+v", r)
	}
	again := document(t, other.run("history", "show", d.Session, "--output", "json").out)
	if again.Log != d.Log || again.Exit.Status != 1 {
		t.Errorf("imported: %+v", again.Log)
	}
	if r := other.run("import", path); r.status != 0 || !strings.Contains(r.err, "already") {
		t.Errorf("import again: %+v", r)
	}
	if r := other.run("decisions", "--active", "--output", "json"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("an imported session fed trust: %s", r.out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(text), "slow 40", "slow 41", 1)
	other.in = broken
	if r := other.run("import", "-"); r.status != 1 || r.out != "" {
		t.Errorf("import of a broken chain: %+v", r)
	}
}

func TestDemoServe(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		env := func(string) (string, bool) { return "", false }
		ended <- cli.Run(ctx, append(b.fixed(), "demo", "serve"), env, strings.NewReader(""), in, io.Discard)
		in.Close()
	}()
	buf := make([]byte, 1<<16)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	list := string(buf[:n])
	for _, s := range demopeer.Scenarios() {
		if !strings.Contains(list, "/"+s.Name+" ") {
			t.Errorf("%s is not listed", s.Name)
		}
	}
	url, _, _ := strings.Cut(list, " ")
	for _, u := range []string{url, url + "@0.3"} {
		if r := b.run("run", u, "-c", "send echo served", "--output", "json"); r.status != 0 || !strings.Contains(r.out, "served") {
			t.Errorf("%s: status %d\n%s%s", u, r.status, r.out, r.err)
		}
	}
	client := http.Client{Timeout: 60 * time.Second}
	resp, err := client.Get(strings.TrimSuffix(url, "honest"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || string(index) != list {
		t.Errorf("index: %v\n%s", err, index)
	}
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestSmallCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--version"}, "a2ascope "},
		{[]string{"version"}, "a2ascope "},
		{[]string{"config", "path"}, b.db()},
		{[]string{"man"}, ".TH A2ASCOPE 1"},
		{[]string{"completion", "zsh"}, "#compdef a2ascope"},
		{[]string{"history"}, "Available Commands"},
		{[]string{"run", "--help"}, "--settle-reads"},
		{[]string{"probe", "--help"}, "about a minute for an agent, and begins about two dozen tasks"},
		{[]string{"demo", "--help"}, "demo.db in the XDG data directory"},
		{[]string{"history", "--help"}, "a2ascope history show last"},
		{[]string{"__complete", "demo", "leaky"}, "leaky-cancel"},
	} {
		if r := b.run(c.args...); r.status != 0 || !strings.Contains(r.out, c.want) {
			t.Errorf("%v: status %d, no %q in %s%s", c.args, r.status, c.want, r.out, r.err)
		}
	}
}
