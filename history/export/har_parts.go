package export

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// The parts of an HTTP archive 1.2. Sizes are bytes, times milliseconds; -1
// where there is none.
type (
	harNameValue struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harRequest struct {
		Method      string         `json:"method"`
		URL         string         `json:"url"`
		HTTPVersion string         `json:"httpVersion"`
		Cookies     []harNameValue `json:"cookies"`
		Headers     []harNameValue `json:"headers"`
		QueryString []harNameValue `json:"queryString"`
		PostData    *harPostData   `json:"postData,omitempty"`
		HeadersSize int            `json:"headersSize"`
		BodySize    int            `json:"bodySize"`
	}
	harPostData struct {
		MimeType string         `json:"mimeType"`
		Params   []harNameValue `json:"params"`
		Text     string         `json:"text"`
		Encoding string         `json:"_encoding,omitempty"`
	}
	harResponse struct {
		Status      int            `json:"status"`
		StatusText  string         `json:"statusText"`
		HTTPVersion string         `json:"httpVersion"`
		Cookies     []harNameValue `json:"cookies"`
		Headers     []harNameValue `json:"headers"`
		Content     harContent     `json:"content"`
		RedirectURL string         `json:"redirectURL"`
		HeadersSize int            `json:"headersSize"`
		BodySize    int64          `json:"bodySize"`
		Error       string         `json:"_error,omitempty"`
	}
	harContent struct {
		Size     int64  `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding,omitempty"`
		Comment  string `json:"comment,omitempty"`
	}
	harTimings struct {
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		SSL     float64 `json:"ssl"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	// harEntry ends where its frames begin: they are written one by one.
	harEntry struct {
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		ServerIP string      `json:"serverIPAddress,omitempty"`
		Comment  string      `json:"comment"`
		Exchange int         `json:"_exchange"`
	}
	harFrame struct {
		Record uint64  `json:"record"`
		Time   string  `json:"time"`
		Offset float64 `json:"offset"` // from the request
		Kind   string  `json:"kind"`
		Event  string  `json:"event,omitempty"`
		Data   string  `json:"data"`
		Base64 bool    `json:"base64,omitempty"`
	}
)

func harRequestOf(r *session.Record, b *session.Requested) harRequest {
	head := headOf(r)
	q := harRequest{
		Method: orElse(b.HTTPMethod, "GET"), URL: harURL(b.URL), HTTPVersion: orElse(httpVersion(firstLine(r.Raw[:head]), true), "HTTP/1.1"),
		Headers: harHeaders(r.Raw[:head]), Cookies: []harNameValue{}, QueryString: []harNameValue{}, HeadersSize: head, BodySize: len(r.Raw) - head,
	}
	if head == 0 {
		q.HeadersSize = -1
	}
	if u, err := url.Parse(b.URL); err == nil {
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			name, value, _ := strings.Cut(pair, "=")
			if name != "" {
				q.QueryString = append(q.QueryString, harNameValue{unescaped(name), unescaped(value)})
			}
		}
	}
	mime := ""
	for _, h := range q.Headers {
		switch strings.ToLower(h.Name) {
		case "cookie":
			q.Cookies = append(q.Cookies, harCookies(h.Value)...)
		case "content-type":
			mime = h.Value
		}
	}
	if body := orProto(r, r.Raw[head:]); len(body) > 0 {
		text, encoding := harText(body)
		q.PostData = &harPostData{MimeType: mime, Params: []harNameValue{}, Text: text, Encoding: encoding}
	}
	return q
}

// orProto is the JSON of a gRPC message where there is one, else the body.
func orProto(r *session.Record, body []byte) []byte {
	var b struct {
		ProtoJSON []byte `json:"protoJson"`
	}
	if r.Decode(&b) == nil && len(b.ProtoJSON) > 0 {
		return b.ProtoJSON
	}
	return body
}

func unescaped(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// harURL is an absolute address in which everything is ASCII.
func harURL(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c > ' ' && c < 0x7f && !strings.ContainsRune(`"<>\^`+"`{|}", rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func harCookies(value string) []harNameValue {
	var out []harNameValue
	for pair := range strings.SplitSeq(value, ";") {
		if name, v, ok := strings.Cut(strings.TrimSpace(pair), "="); ok {
			out = append(out, harNameValue{name, v})
		}
	}
	return out
}

func harHeaders(head []byte) []harNameValue {
	out := []harNameValue{}
	for _, h := range headers(head) {
		out = append(out, harNameValue{strings.ToValidUTF8(h.Name, "\ufffd"), strings.ToValidUTF8(h.Value, "\ufffd")})
	}
	return out
}

// httpVersion reads the version from a first line.
func httpVersion(line string, request bool) string {
	f := strings.Fields(line)
	if len(f) == 0 {
		return ""
	}
	v := f[0]
	if request {
		v = f[len(f)-1]
	}
	if !strings.HasPrefix(v, "HTTP/") {
		return ""
	}
	return v
}

// reason is the text behind the status: the peer's own, or the usual one.
func reason(line string, status int) string {
	if f := strings.SplitN(line, " ", 3); len(f) == 3 {
		return oneLine(f[2])
	}
	return strings.TrimPrefix(a2a.StatusText(status), strconv.Itoa(status)+" ")
}

func harResponseOf(r *session.Record, ok bool) (harResponse, session.Timing) {
	out := harResponse{
		Cookies: []harNameValue{}, Headers: []harNameValue{}, HeadersSize: -1, BodySize: -1, Content: harContent{MimeType: "x-unknown"},
	}
	if !ok {
		out.Error = "no answer was recorded"
		return out, session.Timing{}
	}
	if r.Kind == session.KindFault {
		var f session.Faulted
		_ = r.Decode(&f) // what was withheld is empty
		out.Error = oneLine(f.Phase + ": " + f.Error)
		return out, f.Timing
	}
	var b session.Responded
	_ = r.Decode(&b) // as above
	head := headOf(r)
	out.Status, out.StatusText = b.Status, reason(firstLine(r.Raw[:head]), b.Status)
	out.HTTPVersion = orElse(httpVersion(firstLine(r.Raw[:head]), false), "HTTP/1.1")
	out.Headers, out.RedirectURL = harHeaders(r.Raw[:head]), harURL(b.Location)
	if head > 0 {
		out.HeadersSize = head
	}
	for _, h := range out.Headers {
		if strings.EqualFold(h.Name, "set-cookie") {
			first, _, _ := strings.Cut(h.Value, ";")
			out.Cookies = append(out.Cookies, harCookies(first)...)
		}
	}
	body := r.Raw[head:]
	out.BodySize = int64(len(body))
	plain, _, _ := session.Unpack(body, b.Encoding) // as it came, where it cannot be unpacked
	if len(b.ProtoJSON) > 0 {
		plain = b.ProtoJSON
	}
	out.Content.Size = int64(len(plain))
	out.Content.MimeType = orElse(oneLine(b.ContentType), "x-unknown")
	out.Content.Text, out.Content.Encoding = harText(plain)
	if b.Cut != "" {
		out.Error = oneLine(b.Cut)
	}
	return out, b.Timing
}

func ms(d time.Duration) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 6, 64), 64) // it was just written
	return f
}

// harTimingsOf splits the time of an exchange. Each step begins where the one
// before ended.
func harTimingsOf(t *session.Timing, total time.Duration) harTimings {
	out := harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1}
	at := time.Duration(0)
	step := func(end time.Duration) float64 {
		d := max(end-at, 0)
		at = max(at, end)
		return ms(d)
	}
	if t.DNS > 0 {
		out.DNS = step(t.DNS.D())
	}
	if t.Connect > 0 && !t.Reused {
		out.Connect = step(t.Connect.D())
		if t.TLS > t.Connect {
			out.SSL = step(t.TLS.D())
			out.Connect = ms(time.Duration((out.Connect + out.SSL) * float64(time.Millisecond))) // TLS is part of connecting
		}
	}
	out.Send = step(t.Wrote.D())
	out.Wait = step(t.FirstByte.D())
	out.Receive = step(total)
	return out
}

// total is the sum of what took place. TLS is part of connecting.
func (t *harTimings) total() float64 {
	sum := 0.0
	for _, v := range []float64{t.Blocked, t.DNS, t.Connect, t.Send, t.Wait, t.Receive} {
		if v > 0 {
			sum += v
		}
	}
	return ms(time.Duration(sum*float64(time.Millisecond) + 0.5))
}
