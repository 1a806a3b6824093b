package replay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"a2ascope/peerclient/replay"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// An answer is as it was recorded but for the ids: head, oddities and all.
func TestAnswersAreLiteral(t *testing.T) {
	t.Parallel()
	log := newTape()
	n := log.asks(0, a2a.OpCard, a2a.JSONRPC, "GET", there+"/agent/.well-known/agent-card.json", "")
	log.answers(1, n, 200, `{ "name":"x","url":"`+there+`/rpc","docs":"https://elsewhere.example/" }`)
	n = log.rpc(10, a2a.OpSend, hello)
	log.answers(20, n, 200, `{"jsonrpc":"2.0",  "id":{id},"result":{"task":{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_COMPLETED"},"history":[{"messageId":"m-1"}]}}}`)
	c := served(t, log, false)

	resp := c.do("GET", "/agent/.well-known/agent-card.json", "")
	card, err := io.ReadAll(resp.Body)
	origin := strings.TrimSuffix(c.url, "/agent")
	if err != nil || string(card) != `{ "name":"x","url":"`+origin+`/rpc","docs":"https://elsewhere.example/" }` {
		t.Errorf("card %s, %v", card, err)
	}
	want(t, "header", resp.Header.Get(replay.HeaderName), "exchange 1 of session s-1", "in place of the recorded one")

	resp = c.call("SendMessage", strings.Replace(hello, "m-1", "other", 1))
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != `{"jsonrpc":"2.0",  "id":"mine-1","result":{"task":{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_COMPLETED"},"history":[{"messageId":"other"}]}}}` {
		t.Errorf("answer %s, %v", body, err)
	}
	if resp.Header.Get("X-Odd") != "kept" {
		t.Errorf("head %v", resp.Header)
	}
}

// What the peer did after a cancel is not shown before the client cancels, and
// reads tell the life of the task as it goes.
func TestTimeRunsFromTheClient(t *testing.T) {
	t.Parallel()
	log := newTape()
	stream := log.rpc(0, a2a.OpStream, hello)
	log.opens(1, stream)
	log.frame(2, stream, status("WORKING"))
	get := log.rpc(3, a2a.OpGet, ofT1)
	log.answers(4, get, 200, task("WORKING"))
	cancel := log.rpc(time.Hour, a2a.OpCancel, ofT1)
	log.answers(time.Hour+1, cancel, 200, task("CANCELED"))
	log.frame(time.Hour+2, stream, status("CANCELED"))
	log.frame(time.Hour+3, stream, status("COMPLETED"))
	log.closes(time.Hour+4, stream, session.ClosedClean, "")
	for _, state := range []string{"CANCELED", "COMPLETED"} {
		get = log.rpc(log.now+1, a2a.OpGet, ofT1)
		log.answers(log.now+1, get, 200, task(state))
	}
	c := served(t, log, false)

	r := bufio.NewReader(c.call("SendStreamingMessage", hello).Body)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	want(t, "first event", line, "WORKING", `"id":"mine-1"`)
	for range 3 {
		want(t, "before the cancel", c.rpc("GetTask", ofT1), "WORKING")
	}
	want(t, "cancel", c.rpc("CancelTask", ofT1), "CANCELED", `"id":"mine-5"`)
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if events := strings.Count(string(rest), "data: "); events != 2 {
		t.Errorf("%d events follow the cancel: %s", events, rest)
	}
	want(t, "the rest", string(rest), "CANCELED", "COMPLETED")
	want(t, "after the cancel", c.rpc("GetTask", ofT1), "CANCELED")
	for range 2 { // the last answer stays
		want(t, "after the cancel", c.rpc("GetTask", ofT1), "COMPLETED")
	}
}

// A client that cancels sooner than the recorded one gets at once what came
// before the cancel, and in its order: late it would look like a stream that
// goes on.
func TestClientThatIsFurtherOn(t *testing.T) {
	t.Parallel()
	log := newTape()
	stream := log.rpc(0, a2a.OpStream, hello)
	log.opens(1, stream)
	log.frame(2, stream, status("WORKING"))
	for i := range 50 {
		log.frame(time.Duration(i+1)*time.Minute, stream, status("WORKING"))
	}
	cancel := log.rpc(time.Hour, a2a.OpCancel, ofT1)
	log.frame(time.Hour+1, stream, status("WORKING"))
	log.answers(time.Hour+2, cancel, 200, task("CANCELED"))
	log.frame(time.Hour+3, stream, status("CANCELED"))
	log.closes(time.Hour+4, stream, session.ClosedClean, "")
	c := served(t, log, false)
	r := bufio.NewReader(c.call("SendStreamingMessage", hello).Body)
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	want(t, "cancel", c.rpc("CancelTask", ofT1), "CANCELED")
	rest, err := io.ReadAll(r)
	if err != nil || strings.Count(string(rest), "WORKING") != 51 || strings.Count(string(rest), "CANCELED") != 1 {
		t.Errorf("%v: %s", err, rest)
	}
}

