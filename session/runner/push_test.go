package runner_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/peerclient/webhook"
	"a2ascope/session"
	"a2ascope/session/runner"
)

// receiving gives a session a receiver, and a push window at the pace of the
// embedded peers.
func receiving(c *runner.Config) {
	c.Receiver = webhook.New(webhook.Options{NewID: newID})
	c.Opened.Policy.PushWindow = session.Duration(time.Second)
}

func verdicts(d session.Document) map[session.Claim]session.Verdict {
	m := map[session.Claim]session.Verdict{}
	for _, c := range d.Claims {
		m[c.ID] = c.Verdict
	}
	return m
}

// TestPush drives push notifications over real sockets, to peers of both
// generations, and expects what is said of the two claims.
func TestPush(t *testing.T) {
	t.Parallel()
	const (
		honoured, contradicted = session.Honoured, session.Contradicted
		unproven, inconclusive = session.Unproven, session.Inconclusive
	)
	for _, tc := range []struct {
		name, peer           string
		lines                []string
		supported, delivered session.Verdict
	}{
		{"sent along", "honest", []string{"push on", "send slow 5 --immediate", "wait settled"}, honoured, honoured},
		{"sent along and waited for", "honest", []string{"push on", "send slow 5", "wait settled"}, honoured, honoured},
		{"streamed", "honest", []string{"push on", "stream slow 5", "wait settled"}, honoured, honoured},
		{"set on a task", "honest", []string{"send slow 10 --immediate", "push on", "push get", "push list", "wait settled", "push delete"}, honoured, honoured},
		{"across a question", "honest", []string{"push on", "stream ask", "wait state input-required", "resume yes", "wait settled"}, honoured, honoured},
		{"canceled", "honest", []string{"push on", "stream slow 40", "wait state working", "cancel", "wait settled"}, honoured, honoured},
		{"a message", "honest", []string{"push on", "send echo hello"}, unproven, unproven},
		{"off again", "honest", []string{"push on", "push off", "send slow 3 --immediate", "wait settled"}, unproven, unproven},

		{"deaf, sent along", "deaf-push", []string{"push on", "send slow 5 --immediate", "wait settled"}, unproven, contradicted},
		{"deaf, streamed", "deaf-push", []string{"push on", "stream slow 5", "wait settled"}, unproven, contradicted},
		{"deaf, set", "deaf-push", []string{"send slow 10 --immediate", "push on", "wait settled"}, unproven, contradicted},
		{"deaf, at a question", "deaf-push", []string{"push on", "stream ask", "wait state input-required"}, unproven, contradicted},
		{"deaf, and the answer told the end", "deaf-push", []string{"push on", "send slow 3", "wait settled"}, unproven, inconclusive},
		{"deaf, and we canceled", "deaf-push", []string{"send slow 40 --immediate", "push on", "cancel", "wait settled"}, unproven, inconclusive},
		{"the operator's own receiver", "deaf-push", []string{"send slow 10 --immediate", "push set http://127.0.0.1:9/own", "wait settled"}, unproven, unproven},
		{"an address that is not taken", "honest", []string{"send slow 10 --immediate", "push set http://192.0.2.1/hook", "wait settled"}, inconclusive, unproven},

		{"refused, sent along", "no-push", []string{"push on", "send slow 5"}, contradicted, unproven},
		{"refused, streamed", "no-push", []string{"push on", "stream slow 5"}, contradicted, unproven},
		{"refused, set", "no-push", []string{"send slow 5 --immediate", "push set http://127.0.0.1:9/own", "wait settled"}, contradicted, unproven},
		{"refused, on", "no-push", []string{"send slow 5 --immediate", "push on", "wait settled"}, contradicted, unproven},
	} {
		for _, gen := range []string{"", "@0.3"} {
			t.Run(tc.name+gen, func(t *testing.T) {
				t.Parallel()
				peer := demo(t, tc.peer+gen)
				l := open(t, store(t), peer.URL(), receiving)
				d := l.script(t, peer.URL(), tc.lines...)
				got := verdicts(d)
				if got[session.PushNotifications] != tc.supported || got[session.PushDelivered] != tc.delivered {
					t.Errorf("push-notifications %s, push-delivered %s; want %s, %s", got[session.PushNotifications], got[session.PushDelivered], tc.supported, tc.delivered)
				}
				for claim, v := range got {
					if v == session.Contradicted && claim != session.PushNotifications && claim != session.PushDelivered {
						t.Errorf("%s came out contradicted", claim)
					}
				}
				for _, f := range d.Findings {
					if f.Rule == "push.partial" || f.Rule == "push.untokened" {
						t.Errorf("%s: %s", f.Rule, f.Detail)
					}
				}
				if t.Failed() {
					t.Log(l.transcript(t))
				}
			})
		}
	}
}

