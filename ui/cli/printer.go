package cli

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"a2ascope/history/export"
	"a2ascope/session"
)

// printer writes a session to standard output in one form.
type printer struct {
	out    io.Writer
	form   string
	style  style
	record func(*session.Record) error // nil where no record is printed
	begin  func(id string)
}

func newPrinter(a *app, form string) printer {
	p := printer{out: a.out, form: form, style: a.style(), begin: func(string) {}}
	switch form {
	case "text":
		p.record = func(r *session.Record) error {
			_, err := fmt.Fprintln(p.out, recordLine(p.style, r))
			return err
		}
	case "jsonl":
		p.begin = func(id string) {
			_, _ = p.out.Write(export.Header(id)) // the next line says so too, if it cannot be written
		}
		p.record = func(r *session.Record) error {
			_, err := p.out.Write(export.Line(*r))
			return err
		}
	}
	return p
}

// end writes what follows the records. A script that stopped at a mistake has
// no verdict document.
func (p printer) end(d *session.Document, mistake bool) error {
	switch p.form {
	case "text":
		return writeSummary(p.out, p.style, d)
	case "json":
		if mistake {
			return nil
		}
		return writeJSON(p.out, d)
	}
	head, err := digestOf(d.Log.Head)
	if err != nil {
		return err
	}
	_, err = p.out.Write(export.Trailer(d.Log.Records, head))
	return err
}

// failed prints the verdict document of a session that could not be opened.
func (p printer) failed(o opening, err error) error {
	if p.form != "json" || statusOf(err) == statusUsage {
		return err
	}
	d := unopened(o, err)
	return errors.Join(err, writeJSON(p.out, &d))
}

// unopened is the verdict document of a session that could not be opened.
func unopened(o opening, err error) session.Document {
	d := session.MakeDocument(session.NewState(), tool())
	d.Policy, d.Peer.URL, d.Error = o.flags.policy, session.PeerKey(o.typed), err.Error()
	d.Exit = session.ExitDoc{Status: statusOf(err), Reasons: []string{}}
	if d.Exit.Status == statusLog {
		d.Exit.Reasons = append(d.Exit.Reasons, session.ReasonLog)
	}
	return d
}

// writeJSON writes one value, indented.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// digestOf reads a digest as documents write it.
func digestOf(text string) (session.Digest, error) {
	var d session.Digest
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("the head %q is no digest", text)
	}
	return session.Digest(b), nil
}
