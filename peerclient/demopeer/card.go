package demopeer

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// card is what an agent declares about itself.
type card struct {
	name, description string
	version           string
	url               string // "" leaves the address out
	streaming, push   bool
	stateHistory      bool // 0.3 only; 1.0 has no such field
	inputModes        []string
	outputModes       []string
}

// skills is the same on every card: all peers understand the same texts.
const skills = `[{"id":"texts","name":"Scripted texts",` +
	`"description":"echo X answers with a message; task X completes with an artifact; slow N brings N chunks; ask asks for input; fail fails",` +
	`"tags":["demo"],"examples":["echo hello","task report","slow 20","ask","fail"]}]`

// declared is the honest card, as the scenario changes it.
func (s *server) declared(base string) card {
	c := card{
		name: "Demo peer: " + s.name, description: "An embedded agent to try A2A with: it needs no network and no key.",
		version: "1.4.0", url: base + rpcPath, streaming: true, push: true,
		inputModes:  []string{"text/plain", "application/json"},
		outputModes: []string{"text/plain", "application/json"},
	}
	if s.b.card != nil {
		s.b.card(s, &c)
	}
	return c
}

func (s *server) serveCard(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the agent card is read with GET", http.StatusMethodNotAllowed)
		return
	}
	s.cardReads.Add(1)
	if s.b.page != nil {
		s.b.page(w)
		return
	}
	body := s.cardWire.card(s.declared(s.baseURL(r)))
	if s.b.cardText != nil {
		body = s.b.cardText(body)
	}
	tag := fmt.Sprintf(`"%.16x"`, sha256.Sum256([]byte(body)))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = io.WriteString(w, body) // a reader that left needs no answer
}

// baseURL is what the caller declared, or where this request came in.
func (s *server) baseURL(r *http.Request) string {
	if s.base != "" {
		return s.base
	}
	return "http://" + r.Host
}
