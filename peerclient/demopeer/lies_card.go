package demopeer

import (
	"io"
	"net/http"
	"strings"
)

// cardLies: what the card says, and where it points.
var cardLies = []script{
	{Scenario{
		Name: "flip-card", Title: "declares streaming on the first read of its card, and not on later ones of the same version",
		Try:    "discover twice: the same version, another capability",
		Claims: []string{"card-stable"},
	}, behaviour{card: flip, modest: true}},
	{Scenario{
		Name: "wrong-version", Title: "its card names one generation of A2A, its endpoint speaks only the other",
		Try:    "send task report: the declared generation is refused, the other one works",
		Claims: []string{"protocol-version"},
	}, behaviour{foreignWire: true}},
	{Scenario{
		Name: "dead-url", Title: "its card gives an address that nobody can call: the wildcard it was bound to, and a wrong port",
		Try:    "send task report: the declared endpoint is dead, the same path on the card's host works",
		Claims: []string{"endpoint"},
	}, behaviour{card: func(_ *server, c *card) { c.url = "http://0.0.0.0:9" + rpcPath }}},
	{Scenario{
		Name: "html-card", Title: "answers 200 with an HTML page where its card should be",
		Try:    "discover: no card; with endpoint URL/rpc the agent can be used all the same",
		Claims: []string{"card-valid"},
	}, behaviour{page: singlePageApp}},
	{Scenario{
		Name: "no-address", Title: "its card names no address at all",
		Try:    "discover: a card without an endpoint; with endpoint URL/rpc the agent can be used all the same",
		Claims: []string{"card-valid"},
	}, behaviour{card: func(_ *server, c *card) { c.url = "" }}},
	{Scenario{
		Name: "ragged-card", Title: "its card has no version, and null where a list belongs: odd, and it can be read",
		Try: "discover: the card departs from its own schema, the agent works",
	}, behaviour{cardText: tear}},
	{Scenario{
		Name: "edited-card", Title: "edits its card under the same version, and declares the same: odd",
		Try: "discover twice: other bytes, the same version",
	}, behaviour{card: edit}},
	{Scenario{
		Name: "new-version", Title: "its card has another version on later reads, as an agent that was deployed anew",
		Try: "discover twice: 1.4.0, then 1.5.0",
	}, behaviour{card: deploy}},
}

// tear leaves a required member out, and makes null of others. The version is
// written by the agent itself, so that no text of a client can stand there.
func tear(text string) string {
	return strings.NewReplacer(`"version":"1.4.0",`, `"provider":null,"iconUrl":null,`, `"skills":[`, `"signatures":null,"skills":[`).Replace(text)
}

func edit(s *server, c *card) {
	if s.cardReads.Load() > 1 {
		c.description += " Its words were polished since."
	}
}

func deploy(s *server, c *card) {
	if s.cardReads.Load() > 1 {
		c.version = "1.5.0"
	}
}

// flip changes its mind after the first read. The endpoint goes on as before.
func flip(s *server, c *card) {
	if s.cardReads.Load() > 1 {
		c.streaming = false
	}
}

// singlePageApp is what a catch-all route in front of an agent serves.
func singlePageApp(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html>\n<title>Agent console</title>\n<div id=\"root\"></div>\n<script src=\"/app.js\"></script>\n")
}
