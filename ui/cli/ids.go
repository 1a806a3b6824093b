package cli

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"a2ascope/history"
	"a2ascope/session"
)

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newSessionID returns an id that sorts by time and can be read out:
// 20260301-120000-3f9a0c.
func newSessionID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // it never fails
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// findSession returns the id of a session by the beginning of it, or of the
// last one by the word "last".
func findSession(store *history.Store, name string) (string, error) {
	if strings.EqualFold(name, "last") {
		return store.Latest("")
	}
	return store.Resolve(name)
}

// checkSession is findSession with its errors as they are to be shown. Sessions
// of the demo are in a log of their own: one that is only there is pointed at.
func (a *app) checkSession(store *history.Store, name string) (string, error) {
	id, err := findSession(store, name)
	switch {
	case err == nil:
		return id, nil
	case errors.Is(err, session.ErrNotFound) && a.inDemoLog(store, name):
		return "", usage("session %s is not in %s: it is in the demo log: --db %s", name, store.Path(), shellWord(a.paths.demoDB))
	case errors.Is(err, session.ErrNotFound):
		return "", usage("session %s is not in %s; \"a2ascope history list\" shows what is", name, store.Path())
	}
	return "", usage("%w", err)
}

// inDemoLog looks for a session in the log of the demo, unless that is the log
// in which it was not found.
func (a *app) inDemoLog(store *history.Store, name string) bool {
	if a.paths.demoDB == "" || a.paths.demoDB == store.Path() || strings.EqualFold(name, "last") {
		return false
	}
	demo, err := a.view(a.paths.demoDB)
	if err != nil {
		return false // there is none
	}
	defer demo.Close()
	_, err = demo.Resolve(name)
	return err == nil
}

// showLine is the command line that prints a session of a log.
func showLine(db, id string) string {
	if db == defaultPaths().db {
		return "a2ascope history show " + id
	}
	return "a2ascope --db " + shellWord(db) + " history show " + id
}

// shellWord is text as a shell takes it for one word.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// stateOf folds a session's records and returns what they come to.
func stateOf(store *history.Store, id string) (*session.State, error) {
	s := session.NewState()
	for {
		records, err := store.Page(id, s.Seq+1, 512)
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			return s, nil
		}
		for i := range records {
			session.Fold(s, &records[i])
		}
	}
}
