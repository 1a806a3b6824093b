package history

import (
	"reflect"
	"testing"
	"time"

	"a2ascope/session"
)

func demote(id int, claim session.Claim, until time.Time) session.Decision {
	return session.Decision{ID: id, Action: session.ActDemote, Claim: claim, By: "rule", Reason: "seen", Until: until, Evidence: []uint64{1}}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	var (
		now   = start.Add(time.Hour)
		later = now.Add(time.Hour)
		gone  = now.Add(-time.Minute)
	)
	restore := session.Decision{ID: 2, Action: session.ActRestore, Claim: session.Streaming}
	overrule := func(n int) session.Decision {
		return session.Decision{ID: 3, Action: session.ActOverrule, Claim: session.Streaming, Supersedes: n}
	}
	again := func(id, of int) session.Decision {
		return session.Decision{ID: id, Action: session.ActOverrule, Claim: session.Streaming, Supersedes: of}
	}
	refuse := session.Decision{ID: 2, Action: session.ActRefuse, Claim: session.Streaming}
	for name, c := range map[string]struct {
		origin    string
		version   string
		decisions []session.Decision
		want      []session.Claim
	}{
		"a demotion holds":                    {decisions: []session.Decision{demote(1, session.Streaming, later)}, want: []session.Claim{session.Streaming}},
		"without a time it holds for ever":    {decisions: []session.Decision{demote(1, session.Streaming, time.Time{})}, want: []session.Claim{session.Streaming}},
		"it runs out":                         {decisions: []session.Decision{demote(1, session.Streaming, gone)}},
		"it ends at its time":                 {decisions: []session.Decision{demote(1, session.Streaming, now)}},
		"a restore lifts it":                  {decisions: []session.Decision{demote(1, session.Streaming, later), restore}},
		"a restore before it does not":        {decisions: []session.Decision{restore, demote(3, session.Streaming, later)}, want: []session.Claim{session.Streaming}},
		"an overruling lifts it":              {decisions: []session.Decision{demote(1, session.Streaming, later), overrule(1)}},
		"an overruled refusal does not":       {decisions: []session.Decision{demote(1, session.Streaming, later), refuse, overrule(2)}, want: []session.Claim{session.Streaming}},
		"an overruled overruling does not":    {decisions: []session.Decision{demote(1, session.Streaming, later), overrule(1), again(4, 3)}, want: []session.Claim{session.Streaming}},
		"and that overruled lifts it":         {decisions: []session.Decision{demote(1, session.Streaming, later), overrule(1), again(4, 3), again(5, 4)}},
		"a refusal twice overruled does not":  {decisions: []session.Decision{demote(1, session.Streaming, later), refuse, overrule(2), again(4, 3)}, want: []session.Claim{session.Streaming}},
		"an overruled restore does not":       {decisions: []session.Decision{demote(1, session.Streaming, later), restore, overrule(2)}, want: []session.Claim{session.Streaming}},
		"and that overruled lifts it again":   {decisions: []session.Decision{demote(1, session.Streaming, later), restore, overrule(2), again(4, 3)}},
		"what was demoted again since holds":  {decisions: []session.Decision{demote(1, session.Streaming, later), demote(2, session.Streaming, later), overrule(1)}, want: []session.Claim{session.Streaming}},
		"claims are told apart":               {decisions: []session.Decision{demote(1, session.CancelFinal, later), restore, demote(3, session.WireFormat, later)}, want: []session.Claim{session.CancelFinal, session.WireFormat}},
		"another card version starts anew":    {version: "2", decisions: []session.Decision{demote(1, session.Streaming, later)}},
		"a later demotion supersedes a short": {decisions: []session.Decision{demote(1, session.Streaming, later), demote(2, session.Streaming, gone)}},
		"a demo feeds nothing":                {origin: "demo", decisions: []session.Decision{demote(1, session.Streaming, later)}},
		"an import feeds nothing":             {origin: "imported", decisions: []session.Decision{demote(1, session.Streaming, later)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ch := open(t), newChain()
			records := []session.Record{ch.opened("s1")}
			for _, d := range c.decisions {
				records = append(records, ch.add(session.KindDecision, d, nil))
			}
			sum := summary("s1", "http://peer.example")
			sum.Origin = c.origin
			if c.version != "" {
				sum.CardVersion = c.version
			}
			record(t, s, "s1", sum, records...)
			got, err := s.Trust("http://peer.example", "1", now)
			if err != nil {
				t.Fatal(err)
			}
			var claims []session.Claim
			for _, d := range got.Demoted {
				claims = append(claims, d.Claim)
			}
			if !reflect.DeepEqual(claims, c.want) {
				t.Errorf("demoted: %v, want %v", claims, c.want)
			}
			if known := c.origin == ""; got.Known != known {
				t.Errorf("known: %v, want %v", got.Known, known)
			}
		})
	}
}