// TestPushLeavesNoSecrets looks for the receiver's path and token in the log:
// the peer was told them, and calls with them.
func TestPushLeavesNoSecrets(t *testing.T) {
	t.Parallel()
	for _, gen := range []string{"", "@0.3"} {
		peer := demo(t, "honest"+gen)
		var minted []string
		st := store(t)
		l := open(t, st, peer.URL(), receiving, func(c *runner.Config) {
			c.Receiver = webhook.New(webhook.Options{NewID: func() string {
				minted = append(minted, newID())
				return minted[len(minted)-1]
			}})
		})
		l.script(t, peer.URL(), "push on", "send slow 3 --immediate", "wait settled", "push get")
		records, err := st.Page(l.id, 1, 5000)
		if err != nil {
			t.Fatal(err)
		}
		if len(minted) != 2 {
			t.Fatalf("%d secrets were minted, want a path and a token", len(minted))
		}
		pushes := 0
		for i := range records {
			r := &records[i]
			for _, secret := range minted {
				if text := string(r.Body) + string(r.Raw); strings.Contains(text, secret) {
					t.Errorf("record %d (%s) holds a secret: %s", r.Seq, r.Kind, text)
				}
			}
			if r.Kind != session.KindPush {
				continue
			}
			pushes++
			var b session.Pushed
			if err := r.Decode(&b); err != nil || !b.TokenOK || b.Answered != 200 || r.Task != 0 {
				t.Errorf("delivery %d: %+v, task %d, %v", r.Seq, b, r.Task, err)
			}
			if body := string(r.Raw[b.Head:]); !strings.HasPrefix(body, "{") || !strings.HasSuffix(string(r.Raw[:b.Head]), "\r\n\r\n") {
				t.Errorf("delivery %d: the head does not end at %d: %q", r.Seq, b.Head, r.Raw)
			}
		}
		if pushes == 0 {
			t.Error("no delivery was recorded")
		}
	}
}

// TestPushWithoutReceiver: a console that cannot listen says so.
func TestPushWithoutReceiver(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*runner.Config){
		func(*runner.Config) {},
		func(c *runner.Config) {
			c.Receiver = webhook.New(webhook.Options{NewID: newID, Listen: "256.0.0.1:0"})
		},
	} {
		peer := demo(t, "honest")
		l := open(t, store(t), peer.URL(), change)
		n, err := l.Command("push on", "operator")
		if err != nil {
			t.Fatal(err)
		}
		cv, err := l.Await(t.Context(), n)
		if err != nil || cv.Result != session.ResultCannot || cv.Detail == "" {
			t.Errorf("push on: %+v, %v", cv, err)
		}
	}
}

// watched tells where a receiver listens.
type watched struct {
	session.Receiver
	url chan string
}

func (w watched) Start(emit func(session.Arrival)) (string, string, error) {
	address, token, err := w.Receiver.Start(emit)
	w.url <- address
	return address, token, err
}

// TestPushEndsWithTheSession: a session that ends stops its receiver, whatever
// still calls, and a second "push on" listens at the same address.
func TestPushEndsWithTheSession(t *testing.T) {
	t.Parallel()
	peer := demo(t, "honest")
	w := watched{Receiver: webhook.New(webhook.Options{NewID: newID, Rate: 1_000_000, Burst: 1_000_000}), url: make(chan string, 4)}
	l := open(t, store(t), peer.URL(), receiving, func(c *runner.Config) { c.Receiver = w })
	for _, line := range []string{"push on", "push off", "push on"} {
		n, err := l.Command(line, "operator")
		if err != nil {
			t.Fatal(err)
		}
		if cv, err := l.Await(t.Context(), n); err != nil || cv.Result != session.ResultOK {
			t.Fatalf("%s: %+v, %v", line, cv, err)
		}
	}
	address := <-w.url
	if len(w.url) != 0 {
		t.Error("the receiver was started twice")
	}
	var calling sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	answered := make(chan struct{}, 1)
	for range 4 {
		calling.Go(func() {
			for {
				resp, err := client.Post(address, "application/json", strings.NewReader("{}"))
				if err != nil {
					return // it is gone
				}
				_ = resp.Body.Close()
				select {
				case answered <- struct{}{}:
				default:
				}
			}
		})
	}
	<-answered
	l.Stop("done")
	if err := <-l.ended; err != nil {
		t.Fatal(err)
	}
	calling.Wait()
	if _, err := client.Post(address, "", nil); err == nil {
		t.Error("it listens still")
	}
}
