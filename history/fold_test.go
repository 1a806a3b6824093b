package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"a2ascope/session"
)

// With the session's own fold a rebuild and an import come to what was
// recorded live.
func TestSummarise(t *testing.T) {
	t.Parallel()
	s, c, state := open(t), newChain(), session.NewState()
	l, err := s.Create("s1")
	if err != nil {
		t.Fatal(err)
	}
	batches := [][]session.Record{{c.opened("s1")}, random(rand.New(rand.NewPCG(1, 2)), c, 2*foldPage), {
		c.add(session.KindDecision, demote(1, session.Streaming, start.AddDate(1, 0, 0)), nil), c.add(session.KindEnded, session.Ended{Reason: "done"}, nil)}}
	for _, batch := range batches {
		for i := range batch {
			session.Fold(state, &batch[i])
		}
		if err := l.Append(batch, session.Summarise(state)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := s.Sessions(Filter{})
	if err != nil || len(before) != 1 || !before[0].Ended || before[0].Decisions != 1 || before[0].Records != c.seq {
		t.Fatalf("%+v %v", before, err)
	}
	tables := dump(t, s, "sessions") + dump(t, s, "peers") + dump(t, s, "trust")
	if report, err := s.Rebuild(t.Context(), Summarise); err != nil || len(report.Refused) > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	if after := dump(t, s, "sessions") + dump(t, s, "peers") + dump(t, s, "trust"); after != tables {
		t.Errorf("rebuilt:\n%s\nwant\n%s", after, tables)
	}
	file, other := exported(t, s, "s1"), open(t)
	if _, _, err := other.Import(t.Context(), bytes.NewReader(file), Summarise); err != nil {
		t.Fatal(err)
	}
	after, err := other.Sessions(Filter{})
	if err != nil || len(after) != 1 {
		t.Fatalf("%+v %v", after, err)
	}
	before[0].Origin = OriginImported
	if !reflect.DeepEqual(after, before) {
		t.Errorf("imported:\n%+v\nwant\n%+v", after, before)
	}
	if _, err := Summarise("s1", func(uint64, int) ([]session.Record, error) { return nil, fmt.Errorf("no page") }); err == nil {
		t.Error("a page that cannot be read was passed over")
	}
}