// TestACarriedDemotionIsOverruled: in a session that it was carried into it has
// a number and no record.
func TestACarriedDemotionIsOverruled(t *testing.T) {
	t.Parallel()
	overrule := func(id, of int) session.Decision {
		return session.Decision{ID: id, Action: session.ActOverrule, Claim: session.Streaming, Supersedes: of}
	}
	for name, tc := range map[string]struct {
		decisions []session.Decision // of the second session, where the demotion has number 1
		want      int
	}{
		"it holds":                       {nil, 1},
		"it is lifted":                   {[]session.Decision{overrule(2, 1)}, 0},
		"the overruling was overruled":   {[]session.Decision{overrule(2, 1), overrule(3, 2)}, 1},
		"and once more":                  {[]session.Decision{overrule(2, 1), overrule(3, 2), overrule(4, 3)}, 0},
		"it was demoted again meanwhile": {[]session.Decision{demote(2, session.Streaming, time.Time{}), overrule(3, 1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, first, second := open(t), newChain(), newChain()
			record(t, s, "s1", summary("s1", "peer"), first.opened("s1"), first.add(session.KindDecision, demote(1, session.Streaming, time.Time{}), nil))
			records := []session.Record{second.opened("s2")}
			for _, d := range tc.decisions {
				records = append(records, second.add(session.KindDecision, d, nil))
			}
			record(t, s, "s2", summary("s2", "peer"), records...)
			got, err := s.Trust("peer", "1", start)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Demoted) != tc.want {
				t.Errorf("demoted: %+v", got.Demoted)
			}
		})
	}
}

// A decision speaks of the card version that held when it was made, which the
// trust record before it names, not of the one that the session ended with.
func TestDecisionBelongsToItsCardVersion(t *testing.T) {
	t.Parallel()
	s, c, until := open(t), newChain(), start.Add(time.Hour)
	sum := summary("s1", "peer")
	sum.CardVersion = "2"
	record(t, s, "s1", sum, c.opened("s1"),
		c.add(session.KindTrust, session.Carried{Peer: "peer", CardVersion: "1"}, nil),
		c.add(session.KindDecision, demote(1, session.Streaming, until), nil),
		c.add(session.KindTrust, session.Carried{Peer: "peer", CardVersion: "2"}, nil))
	l, err := s.Continue("s1")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]session.Record{c.add(session.KindDecision, demote(2, session.CardValid, until), nil)}, sum); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]session.Claim{"1": session.Streaming, "2": session.CardValid} {
		got, err := s.Trust("peer", version, start)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Demoted) != 1 || got.Demoted[0].Claim != want {
			t.Errorf("version %s: %+v, want %s", version, got.Demoted, want)
		}
	}
}

func TestTrustTellsWhatWasLearnt(t *testing.T) {
	t.Parallel()
	s := open(t)
	older, newer := summary("s1", "peer"), summary("s2", "peer")
	older.Profile = session.Profile{Resume: "same-task", Durable: "yes", VerifiedStates: []string{"working"}}
	older.Prompts, older.Endpoint = map[string]string{"working": "go"}, "http://old.example"
	newer.Started = older.Started.Add(time.Minute)
	newer.Profile = session.Profile{Resume: "new-task"}
	newer.Endpoint = "http://new.example"
	other, silent, demo := summary("s3", "other"), summary("s4", "silent"), summary("s5", "demo")
	other.Profile.VerifiedStates = []string{"completed"}
	demo.Origin, demo.Profile.VerifiedStates = "demo", []string{"completed"}
	for _, sum := range []session.Summary{older, newer, other, silent, demo} {
		c := newChain()
		records := []session.Record{c.opened(sum.Session)}
		if sum.Session == "s1" {
			records = append(records, c.add(session.KindPush, session.Pushed{TokenOK: true}, []byte("POST")))
		}
		record(t, s, sum.Session, sum, records...)
	}
	got, err := s.Trust("peer", "1", start)
	if err != nil {
		t.Fatal(err)
	}
	want := session.Carried{
		Peer: "peer", CardVersion: "1", Known: true, PushReachable: true, Endpoint: "http://new.example", Prompts: map[string]string{"working": "go"},
		Profile:    session.Profile{Resume: "new-task", Durable: "yes", VerifiedStates: []string{"working"}},
		Candidates: []session.Candidate{{URL: "other", Name: "Peer", VerifiedStates: []string{"completed"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	got, err = s.Trust("peer", "2", start)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Profile, session.Profile{}) || got.Endpoint == "" {
		t.Errorf("another card version: profile %+v, endpoint %q", got.Profile, got.Endpoint)
	}
}
