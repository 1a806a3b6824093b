package history

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"strings"
)

// connector opens connections with one driver and one DSN.
type connector struct {
	driver driver.Driver
	dsn    string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.driver }

// dsn writes an SQLite URI for an absolute path. Characters that mean
// something in a URI (% ? #) are escaped: unescaped they would silently name
// another file.
func dsn(path string, params ...[2]string) string {
	u := url.URL{Scheme: "file", Path: path}
	var q []string
	for _, p := range params {
		q = append(q, url.QueryEscape(p[0])+"="+url.QueryEscape(p[1]))
	}
	return u.String() + "?" + strings.Join(q, "&")
}

// writerDSN does not set the journal mode: a file that turns out to belong to
// another program must not be changed by opening it.
func writerDSN(path string) string {
	return dsn(path, [2]string{"mode", "rw"}, [2]string{"_sync", "FULL"}, [2]string{"_busy_timeout", "5000"},
		[2]string{"_txlock", "immediate"}, [2]string{"_fk", "1"}, [2]string{"_secure_delete", "on"})
}

func readerDSN(path string, immutable bool) string {
	p := [][2]string{{"mode", "ro"}, {"_query_only", "1"}, {"_busy_timeout", "5000"}, {"_fk", "1"}}
	if immutable {
		p = append(p, [2]string{"immutable", "1"})
	}
	return dsn(path, p...)
}

// pragma is a setting and the value that it must have. A misspelt or refused
// setting is silent in SQLite, so each is read back.
type pragma struct{ name, want string }

var (
	writerPragmas = []pragma{
		{"journal_mode", "wal"}, {"synchronous", "2"}, {"foreign_keys", "1"}, {"trusted_schema", "0"},
		{"cell_size_check", "1"}, {"recursive_triggers", "1"}, {"busy_timeout", "5000"}, {"secure_delete", "1"},
	}
	readerPragmas = []pragma{
		{"query_only", "1"}, {"foreign_keys", "1"}, {"trusted_schema", "0"}, {"cell_size_check", "1"}, {"busy_timeout", "5000"},
	}
)

func readBack(db *sql.DB, path string, pragmas []pragma) error {
	for _, p := range pragmas {
		var got string
		if err := db.QueryRow("PRAGMA " + p.name).Scan(&got); err != nil {
			return explain("reading back "+p.name, path, err)
		}
		if got != p.want {
			return fmt.Errorf("history: %s: SQLite runs with %s = %s and not %s, so the log would not be safe in it: is it on a file system without shared memory or locks (a network share)? Name a local file with --db",
				path, p.name, got, p.want)
		}
	}
	return nil
}