// A read that comes much later than recorded gets what was told by then.
func TestReadsFollowTheClock(t *testing.T) {
	t.Parallel()
	log := newTape()
	n := log.rpc(0, a2a.OpSend, hello)
	log.answers(1, n, 200, `{"jsonrpc":"2.0","id":{id},"result":{"task":{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_SUBMITTED"}}}}`)
	for i, state := range []string{"SUBMITTED", "WORKING", "COMPLETED"} {
		get := log.rpc(time.Duration(i)*10*time.Minute, a2a.OpGet, ofT1)
		log.answers(log.now+1, get, 200, task(state))
	}
	pace := replay.Options{Pages: log.Page, Pace: 60 * 20 * 5} // 20 minutes in 200 ms
	c := &client{t: t, url: serve(t, pace).URL()}
	c.rpc("SendMessage", hello)
	begun := time.Now()
	for {
		got, passed := c.rpc("GetTask", ofT1), time.Since(begun)
		if strings.Contains(got, "COMPLETED") {
			break
		}
		if passed > 5*time.Second {
			t.Fatalf("after %s: %s", passed, got)
		}
	}
	hasty := served(t, log, false)
	hasty.rpc("SendMessage", hello)
	for range 5 {
		want(t, "at once", hasty.rpc("GetTask", ofT1), "SUBMITTED")
	}
	ordered := served(t, log, true)
	ordered.rpc("SendMessage", hello)
	for _, state := range []string{"SUBMITTED", "WORKING", "COMPLETED", "COMPLETED"} {
		want(t, "fast", ordered.rpc("GetTask", ofT1), state)
	}
}

// Messages are answered in their order, and a client that begins once more
// begins at the beginning.
func TestConversations(t *testing.T) {
	t.Parallel()
	log := newTape()
	for _, text := range []string{"first", "second"} {
		n := log.rpc(log.now+1, a2a.OpSend, strings.Replace(hello, "m-1", "m-"+text, 1))
		log.answers(log.now+1, n, 200, `{"jsonrpc":"2.0","id":{id},"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"`+text+`"}]}}}`)
	}
	c := served(t, log, true)
	for i, text := range []string{"first", "second", "first", "second"} {
		want(t, "answer", c.rpc("SendMessage", strings.Replace(hello, "m-1", fmt.Sprint("mine-", i), 1)), text)
	}
	want(t, "the same message", c.rpc("SendMessage", strings.Replace(hello, "m-1", "mine-3", 1)), "second")
}

func TestWhatIsNotHeld(t *testing.T) {
	t.Parallel()
	log := newTape()
	n := log.rpc(0, a2a.OpSend, hello)
	log.answers(1, n, 200, `{"jsonrpc":"2.0","id":{id},"result":{"task":{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_COMPLETED"}}}}`)
	n = log.asks(2, a2a.OpGet, a2a.REST, "GET", there+"/v1/tasks/T1", "")
	log.answers(3, n, 200, `{"id":"T1"}`)
	log.lone(4, a2a.OpGet, `{"id":"T5"}`, task("WORKING"))
	log.lone(6, a2a.OpGet, `{"id":"T6"}`, `{"jsonrpc":"2.0","id":{id},"error":{"code":-32001,"message":"Task not found"}}`)
	c := served(t, log, true)
	want(t, "a task of its own", c.rpc("GetTask", `{"id":"T5"}`), "WORKING")
	want(t, "a task that never was", c.rpc("GetTask", `{"id":"whatever"}`), "-32001")
	want(t, "a task that no client named", c.rpc("SendMessage", strings.Replace(hello, `"messageId"`, `"taskId":"T9","messageId"`, 1)), "NOT_IN_RECORDING")
	c.ids = 0

	var refused struct {
		ID    string
		Error struct {
			Code    int
			Message string
			Data    []struct{ Reason string }
		}
	}
	if err := json.Unmarshal([]byte(c.rpc("CancelTask", `{"id":"T9"}`)), &refused); err != nil {
		t.Fatal(err)
	}
	if refused.ID != "mine-1" || refused.Error.Code != -32000 || len(refused.Error.Data) != 1 || refused.Error.Data[0].Reason != "NOT_IN_RECORDING" {
		t.Errorf("%+v", refused)
	}
	want(t, "refusal", refused.Error.Message, "CancelTask (task T9)", "1 × POST /rpc SendMessage", "1 × GET /v1/tasks/{task} (T1)")
	if e := a2a.Decode(a2a.Input{Raw: []byte(c.rpc("SendStreamingMessage", hello)), HTTPStatus: 200}).Error; e == nil || e.Name != a2a.ErrOther {
		t.Errorf("a client would take the refusal for a word of the peer: %+v", e)
	}
	if resp := c.do("POST", "/v1/tasks/T1:cancel", `{}`); resp.StatusCode != http.StatusConflict {
		t.Errorf("route: %s", resp.Status)
	}
	if resp := c.do("GET", "/.well-known/agent.json", ""); resp.StatusCode != http.StatusNotFound || resp.Header.Get(replay.HeaderName) == "" {
		t.Errorf("card: %s", resp.Status)
	}
	if resp := c.do("GET", "/v1/tasks/T1", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("what is held: %s", resp.Status)
	}
}

