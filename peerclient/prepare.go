package peerclient

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// userAgent is what the console calls itself.
const userAgent = "a2ascope"

// plan is what Do needs of a prepared request.
type plan struct {
	op        a2a.Operation
	method    string
	scheme    string
	dial      string // host:port of the peer
	name      string // of the peer, for its certificate
	proxy     *url.URL
	raw       []byte // what is written; never changed
	connect   time.Duration
	firstByte time.Duration // 0 for none
	quiet     time.Duration // in place of firstByte until the answer begins; 0 for none
	fresh     bool
	rpc       bool // it goes over HTTP/2, as gRPC
	bare      bool // our certificate stays behind
}

// begin is how long the answer may take to begin; 0 for as long as it likes.
func (p *plan) begin() time.Duration {
	if p.quiet > 0 {
		return p.quiet
	}
	return p.firstByte
}

// key says which idle connections serve this plan.
func (p *plan) key() string {
	key := p.scheme + "|" + p.dial
	if p.proxy != nil {
		key += "|" + p.proxy.Scheme + "|" + p.proxy.Host
	}
	if p.bare {
		key += "|bare" // over a connection that knows us, nothing goes without credentials
	}
	return key
}

// tunnels reports whether the request goes through its proxy unseen. A proxy
// with a password is always asked for a tunnel, so that the password is never
// part of a request that is recorded, and so is any for gRPC.
func (p *plan) tunnels() bool {
	return p.proxy != nil && (p.rpc || p.scheme == "https" || p.proxy.User != nil || socks(p.proxy))
}

func socks(u *url.URL) bool { return u.Scheme == "socks5" || u.Scheme == "socks5h" }

// Prepare implements session.Peer.
func (c *Client) Prepare(call session.Call) (session.Prepared, error) {
	p, err := c.prepare(call)
	if err != nil {
		return session.Prepared{}, fmt.Errorf("prepare %s: %w", call.Op, err)
	}
	return p, nil
}

func (c *Client) prepare(call session.Call) (session.Prepared, error) {
	enc, err := encode(call)
	if err != nil {
		return session.Prepared{}, err
	}
	if call.Binding == a2a.GRPC {
		return c.prepareRPC(call, enc)
	}
	t, err := parseTarget(call.URL)
	if err != nil {
		return session.Prepared{}, err
	}
	if !call.Whole {
		t.join(enc.Path, enc.Query)
	}
	shown := t.String()
	hs, err := headersOf(call, enc, &t)
	if err != nil {
		return session.Prepared{}, err
	}
	pl := &plan{
		op: call.Op, method: enc.HTTPMethod, scheme: t.scheme, dial: t.dial, name: t.name,
		connect: call.Connect, firstByte: call.FirstByte, quiet: call.Quiet, fresh: call.Fresh,
	}
	c.certify(call, pl, &hs)
	if pl.proxy, err = c.proxyOf(t); err != nil {
		return session.Prepared{}, err
	}
	head := writeHead(call, enc, t, hs, pl)
	pl.raw = append(head[:len(head):len(head)], enc.Body...)
	body := describe(call, enc)
	body.URL = shown
	body.Head = len(head)
	body.Withheld = strings.Join(hs.withheld, ", ")
	body.Authenticated = strings.Join(hs.sent, ", ")
	return session.Prepared{Body: body, Raw: bytes.Clone(pl.raw), Send: pl}, nil
}

// encode asks for the operation's bytes and adds what only the exchange knows.
func encode(call session.Call) (a2a.Request, error) {
	if call.Op == a2a.OpToken {
		return a2a.Request{
			HTTPMethod: http.MethodPost, RPCMethod: "POST token", Body: []byte(call.Form),
			Header: [][2]string{{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}},
		}, nil
	}
	enc, err := a2a.Encode(call.Op, call.Gen, call.Binding, call.RPCID, call.Params)
	if err != nil {
		return a2a.Request{}, err
	}
	if call.IfNoneMatch != "" && httpguts.ValidHeaderFieldValue(call.IfNoneMatch) { // a peer's own words
		enc.Header = append(enc.Header, [2]string{"If-None-Match", call.IfNoneMatch})
	}
	return enc, nil
}

func (c *Client) proxyOf(t target) (*url.URL, error) {
	u := &url.URL{Scheme: t.scheme, Host: t.host, Path: "/"}
	proxy, err := c.o.Proxy(&http.Request{Method: http.MethodGet, URL: u, Host: t.host, Header: http.Header{}})
	if err != nil {
		return nil, fmt.Errorf("choose a proxy for %s: the proxy's address cannot be read; look at the proxy setting and HTTP_PROXY, HTTPS_PROXY", t.host)
	}
	if proxy == nil {
		return nil, nil
	}
	if proxy.Scheme != "http" && proxy.Scheme != "https" && !socks(proxy) {
		return nil, fmt.Errorf("choose a proxy for %s: its scheme %.20q is not http, https or socks5", t.host, proxy.Scheme)
	}
	return proxy, nil
}

func writeHead(call session.Call, enc a2a.Request, t target, hs headers, pl *plan) []byte {
	var b bytes.Buffer
	uri := t.requestURI()
	if pl.proxy != nil && !pl.tunnels() {
		uri = t.scheme + "://" + t.host + uri
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", enc.HTTPMethod, uri)
	for _, h := range hs.list {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	if len(enc.Body) > 0 || enc.HTTPMethod != http.MethodGet && enc.HTTPMethod != http.MethodDelete {
		b.WriteString("Content-Length: " + strconv.Itoa(len(enc.Body)) + "\r\n")
	}
	if call.Fresh {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// describe is what the record says of the request, but for address and head.
func describe(call session.Call, enc a2a.Request) session.Requested {
	p := call.Params
	r := session.Requested{
		Op: call.Op, Gen: call.Gen, Binding: call.Binding,
		HTTPMethod: enc.HTTPMethod, RPCMethod: enc.RPCMethod,
		TaskID: p.TaskID, ContextID: p.ContextID,
	}
	if call.Binding == a2a.JSONRPC && call.Op != a2a.OpCard {
		r.RPCID = call.RPCID
	}
	if p.HistoryLength != nil && call.Op == a2a.OpGet {
		r.HistoryLen = *p.HistoryLength
	}
	if p.Push != nil && r.TaskID == "" {
		r.TaskID = p.Push.TaskID
	}
	if m := p.Message; m != nil && (call.Op == a2a.OpSend || call.Op == a2a.OpStream) {
		r.Blocking = p.Blocking != nil && *p.Blocking
		r.MessageID = m.ID
		if m.TaskID != "" {
			r.TaskID = m.TaskID
		}
		if m.ContextID != "" {
			r.ContextID = m.ContextID
		}
		for _, part := range m.Parts {
			r.Parts = append(r.Parts, mode(part))
		}
	}
	return r
}

// mode is the media type that a part counts as: the one it names, else its
// kind's.
func mode(p a2a.Part) string {
	switch {
	case p.MediaType != "":
		return p.MediaType
	case p.Kind == a2a.PartText:
		return "text/plain"
	case p.Kind == a2a.PartData:
		return "application/json"
	default:
		return "application/octet-stream"
	}
}
