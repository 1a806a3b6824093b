package runner_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient/demopeer"
)

// counted is a peer in front of which every message is counted by its id.
type counted struct {
	*httptest.Server
	mu    sync.Mutex
	sent  map[string]int
	reads int
}

var (
	messageID  = regexp.MustCompile(`"messageId":\s*"([^"]+)"`)
	sendMethod = regexp.MustCompile(`"method":\s*"(SendMessage|SendStreamingMessage|message/send|message/stream)"`)
)

func count(t testing.TB, peer http.Handler) *counted {
	t.Helper()
	c := &counted{sent: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		c.note(body)
		peer.ServeHTTP(w, q)
	}))
	t.Cleanup(func() {
		c.CloseClientConnections()
		if p, ok := peer.(io.Closer); ok {
			_ = p.Close()
		}
		c.Close()
	})
	return c
}

func (c *counted) note(body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !sendMethod.Match(body) {
		c.reads++
		return
	}
	id := "none"
	if m := messageID.FindSubmatch(body); m != nil {
		id = string(m[1])
	}
	c.sent[id]++
}

// messages returns how often each message was sent.
func (c *counted) messages() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.sent)
}

// countedDemo is an embedded peer whose messages are counted.
func countedDemo(t testing.TB, name string) *counted {
	t.Helper()
	scenario, gen, err := demopeer.ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := demopeer.Handler(demopeer.Options{Scenario: scenario, Generation: gen, Pace: 25 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return count(t, h)
}

// twice says which messages were sent more than once, or were not sent before.
func (c *counted) twice(before map[string]int) error {
	for id, n := range c.messages() {
		if n > 1 {
			return fmt.Errorf("message %s was sent %d times", id, n)
		}
		if before != nil && before[id] == 0 {
			return fmt.Errorf("message %s was sent, and nobody asked for it", id)
		}
	}
	return nil
}
