package runner_test

import (
	"encoding/json"
	"testing"

	"a2ascope/session"
	"a2ascope/session/rule"
)

// rejudged checks that today's rules say of a log that today's rules made what
// they said when it was made, byte for byte.
func (l *live) rejudged(t testing.TB, d session.Document) {
	t.Helper()
	log, err := l.store.OpenRead(l.id)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rule.Rejudge(log.Page)
	if err != nil {
		t.Fatal(err)
	}
	again := session.MakeDocument(s, d.Tool)
	again.Exit = d.Exit
	was, _ := json.Marshal(d)
	now, _ := json.Marshal(again)
	if string(was) != string(now) {
		t.Errorf("rejudged by the same rules the log says something else:\n%s\nwas\n%s", now, was)
	}
}