// What broke in transport breaks again.
func TestFaults(t *testing.T) {
	t.Parallel()
	log := newTape()
	fault := func(why string, timeout bool) {
		n := log.rpc(log.now+1, a2a.OpSend, strings.Replace(hello, "m-1", "m-"+why, 1))
		log.now++
		log.put(session.KindFault, n, session.Faulted{Phase: "first-byte", Error: why, Timeout: timeout}, "")
	}
	fault("connection reset by peer", false)
	fault("no byte for 30s", true)
	n := log.rpc(log.now+1, a2a.OpSend, strings.Replace(hello, "m-1", "m-cut", 1))
	head := "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	log.put(session.KindResponse, n, session.Responded{Status: 200, Head: len(head), Cut: "unexpected EOF"}, head+`{"jsonrpc":"2.0","id":3,`)
	n = log.rpc(log.now+1, a2a.OpStream, hello)
	log.opens(log.now+1, n)
	log.frame(log.now+1, n, status("WORKING"))
	log.closes(log.now+1, n, session.ClosedCut, "unexpected EOF")
	c := served(t, log, false)

	post := func(method string) (string, error) {
		c.ids++
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.ids, method, strings.Replace(hello, "m-1", fmt.Sprint("mine-", c.ids), 1))
		resp, err := http.Post(strings.TrimSuffix(c.url, "/agent")+"/rpc", "application/json", strings.NewReader(body))
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return string(b), err
	}
	for _, why := range []string{"reset", "timeout"} {
		if b, err := post("SendMessage"); err == nil || b != "" {
			t.Errorf("%s: %q", why, b)
		}
	}
	if b, err := post("SendMessage"); !errors.Is(err, io.ErrUnexpectedEOF) || b != `{"jsonrpc":"2.0","id":3,` {
		t.Errorf("cut body: %q, %v", b, err)
	}
	if b, err := post("SendStreamingMessage"); !errors.Is(err, io.ErrUnexpectedEOF) || strings.Count(b, "data: ") != 1 {
		t.Errorf("cut stream: %q, %v", b, err)
	}
}

// A stream that our side left stays open: what came then is not known.
func TestLeftStream(t *testing.T) {
	t.Parallel()
	log := newTape()
	n := log.rpc(0, a2a.OpStream, hello)
	log.opens(1, n)
	log.frame(2, n, status("WORKING"))
	log.closes(3, n, session.ClosedDetached, "")
	c := served(t, log, true)
	r := bufio.NewReader(c.call("SendStreamingMessage", hello).Body)
	var lines []string
	for len(lines) < 3 {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%q, %v", lines, err)
		}
		lines = append(lines, line)
	}
	want(t, "comment", lines[2], ": a2ascope replay: the recorded client left here")
}

