package rule_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
	"a2ascope/session/rule"
)

// crafted is how many random sessions are told, and tampered how often each of
// them is changed.
const crafted, tampered = 24, 12

// odd is what numbers in a body are replaced with.
var odd = []float64{-1, 0, 1, 2, 3, 7, 1e4, -9e15, 9e15}

// tamper changes a log in the way of somebody who means ill: an imported file
// can hold anything, with a chain that is whole.
func tamper(r *rand.Rand, log []session.Record) []session.Record {
	log = slices.Clone(log)
	for range 1 + r.IntN(6) {
		i := r.IntN(len(log))
		switch r.IntN(8) {
		case 0:
			log = slices.Delete(log, i, i+1)
		case 1:
			log = slices.Insert(log, r.IntN(len(log)), log[i])
		case 2:
			log[i].Kind = log[r.IntN(len(log))].Kind
		case 3:
			log[i].Task = int(odd[r.IntN(len(odd))])
		case 4:
			log[i].Exchange = int(odd[r.IntN(len(odd))])
		case 5:
			log[i].Body = log[r.IntN(len(log))].Body
		default:
			log[i].Body = numbers(r, log[i].Body)
		}
		if len(log) == 0 {
			return log
		}
	}
	return log
}

// numbers gives a body other numbers, and other words.
func numbers(r *rand.Rand, body []byte) []byte {
	var m map[string]any
	if json.Unmarshal(body, &m) != nil || m == nil {
		return []byte(`null`)
	}
	for _, extra := range []string{"obligation", "command", "head", "ends", "restates", "supersedes", "id", "count"} {
		if r.IntN(6) == 0 {
			m[extra] = odd[r.IntN(len(odd))]
		}
	}
	for k, v := range m {
		switch v.(type) {
		case float64:
			if r.IntN(3) == 0 {
				m[k] = odd[r.IntN(len(odd))]
			}
		case []any, map[string]any:
			if r.IntN(6) == 0 {
				m[k] = nil
			}
		}
	}
	if m["op"] != nil && r.IntN(2) == 0 {
		m["op"] = []a2a.Operation{a2a.OpCard, a2a.OpGet, a2a.OpSend, a2a.OpToken, a2a.OpRaw, a2a.OpCancel, a2a.OpExtendedCard, a2a.OpPushSet, "x"}[r.IntN(9)]
	}
	b, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return b
}

// reads goes through a log in every way in which one that was imported is
// read, and returns what broke.
func reads(log []session.Record) (broke string) {
	at := 0
	defer func() {
		if p := recover(); p != nil {
			broke = fmt.Sprintf("record %d: %v\n%s", at, p, debug.Stack())
		}
	}()
	s := session.NewState()
	var viewer session.Viewer
	head := session.Digest{}
	for i := range log {
		at = i + 1
		log[i].Seq = uint64(i) + 1
		log[i].Seal(head)
		head = log[i].Hash
		c := session.Fold(s, &log[i])
		session.Follow(s, &c)
		rule.Judge(s, &c)
		session.Describe(&log[i])
		s.Due(s.Elapsed+time.Hour, true)
		s.NextDue(true)
		viewer.View(s)
	}
	session.MakeDocument(s, session.ToolDoc{})
	session.Summarise(s)
	session.Timings(s)
	s.Exit(false)
	if _, err := rule.Rejudge(pages(log)); err != nil {
		return err.Error()
	}
	return ""
}

func pages(log []session.Record) func(uint64, int) ([]session.Record, error) {
	return func(from uint64, limit int) ([]session.Record, error) {
		if from < 1 || from > uint64(len(log)) {
			return nil, nil
		}
		return log[from-1 : min(from-1+uint64(limit), uint64(len(log)))], nil
	}
}

// TestCraftedLogs: no log breaks what reads it.
func TestCraftedLogs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(crafted) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			gen := []a2a.Generation{a2a.Gen10, a2a.Gen03}[seed%2]
			w := &teller{scribe: newScribe(t, gen, nil), r: rand.New(rand.NewPCG(seed, 77))}
			w.discover(nil)
			for range steps {
				w.tell()
			}
			for n := range uint64(tampered) {
				if broke := reads(tamper(rand.New(rand.NewPCG(seed, n)), w.log)); broke != "" {
					t.Fatalf("tampered with by %d: %s", n, broke)
				}
			}
		})
	}
}
