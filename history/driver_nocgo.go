//go:build !cgo

package history

import (
	"database/sql/driver"
	"errors"
	"fmt"
)

// newDriver refuses: without cgo the SQLite driver is a stub that fails at the
// first query.
func newDriver() (driver.Driver, error) {
	return nil, errors.New("history: this binary was built with CGO_ENABLED=0, and the log needs SQLite's C code: build it with CGO_ENABLED=1 and a C compiler")
}

func explain(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("history: %s: %s: %w", doing, path, err)
}

func busy(error) bool { return false }
