package demopeer

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// page reads a path as it is.
func (c *raw) page(path string) answer {
	c.t.Helper()
	resp, err := http.Get(c.peer.URL() + path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer{t: c.t, raw: string(b), status: resp.StatusCode, contentType: resp.Header.Get("Content-Type")}
}

func (c *raw) card() answer {
	c.t.Helper()
	a := c.page("/.well-known/agent-card.json")
	if err := json.Unmarshal([]byte(a.raw), &a.v); err != nil {
		c.t.Fatalf("card: %v in %s", err, a.raw)
	}
	return a
}

// endpoint is the URL that the card of its generation declares.
func (a answer) endpoint() string {
	if list, ok := a.at("supportedInterfaces").([]any); ok && len(list) > 0 {
		return fmt.Sprint(list[0].(map[string]any)["url"])
	}
	return a.str("url")
}

func TestCards(t *testing.T) {
	t.Parallel()
	for _, sc := range Scenarios() {
		if sc.Name == "html-card" {
			continue
		}
		both(t, sc.Name, func(t *testing.T, c *raw) {
			card := c.card()
			for _, key := range []string{"name", "description", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"} {
				if card.at(key) == nil && (sc.Name != "ragged-card" || key != "version") {
					t.Errorf("no %s", key)
				}
			}
			if c.gen == "1.0" {
				want(t, "interfaces", strings.Contains(card.raw, `"protocolBinding":"JSONRPC","protocolVersion":"1.0"`), sc.Name != "no-address")
				want(t, "the old path", c.page("/.well-known/agent.json").status, 404)
			} else {
				want(t, "protocolVersion", card.str("protocolVersion"), "0.3.0")
				want(t, "preferredTransport", card.str("preferredTransport"), "JSONRPC")
				want(t, "the old path", c.page("/.well-known/agent.json").status, 200)
			}
			if sc.Name != "dead-url" && sc.Name != "no-address" {
				want(t, "endpoint", card.endpoint(), c.peer.URL()+"/rpc")
			}
		})
	}
}

func TestCardIsConditional(t *testing.T) {
	t.Parallel()
	c := dial(t, "honest")
	first, err := http.Get(c.peer.URL() + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	first.Body.Close()
	req, err := http.NewRequest(http.MethodGet, c.peer.URL()+"/.well-known/agent-card.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", first.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	want(t, "status", again.StatusCode, http.StatusNotModified)
}

func TestFlipCard(t *testing.T) {
	t.Parallel()
	both(t, "flip-card", func(t *testing.T, c *raw) {
		one, two := c.card(), c.card()
		want(t, "version", two.str("version"), one.str("version"))
		want(t, "first", one.at("capabilities", "streaming"), any(true))
		want(t, "then", two.at("capabilities", "streaming"), any(false))
		want(t, "the endpoint goes on", c.stream("task report", "").rest(), "submitted working artifact completed")
	})
}

func TestWrongVersion(t *testing.T) {
	t.Parallel()
	both(t, "wrong-version", func(t *testing.T, c *raw) {
		if code := c.call("SendMessage", c.text("task report", "")).code(); code != -32601 && code != -32009 {
			t.Fatalf("the declared generation is answered with %d", code)
		}
		c.gen = map[string]string{"1.0": "0.3", "0.3": "1.0"}[c.gen]
		want(t, "the other one", c.send("task report", "").state(), "completed")
	})
}

func TestDeadURL(t *testing.T) {
	t.Parallel()
	both(t, "dead-url", func(t *testing.T, c *raw) {
		host := strings.TrimSuffix(strings.TrimPrefix(c.card().endpoint(), "http://"), "/rpc")
		if conn, err := net.DialTimeout("tcp", host, time.Second); err == nil {
			conn.Close()
			t.Fatalf("%s answers", host)
		}
		want(t, "the same path here", c.send("task report", "").state(), "completed")
	})
}

func TestHTMLCard(t *testing.T) {
	t.Parallel()
	both(t, "html-card", func(t *testing.T, c *raw) {
		for _, path := range []string{"/", "/.well-known/agent-card.json", "/.well-known/agent.json"} {
			p := c.page(path)
			want(t, "status of "+path, p.status, 200)
			want(t, "type of "+path, p.contentType, "text/html; charset=utf-8")
		}
		want(t, "the endpoint", c.send("task report", "").state(), "completed")
	})
}
