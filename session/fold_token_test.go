package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// tokens is a log with a peer that wants tokens.
type tokens struct{ *factLog }

// due is the obligation that is to be carried out next, at its time.
func (l tokens) due() *session.Obligation {
	next, some := l.state.NextDue(true)
	if !some {
		return nil
	}
	l.now = max(l.now, next)
	for _, w := range l.state.Due(l.now, true) {
		if w.Obligation != nil {
			return w.Obligation
		}
	}
	return nil
}

// answers sends what is due and has it answered; a status of 0 is a fault.
func (l tokens) answers(status int, text string) {
	l.t.Helper()
	l.says(l.sends(), status, text)
}

// sends sends what is due, and returns the number of the exchange.
func (l tokens) sends() int {
	l.t.Helper()
	o := l.due()
	if o == nil {
		l.t.Fatal("nothing is due")
	}
	n := len(l.state.Exchanges) + 1
	body := session.Requested{Op: o.Op, URL: o.URL, Obligation: o.N, Command: o.Command, Purpose: o.Purpose, Rung: o.Rung, Head: 1}
	if o.Op != a2a.OpToken {
		body.Gen, body.Binding, body.Authenticated = a2a.Gen10, a2a.JSONRPC, "bearer "+session.OAuthLabel(session.OAuthFlow{Flow: "x"})
	}
	l.write(session.KindRequest, n, body, "H{}")
	return n
}

func (l tokens) says(n, status int, text string) {
	l.now += time.Second
	if status == 0 {
		l.write(session.KindFault, n, session.Faulted{Phase: "connect", Error: "connection refused"}, "")
		return
	}
	l.write(session.KindResponse, n, session.Responded{Status: status, Head: 1}, "H"+text)
}

const (
	aCode   = `{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://login.example","expires_in":60,"interval":5}`
	pending = `{"error":"authorization_pending"}`
	slower  = `{"error":"slow_down"}`
	aToken  = `{"access_token":"token-token","expires_in":3600}`
)

// TestDeviceFlow: RFC 8628 §3.4 and §3.5, by the clock of the log.
func TestDeviceFlow(t *testing.T) {
	t.Parallel()
	type answer struct {
		status int
		text   string
	}
	for _, tc := range []struct {
		name    string
		answers []answer
		over    string // of the command
		have    bool
		waits   string // between the polls
	}{
		{"entered at once", []answer{{200, aCode}, {200, aToken}}, "", true, "5s"},
		{"pending", []answer{{200, aCode}, {400, pending}, {400, pending}, {200, aToken}}, "", true, "5s 5s 5s"},
		{"slow down", []answer{{200, aCode}, {400, slower}, {400, slower}, {400, pending}, {200, aToken}}, "", true, "5s 10s 15s 15s"},
		{"pending with status 200", []answer{{200, aCode}, {200, pending}, {200, aToken}}, "", true, "5s 5s"},
		{"a server that is busy, and one that cannot be reached", []answer{{200, aCode}, {503, "no"}, {0, ""}, {200, aToken}}, "", true, "5s 5s 5s"},
		{"denied", []answer{{200, aCode}, {400, pending}, {400, `{"error":"access_denied"}`}}, "no token: access_denied", false, "5s 5s"},
		{"expired, says the server", []answer{{200, aCode}, {400, `{"error":"expired_token"}`}}, "no token: expired_token", false, "5s"},
		{"expired, and the server never says so", []answer{{200, strings.Replace(aCode, "60", "12", 1)}, {400, pending}, {400, pending}}, "no token: expired_token · nobody entered the code in time", false, "5s 5s"},
		{"slowed down beyond the end", []answer{{200, strings.Replace(aCode, "60", "12", 1)}, {400, slower}}, "no token: expired_token", false, "5s"},
		{"no interval", []answer{{200, `{"device_code":"d","user_code":"W","verification_url":"https://login.example"}`}, {200, aToken}}, "", true, "5s"},
		{"an interval that is none", []answer{{200, strings.Replace(aCode, `"interval":5`, `"interval":-3`, 1)}, {200, aToken}}, "", true, "5s"},
		{"an interval without end", []answer{{200, strings.Replace(aCode, `"interval":5`, `"interval":"59"`, 1)}, {200, aToken}}, "", true, "59s"},
		{"a page in place of a code", []answer{{200, "<html>"}}, "no token: 200 OK without a token", false, ""},
		{"no code for people", []answer{{200, `{"device_code":"d"}`}}, "no token: 200 OK without a token", false, ""},
		{"no code at all", []answer{{400, `{"error":"unauthorized_client","error_description":"not you"}`}}, "no token: unauthorized_client · not you", false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := tokens{newFactLog(t, nil)}
			cs := l.command("auth oauth device http://peer.example/token http://peer.example/device my-client")
			var waits []string
			for i, a := range tc.answers {
				before := l.now
				if l.due(); i > 0 {
					waits = append(waits, (l.now - before).String())
				}
				l.answers(a.status, a.text)
			}
			if got := strings.Join(waits, " "); got != tc.waits {
				t.Errorf("polled after %s, want %s", got, tc.waits)
			}
			ts := l.state.Peer.Tokens[0]
			if !cs.Over || !strings.HasPrefix(cs.Detail, tc.over) || tc.over == "" && cs.Detail != "" || ts.Have != tc.have || ts.Code != "" {
				t.Errorf("over %t: %q; token %+v", cs.Over, cs.Detail, ts)
			}
			if o := l.due(); o != nil {
				t.Errorf("%s (%s) is still to be done", o.Op, o.Purpose)
			}
			if drafts := session.Follow(l.state, &l.last); (len(drafts) == 1) != !tc.have {
				t.Errorf("notes %+v", drafts)
			}
		})
	}
}

