package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"a2ascope/session"
)

// claimed is what a document says of a claim, and its findings.
func claimed(d *session.Document, id session.Claim) (verdict session.Verdict, finds string) {
	i := slices.IndexFunc(d.Claims, func(c session.ClaimDoc) bool { return c.ID == id })
	var all []string
	for _, f := range d.Findings {
		all = append(all, string(f.Severity)+" "+f.Rule)
	}
	return d.Claims[i].Verdict, strings.Join(all, ", ")
}

// refuse answers a call with an error.
func refuse(w http.ResponseWriter, body []byte, code int, message string) {
	var call struct{ ID json.RawMessage }
	_ = json.Unmarshal(body, &call)
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, call.ID, code, message)
}

// TestExtendedCard: what the card for known callers says beyond the public one,
// and what is said where it cannot be had.
func TestExtendedCard(t *testing.T) {
	t.Parallel()
	more := func(card map[string]any) {
		card["version"] = "2"
		card["skills"] = []any{map[string]any{"id": "audit", "name": "Audit", "description": "d", "tags": []any{"t"}}}
		card["defaultOutputModes"] = []any{"text/plain", "image/png"}
	}
	same := func(map[string]any) {}
	for _, tc := range []struct {
		name             string
		undeclared       bool
		change           func(card map[string]any) // nil: there is none
		wrapped, unknown bool                      // in a member of the result; the caller
		status           int
		verdict          session.Verdict
		says             []string
		finds            string
	}{
		{"more than the public one", false, more, false, false, 0, session.Honoured, []string{"more skills: audit; version: 2, publicly 1; output modes: text/plain, image/png, publicly text/plain"}, ""},
		{"the same", false, same, false, false, 0, session.Honoured, []string{"it declares what the public card does"}, ""},
		{"in a wrapper", false, more, true, false, 0, session.Honoured, []string{"more skills: audit"}, "minor wire.tolerated"},
		{"not declared", true, more, false, false, 0, session.UnderDeclared, []string{"more skills: audit"}, ""},
		{"there is none", false, nil, false, false, 1, session.Contradicted, []string{"an extended card is declared, and cannot be had", "-32007"}, "major extended.refused"},
		{"none is declared, and there is none", true, nil, false, false, 0, session.Unproven, []string{"-32007"}, ""},
		{"a stranger asks", false, more, false, true, 0, session.Inconclusive, []string{"401", "no credentials of ours are known to be good"}, "info security.challenge"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			peer := visit(t, func(v *visited, w http.ResponseWriter, r *http.Request, body []byte) {
				card := plainCard(v.URL)
				card["securitySchemes"] = map[string]any{"token": map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "bearer"}}}
				card["capabilities"] = map[string]any{"extendedAgentCard": !tc.undeclared}
				switch {
				case r.Method == http.MethodGet:
					_ = json.NewEncoder(w).Encode(card)
				case !bytes.Contains(body, []byte("GetExtendedAgentCard")):
					replies(w, body, v.URL)
				case r.Header.Get("Authorization") != "Bearer "+theKey:
					w.Header().Set("WWW-Authenticate", "Bearer")
					w.WriteHeader(http.StatusUnauthorized)
				case tc.change == nil:
					refuse(w, body, -32007, "no extended card is configured")
				default:
					tc.change(card)
					var result any = card
					if tc.wrapped {
						result = map[string]any{"card": card}
					}
					text, _ := json.Marshal(result)
					var call struct{ ID json.RawMessage }
					_ = json.Unmarshal(body, &call)
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, text)
				}
			})
			b := newBench(t)
			b.env["CARD_TOKEN"] = theKey
			args := append([]string{"run", peer.URL, "-c", "send hello", "-c", "extended-card"}, quick...)
			if !tc.unknown {
				args = append(args, "--bearer-env", "CARD_TOKEN")
			}
			r := b.run(append(args, "--output", "json")...)
			d := document(t, r.out)
			verdict, finds := claimed(&d, session.ExtendedCard)
			if r.status != tc.status || verdict != tc.verdict || finds != tc.finds {
				t.Errorf("status %d, %s, %q; want %d, %s, %q", r.status, verdict, finds, tc.status, tc.verdict, tc.finds)
			}
			text := b.run(args...)
			for _, want := range tc.says {
				if !strings.Contains(text.out, want) {
					t.Errorf("nothing says %q", want)
				}
			}
			if t.Failed() {
				t.Log(text.out + text.err)
			}
		})
	}
}

// TestRequiredExtensions: an extension that the card requires is named in every
// call but those that say that they do not, and a peer that serves these too is
// found out: minor, so the claim is not held against it.
func TestRequiredExtensions(t *testing.T) {
	t.Parallel()
	const uri = "https://ext.example/receipts/v1"
	for _, tc := range []struct {
		name, gen string
		enforced  bool
		lines     []string
		verdict   session.Verdict
		finds     string
		with      int // calls that named it
	}{
		{"insisted on", "1.0", true, []string{"send hello", "send --new --without extensions hello"}, session.Honoured, "", 1},
		{"insisted on, 0.3", "0.3", true, []string{"send hello", "send --new --without extensions hello"}, session.Honoured, "", 1},
		{"not insisted on", "1.0", false, []string{"send hello", "send --new --without extensions hello"}, session.Unproven, "minor extensions.not-enforced", 1},
		{"never tried", "1.0", false, []string{"send hello", "send --new hello"}, session.Unproven, "", 2},
		{"by its probe", "1.0", true, []string{"send hello", "probe extensions"}, session.Honoured, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			header := map[string]string{"1.0": "A2A-Extensions", "0.3": "X-A2A-Extensions"}[tc.gen]
			peer := visit(t, func(v *visited, w http.ResponseWriter, r *http.Request, body []byte) {
				switch {
				case r.Method == http.MethodGet:
					card := strings.Replace(hookCard(tc.gen, "JSONRPC", v.URL+"/rpc"), `"pushNotifications":true`, `"extensions":[{"uri":"`+uri+`","required":true},{"uri":"https://ext.example/other"}]`, 1)
					_, _ = w.Write([]byte(card))
				case tc.enforced && r.Header.Get(header) != uri:
					refuse(w, body, -32008, "extension support required: "+uri)
				case tc.gen == "0.3":
					var call struct{ ID json.RawMessage }
					_ = json.Unmarshal(body, &call)
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hi"}]}}`, call.ID)
				default:
					replies(w, body, v.URL)
				}
			})
			b := newBench(t)
			r := b.session(0, peer.URL, "json", tc.lines...)
			d := document(t, r.out)
			verdict, finds := claimed(&d, session.Extensions)
			if verdict != tc.verdict || finds != tc.finds {
				t.Errorf("%s, %q; want %s, %q", verdict, finds, tc.verdict, tc.finds)
			}
			if all, with := peer.carrying(http.CanonicalHeaderKey(header) + ": " + uri); with != tc.with || all < 3 {
				t.Errorf("%d requests came, %d named the extension; want %d", all, with, tc.with)
			}
			if t.Failed() {
				t.Log(b.run("history", "show", d.Session).out)
			}
		})
	}
}
