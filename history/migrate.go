package history

import (
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// applicationID marks the file as ours: "a2as".
const applicationID = 0x61326173

//go:embed schema/*.sql
var schemaFiles embed.FS

// steps returns the statements that lead from an empty file to today's
// schema; step n makes version n.
func steps() ([]string, error) {
	names, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names { // in order of their names
		b, err := schemaFiles.ReadFile(n)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	return out, nil
}

// openWriter opens the one writing connection and the readers.
func (s *Store) openWriter() error {
	s.write = sql.OpenDB(connector{s.driver, writerDSN(s.path)})
	s.write.SetMaxOpenConns(1)
	all, err := steps()
	if err != nil {
		return fmt.Errorf("history: reading the schema: %w", err)
	}
	if err := patiently(func() error { return s.setUp(all) }); err != nil {
		return err
	}
	s.insert, err = s.write.Prepare(insertRecord)
	if err != nil {
		return explain("setting up", s.path, err)
	}
	if s.wal, err = os.Lstat(s.path + "-wal"); err != nil {
		return fmt.Errorf("history: setting up %s: its write-ahead log cannot be seen: %w", s.path, err)
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	return patiently(func() error { return s.openReaders(false) })
}

// setUp brings the file up to date and makes its settings.
func (s *Store) setUp(all []string) error {
	if err := s.migrate(all); err != nil {
		return err
	}
	var mode string
	if err := s.write.QueryRow("PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return explain("setting up", s.path, err)
	}
	// A write-ahead log of 16 MB: at the usual 4 MB a fast stream copies its
	// pages four times as often (measured: a fifth fewer records a second).
	if _, err := s.write.Exec("PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000"); err != nil {
		return explain("setting up", s.path, err)
	}
	if err := readBack(s.write, s.path, writerPragmas); err != nil {
		return err
	}
	return s.quickCheck(s.write)
}

// patiently repeats what fails because another console opens or closes the
// file at this moment: changing the journal mode does not wait for a lock,
// whatever the busy timeout.
func patiently(try func() error) error {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err := try(); !busy(err) || time.Now().After(end) {
			return err
		}
	}
}

// openReadOnly opens the readers alone. A log in a folder that cannot be
// written is read as it lies, when no write-ahead log is left beside it.
func (s *Store) openReadOnly() error {
	err := patiently(func() error { return s.identifyReaders(false) })
	if err == nil {
		return nil
	}
	if info, statErr := os.Lstat(s.path + "-wal"); statErr == nil && info.Size() > 0 || !unopenable(err) {
		return err
	}
	return s.identifyReaders(true)
}

// errRefused marks refusals of ours, which no other way of opening mends.
var errRefused = errors.New("refused")

func unopenable(err error) bool { return !errors.Is(err, errRefused) }

func (s *Store) identifyReaders(immutable bool) error {
	if err := s.openReaders(immutable); err != nil {
		return err
	}
	all, err := steps()
	if err != nil {
		return fmt.Errorf("history: reading the schema: %w", err)
	}
	version, fresh, err := identify(s.read, s.path, len(all))
	if err != nil {
		return err
	}
	if fresh {
		return fmt.Errorf("history: opening %s: it is empty: no session was ever recorded in it%w", s.path, silent(errRefused))
	}
	if version < len(all) {
		return fmt.Errorf("history: opening %s: an older a2ascope wrote it (schema %d, now %d); open it once for writing, which brings it up to date and keeps a copy%w", s.path, version, len(all), silent(errRefused))
	}
	return s.quickCheck(s.read)
}

func (s *Store) openReaders(immutable bool) error {
	if s.read != nil {
		_ = s.read.Close()
	}
	s.read = sql.OpenDB(connector{s.driver, readerDSN(s.path, immutable)})
	s.read.SetMaxOpenConns(4)
	s.read.SetMaxIdleConns(4)
	return readBack(s.read, s.path, readerPragmas)
}

// quiet is an error that adds nothing to a message but can be asked for.
type quiet struct{ error }

func (quiet) Error() string   { return "" }
func (q quiet) Unwrap() error { return q.error }

func silent(err error) error { return quiet{err} }

// querier is a database or a transaction.
type querier interface {
	QueryRow(query string, args ...any) *sql.Row
}

// identify says which schema the file has, or that it is empty, and refuses
// files that are not ours to touch.
func identify(q querier, path string, latest int) (version int, fresh bool, err error) {
	// One statement, so that the schema which another process is about to
	// commit is seen whole or not at all.
	const what = "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_schema"
	var app, objects int
	if err := q.QueryRow(what).Scan(&app, &version, &objects); err != nil {
		return 0, false, explain("opening", path, err)
	}
	switch {
	case app == 0 && version == 0 && objects == 0:
		return 0, true, nil
	case app != applicationID:
		return 0, false, fmt.Errorf("history: opening %s: it is a database of another program (application id %#x); it was left alone: name another file with --db%w", path, app, silent(errRefused))
	case version > latest:
		return 0, false, fmt.Errorf("history: opening %s: a newer a2ascope wrote it (schema %d, this one knows %d); it was left alone: update a2ascope, or name another file with --db%w", path, version, latest, silent(errRefused))
	}
	return version, false, nil
}

// migrate brings the file up to date, all or nothing. A file that has content
// is copied first.
func (s *Store) migrate(all []string) error {
	version, fresh, err := identify(s.write, s.path, len(all))
	if err != nil || version == len(all) {
		return err
	}
	if !fresh {
		if err := s.backup(version); err != nil {
			return err
		}
	}
	tx, err := s.write.Begin()
	if err != nil {
		return explain("setting up", s.path, err)
	}
	defer func() { _ = tx.Rollback() }()
	// Another process may have been quicker.
	if version, _, err = identify(tx, s.path, len(all)); err != nil {
		return err
	}
	for n := version; n < len(all); n++ {
		if _, err := tx.Exec(all[n]); err != nil {
			return explain(fmt.Sprintf("bringing to schema %d", n+1), s.path, err)
		}
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(all))); err != nil {
		return explain("setting up", s.path, err)
	}
	return explain("setting up", s.path, tx.Commit())
}

// backup copies the file, as it is before a migration, to a file beside it.
func (s *Store) backup(version int) error {
	to := fmt.Sprintf("%s.v%d", s.path, version)
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // an earlier attempt made it
	}
	if err != nil {
		return fmt.Errorf("history: copying %s to %s before changing its schema: %w", s.path, filepath.Base(to), err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("history: copying %s before changing its schema: %w", s.path, err)
	}
	if _, err := s.write.Exec("VACUUM INTO ?", to); err != nil {
		return errors.Join(explain("copying before changing the schema", s.path, err), os.Remove(to))
	}
	return nil
}

// How large a file may be to be checked while it is opened: always, and when
// it may not have been closed in order.
const (
	checkAlways  = 32 << 20
	checkUnclean = 200 << 20
)

// quickCheck looks for damaged pages, which reading and writing elsewhere in
// the file would not notice. Larger files are left to Check.
func (s *Store) quickCheck(db *sql.DB) error {
	info, err := os.Lstat(s.path)
	if err != nil {
		return fmt.Errorf("history: opening %s: %w", s.path, err)
	}
	unclean := false
	if wal, err := os.Lstat(s.path + "-wal"); err == nil {
		unclean = wal.Size() > 0
	}
	if info.Size() > checkAlways && (!unclean || info.Size() > checkUnclean) {
		return nil
	}
	return check(db, s.path)
}

// Check looks for damaged pages in the whole file. On a large file that is
// not in memory it takes some 10 to 20 seconds a gigabyte.
func (s *Store) Check() error { return check(s.read, s.path) }

func check(db *sql.DB, path string) error {
	rows, err := db.Query("PRAGMA quick_check(5)")
	if err != nil {
		return explain("checking", path, err)
	}
	defer func() { _ = rows.Close() }()
	var bad []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return explain("checking", path, err)
		}
		if line != "ok" {
			bad = append(bad, line)
		}
	}
	if err := rows.Err(); err != nil {
		return explain("checking", path, err)
	}
	if len(bad) > 0 {
		return fmt.Errorf("history: checking %s: it is damaged: %s; nothing was changed: keep a copy, start a new file with --db, and save what can be read with sqlite3's .recover%w",
			path, strings.Join(bad, "; "), silent(errRefused))
	}
	return nil
}