// TestTokenIsRenewedOnce: a refused token is asked for anew until a call was
// let in, a read goes out once more at most, and a message never does.
func TestTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	const denied = `{"jsonrpc":"2.0","id":1,"error":{"code":-31401,"message":"who are you?"}}` // with status 200
	const refused, served = `{"error":"no"}`, `{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}}`
	l := tokens{newFactLog(t, nil)}
	l.command("auth oauth client-credentials http://peer.example/token my-client $SECRET")
	l.answers(200, aToken)
	met := func(line string, answers ...string) string {
		t.Helper()
		l.command(line)
		var out []string
		for l.due() != nil {
			o := l.due()
			what := fmt.Sprintf("%s %t", o.Op, o.Renewed)
			out = append(out, what)
			if o.Op == a2a.OpToken {
				l.answers(200, aToken)
				continue
			}
			if len(answers) == 0 {
				t.Fatalf("%s: %s goes out, and nothing was to answer it", line, what)
			}
			status := 200
			if answers[0] == refused {
				status = 401
			}
			l.answers(status, answers[0])
			answers = answers[1:]
		}
		return strings.Join(out, ", ")
	}
	for i, tc := range []struct {
		line    string
		answers []string
		want    string
	}{
		{"list", []string{refused, served}, "list false, token false, list true"},
		{"list", []string{refused, refused}, "list false, token false, list true"},
		{"list", []string{refused}, "list false"}, // the new one is no better than the old one was
		{"send one", []string{refused}, "send false"},
		{"send two", []string{served}, "send false"},
		{"send three", []string{refused}, "send false, token false"},
		{"list", []string{served}, "list false"},
		{"send four", []string{denied}, "send false, token false"},
		{"list", []string{served}, "list false"},
	} {
		if got := met(tc.line, tc.answers...); got != tc.want {
			t.Errorf("%d, %s: %s, want %s", i+1, tc.line, got, tc.want)
		}
		again := slices.ContainsFunc(session.MakeView(l.state).Peer.Suggestions, func(o session.Suggestion) bool { return o.Line == "send --again" })
		if want := tc.want == "send false, token false"; again != want {
			t.Errorf("%d, %s: send --again is suggested: %t, want %t", i+1, tc.line, again, want)
		}
	}
}

// TestAReadWaitsForTheLastToken: of two that are asked for anew, one does not
// come while the other is still on its way.
func TestAReadWaitsForTheLastToken(t *testing.T) {
	t.Parallel()
	for _, second := range []int{200, 400} {
		l := tokens{newFactLog(t, nil)}
		for _, id := range []string{"one", "two"} {
			l.command("auth oauth client-credentials http://peer.example/token " + id + " $SECRET")
			l.answers(200, aToken)
		}
		l.command("list")
		l.answers(401, "{}")
		x, y := l.sends(), l.sends()
		l.says(x, 400, `{"error":"invalid_scope"}`)
		if second == 200 {
			l.says(y, second, aToken)
		} else {
			l.says(y, second, `{"error":"invalid_scope"}`)
		}
		if o := l.due(); (o != nil && o.Op == a2a.OpList) != (second == 200) {
			t.Errorf("the second answer was %d, and due is %+v", second, o)
		}
	}
}
