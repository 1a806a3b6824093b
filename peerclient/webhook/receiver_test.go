package webhook

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

const patience = 10 * time.Second

// started is a receiver that listens, with what it handed on.
type started struct {
	*Receiver
	url, token string
	host       string
	came       chan session.Arrival
}

func start(t *testing.T, change ...func(*Options)) *started {
	t.Helper()
	n := 0
	o := Options{NewID: func() string { n++; return fmt.Sprintf("id-%d-%s", n, strings.Repeat("x", 20)) }}
	for _, c := range change {
		c(&o)
	}
	s := &started{Receiver: New(o), came: make(chan session.Arrival, 4096)}
	var err error
	s.url, s.token, err = s.Start(func(a session.Arrival) { s.came <- a })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	s.host = u.Host
	return s
}

// next is the next delivery that the receiver hands on.
func (s *started) next(t *testing.T) session.Arrival {
	t.Helper()
	select {
	case a := <-s.came:
		if a.Push == nil || a.At.IsZero() {
			t.Fatalf("no delivery: %+v", a)
		}
		return a
	case <-time.After(patience):
		t.Fatal("nothing was handed on")
		panic("unreachable")
	}
}

// exchange writes bytes on a connection of their own and reads one answer.
func (s *started) exchange(t *testing.T, request string) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	go func() { _, _ = io.WriteString(c, request) }() // a refusal may come before the end
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	return resp
}

func (s *started) post(headers, body string) string {
	u, _ := url.Parse(s.url)
	return "POST " + u.Path + " HTTP/1.1\r\nHost: " + s.host + "\r\n" + headers + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.url[strings.LastIndex(s.url, "/")+1:]
	for _, tc := range []struct {
		name    string
		request string
		status  int
		want    session.Pushed // of Path, TokenOK, Untokened, Validation, Truncated
		body    string
	}{
		{"1.0 token", s.post("A2A-Notification-Token: "+s.token+"\r\n", `{"a":1}`), 200, session.Pushed{TokenOK: true}, `{"a":1}`},
		{"0.3 token", s.post("X-A2A-Notification-Token: "+s.token+"\r\n", `{}`), 200, session.Pushed{TokenOK: true}, `{}`},
		{"any case", s.post("x-a2a-NOTIFICATION-token:"+s.token+"\r\n", `{}`), 200, session.Pushed{TokenOK: true}, `{}`},
		{"bearer", s.post("Authorization: Bearer "+s.token+"\r\n", `{}`), 200, session.Pushed{TokenOK: true}, `{}`},
		{"bare credentials", s.post("Authorization: "+s.token+"\r\n", `{}`), 200, session.Pushed{TokenOK: true}, `{}`},
		{"no content type, odd body", s.post("A2A-Notification-Token: "+s.token+"\r\n", "\xff\x00"), 200, session.Pushed{TokenOK: true}, "\xff\x00"},
		{"empty", s.post("A2A-Notification-Token: "+s.token+"\r\n", ""), 200, session.Pushed{TokenOK: true}, ""},
		{"chunked", "POST /" + path + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + s.token + "\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: 1\r\n\r\n", 200, session.Pushed{TokenOK: true}, "abcde"},
		{"behind a prefix", "POST /hooks/" + path + "?q=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + s.token + "\r\nContent-Length: 2\r\n\r\n{}", 200, session.Pushed{TokenOK: true}, "{}"},
		{"no token", s.post("", `{}`), 401, session.Pushed{Untokened: true}, `{}`},
		{"wrong token", s.post("A2A-Notification-Token: "+s.token+"x\r\n", `{}`), 401, session.Pushed{Untokened: true}, `{}`},
		{"wrong path", "POST /hook HTTP/1.1\r\nHost: h\r\nA2A-Notification-Token: " + s.token + "\r\nContent-Length: 2\r\n\r\n{}", 404, session.Pushed{}, `{}`},
		{"the root", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 404, session.Pushed{}, ""},
		{"a proof of the address", "GET /" + path + "?validationToken=abc-1 HTTP/1.1\r\nHost: h\r\n\r\n", 200, session.Pushed{Validation: true}, ""},
		{"markup as proof", "GET /" + path + "?validationToken=%3Cb%3E HTTP/1.1\r\nHost: h\r\n\r\n", 405, session.Pushed{}, ""},
		{"a proof elsewhere", "GET /x?validationToken=abc HTTP/1.1\r\nHost: h\r\n\r\n", 404, session.Pushed{}, ""},
		{"a get", "GET /" + path + " HTTP/1.1\r\nHost: h\r\n\r\n", 405, session.Pushed{}, ""},
	} {
		resp := s.exchange(t, tc.request)
		if resp.StatusCode != tc.status {
			t.Errorf("%s: answered %d, want %d", tc.name, resp.StatusCode, tc.status)
		}
		if tc.want.Validation {
			if b, _ := io.ReadAll(resp.Body); string(b) != "abc-1" || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
				t.Errorf("%s: echoed %q as %s", tc.name, b, resp.Header.Get("Content-Type"))
			}
		}
		a := s.next(t)
		p := a.Push
		if p.TokenOK != tc.want.TokenOK || p.Untokened != tc.want.Untokened || p.Validation != tc.want.Validation || p.Truncated || p.Answered != tc.status {
			t.Errorf("%s: recorded %+v", tc.name, p)
		}
		head := tc.request[:strings.Index(tc.request, "\r\n\r\n")+4]
		if string(a.Raw[:p.Head]) != head || string(a.Raw[p.Head:]) != tc.body {
			t.Errorf("%s: recorded %q and %q, want %q and %q", tc.name, a.Raw[:p.Head], a.Raw[p.Head:], head, tc.body)
		}
	}
}

