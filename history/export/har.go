package export

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// maxHARStream is how many bytes of a stream stand in its answer's content.
// Its frames are all there by themselves.
const maxHARStream = 1 << 20

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
