package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readFile(path); string(got) != "hello" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Truncate(path, mostRead+1); err != nil {
		t.Fatal(err)
	}
	if got, err := readFile(path); got != nil || err == nil || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// touched is a file that somebody changes after its first bytes were read.
type touched struct {
	*os.File
	change func()
}

func (f touched) Read(p []byte) (int, error) {
	defer f.change()
	return f.File.Read(p[:min(len(p), 3)])
}

// TestReadSteady: what changes while it is read is not sent.
func TestReadSteady(t *testing.T) {
	t.Parallel()
	long := time.Now().Add(-time.Hour)
	for _, tc := range []struct {
		name   string
		change func(path string) error
		says   string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"it grows", func(path string) error { return os.WriteFile(path, []byte("hello, world"), 0o600) }, "had 5 bytes, and has 12"},
		{"it is cut", func(path string) error { return os.Truncate(path, 4) }, "had 5 bytes, and has 4"},
		{"as long as before", func(path string) error { return os.WriteFile(path, []byte("HELLO"), 0o600) }, "changed while it was read"},
		{"its date goes back", func(path string) error { return os.Chtimes(path, long, long.Add(-time.Hour)) }, "changed while it was read"},
		{"another takes its name", func(path string) error { return os.Rename(path+".new", path) }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f")
			for _, p := range []string{path, path + ".new"} {
				if err := os.WriteFile(p, []byte("hello"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(p, long, long); err != nil {
					t.Fatal(err)
				}
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var once sync.Once
			got, err := readSteady(touched{f, func() {
				once.Do(func() {
					if err := tc.change(path); err != nil {
						t.Error(err)
					}
				})
			}}, path)
			if tc.says == "" && (err != nil || string(got) != "hello") {
				t.Errorf("%q, %v", got, err)
			}
			if tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "nothing was sent") || got != nil) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
