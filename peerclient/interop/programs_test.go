package interop

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func npm(dir string) []*exec.Cmd {
	c := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock")
	c.Dir = dir
	return []*exec.Cmd{c}
}

func node(dir string) *exec.Cmd { return exec.Command("node", filepath.Join(dir, "agent.mjs")) }

func pip(dir string) []*exec.Cmd {
	return []*exec.Cmd{
		exec.Command("python3", "-m", "venv", filepath.Join(dir, "venv")),
		exec.Command(filepath.Join(dir, "venv", "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", filepath.Join(dir, "requirements.txt")),
	}
}

func python(dir string) *exec.Cmd {
	return exec.Command(filepath.Join(dir, "venv", "bin", "python"), filepath.Join(dir, "agent.py"))
}

func maven(dir string) []*exec.Cmd {
	c := exec.Command("mvn", "--quiet", "--batch-mode", "package")
	c.Dir = dir
	return []*exec.Cmd{c}
}

func java(dir string) *exec.Cmd {
	return exec.Command("java", "-jar", filepath.Join(dir, "target", "quarkus-app", "quarkus-run.jar"))
}

// serve installs the agent, when it is new or has changed, and starts it. It
// returns the agent's URL, or why this machine cannot have it.
func (o *official) serve(t *testing.T) (url, why string) {
	t.Helper()
	for _, program := range o.needs {
		if _, err := exec.LookPath(program); err != nil {
			return "", program + " is not there"
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "a2ascope-interop", strings.ReplaceAll(o.folder, "/", "-")+"-"+o.version)
	sum := copyTo(t, dir, o.folder)
	done := filepath.Join(dir, "installed")
	if was, err := os.ReadFile(done); err != nil || string(was) != sum {
		for _, c := range o.install(dir) {
			out, err := c.CombinedOutput()
			if err != nil && unresolved(out) {
				return "", "Maven cannot have its packages: " + firstError(out)
			}
			if err != nil {
				t.Fatalf("installing %s %s: %s: %v\n%s", o.name, o.version, c, err, out)
			}
		}
		if err := os.WriteFile(done, []byte(sum), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return run(t, o.start(dir)), ""
}

// copyTo copies the folder of an agent, and returns a digest of it.
func copyTo(t *testing.T, dir, folder string) string {
	t.Helper()
	digest := sha256.New()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(digest, "%s %d\n%s", filepath.ToSlash(rel), len(b), b)
		return os.WriteFile(filepath.Join(dir, rel), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", digest.Sum(nil))
}

// unresolved tells a Maven that cannot have a package from one that cannot
// build.
func unresolved(out []byte) bool {
	for _, words := range []string{"Could not resolve dependencies", "Could not find artifact", "Could not transfer artifact", "could not be resolved", "Non-resolvable"} {
		if bytes.Contains(out, []byte(words)) {
			return true
		}
	}
	return false
}

func firstError(out []byte) string {
	for line := range strings.Lines(string(out)) {
		if _, words, ok := strings.Cut(line, "[ERROR] "); ok {
			return strings.TrimSpace(words)
		}
	}
	return ""
}

// run starts an agent and reads the URL that it prints. The agent ends when
// its standard input does.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	c.Env = append(os.Environ(), "PACE_MS=10")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var end sync.Once
	stop := func() {
		end.Do(func() {
			_ = in.Close()
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	t.Cleanup(stop)
	giveUp := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	defer giveUp.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		t.Fatalf("%s printed no URL: %v\n%s", c, err, log.String())
	}
	return strings.TrimSpace(line)
}
