package a2a

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCompared bounds the duplicate names of one document whose values are
// compared, and maxCompacted the size of a value for which white space is
// taken off before. Beyond, a hostile document would cost more than its size.
const (
	maxCompared  = 1000
	maxCompacted = 64 << 10
)

// duplicates looks through the whole document for names that stand twice in
// one object. Two values that differ, for a name that carries meaning, are
// ambiguous; in metadata, and for names that we do not read, they are not.
// Inside of data every name carries meaning.
func (d *decoder) duplicates(i int, quiet, data bool) {
	const few = 16 // beyond so many members a map is worth it
	object := d.kind(i) == '{'
	var seen map[string]int
	members := 0
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		n := d.n[c]
		if members++; object {
			if members > few && seen == nil {
				seen = make(map[string]int)
				for e := d.first(i); e != c; e = d.next(i, e) {
					seen[d.name(e)] = e
				}
			}
			if earlier := d.earlier(i, c, seen); earlier >= 0 {
				d.duplicate(earlier, c, quiet || n.key == kUnknown && !data)
			}
		}
		if n.kind == '{' || n.kind == '[' {
			d.duplicates(c, quiet || n.key == kMetadata && !data, data || n.key == kData)
		}
	}
}

// earlier finds the last member before c that has its name, -1 for none. seen
// holds the names before c once there are many, and takes c's.
func (d *decoder) earlier(i, c int, seen map[string]int) int {
	name, found := d.name(c), -1
	if seen != nil {
		if e, ok := seen[name]; ok {
			found = e
		}
		seen[name] = c
		return found
	}
	for e := d.first(i); e != c; e = d.next(i, e) {
		if d.name(e) == name {
			found = e
		}
	}
	return found
}

func (d *decoder) duplicate(a, b int, quiet bool) {
	if d.compared++; d.compared > maxCompared {
		return
	}
	x, y := d.bytes(a), d.bytes(b)
	same := bytes.Equal(x, y)
	if !same && len(x) < maxCompacted && len(y) < maxCompacted {
		same = bytes.Equal(compact(x), compact(y))
	}
	if same || quiet {
		d.note("json-duplicate-key", false, "the name %q stands twice in one object, again at byte %d", clip(d.name(b)), d.n[b].nstart)
		return
	}
	d.note("json-duplicate-key", true, "the name %q stands twice in one object with different values, again at byte %d; the last one was taken", clip(d.name(b)), d.n[b].nstart)
}

// compact removes white space. What cannot be compacted is returned as it is.
func compact(v []byte) jsontext.Value {
	c := jsontext.Value(bytes.Clone(v))
	if c.Compact(laxly...) != nil {
		return bytes.Clone(v)
	}
	return c
}