func TestWithheldBytes(t *testing.T) {
	t.Parallel()
	log := newTape()
	n := log.rpc(0, a2a.OpSend, hello)
	log.answers(1, n, 200, `{"jsonrpc":"2.0","id":{id},"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[]}}}`)
	n = log.rpc(2, a2a.OpSend, strings.Replace(hello, "m-1", "m-2", 1))
	log.answers(3, n, 200, `{"jsonrpc":"2.0","id":{id},"result":{}}`)
	withhold := func(i int) { log.records[i].Raw, log.records[i].Redacted = nil, true }
	withhold(len(log.records) - 1)
	s := serve(t, replay.Options{Pages: log.Page, Fast: true})
	want(t, "notes", strings.Join(s.Notes(), "\n"), "1 records were withheld", "1 requests get no answer")
	c := &client{t: t, url: s.URL()}
	want(t, "what is there", c.rpc("SendMessage", hello), `"messageId":"a"`)
	if held := s.Held(); len(held) != 1 || held[0].Answers != 1 {
		t.Errorf("held %+v", held)
	}
	withhold(len(log.records) - 3)
	if _, err := replay.Start(context.Background(), replay.Options{Pages: log.Page}); err == nil || !strings.Contains(err.Error(), "withheld") {
		t.Errorf("nothing is there: %v", err)
	}
}

func TestWhatCannotBeServed(t *testing.T) {
	t.Parallel()
	grpc := newTape()
	grpc.asks(0, a2a.OpSend, a2a.GRPC, "POST", there+"/a2a.v1.A2AService/SendMessage", "")
	_, err := replay.Start(context.Background(), replay.Options{Pages: grpc.Page})
	if !errors.Is(err, replay.ErrGRPC) {
		t.Errorf("gRPC: %v", err)
	}
	quiet := newTape()
	if _, err := replay.Start(context.Background(), replay.Options{Pages: quiet.Page}); err == nil || !strings.Contains(err.Error(), "no request") {
		t.Errorf("no request: %v", err)
	}
	if _, err := replay.Start(context.Background(), replay.Options{Pages: (&memory{}).Page}); err == nil || !strings.Contains(err.Error(), "no record") {
		t.Errorf("no record: %v", err)
	}
	broken := errors.New("the disk is gone")
	if _, err := replay.Start(context.Background(), replay.Options{Pages: func(uint64, int) ([]session.Record, error) { return nil, broken }}); !errors.Is(err, broken) {
		t.Errorf("broken: %v", err)
	}
	log := newTape()
	n := log.rpc(0, a2a.OpSend, hello)
	log.answers(1, n, 200, `{}`)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if _, err := replay.Start(context.Background(), replay.Options{Pages: log.Page, Listen: ln.Addr().String()}); err == nil || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("taken: %v", err)
	}
}

// A client of 0.1 makes the task's id: the answers have its own.
func TestClientMadeTaskID(t *testing.T) {
	t.Parallel()
	log := newTape()
	params := `{"id":"theirs","sessionId":"S1","message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`
	n := log.asks(0, a2a.OpSend, a2a.JSONRPC, "POST", there+"/rpc", `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":`+params+`}`)
	log.answers(1, n, 200, `{"jsonrpc":"2.0","id":1,"result":{"id":"theirs","sessionId":"S1","status":{"state":"working"}}}`)
	n = log.asks(2, a2a.OpGet, a2a.JSONRPC, "POST", there+"/rpc", `{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"id":"theirs"}}`)
	log.answers(3, n, 200, `{"jsonrpc":"2.0","id":2,"result":{"id":"theirs","status":{"state":"completed"}}}`)
	c := served(t, log, true)
	want(t, "send", c.rpc("tasks/send", strings.NewReplacer("theirs", "ours", "S1", "S9").Replace(params)), `"id":"ours"`, `"sessionId":"S9"`, "working")
	want(t, "get", c.rpc("tasks/get", `{"id":"ours"}`), `"id":"ours"`, "completed")
}

// Close ends what is open, at once and for good.
func TestClose(t *testing.T) {
	t.Parallel()
	log := newTape()
	n := log.rpc(0, a2a.OpStream, hello)
	log.opens(1, n)
	log.frame(2, n, status("WORKING"))
	log.frame(time.Hour, n, status("COMPLETED"))
	log.closes(time.Hour, n, session.ClosedClean, "")
	ctx, cancel := context.WithCancel(context.Background())
	s, err := replay.Start(ctx, replay.Options{Pages: log.Page})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, url: s.URL()}
	r := bufio.NewReader(c.call("SendStreamingMessage", hello).Body)
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(r); err == nil {
		t.Error("the stream came to an end that was not recorded")
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(s.URL(), "/agent"), "http://")); err == nil {
		_ = conn.Close()
		t.Error("it still listens")
	}
}
