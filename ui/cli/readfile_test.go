package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
