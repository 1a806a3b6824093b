package export

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// maxHARStream is how many bytes of a stream stand in its answer's content.
// Its frames are all there by themselves.
const maxHARStream = 1 << 20

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

// har writes the exchanges as an HTTP archive.
func (e *Export) har(w io.Writer) error {
	if err := e.fold(); err != nil {
		return err
	}
	name, version, _ := strings.Cut(orElse(e.options.Tool, "a2ascope"), " ")
	p := printer{w: w}
	p.printf("{\"log\":{\"version\":\"1.2\",\"creator\":%s,\"comment\":%s,\"pages\":[],\"entries\":[",
		compact(map[string]string{"name": name, "version": orElse(version, e.state.Opened.Tool)}),
		compact(fmt.Sprintf("a2ascope session %s with %s; %d records up to %s", oneLine(e.state.Opened.Session), oneLine(e.state.Opened.Typed), e.state.Seq, e.state.Head)))
	first := true
	for _, x := range e.state.Exchanges {
		request, ok, err := e.record(x.Request)
		if err != nil {
			return err
		}
		if !ok || request.Kind != session.KindRequest {
			continue
		}
		if !first {
			p.print(",")
		}
		first = false
		p.print("\n")
		if err := e.harEntry(&p, x, &request); err != nil {
			return err
		}
	}
	p.print("\n]}}\n")
	return p.err
}

// compact is a value as JSON.
func compact(v any) []byte { return bytes.TrimSuffix(encode(v), []byte("\n")) }

func (e *Export) harEntry(p *printer, x *session.Exchange, request *session.Record) error {
	var b session.Requested
	_ = request.Decode(&b) // what was withheld is empty
	entry := harEntry{
		Started: request.Wall.UTC().Format("2006-01-02T15:04:05.000000Z"), Request: harRequestOf(request, &b), Exchange: x.N,
		Comment: fmt.Sprintf("record %d: %s", request.Seq, oneLine(string(x.Op))),
	}
	answer, ok, err := e.record(x.Answer)
	if err != nil {
		return err
	}
	var timing session.Timing
	entry.Response, timing = harResponseOf(&answer, ok)
	total := timing.Done.D()
	if x.Stream != nil {
		end := e.state.Elapsed
		if x.Over {
			if last, ok, err := e.record(x.OverSeq); err != nil {
				return err
			} else if ok {
				end = last.Elapsed
			}
		}
		total = max(end-request.Elapsed, timing.FirstByte.D())
		entry.Response.BodySize = x.Stream.Bytes
		if err := e.harStream(&entry.Response.Content, x); err != nil {
			return err
		}
	}
	entry.Timings = harTimingsOf(&timing, total)
	entry.Time = entry.Timings.total()
	if host, _, ok := cutLast(timing.Remote, ":"); ok {
		entry.ServerIP = strings.Trim(host, "[]")
	}
	text := compact(entry)
	if x.Stream == nil {
		p.print(string(text))
		return p.err
	}
	p.print(string(text[:len(text)-1]) + ",\"_frames\":[")
	first := true
	err = e.frames(x, func(r *session.Record) error {
		if !first {
			p.print(",")
		}
		first = false
		p.print("\n " + string(compact(harFrameOf(r, request))))
		return p.err
	})
	p.print("]}")
	return err
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// frames gives the frames of an exchange to each.
func (e *Export) frames(x *session.Exchange, each func(*session.Record) error) error {
	end := e.last
	if x.Over && x.OverSeq > 0 {
		end = x.OverSeq
	}
	for next := x.Request + 1; next <= end; {
		records, err := e.pages(next, pageSize)
		if err != nil || len(records) == 0 {
			return err
		}
		for i := range records {
			r := &records[i]
			if next = r.Seq + 1; r.Seq > end {
				return nil
			}
			if r.Exchange == x.N && r.Kind == session.KindFrame {
				if err := each(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// harStream puts the beginning of a stream into its content.
func (e *Export) harStream(c *harContent, x *session.Exchange) error {
	var body []byte
	full := int64(0)
	err := e.frames(x, func(r *session.Record) error {
		full += int64(len(r.Raw))
		if len(body)+len(r.Raw) <= maxHARStream {
			body = append(body, r.Raw...)
		}
		return nil
	})
	c.Size = full
	c.Text, c.Encoding = harText(body)
	if full > int64(len(body)) {
		c.Comment = fmt.Sprintf("the first %d of %d bytes: _frames has all of them", len(body), full)
	}
	return err
}

func harText(b []byte) (text, encoding string) {
	if utf8.Valid(b) {
		return string(b), ""
	}
	return base64.StdEncoding.EncodeToString(b), "base64"
}

func harFrameOf(r, request *session.Record) harFrame {
	b, err := session.DecodeFramed(r.Body)
	f := harFrame{Record: r.Seq, Time: r.Wall.UTC().Format("2006-01-02T15:04:05.000000Z"), Offset: ms(r.Elapsed - request.Elapsed)}
	if err == nil {
		f.Kind, f.Event = b.Kind, b.Type
	}
	data := r.Raw
	switch {
	case len(b.ProtoJSON) > 0:
		data = b.ProtoJSON
	case b.Kind == "event" || b.Kind == "tail":
		if d := a2a.EventData(r.Raw); d != nil {
			data = d
		}
	}
	text, encoding := harText(data)
	f.Data, f.Base64 = text, encoding != ""
	return f
}

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
	if body := r.Raw[head:]; len(body) > 0 {
		text, encoding := harText(body)
		q.PostData = &harPostData{MimeType: mime, Params: []harNameValue{}, Text: text, Encoding: encoding}
	}
	return q
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
	plain, _ := unpack(body, b.Encoding)
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
