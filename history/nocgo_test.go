//go:build !cgo

package history

import (
	"path/filepath"
	"strings"
	"testing"
)

// Run it with CGO_ENABLED=0 go test -run TestWithoutCgo ./history: such a
// binary builds, and must say why it cannot record.
func TestWithoutCgo(t *testing.T) {
	t.Parallel()
	_, err := Open(filepath.Join(t.TempDir(), "log.db"), Options{})
	if err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
		t.Errorf("got %v", err)
	}
}
