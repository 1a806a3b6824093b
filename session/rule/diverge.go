package rule

import (
	"slices"
	"strconv"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// divergeRules judge artifacts of one logical task whose attempts differ in kind
// (field note 004). What a redispatch of ours asked for weighs less.
var divergeRules = []Rule{
	{
		ID: "resume.redispatched", Claim: session.ResumeSameTask, Severity: session.Minor, Peer: "restarts",
		Title:    "one logical task has another server id",
		Source:   "A2A 1.0 §3.4.1 (task ids are the server's); field note 004: the load-bearing mistake is to key on server-generated ids",
		Advice:   "Reconcile by your correlation id.",
		Disproof: "The same server id in both attempts.",
		On:       []session.Kind{session.KindResponse, session.KindFrame},
		Judge: func(s *session.State, c *session.Change) []Saw {
			x, a := c.Exchange, c.Attempt
			if x == nil || a == nil || a.N < 2 || a.ServerID == "" || x.Purpose != session.PurposeRedispatch || c.StateBefore != "" {
				return nil
			}
			return saw(session.Contradicted, "attempt "+strconv.Itoa(a.N)+" is task "+a.ServerID, x.Request, c.Record.Seq)
		},
	},
	{
		ID: "modes.diverge", Claim: session.OutputModes, Severity: session.Major, Peer: "reloads",
		Title:    "two attempts at one logical task gave artifacts of different types",
		Source:   "A2A 1.0 §4.4.1 (output modes); field note 004: artifact negotiation keys on the task id",
		Advice:   "Check the type of each artifact on arrival, by your own correlation id.",
		Disproof: "Artifacts of the same types in both attempts.",
		On:       []session.Kind{session.KindResponse},
		Judge:    diverge,
	},
}

func diverge(s *session.State, c *session.Change) []Saw {
	t, a := c.Task, c.Attempt
	if t == nil || a == nil || a.N < 2 || c.Read == nil || !c.Read.Found || c.Read.Artifacts == 0 {
		return nil
	}
	now := mediaTypes(a)
	for _, old := range t.Attempts[:a.N-1] {
		was := mediaTypes(old)
		if len(was) == 0 || len(now) == 0 || slices.Equal(was, now) {
			continue
		}
		out := saw(session.Contradicted, "attempt "+strconv.Itoa(old.N)+" gave "+strings.Join(was, ", ")+", attempt "+strconv.Itoa(a.N)+" gives "+strings.Join(now, ", "), old.ToldSeq, c.Record.Seq)
		if t.Redispatched {
			out[0].Severity = session.Minor
		}
		return out
	}
	return nil
}

func mediaTypes(a *session.Attempt) []string {
	var out []string
	for _, list := range [][]a2a.AssembledArtifact{a.Told.Artifacts(), a.Streamed.Artifacts()} {
		for _, art := range list {
			out = append(out, art.MediaTypes...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
