package demopeer

import (
	"io"
	"net/http"
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
