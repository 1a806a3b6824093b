package a2a

import (
	"strings"
	"testing"
)

// The output modes that the operator accepts stand in the params themselves in
// 0.1, and in the configuration since.
func TestAcceptedOutputModes(t *testing.T) {
	t.Parallel()
	hello := &Message{ID: "m", TaskID: "t", Role: User, Parts: []Part{{Kind: PartText, Text: "hi"}}}
	ten := 10
	for _, c := range []struct {
		name  string
		op    Operation
		gen   Generation
		modes []string
		want  string // the end of the request
	}{
		{"0.1 send", OpSend, Gen01, []string{"text/plain", "image/png"}, `"parts":[{"type":"text","text":"hi"}]},"acceptedOutputModes":["text/plain","image/png"],"historyLength":10}}`},
		{"0.1 stream", OpStream, Gen01, []string{"text/plain"}, `"parts":[{"type":"text","text":"hi"}]},"acceptedOutputModes":["text/plain"],"historyLength":10}}`},
		{"0.1 without", OpSend, Gen01, nil, `"parts":[{"type":"text","text":"hi"}]},"historyLength":10}}`},
		{"0.2 send", OpSend, Gen02, []string{"text/plain"}, `"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":10}}}`},
		{"1.0 stream", OpStream, Gen10, []string{"text/plain"}, `"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":10}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Encode(c.op, c.gen, JSONRPC, 7, Params{Message: hello, AcceptedModes: c.modes, HistoryLength: &ten})
			if err != nil || !strings.HasSuffix(string(r.Body), c.want) {
				t.Errorf("%s, %v; want the end %s", r.Body, err, c.want)
			}
		})
	}
}
