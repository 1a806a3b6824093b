package demopeer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBody bounds one request.
	maxBody = 8 << 20
	rpcPath = "/rpc"
)

// server is one agent: the honest engine, with the scenario's behaviour b.
type server struct {
	name     string
	b        behaviour
	wire     dialect // what the endpoint speaks
	cardWire dialect // what the card is written in; the same but for one liar
	base     string
	pace     time.Duration
	now      func() time.Time

	client    *http.Client // calls webhooks
	cardReads atomic.Int32

	ctx    context.Context
	cancel context.CancelFunc
	busy   sync.WaitGroup // requests, turns and webhook calls under way
	gate   sync.Mutex     // keeps new work from starting while Close waits

	mu        sync.Mutex // guards what follows, and every task
	tasks     map[string]*task
	order     []string        // ids, oldest first
	held      int             // bytes of the requests behind the tasks
	boot      context.Context // ends with the process, real or played
	powerOff  context.CancelFunc
	restarted bool
}

// Close ends all streams and all work, and waits until they are gone.
func (s *server) Close() error {
	s.gate.Lock()
	s.cancel()
	s.gate.Unlock()
	s.busy.Wait()
	return nil
}

// powerOn begins the life of a process. Only one liar has more than one.
func (s *server) powerOn() { s.boot, s.powerOff = context.WithCancel(s.ctx) }

// enter counts something in that Close has to wait for. It returns false when
// the peer is closed.
func (s *server) enter() bool {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.busy.Add(1)
	return true
}

func (s *server) spawn(do func()) {
	if !s.enter() {
		return
	}
	go func() {
		defer s.busy.Done()
		do()
	}()
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "this peer is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.busy.Done()
	// No page in a browser has business here: it could reach other software
	// on this machine by our webhook calls.
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host {
		http.Error(w, "this demo peer answers no pages of other sites", http.StatusForbidden)
		return
	}
	switch r.URL.Path {
	case "/.well-known/agent-card.json":
		s.serveCard(w, r)
	case "/.well-known/agent.json": // the name until 0.2; 0.3 agents keep it
		if s.cardWire == (wire03{}) || s.b.page != nil {
			s.serveCard(w, r)
			return
		}
		http.NotFound(w, r)
	case rpcPath:
		s.serveRPC(w, r)
	default:
		if s.b.route != nil && s.b.route(s, w, r) {
			return
		}
		if s.b.page != nil {
			s.b.page(w)
			return
		}
		http.NotFound(w, r)
	}
}

// call is one JSON-RPC request, decoded as far as all methods agree.
type call struct {
	id     string // as JSON: it goes back as it came
	op     operation
	params params
}

// params is the union of what the methods of both generations take.
type params struct {
	ID            string         `json:"id"`
	TaskID        string         `json:"taskId"`
	HistoryLength *int           `json:"historyLength"`
	Message       *wireMessage   `json:"message"`
	Configuration *configuration `json:"configuration"`
	listParams
	pushParams // what set takes in 1.0 lies right in params
	size       int
}

type wireMessage struct {
	MessageID string     `json:"messageId"`
	Role      string     `json:"role"`
	TaskID    string     `json:"taskId"`
	ContextID string     `json:"contextId"`
	Parts     []wirePart `json:"parts"`
}

type configuration struct {
	AcceptedOutputModes        []string        `json:"acceptedOutputModes"`
	HistoryLength              *int            `json:"historyLength"`
	ReturnImmediately          bool            `json:"returnImmediately"` // 1.0
	Blocking                   *bool           `json:"blocking"`          // 0.3
	TaskPushNotificationConfig *wirePushConfig `json:"taskPushNotificationConfig"`
	PushNotificationConfig     *wirePushConfig `json:"pushNotificationConfig"`
}

// waits says whether a send has to wait until the task settles.
func (c *configuration) waits() bool {
	return c == nil || !c.ReturnImmediately && (c.Blocking == nil || *c.Blocking)
}

func (s *server) serveRPC(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "JSON-RPC goes by POST", http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	boot := s.boot
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(boot, cancel)()
	s.serveCall(w, r.WithContext(ctx), boot)
	if boot.Err() != nil {
		hangUp(w)
	}
}

