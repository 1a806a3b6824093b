package demopeer

import "strings"

// wireLies: what the bytes are worth. The tasks behind them are honest.
var wireLies = []script{
	{Scenario{
		Name: "two-contents", Title: "puts a text and a data object into one part of its result",
		Try:    "send task report: a part with two contents, of which a client takes one",
		Claims: []string{"wire-format"},
	}, behaviour{result: ambiguous(`,"data":{"result":"another"}`)}},
	{Scenario{
		Name: "twice-named", Title: "writes the text of its result twice, with different words under one name",
		Try:    "send task report: a duplicate key, and which of the two counts is anybody's guess",
		Claims: []string{"wire-format"},
	}, behaviour{result: ambiguous(`,"text":"Another result"`)}},
	{Scenario{
		Name: "broken-event", Title: "sends an event that is cut off in the middle of its JSON, then goes on",
		Try:    "stream task report: one event cannot be read, the others can",
		Claims: []string{"wire-format"},
	}, behaviour{bring: bringOneBroken}},
	{Scenario{
		Name: "other-id", Title: "answers every JSON-RPC request with an id of its own",
		Try:    "send task report: the answer names a request that nobody made",
		Claims: []string{"wire-format"},
	}, behaviour{answerID: "987654321"}},
	{Scenario{
		Name: "loose-dialect", Title: "mixes spellings: snake_case in 1.0, no kind in 0.3, and canceled with one L or two: odd, and it can be read",
		Try: "stream slow 60, then cancel: canceled in the answer, cancelled on the stream",
	}, behaviour{respell: spellLoosely}},
}

// ambiguous makes text results with one member too many.
func ambiguous(extra string) func(string) part {
	return func(text string) part {
		p := textPart(text)
		p.extra = extra
		return p
	}
}

// bringOneBroken sends the first state twice: broken, then whole.
func bringOneBroken(st *stream, t *task, first view, from int) {
	broken := false
	st.snapshot(first)
	st.follow(t, from, func(e event) verdict {
		if !broken {
			text := rpcResult(st.id, st.s.wire.event(e))
			st.send(text[:len(text)/2])
			broken = true
		}
		return honestly(e)
	})
}

// spellLoosely edits names and states. A name with its quotes and colon cannot
// stand within a string: its quotes would be escaped there.
func spellLoosely(result string) string {
	out := strings.NewReplacer(`"contextId":`, `"context_id":`, `"artifactId":`, `"artifact_id":`,
		`{"kind":"artifact-update",`, `{`, `"kind":"text",`, ``).Replace(result)
	if rest, ok := strings.CutPrefix(out, `{"kind":"status-update",`); ok {
		out = strings.Replace("{"+rest, `"state":"canceled"`, `"state":"cancelled"`, 1)
	}
	if strings.HasPrefix(out, `{"statusUpdate":`) {
		out = strings.Replace(out, `"TASK_STATE_CANCELED"`, `"TASK_STATE_CANCELLED"`, 1)
	}
	return out
}
