package peerclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"a2ascope/session/a2a"
)

func TestBytesOnTheWireAreThePreparedOnes(t *testing.T) {
	t.Parallel()
	s := keepingAlive(t, 9, okAnswer)
	c := newClient(t, Options{})
	for _, op := range []a2a.Operation{a2a.OpCard, a2a.OpSend, a2a.OpGet, a2a.OpCancel} {
		for _, fresh := range []bool{false, true} {
			cl := call(op, s.url+"/a%2Fb/?x=1&y=ü")
			cl.Fresh = fresh
			cl.Header = [][2]string{{"x-lower", "1"}, {"X-UPPER", "2"}}
			before := len(s.requests())
			p, got := exchangeOf(t, c, cl)
			oneResponse(t, got)
			reqs := s.requests()
			if len(reqs) != before+1 {
				t.Fatalf("%s: the server read %d requests, want %d", op, len(reqs), before+1)
			}
			if !bytes.Equal(reqs[before], p.Raw) {
				t.Errorf("%s: on the wire\n%q\nprepared\n%q", op, reqs[before], p.Raw)
			}
			if !bytes.HasSuffix(p.Raw[:p.Body.Head], []byte("\r\n\r\n")) {
				t.Errorf("%s: the head does not end at %d", op, p.Body.Head)
			}
		}
	}
}

func TestPlainAnswers(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, answer string
		wantRaw      string // "" means all of answer
		status       int
		kind         string
		cut          bool
	}{
		{"length", "HTTP/1.1 200 OK\r\ncontent-TYPE: application/json\r\nX-Odd:   v  \r\nContent-Length: 2\r\n\r\n{}", "", 200, "application/json", false},
		{"until close", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}", "", 200, "application/json", false},
		{"bare LF head", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "", 200, "", false},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nT: v\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", 200, "", false},
		{"folded header", "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\nContent-Length: 2\r\n\r\n{}", "", 200, "", false},
		{"no body", "HTTP/1.1 204 No Content\r\n\r\n", "", 204, "", false},
		{"interim answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "", false},
		{"error with a page", "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>", "", 502, "text/html", false},
		{"redirect", "HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n", "", 307, "", false},
		{"refused", "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=x\r\nContent-Length: 0\r\n\r\n", "", 401, "", false},
		{"short body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}", "", 200, "", true},
		{"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", 200, "", true},
		{"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", 200, "", true},
		{"bad chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", 200, "", true},
		{"more than declared", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}xxxx", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "", false},
		{"gzip stays gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00", "", 200, "", false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, tc.answer)
			_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, s.url))
			a := oneResponse(t, got)
			want := tc.wantRaw
			if want == "" {
				want = tc.answer
			}
			if string(a.Raw) != want {
				t.Errorf("raw %q, want %q", a.Raw, want)
			}
			r := a.Response
			if r.Status != tc.status || r.ContentType != tc.kind || (r.Cut != "") != tc.cut || r.Stream || r.Truncated {
				t.Errorf("response %+v", *r)
			}
			if n := strings.Index(strings.ReplaceAll(want, "\r\n", "\n"), "\n\n"); n < 0 || !strings.HasSuffix(string(a.Raw[:r.Head]), "\n") {
				t.Errorf("head is %d bytes: %q", r.Head, a.Raw[:r.Head])
			}
			if reqs := s.requests(); len(reqs) != 1 {
				t.Errorf("%d requests were sent, want 1", len(reqs))
			}
		})
	}
}

func TestHeadersThatTheRecordNames(t *testing.T) {
	t.Parallel()
	s := answering(t, "HTTP/1.1 503 No\r\nRetry-After: 7\r\nLocation: http://e.example/\r\nWWW-Authenticate: Basic\r\nwww-authenticate: Bearer\r\nContent-Encoding: br\r\nContent-Length: 0\r\n\r\n")
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, s.url))
	r := oneResponse(t, got).Response
	if r.RetryAfter != "7" || r.Location != "http://e.example/" || r.Challenge != "Basic, Bearer" || r.Encoding != "br" {
		t.Errorf("response %+v", *r)
	}
	if r.Timing.Connect == 0 || r.Timing.Wrote == 0 || r.Timing.FirstByte < r.Timing.Connect || r.Timing.Done < r.Timing.FirstByte || r.Timing.Remote != strings.TrimPrefix(s.url, "http://") || r.Timing.Reused {
		t.Errorf("timing %+v", r.Timing)
	}
}

