package replay

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// deliver calls the client's receiver as the recorded peer called the recorded
// one. Only the machine that the request came from is called, and this one: a
// replay must not become a way to make requests to others.
func (s *Server) deliver(x *served, from string) {
	at, err := url.Parse(x.hook.url)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || !near(at.Hostname(), from) {
		s.o.Log(fmt.Sprintf("%s is not called: push notifications go to this machine, and to the one that the client calls from", clip(x.hook.url)))
		return
	}
	t := &teller{s: s, served: x, ctx: s.ctx}
	s.wg.Go(func() {
		defer s.leave(t)
		for _, p := range x.play.conv.pushes {
			if p.at < x.sent { // of an earlier address
				continue
			}
			if !t.wait(p.seq, p.at) {
				return
			}
			if err := s.push(x, p, at); err != nil {
				s.o.Log(fmt.Sprintf("push notification (record %d): %v", p.seq, err))
			}
		}
	})
}

func near(host, from string) bool {
	ip := net.ParseIP(host)
	caller, _, _ := net.SplitHostPort(from)
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.Equal(net.ParseIP(caller)))
}

// push makes one recorded call.
func (s *Server) push(x *served, p push, at *url.URL) error {
	rec, err := s.rec.record(p.seq)
	if err != nil {
		return err
	}
	head, body := split(rec.Raw, p.body.Head)
	line, _, _ := strings.Cut(string(head), "\r\n")
	method, target, _ := strings.Cut(line, " ")
	target, _, _ = strings.Cut(target, " ")
	to := *at
	if _, query, ok := strings.Cut(target, "?"); ok {
		to.RawQuery = query
	}
	s.tells(x, body, p.at)
	body = ours(swapped(body, s.swapsOf(x)), x)
	req, err := http.NewRequestWithContext(s.ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, values := range headerOf(head) {
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Expect":
			continue
		}
		for _, v := range values {
			req.Header.Add(name, string(ours([]byte(v), x)))
		}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)) // what it says does not matter
	return resp.Body.Close()
}

// ours puts the client's token in place of the recorded one.
func ours(b []byte, x *served) []byte {
	if x.play.conv.token == "" || x.hook.token == "" {
		return b
	}
	return bytes.ReplaceAll(b, []byte(x.play.conv.token), []byte(x.hook.token))
}