// hangUp breaks the connection off, as the death of a process does.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close() // it is meant to break
	}
}

// serveCall serves one call of one process.
func (s *server) serveCall(w http.ResponseWriter, r *http.Request, boot context.Context) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		respond(w, status, rpcError("null", s.wire.fault(faultf(-32600, "", "The request's body could not be read whole (at most %d bytes)", maxBody))))
		return
	}
	c, f := s.decode(r, body)
	if s.b.answerID != "" {
		c.id = s.b.answerID
	}
	if f == nil {
		f = s.perform(w, r, c)
	}
	if f != nil && s.b.recode != nil {
		f = s.b.recode(f)
	}
	if f != nil && boot.Err() == nil {
		respond(w, http.StatusOK, rpcError(c.id, s.wire.fault(f)))
	}
}

func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a client that left needs no answer
}

// decode checks the envelope. The call's id is valid even beside a fault.
func (s *server) decode(r *http.Request, body []byte) (call, *fault) {
	c := call{id: "null"}
	if !json.Valid(body) {
		return c, faultf(-32700, "", "Invalid JSON payload")
	}
	var env struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if json.Unmarshal(body, &env) != nil {
		return c, faultf(-32600, "", "Request payload validation error: not a JSON-RPC request object")
	}
	id := strings.TrimSpace(string(env.ID))
	if id == "" || id == "null" || strings.ContainsRune(`{[tf`, rune(id[0])) {
		return c, faultf(-32600, "", "Request payload validation error: id must be a string or a number")
	}
	c.id = id
	if env.JSONRPC != "2.0" || env.Method == "" {
		return c, faultf(-32600, "", `Request payload validation error: jsonrpc must be "2.0" and method must be given`)
	}
	if f := s.version(r); f != nil {
		return c, f
	}
	if c.op = s.wire.operation(env.Method); c.op == "" {
		return c, faultf(-32601, "", "Method not found: %.100s", env.Method)
	}
	if len(env.Params) > 0 && json.Unmarshal(env.Params, &c.params) != nil {
		return c, invalidParams("params do not have the shape that %s takes", env.Method)
	}
	c.params.size = len(body)
	return c, nil
}

// version refuses what is not Major.Minor 1.0. An absent header means 0.3.
// Agents of 0.3 do not know the header, and ignore it.
func (s *server) version(r *http.Request) *fault {
	if s.wire != (wire10{}) {
		return nil
	}
	v := r.Header.Get("A2A-Version")
	if v == "" {
		v = r.URL.Query().Get("A2A-Version")
	}
	if v == "1.0" {
		return nil
	}
	if v == "" {
		v = "0.3 (no A2A-Version given)"
	}
	return faultf(-32009, "VERSION_NOT_SUPPORTED", "A2A version %.40s is not supported here; this agent speaks 1.0", v)
}

func (s *server) perform(w http.ResponseWriter, r *http.Request, c call) *fault {
	if s.b.admits != nil && !s.b.admits(r, c.op) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="demo peer"`)
		http.Error(w, "this agent wants a bearer token", http.StatusUnauthorized)
		return nil
	}
	switch c.op {
	case opSend:
		return s.doSend(w, r, c)
	case opStream:
		return s.doStream(w, r, c)
	case opGet:
		return s.doGet(w, c)
	case opCancel:
		return s.doCancel(w, c)
	case opSubscribe:
		return s.doSubscribe(w, r, c)
	case opList:
		return s.doList(w, c)
	case opPushSet, opPushGet, opPushList, opPushDelete:
		return s.doPush(w, r, c)
	}
	if s.b.extended != nil {
		return s.answer(w, c, s.b.extended(s, r))
	}
	if s.wire == (wire03{}) {
		return faultf(-32007, "", "This agent has no authenticated extended card")
	}
	return unsupported("This agent declares no extended card")
}

func (s *server) answer(w http.ResponseWriter, c call, result string) *fault {
	respond(w, http.StatusOK, rpcResult(c.id, s.spelled(result)))
	return nil
}

// spelled is the last word on the bytes of a result.
func (s *server) spelled(result string) string {
	if s.b.respell != nil {
		return s.b.respell(result)
	}
	return result
}