func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	s := start(t)
	req, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("agent", s.token)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 || !s.next(t).Push.TokenOK {
		t.Errorf("answered %d", resp.StatusCode)
	}
}

// TestKeptAlive sends several deliveries over one connection, some before the
// answers were read, one after "Expect: 100-continue".
func TestKeptAlive(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, err := net.Dial("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	auth := "Authorization: Bearer " + s.token + "\r\n"
	if _, err := io.WriteString(c, s.post(auth, "one")+"\r\n"+s.post(auth, "two")); err != nil {
		t.Fatal(err)
	}
	br := bufio.NewReader(c)
	for range 2 {
		if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v, %v", resp, err)
		}
	}
	whole := s.post(auth+"Expect: 100-continue\r\n", "three")
	if _, err := io.WriteString(c, strings.TrimSuffix(whole, "three")); err != nil {
		t.Fatal(err)
	}
	if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != http.StatusContinue {
		t.Fatalf("no go-ahead: %v, %v", resp, err)
	}
	if _, err := io.WriteString(c, "three"); err != nil {
		t.Fatal(err)
	}
	if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v, %v", resp, err)
	}
	for _, want := range []string{"one", "two", "three"} {
		a := s.next(t)
		if got := string(a.Raw[a.Push.Head:]); got != want {
			t.Errorf("%q was handed on, want %q", got, want)
		}
	}
}

func TestHugeBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	resp := s.exchange(t, s.post("Authorization: Bearer "+s.token+"\r\n", strings.Repeat("x", maxBody+1)))
	a := s.next(t)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !resp.Close {
		t.Errorf("answered %d, close %t", resp.StatusCode, resp.Close)
	}
	if !a.Push.Truncated || !a.Push.TokenOK || len(a.Raw)-a.Push.Head != maxBody {
		t.Errorf("%+v with %d bytes of body", a.Push, len(a.Raw)-a.Push.Head)
	}
	if resp := s.exchange(t, s.post("Authorization: Bearer "+s.token+"\r\n", strings.Repeat("x", maxBody))); resp.StatusCode != 200 {
		t.Errorf("a body of just the size is answered with %d", resp.StatusCode)
	}
}

func TestBrokenRequests(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"no HTTP":        "hello\r\n\r\n",
		"endless head":   "POST / HTTP/1.1\r\nX: " + strings.Repeat("x", maxHead),
		"two lengths":    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"unknown coding": "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: x\r\n\r\n",
	} {
		s := start(t)
		if resp := s.exchange(t, request); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: answered %d", name, resp.StatusCode)
		}
		s.Stop()
		if len(s.came) != 0 {
			t.Errorf("%s: was handed on", name)
		}
	}
	s := start(t)
	c, err := net.Dial("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	whole := s.post("Authorization: Bearer "+s.token+"\r\n", "abcdef")
	_, _ = io.WriteString(c, whole[:len(whole)-3])
	_ = c.Close()
	if a := s.next(t); !a.Push.Truncated || string(a.Raw[a.Push.Head:]) != "abc" || a.Push.Answered != http.StatusBadRequest {
		t.Errorf("a body that broke off: %+v %q", a.Push, a.Raw)
	}
}

