package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Files lie where the XDG base directories say, seen in a process of its own.
func TestDefaultPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env = append(os.Environ(), asBinary+"=1", "XDG_DATA_HOME="+dir+"/data", "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	listed := binary("config", "path")
	for _, f := range []string{"data/a2ascope/a2ascope.db", "data/a2ascope/demo.db", "state/a2ascope/a2ascope.log", "config/a2ascope/keys.toml"} {
		if !strings.Contains(listed, filepath.Join(dir, f)) {
			t.Errorf("%s is not among\n%s", f, listed)
		}
	}
	binary("run", "demo:honest", "-c", "send echo hi")
	if list := binary("history", "list"); !strings.Contains(list, "demo:honest") {
		t.Errorf("the session is not in the default log: %s", list)
	}
	for _, f := range []string{"data/a2ascope/a2ascope.db", "state/a2ascope/a2ascope.log"} {
		if st, err := os.Stat(filepath.Join(dir, f)); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, st, err)
		}
	}
}

// The program's own log is JSON, says nothing of what was typed, and is begun
// anew when it is large.
func TestProgramLog(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(b.dir, "log", "a2ascope.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, 9<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	b.session(0, "demo:honest", "json", "send echo pineapple")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		var entry struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Msg == "" {
			t.Errorf("%q: %v", line, err)
		}
	}
	if len(lines) < 3 || strings.Contains(string(text), "pineapple") {
		t.Errorf("the log:\n%s", text)
	}
	if st, err := os.Stat(path + ".1"); err != nil || st.Size() != 9<<20 {
		t.Errorf("the log before: %v, %v", st, err)
	}
	if r := b.run("--log-file", b.dir, "version"); r.status != 2 || !strings.Contains(r.err, "--log-file") {
		t.Errorf("a log that cannot be written: %+v", r)
	}
}
