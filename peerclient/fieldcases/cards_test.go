package fieldcases

import (
	"strings"
	"testing"

	"a2ascope/session"
)

// class B: what stands on the card. Each peer's agent is otherwise in order.
var cards = []fieldCase{
	{
		n: 19, name: "1.0 card with nulls everywhere and no url",
		peer: peer{gen: "1.0", on: answers10, card: `{"name":"X","description":"D","version":"1","provider":null,"capabilities":{"streaming":true,"extensions":null},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
			"skills":[{"id":"s","name":"S","description":"D","tags":["t"],"inputModes":null,"security":null}],"supportedInterfaces":[{"protocolBinding":"JSONRPC","url":"$url/rpc","tenant":""}],"protocolVersion":"1.0","iconUrl":null}`},
		lines: []string{"send report"}, state: "completed", text: "report", check: speaks("1.0"),
		finds: []string{"minor card.fields card-mixed-layout", "minor card.fields card-null-field"},
	},
	{
		n: 20, name: "required lists serialised as null",
		peer:  peer{on: answers03, card: strings.NewReplacer(`"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":`, `"defaultInputModes":null,"defaultOutputModes":null,"skills":null,"x":`).Replace(card03)},
		lines: []string{"send report"}, state: "completed", text: "report",
		finds: []string{"minor card.fields card-required-null: required and null: defaultInputModes, defaultOutputModes, skills"},
	},
	{
		n: 21, name: "snake_case card keys",
		peer: peer{gen: "1.0", on: answers10, card: `{"name":"n","description":"D","version":"1","default_input_modes":["text"],"default_output_modes":["text"],"skills":[{"id":"s","name":"S","description":"D","tags":["t"]}],
			"supported_interfaces":[{"url":"$url/rpc","protocol_binding":"JSONRPC","protocol_version":"1.0"}]}`},
		lines: []string{"send report"}, state: "completed", text: "report", check: declares(session.Streaming, "undeclared"),
		finds: []string{"minor card.fields card-key-casing"},
	},
	{
		n: 22, name: "200 {} served as the card", peer: peer{gen: "1.0", on: answers10, card: `{}`},
		lines: []string{"endpoint $url/rpc", "send report"}, state: "completed", text: "report", check: declares(session.Streaming, "undeclared"),
		finds: []string{"major card.no-endpoint", "minor card.fields card-required-missing"},
		shows: []string{"name, description, supportedInterfaces, version, capabilities, defaultInputModes, defaultOutputModes, skills"},
	},
	wrappedCard("in a member card", `{"card":`+card10+`}`),
	wrappedCard("in a member agentCard", `{"status":"ok","agentCard":`+card10+`}`),
	wrappedCard("in an envelope", `{"jsonrpc":"2.0","id":null,"result":`+card10+`}`),
	wrappedCard("in both", `{"result":{"agent_card":`+card10+`}}`),
	{
		n: 22, name: "200 {} served as the card: two cards in one object", peer: peer{gen: "1.0", on: answers10, card: `{"a":` + card10 + `,"b":` + card10 + `}`},
		lines: []string{"endpoint $url/rpc", "send report"}, state: "completed", text: "report", check: declares(session.Streaming, "undeclared"),
		finds: []string{"major card.no-endpoint", "minor card.fields card-required-missing"},
	},
	{
		n: 23, name: "fields required in one generation only: 0.1", peer: peer{gen: "0.1", on: answers01, card: card01},
		lines: []string{"send report"}, state: "completed", text: "report", check: speaks("0.1"),
	},
	{
		n: 23, name: "fields required in one generation only: 0.3", peer: peer{on: answers03, card: card03},
		lines: []string{"send report"}, state: "completed", text: "report", check: speaks("0.3"),
	},
	{
		n: 23, name: "fields required in one generation only: 1.0", peer: peer{gen: "1.0", on: answers10, card: card10},
		lines: []string{"send report"}, state: "completed", text: "report", check: speaks("1.0"),
	},
}

// wrappedCard is a peer whose card has something around it.
func wrappedCard(where, card string) fieldCase {
	return fieldCase{
		n: 22, name: "200 {} served as the card: it is " + where, peer: peer{gen: "1.0", on: answers10, card: card},
		lines: []string{"send report"}, state: "completed", text: "report", check: speaks("1.0"),
		finds: []string{"minor card.fields card-wrapped"}, shows: []string{"card  Field"},
	}
}

// answers01, answers03 and answers10 are an agent that finishes its one task at
// once.
var (
	answers01 = routes{"send": says(task01), "get": says(task01)}
	answers03 = routes{"send": says(task03("completed", report03)), "get": says(task03("completed", report03))}
	answers10 = routes{"send": says(sent10("COMPLETED", report10)), "get": says(task10("COMPLETED", report10))}
)

const task01 = `{"id":"t","sessionId":"s","status":{"state":"completed"},"artifacts":[{"name":"r","index":0,"parts":[{"type":"text","text":"report"}]}]}`

func speaks(gen string) func(*testing.T, *walked) {
	return func(t *testing.T, w *walked) {
		if w.doc.Peer.Generation != gen {
			t.Errorf("it is spoken to in %s, want %s", w.doc.Peer.Generation, gen)
		}
	}
}

func declares(claim session.Claim, want string) func(*testing.T, *walked) {
	return func(t *testing.T, w *walked) {
		for _, c := range w.doc.Claims {
			if c.ID == claim && c.Declared != want {
				t.Errorf("%s is %s, want %s", claim, c.Declared, want)
			}
		}
	}
}
