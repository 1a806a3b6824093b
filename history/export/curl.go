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

// maxCurlArg is the longest body that stands in the command itself: systems
// take no longer words.
const maxCurlArg = 64 << 10

// curl writes every exchange, or those of the selected findings, as commands.
func (e *Export) curl(w io.Writer) error {
	if err := e.fold(); err != nil {
		return err
	}
	s, sh := e.state, newShell(e.state)
	exchanges := s.Exchanges
	if e.options.Finding != "" {
		exchanges = e.steps()
	}
	p := printer{w: w}
	p.printf("#!/bin/sh\n# The requests of session %s with %s, as curl commands.\n", comment(s.Opened.Session), comment(s.Opened.Typed))
	p.printf("# $SECRET_n and $REDACTED_n stand for values that the log or this export does not hold;\n# with set -u a command that needs one stops where it is not set.\nset -u\n")
	for _, n := range sh.names {
		p.printf("%s=%s  # as recorded: put in what %s names for you\n", n.name, sh.word(n.id, false), orElse(n.from, "the answer"))
	}
	for _, x := range exchanges {
		r, ok, err := e.record(x.Request)
		if err != nil {
			return err
		}
		if ok {
			p.printf("\n# %s\n%s\n", e.stepTitle(x, &r), curlOf(sh, &r, ""))
		}
	}
	return p.err
}

// comment keeps text on its line.
func comment(s string) string { return cut(oneLine(s), 200) }

// stepTitle says what an exchange was, and what came of it.
func (e *Export) stepTitle(x *session.Exchange, r *session.Record) string {
	d := session.Describe(r)
	out := fmt.Sprintf("%s at %s: %s", number(r.Seq), at(r.Elapsed), comment(d.Title))
	switch {
	case x.Fault != "":
		out += " → " + comment(x.Fault)
	case x.Status > 0:
		out += fmt.Sprintf(" → %d in %s", x.Status, number(x.Answer))
	}
	if x.Stream != nil {
		return out + ", then " + counted(x.Stream.Frames, "frame")
	}
	if answer, ok, err := e.record(x.Answer); err == nil && ok && x.Fault == "" {
		if told := session.Describe(&answer).Detail; told != "" {
			out += ": " + cut(oneLine(told), 120)
		}
	}
	return out
}

// curlOf is a request as a command. Tail is put behind it.
func curlOf(sh *shell, r *session.Record, tail string) string {
	var b session.Requested
	if r.Decode(&b) != nil || len(r.Raw) == 0 {
		return "# this request was withheld"
	}
	if b.Binding == a2a.GRPC {
		return "# a gRPC call of " + comment(b.RPCMethod) + ": curl does not speak it"
	}
	head := headOf(r)
	body := r.Raw[head:]
	var c strings.Builder
	c.WriteString(`curl -sS -i -w '\n'`) // so that answers do not run together
	if b.Op.Streams() {
		c.WriteString(" -N")
	}
	if b.HTTPMethod != "" && b.HTTPMethod != "GET" {
		c.WriteString(" -X " + sh.word(b.HTTPMethod, false))
	}
	c.WriteString(" " + sh.word(b.URL, true))
	for _, h := range headers(r.Raw[:head]) {
		switch strings.ToLower(h.Name) {
		case "host", "content-length", "user-agent", "accept-encoding", "connection", "transfer-encoding":
			continue
		}
		c.WriteString(" \\\n  -H " + sh.word(oneLine(h.Name+": "+h.Value), true))
	}
	if len(body) == 0 {
		return c.String() + tail
	}
	switch {
	case !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0:
		return "printf %s " + base64.StdEncoding.EncodeToString(body) + " | base64 -d | " + c.String() + " \\\n  --data-binary @-" + tail
	case len(body) > maxCurlArg:
		return "printf %s " + sh.word(string(body), true) + " | " + c.String() + " \\\n  --data-binary @-" + tail
	}
	return c.String() + " \\\n  --data-binary " + sh.word(string(body), true) + tail
}

// field is a field of a head.
type field struct{ Name, Value string }

// headers reads the fields of a head, in order.
func headers(head []byte) []field {
	var out []field
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	for line := range bytes.SplitSeq(rest, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		if name, value, ok := bytes.Cut(line, []byte(":")); ok {
			out = append(out, field{string(name), strings.TrimSpace(string(value))})
		}
	}
	return out
}

// firstLine is the request or status line of a head.
func firstLine(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return string(bytes.TrimRight(line, "\r"))
}

// maxSteps is how many requests a report repeats.
const maxSteps = 12

// steps are the exchanges that matter for the findings that are told: those
// that show them, and the operator's own before them on the same task.
func (e *Export) steps() []*session.Exchange {
	s := e.state
	shown, tasks, last := map[uint64]bool{}, map[int]bool{}, uint64(0)
	for _, f := range e.told {
		if f.Task > 0 {
			tasks[f.Task] = true
		}
		for _, seq := range f.Shown {
			shown[seq] = true
			last = max(last, seq)
		}
	}
	var out []*session.Exchange
	for _, x := range s.Exchanges {
		acts := x.Op == a2a.OpSend || x.Op == a2a.OpStream || x.Op == a2a.OpCancel || x.Op == a2a.OpSubscribe || x.Op == a2a.OpPushSet
		if shown[x.Request] || acts && !x.Reader && tasks[x.Task] && x.Request <= last {
			out = append(out, x)
		}
		if len(out) == maxSteps {
			break
		}
	}
	return out
}

// curlSteps are the commands that lead to the findings, ready to be pasted.
func (e *Export) curlSteps() (string, error) {
	sh := newShell(e.state)
	steps := e.steps()
	requests := make([]session.Record, len(steps))
	for i, x := range steps {
		r, ok, err := e.record(x.Request)
		if err != nil {
			return "", err
		}
		if ok {
			requests[i] = r
		}
	}
	var b strings.Builder
	caught := map[string]bool{}
	for i, x := range steps {
		r := &requests[i]
		tail, file, ids := "", fmt.Sprintf("answer-%d.txt", i+1), ""
		if i+1 < len(steps) {
			if ids = sh.catch(x.Request, file, requests[i+1:], caught); ids != "" {
				tail = " | tee " + file
			}
			if x.Stream != nil && steps[i+1].Request < x.OverSeq {
				tail += " &\nsleep 1"
			}
		}
		fmt.Fprintf(&b, "\n# %d. %s\n%s\n", i+1, e.stepTitle(x, r), curlOf(sh, r, tail+ids))
	}
	if b.Len() == 0 {
		return "", nil
	}
	return strings.TrimPrefix(sh.preamble(b.String(), caught)+b.String(), "\n"), nil
}

// printer writes until the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) print(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}
