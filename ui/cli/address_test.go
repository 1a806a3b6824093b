package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A run that reached nobody names the address that may be the right one.
func TestAddressThatMayHelp(t *testing.T) {
	t.Parallel()
	var url string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/gw/.well-known/agent-card.json" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"name":"Twice","description":"d","url":%q,"version":"1","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}`, url+"/gw/gw/rpc")
	}))
	t.Cleanup(s.Close)
	url = s.URL
	r := newBench(t).run("run", url+"/gw", "-c", "send hi", "-c", "wait settled", "--output", "text")
	if r.status != 5 || !strings.Contains(r.err, "may help: endpoint "+url+"/gw/rpc (") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.err)
	}
}