// TestFlood: what comes too fast is answered with 429 and counted by the next
// record.
func TestFlood(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	s := start(t, func(o *Options) {
		o.Rate, o.Burst, o.Most = 1, 5, 7
		o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	send := func() int {
		return s.exchange(t, s.post("Authorization: Bearer "+s.token+"\r\n", "{}")).StatusCode
	}
	for i := range 20 {
		want := 200
		if i >= 5 {
			want = http.StatusTooManyRequests
		}
		if got := send(); got != want {
			t.Fatalf("request %d: answered %d, want %d", i, got, want)
		}
	}
	for range 5 {
		if a := s.next(t); a.Push.Skipped != 0 {
			t.Errorf("%d skipped", a.Push.Skipped)
		}
	}
	mu.Lock()
	now = now.Add(time.Minute)
	mu.Unlock()
	if got := send(); got != 200 {
		t.Errorf("after a minute: answered %d", got)
	}
	if a := s.next(t); a.Push.Skipped != 15 {
		t.Errorf("%d skipped, want 15", a.Push.Skipped)
	}
	if first, second := send(), send(); first != 200 || second != http.StatusTooManyRequests {
		t.Errorf("at the bound on all: %d, %d", first, second)
	}
	s.next(t)
	s.Stop()
	if a := s.next(t); a.Push.Skipped != 1 || a.Push.Answered != http.StatusTooManyRequests || len(a.Raw) != 0 {
		t.Errorf("at the end: %+v", a.Push)
	}
}

// TestStop: Stop ends connections and returns when nothing runs any more, also
// while one waits for a body and another for the callee; the receiver starts
// again with another path.
func TestStop(t *testing.T) {
	t.Parallel()
	s := start(t)
	idle, err := net.Dial("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	_, _ = io.WriteString(idle, "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab")
	if resp := s.exchange(t, s.post("", "{}")); resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("answered %d", resp.StatusCode)
	}
	if _, _, err := s.Start(nil); err == nil {
		t.Error("it was started twice")
	}
	stopped := make(chan struct{})
	go func() { s.Stop(); s.Stop(); close(stopped) }()
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatal("Stop does not return")
	}
	if c, err := net.Dial("tcp", s.host); err == nil {
		_ = c.Close()
		t.Error("it listens still")
	}
	release, again := make(chan struct{}), make(chan session.Arrival, 1)
	address, _, err := s.Start(func(a session.Arrival) { <-release; again <- a })
	if err != nil || address == s.url {
		t.Fatalf("started again: %s, %v", address, err)
	}
	resp, err := http.Post(address, "", strings.NewReader("{}")) // answered before it is taken
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("%v, %v", resp, err)
	}
	close(release)
	s.Stop()
	if len(again) != 1 {
		t.Error("what was read before Stop was not handed on")
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ listen, public, want string }{
		{"", "", "http://127.0.0.1:"},
		{"[::1]:0", "", "http://[::1]:"},
		{"0.0.0.0:0", "https://x.example", "https://x.example/id"},
		{"", "https://x.example/hooks/?k=v", "https://x.example/hooks/id?k=v"},
		{":0", "", ""},
		{"", "x.example", ""},
		{"", "ftp://x.example", ""},
		{"nowhere", "", ""},
	} {
		r := New(Options{Listen: tc.listen, PublicURL: tc.public, NewID: func() string { return "id" }})
		got, _, err := r.Start(func(session.Arrival) {})
		r.Stop()
		if (err != nil) != (tc.want == "") || !strings.HasPrefix(got, tc.want) {
			t.Errorf("listen %q, public %q: %q, %v; want %q", tc.listen, tc.public, got, err, tc.want)
		}
		if err != nil && !strings.Contains(err.Error(), "--push-") {
			t.Errorf("the error does not say what to do: %v", err)
		}
	}
}

// TestRecordedDeliveries sends what official SDKs were recorded to send, and
// reads what was handed on back.
func TestRecordedDeliveries(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := start(t)
		blocks := bytes.Split(text, []byte("\n### ["))[1:]
		if len(blocks) < 4 {
			t.Errorf("%s: %d deliveries", name, len(blocks))
		}
		for _, block := range blocks {
			_, request, _ := bytes.Cut(block, []byte("] "))
			head, body, _ := strings.Cut(string(request), "\n\n")
			body = strings.TrimRight(body, "\n")
			head = strings.ReplaceAll(head, "tok-123", s.token)
			head = strings.ReplaceAll(head, "cred-xyz", s.token)
			head = strings.Replace(head, " /hook ", " "+s.url[strings.LastIndex(s.url, "/"):]+" ", 1)
			if resp := s.exchange(t, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n"+body); resp.StatusCode != 200 {
				t.Fatalf("%s: answered %d to %s", name, resp.StatusCode, head)
			}
			a := s.next(t)
			p := a2a.Decode(a2a.Input{Raw: a.Raw[a.Push.Head:]})
			if !a.Push.TokenOK || p.Task == nil && p.Status == nil && p.Artifact == nil {
				t.Errorf("%s: token %t, read as %s: %s", name, a.Push.TokenOK, p.Kind, body)
			}
		}
		s.Stop()
	}
}
