package session_test

import (
	"strings"
	"testing"

	"a2ascope/session"
)

// TestUndiscovered: every command that waits for a discovery ends with it.
func TestUndiscovered(t *testing.T) {
	t.Parallel()
	l := &factLog{t: t, state: session.NewState()}
	l.write(session.KindOpened, 0, session.Opened{Session: "s", URL: "http://peer.example", Policy: session.DefaultPolicy()}, "")
	find := l.command("discover http://peer.example")
	var waiting []*session.CommandState
	for _, line := range []string{"send one", "send two --new", "list", "send three --new"} {
		waiting = append(waiting, l.command(line))
	}
	for !find.Over {
		l.write(session.KindResponse, l.ask(), session.Responded{Status: 404}, "nothing here")
	}
	for _, cs := range waiting {
		if !cs.Over || cs.Result != session.ResultCannot {
			t.Errorf("%q is over: %v, %q", cs.Cmd.Line, cs.Over, cs.Result)
		}
	}
	if len(l.state.Obligations) > 0 || len(l.state.Pending) > 0 {
		t.Errorf("left are %d obligations and commands %v", len(l.state.Obligations), l.state.Pending)
	}
}

// TestLacks: what a generation does not have is not asked for, and no fault.
func TestLacks(t *testing.T) {
	t.Parallel()
	for line, words := range map[string]string{
		"interface jsonrpc 0.1": "A2A 0.1 has no extended card", "interface jsonrpc 0.2": "", "interface jsonrpc 0.3": "", "interface grpc 1.0": "",
	} {
		l := &factLog{t: t, state: session.NewState()}
		l.write(session.KindOpened, 0, session.Opened{Session: "s", URL: "http://peer.example", Policy: session.DefaultPolicy()}, "")
		l.command("endpoint http://peer.example/rpc")
		l.command(line)
		cs := l.command("extended-card")
		if words == "" && cs.Over || words != "" && (cs.Result != session.ResultCannot || !strings.HasPrefix(cs.Detail, words)) || l.state.FaultCount > 0 {
			t.Errorf("%s: over is %v: %q, %q", line, cs.Over, cs.Result, cs.Detail)
		}
	}
}
