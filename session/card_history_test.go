package session_test

import (
	"slices"
	"testing"
	"time"

	"a2ascope/session"
)

// The same bytes are one version, whatever session read them and in whatever
// order they are added; each tells what changed since the one before.
func TestCardHistory(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	read := func(day int, sha, raw string, extended bool) *session.Record {
		return &session.Record{Seq: 5, Wall: at.AddDate(0, 0, day), Kind: session.KindCard, Body: session.Encode(session.CardRead{SHA256: sha, Extended: extended}), Raw: []byte(raw)}
	}
	var h session.CardHistory
	h.Add("s-3", read(3, "b", `{"name":"A","version":"2","capabilities":{"streaming":false}}`, false))
	h.Add("s-4", read(4, "a", `{"name":"A","version":"1","capabilities":{"streaming":true}}`, false))
	h.Add("s-1", read(1, "a", `{"name":"A","version":"1","capabilities":{"streaming":true}}`, false))
	h.Add("s-2", read(2, "x", `{"name":"A, inside","version":"1"}`, true))
	h.Add("s-5", read(5, "c", `{"version":"2","name":"A","capabilities":{"streaming":false}}`, false))
	h.Add("s-6", read(6, "d", ``, false))
	h.Add("s-7", &session.Record{Kind: session.KindNote})
	got := h.Versions()
	var shas, sessions []string
	for _, v := range got {
		shas, sessions = append(shas, v.SHA256), append(sessions, v.Session)
	}
	if want := []string{"a", "x", "b", "c", "d"}; !slices.Equal(shas, want) {
		t.Fatalf("versions %q, want %q", shas, want)
	}
	if want := []string{"s-1", "s-2", "s-3", "s-5", "s-6"}; !slices.Equal(sessions, want) {
		t.Errorf("first seen in %q, want %q", sessions, want)
	}
	if v := got[0]; v.Reads != 2 || !v.Last.Equal(at.AddDate(0, 0, 4)) || v.Version != "1" || len(v.Changes) != 0 || v.N != 1 {
		t.Errorf("the first version: %+v", v)
	}
	want := []session.CardChange{{Path: "capabilities.streaming", Was: "true", Now: "false"}, {Path: "version", Was: `"1"`, Now: `"2"`}}
	if !slices.Equal(got[2].Changes, want) {
		t.Errorf("changes %+v, want %+v: the extended card is of another kind", got[2].Changes, want)
	}
	if got[1].Note != "" || got[3].Note != "the bytes differ, and they say the same" || got[4].Note == "" {
		t.Errorf("notes %q, %q, %q", got[1].Note, got[3].Note, got[4].Note)
	}
	if changes, note := got[0].Against(&got[3]); len(changes) != 2 || note != "" {
		t.Errorf("the first against the fourth: %+v %q", changes, note)
	}
}
