package peerclient

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"a2ascope/peerclient/grpcwire"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// rpcPlan is what Do needs of a prepared gRPC call.
type rpcPlan struct {
	plan
	method    grpcwire.Method
	message   []byte // the request's protobuf bytes
	metadata  metadata.MD
	authority string
}

// rpcAgent is the user agent of gRPC calls; the library adds its own name.
const rpcAgent = userAgent + " grpc-go/" + grpc.Version

// prepareRPC fixes the bytes of a gRPC call. What is recorded is the message's
// protobuf bytes behind a head that renders the call's path and metadata as
// text, and the same message as ProtoJSON.
func (c *Client) prepareRPC(call session.Call, enc a2a.Request) (session.Prepared, error) {
	method, err := grpcwire.Find(enc.Path)
	if err != nil {
		return session.Prepared{}, err
	}
	message, err := method.Request(enc.Body)
	if err != nil {
		return session.Prepared{}, err
	}
	t, err := rpcTarget(call.URL)
	if err != nil {
		return session.Prepared{}, err
	}
	hs, err := headersOf(call, enc, &t)
	if err != nil {
		return session.Prepared{}, err
	}
	if t.query != "" {
		return session.Prepared{}, fmt.Errorf("a credential goes into the query, and gRPC has none: give it as a header")
	}
	pl := &rpcPlan{
		plan: plan{
			op: call.Op, method: enc.HTTPMethod, scheme: t.scheme, dial: t.dial, name: t.name,
			connect: call.Connect, firstByte: call.FirstByte, quiet: call.Quiet, fresh: call.Fresh, rpc: true,
		},
		method: method, message: message, authority: t.host,
	}
	c.certify(call, &pl.plan, &hs)
	for _, kv := range hs.list {
		if strings.EqualFold(kv[0], "Host") {
			pl.authority = kv[1]
		}
	}
	if pl.metadata, err = metadataOf(hs.list); err != nil {
		return session.Prepared{}, err
	}
	if pl.proxy, err = c.proxyOf(t); err != nil {
		return session.Prepared{}, err
	}
	head := pl.head(hs.list)
	body := describe(call, enc)
	body.URL, body.Head, body.ProtoJSON = t.String(), len(head), enc.Body
	body.Withheld, body.Authenticated = strings.Join(hs.withheld, ", "), strings.Join(hs.sent, ", ")
	raw := append(head[:len(head):len(head)], message...)
	return session.Prepared{Body: body, Raw: raw, Send: pl}, nil
}

// rpcTarget reads the address of a gRPC server: grpc and http are plain, grpcs
// and https go over TLS. HOST:PORT without a scheme is plain on the caller's
// own machine and TLS elsewhere. A path has no meaning there.
func rpcTarget(raw string) (target, error) {
	raw = strings.TrimPrefix(raw, "dns:///")
	scheme, rest, ok := strings.Cut(raw, "://")
	switch strings.ToLower(scheme) {
	case "grpc":
		raw = "http://" + rest
	case "grpcs":
		raw = "https://" + rest
	}
	if !ok {
		host, _, _ := strings.Cut(raw, "/")
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		raw = "https://" + raw
		if ip := net.ParseIP(strings.Trim(host, "[]")); strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() {
			raw = "http://" + strings.TrimPrefix(raw, "https://")
		}
	}
	t, err := parseTarget(raw)
	t.path, t.query, t.hasQuery = "", "", false
	return t, err
}

// transportHeaders are those of the list that gRPC fixes by itself.
var transportHeaders = map[string]bool{"host": true, "user-agent": true, "content-type": true}

// metadataOf turns headers into metadata.
func metadataOf(list [][2]string) (metadata.MD, error) {
	md := metadata.MD{}
	for _, kv := range list {
		name := strings.ToLower(kv[0])
		if transportHeaders[name] {
			continue
		}
		if strings.HasPrefix(name, "grpc-") {
			return nil, fmt.Errorf("the header %s is gRPC's own: leave it out", kv[0])
		}
		if strings.ContainsFunc(name, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
		}) {
			return nil, fmt.Errorf("the header name %.60q cannot be gRPC metadata: use letters, digits, hyphens, dots and underscores", kv[0])
		}
		if strings.ContainsFunc(kv[1], func(r rune) bool { return r < ' ' || r > '~' }) {
			return nil, fmt.Errorf("the value of the header %s cannot be gRPC metadata: use printable ASCII", kv[0])
		}
		md.Append(name, kv[1])
	}
	return md, nil
}

// head renders what goes before the message, as text: HTTP/2 has no text of
// its own.
func (p *rpcPlan) head(list [][2]string) []byte {
	var b bytes.Buffer
	b.WriteString("POST " + p.rpcPath() + " HTTP/2\r\n")
	for _, kv := range [][2]string{
		{"host", p.authority}, {"content-type", "application/grpc+proto"}, {"te", "trailers"}, {"user-agent", rpcAgent}, {"grpc-accept-encoding", "gzip"},
	} {
		b.WriteString(kv[0] + ": " + kv[1] + "\r\n")
	}
	for _, kv := range list {
		name := strings.ToLower(kv[0])
		if transportHeaders[name] {
			continue
		}
		value := kv[1]
		if strings.HasSuffix(name, "-bin") {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		b.WriteString(name + ": " + value + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func (p *rpcPlan) rpcPath() string { return p.method.Full }
