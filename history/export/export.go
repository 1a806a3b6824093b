package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"a2ascope/session"
)

// Options say what is exported, and how.
type Options struct {
	// Raw leaves in what looks like a secret. Known secrets are not in the log
	// at all.
	Raw bool
	// Finding limits reports, curl and script to some findings: by rule, by
	// claim, or by "#" and the number of the finding's record. Empty is all.
	Finding string
	// Tool names the program that writes: "a2ascope 1.2.0".
	Tool string
}

// Format is one form of export.
type Format struct {
	Name  string // as --format takes it
	Ext   string // of its files, without the dot
	Title string // for people
	write func(e *Export, w io.Writer) error
}

// Formats lists every form of export.
var Formats = []Format{
	{"md", "md", "a bug report in Markdown", (*Export).markdown},
	{"html", "html", "a bug report as one page that opens anywhere", (*Export).html},
	{"jsonl", "jsonl", "every record; import reads it back", (*Export).jsonl},
	{"har", "har", "for the developer tools of browsers", (*Export).har},
	{"curl", "sh", "every exchange as a curl command", (*Export).curl},
	{"script", "txt", "the commands, for run --script", (*Export).script},
}

// ByName finds a format by its name.
func ByName(name string) (Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// ByExt finds a format by the ending of a file's name, without the dot.
func ByExt(ext string) (Format, bool) {
	ext = strings.ToLower(ext)
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Ext == ext })
	if i < 0 {
		return ByName(ext)
	}
	return Formats[i], true
}

// Export is a session that is ready to be written. It holds a state and what
// is to be redacted, never the records.
type Export struct {
	source  Pages // as they are in the log
	last    uint64
	options Options
	redact  *redactor // nil with Options.Raw
	preview *Preview
	state   *session.State // folded when it is first needed
	told    []*told
	cards   []cardSeen
}

// Open reads a session once, finds out what in it looks like a secret, and
// keeps to the records that it has now. It is an error when the session has no
// records or Options.Finding names none of its findings.
func Open(pages Pages, o Options) (*Export, error) {
	e := &Export{options: o}
	e.source = func(from uint64, n int) ([]session.Record, error) {
		if e.last > 0 {
			if from > e.last {
				return nil, nil
			}
			n = min(n, int(e.last-from)+1)
		}
		return pages(from, n)
	}
	e.redact = newRedactor()
	last := uint64(0)
	err := walk(e.source, func(r *session.Record) error {
		if !o.Raw {
			e.redact.record(*r)
		}
		last = r.Seq
		return nil
	})
	e.last = last
	e.redact.learned()
	switch {
	case err != nil:
		return nil, fmt.Errorf("exporting: %w", err)
	case e.last == 0:
		return nil, fmt.Errorf("exporting: the session has no records: %w", session.ErrNotFound)
	case o.Raw:
		e.redact = nil
	}
	if o.Finding != "" {
		if err := e.fold(); err != nil {
			return nil, err
		}
		if len(e.told) == 0 {
			return nil, e.noFinding()
		}
	}
	return e, nil
}

// noFinding says which findings could have been named.
func (e *Export) noFinding() error {
	var names []string
	for _, f := range e.state.Findings {
		if !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	if len(names) == 0 {
		return errors.New("exporting: the session has no findings to select from")
	}
	return fmt.Errorf("exporting: no finding is %s; those of this session are %s (a claim or the number of the record, as #%d, will do too)",
		strconv.Quote(e.options.Finding), strings.Join(names, ", "), e.state.Findings[0].Seq)
}

// Write writes the session in a format.
func (e *Export) Write(w io.Writer, format string) error {
	f, ok := ByName(format)
	if !ok {
		return fmt.Errorf("exporting: there is no format %q", format)
	}
	if err := f.write(e, w); err != nil {
		return fmt.Errorf("exporting as %s: %w", f.Name, err)
	}
	return nil
}

// pages gives the records as they are exported.
func (e *Export) pages(from uint64, n int) ([]session.Record, error) {
	records, err := e.source(from, n)
	if err != nil || e.redact == nil || e.redact.idle() {
		return records, err
	}
	out := make([]session.Record, len(records)) // the others are the log's
	for i := range records {
		out[i] = e.redact.record(records[i])
	}
	return out, nil
}

// record returns one record as it is exported.
func (e *Export) record(seq uint64) (session.Record, bool, error) {
	if seq == 0 || seq > e.last {
		return session.Record{}, false, nil
	}
	records, err := e.pages(seq, 1)
	if err != nil || len(records) == 0 || records[0].Seq != seq {
		return session.Record{}, false, err
	}
	return records[0], true, nil
}

func (e *Export) jsonl(w io.Writer) error { return JSONL(w, e.pages) }

// Markdown writes a bug report.
func Markdown(w io.Writer, pages Pages, o Options) error { return open(w, pages, o, "md") }

// HTML writes a bug report as one page that needs nothing else.
func HTML(w io.Writer, pages Pages, o Options) error { return open(w, pages, o, "html") }

// HAR writes the exchanges as an HTTP archive 1.2.
func HAR(w io.Writer, pages Pages, o Options) error { return open(w, pages, o, "har") }

// Curl writes the exchanges as curl commands.
func Curl(w io.Writer, pages Pages, o Options) error { return open(w, pages, o, "curl") }

// Script writes the session's commands, for run --script.
func Script(w io.Writer, pages Pages, o Options) error { return open(w, pages, o, "script") }

func open(w io.Writer, pages Pages, o Options, format string) error {
	e, err := Open(pages, o)
	if err != nil {
		return err
	}
	return e.Write(w, format)
}
