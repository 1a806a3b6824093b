package interop

import (
	"bufio"
	"bytes"
	"context"
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

func npm(dir string) [][]string {
	return [][]string{{"npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--no-package-lock"}}
}

func node(dir string) *exec.Cmd { return exec.Command("node", filepath.Join(dir, "agent.mjs")) }

func pip(dir string) [][]string {
	return [][]string{
		{"python3", "-m", "venv", filepath.Join(dir, "venv")},
		{filepath.Join(dir, "venv", "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", filepath.Join(dir, "requirements.txt")},
	}
}

func python(dir string) *exec.Cmd {
	return exec.Command(filepath.Join(dir, "venv", "bin", "python"), filepath.Join(dir, "agent.py"))
}

func maven(dir string) [][]string {
	return [][]string{{"mvn", "--quiet", "--batch-mode", "--file", filepath.Join(dir, "pom.xml"), "package"}}
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
		for _, line := range o.install(dir) {
			if why := install(t, o.sdk(), line); why != "" {
				return "", why
			}
		}
		if err := os.WriteFile(done, []byte(sum), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return run(t, o.start(dir)), ""
}

// install runs an installer. It returns why the machine cannot have the
// package; any other failure is the agent's own.
func install(t *testing.T, sdk string, line []string) (why string) {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		end = time.Now().Add(time.Hour)
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-10*time.Second)) // an installer does not outlive the test
	defer cancel()
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.WaitDelay = 5 * time.Second
	out, err := c.CombinedOutput()
	if err == nil {
		return ""
	}
	if words := missing(out); words != "" {
		return words
	}
	t.Fatalf("installing %s: %s: %v\n%s", sdk, c, err, out)
	return ""
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

// absent are the words by which installers say that a package, or a part of
// the runtime, is not to be had here. A program that does not build says others.
var absent = []string{
	"Could not resolve dependencies", "Could not find artifact", "Could not transfer artifact", "could not be resolved", "Non-resolvable", "release version 17 not supported", // Maven
	"npm error code E404", "npm error code ETARGET", "npm error code ENOTFOUND", "npm error code EAI_AGAIN", "npm error code ECONNREFUSED", "npm error code ETIMEDOUT",
	"No matching distribution found", "ensurepip is not available", // pip, venv
}

// missing returns the line in which an installer says that something is not to
// be had, or nothing.
func missing(out []byte) string {
	for line := range strings.Lines(string(out)) {
		for _, words := range absent {
			if strings.Contains(line, words) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// run starts an agent and reads the URL that it prints. The agent ends when
// its standard input does: also when this process is killed.
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
	giveUp := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer giveUp.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		t.Fatalf("%s printed no URL: %v\n%s", c, err, log.String())
	}
	return strings.TrimSpace(line)
}
