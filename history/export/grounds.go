package export

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// declaring are the members of a card that declare a claim, on the cards of all
// generations. Claims that are about the whole card are not here.
var declaring = map[session.Claim][]string{
	session.Streaming:              {"capabilities.streaming"},
	session.PushNotifications:      {"capabilities.pushNotifications"},
	session.StateTransitionHistory: {"capabilities.stateTransitionHistory"},
	session.ExtendedCard:           {"capabilities.extendedAgentCard", "supportsAuthenticatedExtendedCard"},
	session.InputModes:             {"defaultInputModes", "skills.inputModes"},
	session.OutputModes:            {"defaultOutputModes", "skills.outputModes"},
	session.Interfaces:             interfaceMembers,
	session.Endpoint:               interfaceMembers,
	session.ProtocolVersion:        interfaceMembers,
	session.Security:               {"securitySchemes", "securityRequirements", "security"},
	session.Extensions:             {"capabilities.extensions"},
}

var interfaceMembers = []string{"supportedInterfaces", "protocolVersion", "url", "preferredTransport", "additionalInterfaces"}

// asked are the claims that are judged by an answer to a task's question.
var asked = []session.Claim{session.InputModes, session.ResumeSameTask, session.TaskDurable}

// grounds are the records without which the evidence of a finding says little:
// the card that declares what was not kept, and the question that an answer in
// the evidence was an answer to, with the request that led to it.
func (e *Export) grounds(f *session.FindingState, evidence []uint64) ([]uint64, error) {
	first := f.Seq
	if len(evidence) > 0 {
		first = evidence[0]
	}
	var out []uint64
	if declaring[f.Claim] != nil {
		card := uint64(0)
		for _, c := range e.cards {
			if !c.Extended && c.Seq < f.Seq && (card == 0 || c.Seq < first) {
				card = c.Seq
			}
		}
		if card > 0 {
			out = append(out, card)
		}
	}
	if !slices.Contains(asked, f.Claim) {
		return out, nil
	}
	for _, seq := range evidence {
		r, ok, err := e.record(seq)
		if err != nil {
			return nil, err
		}
		if x := e.state.ExchangeN(r.Exchange); ok && x != nil && x.Turn != nil && x.Asked.Interrupted() {
			return append(out, e.question(x)...), nil
		}
	}
	return out, nil
}

// question finds the record that asked what a message answers, and the request
// behind it. A read that only shows the question again is not what asked.
func (e *Export) question(answer *session.Exchange) []uint64 {
	t := e.state.TaskN(answer.Task)
	if t == nil {
		return nil
	}
	var question *session.Seen
	var behind *session.Exchange
	for _, a := range t.Attempts {
		for i := range a.States {
			seen := &a.States[i]
			x := e.state.ExchangeN(seen.Exchange)
			read := x != nil && (x.Op == a2a.OpGet || x.Op == a2a.OpList)
			switch {
			case seen.Seq >= answer.Request:
			case seen.State != answer.Asked:
				question = nil
			case question == nil || !read:
				question, behind = seen, x
			}
		}
	}
	if question == nil {
		return nil
	}
	if behind == nil || behind.Request == 0 {
		return []uint64{question.Seq}
	}
	return []uint64{question.Seq, behind.Request}
}

// shownFor is what a record holds, as the excerpt for a finding shows it: of a
// card, the members that declare the claim.
func shownFor(c session.Claim, r *session.Record) string {
	if r.Kind == session.KindCard && r.Raw != nil && declaring[c] != nil {
		if text, ok := declared(r.Raw, declaring[c]); ok {
			return cutSaying(visible(text), maxExcerpt)
		}
	}
	return shownBytes(r, maxExcerpt)
}

// declared is a card with the named members alone, as the card spells them. It
// is false for a card that has none of them: what it does say is the answer then.
func declared(card []byte, members []string) (string, bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(card, &all) != nil {
		return "", false
	}
	var parts []string
	for _, path := range members {
		name, below, nested := strings.Cut(path, ".")
		name, value := member(all, name)
		if nested && value != nil {
			value = within(value, below)
		}
		if value != nil {
			parts = append(parts, `"`+name+`":`+squeezed(value))
		}
	}
	if len(parts) == 0 {
		return "", false
	}
	return "{" + strings.Join(parts, ",\n ") + "}\n(the other members of the card are left out)", true
}

// member finds a member however its name is spelt: cards come in camelCase and
// in snake_case.
func member(of map[string]json.RawMessage, name string) (string, json.RawMessage) {
	if value, there := of[name]; there {
		return name, value
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if strings.EqualFold(strings.ReplaceAll(key, "_", ""), name) {
			return key, of[key]
		}
	}
	return name, nil
}

// within is an object, or each object of a list, with one member alone, and
// the id that it is known by. It is nil where there is no such member.
func within(value json.RawMessage, name string) json.RawMessage {
	only := func(of map[string]json.RawMessage, id string) string {
		key, inner := member(of, name)
		if inner == nil {
			return ""
		}
		return "{" + id + `"` + key + `":` + string(inner) + "}"
	}
	var one map[string]json.RawMessage
	if json.Unmarshal(value, &one) == nil {
		return orNil(only(one, ""))
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil
	}
	var parts []string
	for _, x := range list {
		if part := only(x, `"id":`+orElse(string(x["id"]), "null")+","); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return orNil("[" + strings.Join(parts, ",") + "]")
}

func orNil(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func squeezed(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}
