package runner_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"

	"a2ascope/session"
	"a2ascope/session/runner"
)

// shy works without a word: a subscription to its task has no head before the
// task is over, which it is once it was read often enough; never if ends is 0.
type shy struct {
	pb10.UnimplementedA2AServiceServer
	ends int // reads
	mu   sync.Mutex
	seen int
	over chan struct{}
}

func (p *shy) read() (done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen++; p.seen == p.ends {
		close(p.over)
	}
	return p.ends > 0 && p.seen >= p.ends
}

func (p *shy) wait(ctx context.Context) error {
	select {
	case <-p.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *shy) task(done bool) *pb10.Task {
	state := pb10.TaskState_TASK_STATE_WORKING
	if done {
		state = pb10.TaskState_TASK_STATE_COMPLETED
	}
	return &pb10.Task{Id: "T", ContextId: "C", Status: &pb10.TaskStatus{State: state}}
}

func (p *shy) SendMessage(context.Context, *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
	return &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Task{Task: p.task(false)}}, nil
}

func (p *shy) GetTask(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error) {
	return p.task(p.read()), nil
}

func (p *shy) SubscribeToTask(_ *pb10.SubscribeToTaskRequest, s grpc.ServerStreamingServer[pb10.StreamResponse]) error {
	if err := p.wait(s.Context()); err != nil {
		return err
	}
	return s.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: p.task(true)}})
}

// ServeHTTP is the same peer over JSON-RPC.
func (p *shy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	answer := func(state, wrap string) string {
		task := `{"id":"T","contextId":"C","status":{"state":"TASK_STATE_` + state + `"}}`
		if wrap != "" {
			task = `{"` + wrap + `":` + task + `}`
		}
		return `{"jsonrpc":"2.0","id":` + string(in.ID) + `,"result":` + task + `}`
	}
	state := "WORKING"
	w.Header().Set("Content-Type", "application/json")
	switch in.Method {
	case "SendMessage":
		_, _ = io.WriteString(w, answer(state, "task"))
	case "GetTask":
		if p.read() {
			state = "COMPLETED"
		}
		_, _ = io.WriteString(w, answer(state, ""))
	case "SubscribeToTask":
		if p.wait(r.Context()) == nil {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+answer("COMPLETED", "task")+"\n\n")
		}
	}
}

// serveShy returns the address of the peer's card.
func serveShy(t *testing.T, binding string, ends int) string {
	t.Helper()
	p := &shy{ends: ends, over: make(chan struct{})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rpc := grpc.NewServer()
	pb10.RegisterA2AServiceServer(rpc, p)
	go func() { _ = rpc.Serve(l) }()
	t.Cleanup(rpc.Stop)
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/agent-card.json") {
			p.ServeHTTP(w, r)
			return
		}
		card := strings.ReplaceAll(strings.Replace(card10, `"JSONRPC"`, `"`+binding+`"`, 1), `"capabilities":{}`, `"capabilities":{"streaming":true}`)
		at := web.URL + "/rpc"
		if binding == "GRPC" {
			at = "http://" + l.Addr().String()
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(card, "$url/rpc", at))
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// An agent that keeps the head of a subscription until it has something to say
// is no transport fault: the command ends at its window, the task is polled
// beside, and what comes later is taken.
func TestQuietSubscription(t *testing.T) {
	t.Parallel()
	for _, binding := range []string{"JSONRPC", "GRPC"} {
		for name, ends := range map[string]int{"speaks late": 4, "never speaks": 0} {
			t.Run(binding+" "+name, func(t *testing.T) {
				t.Parallel()
				url := serveShy(t, binding, ends)
				l := open(t, store(t), url, func(c *runner.Config) {
					c.Opened.Policy.TimeoutFirstByte = session.Duration(300 * time.Millisecond) // less than the window
				})
				lines := []string{"send hello --immediate", "resubscribe"}
				if ends > 0 {
					lines = append(lines, "wait closed --for 20s", "wait settled --for 20s")
				}
				d := l.script(t, url, lines...)
				s := l.StateNow()
				cs := s.Commands[2]
				if !cs.Over || cs.Result != good || !strings.Contains(cs.Detail, "stays open") {
					t.Errorf("resubscribe ended as %q: %q", cs.Result, cs.Detail)
				}
				x := s.Exchanges[cs.Exchanges[0]-1]
				how, state := session.ClosedDetached, "working"
				if ends > 0 {
					how, state = session.ClosedClean, "completed"
				}
				if x.Stream == nil || x.Stream.How != how || x.Fault != "" {
					t.Errorf("the subscription ended as %+v, fault %q", x.Stream, x.Fault)
				}
				if d.Faults != 0 || d.Exit.Status != 0 || len(d.Tasks) != 1 || d.Tasks[0].State != state {
					t.Errorf("%d faults, exit %+v, tasks %+v", d.Faults, d.Exit, d.Tasks)
				}
				for _, f := range d.Findings {
					t.Errorf("finding %s: %s", f.Rule, f.Title)
				}
				if t.Failed() {
					t.Log(l.transcript(t))
				}
			})
		}
	}
}
