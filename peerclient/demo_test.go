package peerclient_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"a2ascope/peerclient"
	"a2ascope/peerclient/demopeer"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// The embedded peer writes its bytes without session/a2a, so a misreading at
// both ends would show here.
func TestWithAnEmbeddedPeer(t *testing.T) {
	t.Parallel()
	for _, gen := range []a2a.Generation{a2a.Gen10, a2a.Gen03} {
		t.Run(string(gen), func(t *testing.T) {
			t.Parallel()
			peer, err := demopeer.Start(t.Context(), demopeer.Options{Scenario: "honest", Generation: string(gen)})
			if err != nil {
				t.Fatal(err)
			}
			defer peer.Close()
			c := peerclient.New(peerclient.Options{Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }})
			defer c.Close()
			ask := func(op a2a.Operation, at, text string) []session.Arrival {
				t.Helper()
				p, err := c.Prepare(session.Call{
					Op: op, Gen: gen, Binding: a2a.JSONRPC, URL: at, RPCID: 1, Connect: 5 * time.Second, FirstByte: 5 * time.Second,
					Params: a2a.Params{Message: &a2a.Message{ID: "m", Role: a2a.User, Parts: []a2a.Part{{Kind: a2a.PartText, Text: text}}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				var got []session.Arrival
				if err := c.Do(t.Context(), p, func(a session.Arrival) { got = append(got, a) }); err != nil {
					t.Fatal(err)
				}
				return got
			}
			places, err := session.CardPlaces(peer.URL())
			if err != nil {
				t.Fatal(err)
			}
			card := ask(a2a.OpCard, places[0], "")
			if len(card) != 1 || card[0].Response == nil || card[0].Response.Status != 200 {
				t.Fatalf("card: %+v", card)
			}
			read, _, err := a2a.DecodeCard(card[0].Raw[card[0].Response.Head:])
			if err != nil || len(read.Interfaces) == 0 {
				t.Fatalf("card: %+v, %v", read, err)
			}
			endpoint, problems := session.ResolveEndpoint(places[0], read.Interfaces[0].URL)
			if len(problems) > 0 {
				t.Errorf("endpoint %s: %+v", endpoint, problems)
			}
			echo := ask(a2a.OpSend, endpoint, "echo good day")
			if len(echo) != 1 || echo[0].Response == nil || !strings.Contains(string(echo[0].Raw), "good day") {
				t.Errorf("echo: %s", echo[0].Raw)
			}
			stream := ask(a2a.OpStream, endpoint, "task it")
			last := stream[len(stream)-1]
			if len(stream) < 4 || stream[0].Response == nil || !stream[0].Response.Stream || last.Closed == nil || last.Closed.How != session.ClosedClean {
				t.Errorf("stream of %d arrivals: %+v", len(stream), last)
			}
		})
	}
}