func TestBodyBeyondTheCapIsTruncatedAndSaysSo(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		size int
		cut  bool
	}{{999, false}, {1000, false}, {1001, true}, {200000, true}} {
		s := answering(t, "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", tc.size))
		_, got := exchangeOf(t, newClient(t, Options{MaxBody: 1000}), call(a2a.OpSend, s.url))
		a := oneResponse(t, got)
		if body := len(a.Raw) - a.Response.Head; a.Response.Truncated != tc.cut || body != min(tc.size, 1000) || a.Response.Cut != "" {
			t.Errorf("%d bytes: kept %d, %+v", tc.size, body, *a.Response)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	long := "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 2<<20)
	cases := []struct {
		name, answer string
		phase        string
		raw          string // a prefix of what is kept
		says         string
	}{
		{"nothing", "", "first-byte", "", "closed the connection without an answer"},
		{"garbage", "SSH-2.0-x\r\n", "head", "SSH-2.0-x\r\n", "not HTTP"},
		{"HTTP/2", "\x00\x00\x12\x04\x00\x00\x00\x00\x00", "head", "\x00\x00\x12\x04", "HTTP/2"},
		{"TLS alert", "\x15\x03\x01\x00\x02\x02\x46", "head", "\x15\x03\x01", "https://"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "head", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "Content-Length"},
		{"odd status", "HTTP/1.1 abc OK\r\n\r\n", "head", "HTTP/1.1 abc", "status"},
		{"no colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "head", "HTTP/1.1 200 OK\r\nnonsense", "malformed"},
		{"cut head", "HTTP/1.1 200 OK\r\nContent-Ty", "head", "HTTP/1.1 200 OK\r\nContent-Ty", "closed the connection"},
		{"huge head", long, "head", long[:maxBadHead], "1 MiB"},
		{"only interim answers", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 40), "head", "", "interim"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, tc.answer)
			_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, s.url))
			a := oneFault(t, got)
			if a.Fault.Phase != tc.phase || a.Fault.Unsent || a.Fault.Timeout || !strings.Contains(a.Fault.Error, tc.says) {
				t.Errorf("fault %+v", *a.Fault)
			}
			if !strings.HasPrefix(string(a.Raw), tc.raw) || len(a.Raw) > maxBadHead {
				t.Errorf("kept %d bytes: %.80q", len(a.Raw), a.Raw)
			}
			if reqs := s.requests(); len(reqs) != 1 {
				t.Errorf("%d requests were sent, want 1", len(reqs))
			}
		})
	}
}

func TestNothingListens(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, "http://user:hunter2@"+addr))
	f := oneFault(t, got).Fault
	if f.Phase != "connect" || !f.Unsent || f.Timeout || !strings.Contains(f.Error, addr) || strings.Contains(f.Error, "hunter2") {
		t.Errorf("fault %+v", *f)
	}
}

func TestNameThatDoesNotExist(t *testing.T) {
	t.Parallel()
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, "http://no-such-host.invalid/"))
	f := oneFault(t, got).Fault
	if f.Phase != "dns" || !f.Unsent || !strings.Contains(f.Error, "no-such-host.invalid") {
		t.Errorf("fault %+v", *f)
	}
}

func TestStallsEndAtTheirLimit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, answer string
		phase        string // "" means a response that is cut
	}{
		{"before the first byte", "", "first-byte"},
		{"in the head", "HTTP/1.1 200", "head"},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", ""},
		{"after an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", "first-byte"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(s *rawServer, nc net.Conn, _ int) {
				s.request(nc)
				_, _ = io.WriteString(nc, tc.answer)
				_, _ = io.Copy(io.Discard, nc) // until the client goes
			})
			cl := call(a2a.OpSend, s.url)
			cl.FirstByte = 60 * time.Millisecond
			_, got := exchangeOf(t, newClient(t, Options{}), cl)
			if tc.phase == "" {
				if r := oneResponse(t, got).Response; !strings.Contains(r.Cut, "60ms") {
					t.Errorf("response %+v", *r)
				}
				return
			}
			if f := oneFault(t, got).Fault; f.Phase != tc.phase || !f.Timeout || f.Unsent {
				t.Errorf("fault %+v", *f)
			}
		})
	}
}

func TestSlowDripIsOneAnswer(t *testing.T) {
	t.Parallel()
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789"
	s := serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for i := range len(answer) {
			<-tick.C
			if _, err := io.WriteString(nc, answer[i:i+1]); err != nil {
				return
			}
		}
	})
	_, got := exchangeOf(t, newClient(t, Options{}), call(a2a.OpSend, s.url))
	if a := oneResponse(t, got); string(a.Raw) != answer || a.Response.Cut != "" {
		t.Errorf("raw %q, %+v", a.Raw, *a.Response)
	}
}

func TestNoFirstByteLimitWaitsForTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := serve(t, func(s *rawServer, nc net.Conn, _ int) {
		s.request(nc)
		cancel(errors.New("the working deadline passed"))
		_, _ = io.Copy(io.Discard, nc)
	})
	cl := call(a2a.OpSend, s.url)
	cl.FirstByte = 0
	_, got := exchangeIn(t, ctx, newClient(t, Options{}), cl)
	if f := oneFault(t, got).Fault; f.Phase != "first-byte" || f.Unsent || !strings.Contains(f.Error, "the working deadline passed") {
		t.Errorf("fault %+v", *f)
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, got := exchangeIn(t, ctx, newClient(t, Options{}), call(a2a.OpSend, "http://127.0.0.1:1"))
	if f := oneFault(t, got).Fault; !f.Unsent {
		t.Errorf("fault %+v", *f)
	}
}

func TestAnswerBeforeTheRequestIsRead(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ *rawServer, nc net.Conn, _ int) {
		_, _ = io.ReadFull(nc, make([]byte, 10))
		_, _ = io.WriteString(nc, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		_, _ = io.Copy(io.Discard, io.LimitReader(nc, 1)) // then stop reading, and wait for the client to go
		_ = nc.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		_, _ = nc.Read(nil)
	})
	cl := call(a2a.OpSend, s.url)
	cl.Params.Message.Parts = append(cl.Params.Message.Parts, a2a.Part{Kind: a2a.PartText, Text: strings.Repeat("x", 32<<20)})
	_, got := exchangeOf(t, newClient(t, Options{}), cl)
	if a := oneResponse(t, got); a.Response.Status != 413 {
		t.Errorf("response %+v", *a.Response)
	}
}
