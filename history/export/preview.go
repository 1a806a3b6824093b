package export

import (
	"cmp"
	"fmt"
	"slices"

	"a2ascope/session"
)

// Preview says what redaction takes out of a session.
type Preview struct {
	Records  uint64  // of the session
	Redacted uint64  // that hold something that looks like a secret
	Values   int     // different ones
	Places   []Place // where they stand, the most frequent first
}

// Place is one kind of place where secrets stand.
type Place struct {
	Where  string // "header Authorization", "query api_key", …
	Count  int
	Sample string // of one value, masked
}

// Count is how many stretches are replaced.
func (p *Preview) Count() int {
	n := 0
	for _, x := range p.Places {
		n += x.Count
	}
	return n
}

// MakePreview reads a session and says what redaction would take out of it.
func MakePreview(pages Pages) (Preview, error) {
	e, err := Open(pages, Options{})
	if err != nil {
		return Preview{}, err
	}
	return e.Preview()
}

// Preview says what is taken out. It reads the session once more, unless there
// is nothing to take out.
func (e *Export) Preview() (Preview, error) {
	if e.preview != nil {
		return *e.preview, nil
	}
	p := Preview{Records: e.last}
	if e.redact != nil && !e.redact.idle() {
		e.redact.places, e.redact.records = map[string]*Place{}, 0
		if err := walk(e.source, func(r *session.Record) error { e.redact.record(*r); return nil }); err != nil {
			return p, err
		}
		p.Redacted, p.Values = e.redact.records, len(e.redact.numbers)
		for _, x := range e.redact.places {
			p.Places = append(p.Places, *x)
		}
		slices.SortFunc(p.Places, func(a, b Place) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Where, b.Where))
		})
	}
	e.preview = &p
	return p, nil
}

// walk gives every record to each, in order.
func walk(pages Pages, each func(*session.Record) error) error {
	for next := uint64(1); ; {
		records, err := pages(next, pageSize)
		if err != nil {
			return fmt.Errorf("reading record %d: %w", next, err)
		}
		if len(records) == 0 {
			return nil
		}
		for i := range records {
			next = records[i].Seq + 1
			if err := each(&records[i]); err != nil {
				return err
			}
		}
	}
}
