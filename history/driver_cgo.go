//go:build cgo

package history

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// newDriver returns the SQLite driver with the settings that a DSN cannot
// express made on each connection.
func newDriver() (driver.Driver, error) {
	return &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		// recursive_triggers: else INSERT OR REPLACE would delete records
		// past the trigger that guards them.
		_, err := c.Exec(`PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA recursive_triggers = ON`, nil)
		return err
	}}, nil
}

// explain says in words what SQLite's error means for the file, and what to
// do about it.
func explain(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return fmt.Errorf("history: %s: %s: %w", doing, path, err)
	}
	var todo string
	switch se.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		todo = "another program held its write lock for too long; try again, or close what keeps it open"
	case sqlite3.ErrFull:
		todo = fmt.Sprintf("there is no room left for it in %s; make room, what was recorded is safe", filepath.Dir(path))
	case sqlite3.ErrNotADB:
		todo = "it is no SQLite database, or its first page was overwritten; it was left alone: name another file with --db, or bring back a copy"
	case sqlite3.ErrCorrupt:
		todo = "it is damaged (cut short or overwritten); nothing was changed: keep a copy, start a new file with --db, and save what can be read with sqlite3's .recover"
	case sqlite3.ErrCantOpen, sqlite3.ErrPerm, sqlite3.ErrAuth:
		todo = "it cannot be opened; see that its folder is there, that both are yours, and that the file system is not mounted read-only"
	case sqlite3.ErrReadonly:
		todo = "it can only be read here; see that the file and its folder are yours, or open it read-only"
	case sqlite3.ErrIoErr:
		todo = "the disk reported an error; look at the disk before going on"
	default:
		return fmt.Errorf("history: %s: %s: %w", doing, path, err)
	}
	return fmt.Errorf("history: %s: %s: %s (%w)", doing, path, todo, err)
}

// busy reports whether SQLite gave way to another connection.
func busy(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) && (se.Code == sqlite3.ErrBusy || se.Code == sqlite3.ErrLocked)
}
