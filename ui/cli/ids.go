package cli

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
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

// checkSession is findSession with its errors as they are to be shown.
func checkSession(store *history.Store, name string) (string, error) {
	id, err := findSession(store, name)
	if err != nil {
		return "", usage("%w; \"a2ascope history list\" shows the sessions", err)
	}
	return id, nil
}

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
