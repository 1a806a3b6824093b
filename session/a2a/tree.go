package a2a

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on what one document may make us build. They are far above what a
// useful peer sends, and low enough that a hostile one cannot exhaust memory
// or stack.
const (
	maxDepth = 1000    // nesting that is looked into; deeper values stay opaque
	maxNodes = 2 << 20 // values of one document that are looked into
	maxBytes = 1 << 30 // bytes of one document
)

// node is one value of a document: a span of its bytes and, for a member, its
// name. The nodes of a document stand in one slice in document order, so that
// the children of i are i+1, then the node after that one's subtree, and so on.
type node struct {
	start, end   int32 // the value's span in the document
	nstart, nend int32 // the member name's span, quotes included; empty elsewhere
	after        int32 // index of the first node behind this subtree
	key          key
	kind         byte // as jsontext.Kind: { [ " 0 t f n
	alt          bool // the name is spelled otherwise than in the specification
	opaque       bool // an object or array that was not looked into
}

// tree is a document and its nodes.
type tree struct {
	raw  []byte
	n    []node
	deep bool // something lies below maxDepth
	cut  bool // something lies beyond maxNodes
}

// scanner holds what building a tree needs, kept between documents.
type scanner struct {
	buf bytes.Buffer
	dec jsontext.Decoder
	n   []node
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// strictly and laxly are the two ways to read a document: the first refuses
// duplicate names and bad UTF-8, the second lets both pass.
var (
	strictly = jsontext.AllowDuplicateNames(false)
	laxly    = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
)

// build reads one document. whole makes it look into payloads and metadata
// too, which are otherwise left opaque until they are asked for. The error, if
// any, is the first that jsontext met; its offset is absolute.
func (t *tree) build(s *scanner, lax, whole bool) error {
	t.n = s.n[:0]
	if err := t.buildAt(s, 0, len(t.raw), lax, whole); err != nil {
		return err
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

var errTrailing = errors.New("further data after the value")

// buildAt appends the nodes of the value that stands between two offsets.
func (t *tree) buildAt(s *scanner, from, to int, lax, whole bool) error {
	s.buf = *bytes.NewBuffer(t.raw[from:to])
	if lax {
		s.dec.Reset(&s.buf, laxly...)
	} else {
		s.dec.Reset(&s.buf, strictly)
	}
	return t.value(&s.dec, int64(from), 0, whole)
}

// value appends the next value of the decoder and everything in it.
func (t *tree) value(dec *jsontext.Decoder, base int64, depth int, whole bool) error {
	i := len(t.n)
	t.n = append(t.n, node{})
	return t.fill(dec, i, base, depth, whole)
}

// fill reads the next value of the decoder into node i, which is the last one.
func (t *tree) fill(dec *jsontext.Decoder, i int, base int64, depth int, whole bool) error {
	kind := dec.PeekKind()
	t.n[i].kind = byte(kind)
	container := kind == '{' || kind == '['
	if k := t.n[i].key; !container || depth >= maxDepth || !whole && (k == kData || k == kMetadata) {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		t.deep = t.deep || container && depth >= maxDepth
		end := base + dec.InputOffset()
		t.n[i].start, t.n[i].end = int32(end)-int32(len(v)), int32(end)
		t.n[i].opaque = container
		t.n[i].after = int32(len(t.n))
		return nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	t.n[i].start = int32(base+dec.InputOffset()) - 1
	if err := t.children(dec, kind == '{', base, depth+1, whole); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	t.n[i].end = int32(base + dec.InputOffset())
	t.n[i].after = int32(len(t.n))
	return nil
}

// children appends the members or elements of the container just entered.
func (t *tree) children(dec *jsontext.Decoder, object bool, base int64, depth int, whole bool) error {
	for {
		switch dec.PeekKind() {
		case '}', ']':
			return nil
		case 0: // an error that the next read tells
			_, err := dec.ReadToken()
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		var n node
		if object {
			name, err := dec.ReadValue()
			if err != nil {
				return err
			}
			n.nend = int32(base + dec.InputOffset())
			n.nstart = n.nend - int32(len(name))
			n.key, n.alt = keyOf(name)
		}
		if len(t.n) >= maxNodes {
			t.cut = true
			if _, err := dec.ReadValue(); err != nil {
				return err
			}
			continue
		}
		t.n = append(t.n, n)
		if err := t.fill(dec, len(t.n)-1, base, depth, whole); err != nil {
			return err
		}
	}
}

// expand returns the node of the same value whose children are known: i
// itself, or a copy at the end of the slice when i was left opaque. The copy
// has no name and no parent.
func (t *tree) expand(i int) int {
	if !t.n[i].opaque {
		return i
	}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	at := len(t.n)
	if t.buildAt(s, int(t.n[i].start), int(t.n[i].end), true, true) != nil {
		t.n = t.n[:at]
		return i
	}
	return at
}

// first and next walk the children of a container: for c := t.first(i); c >= 0;
// c = t.next(i, c). A container that is not there (-1) has none.
func (t *tree) first(i int) int { return t.next(i, i) }

func (t *tree) next(parent, c int) int {
	if parent < 0 {
		return -1
	}
	n := c + 1
	if c != parent {
		n = int(t.n[c].after)
	}
	if t.n[parent].opaque || n >= int(t.n[parent].after) {
		return -1
	}
	return n
}

// member finds the member k of object i that is not null: the
// specification's spelling before any other, the last of equals. It is -1 when
// there is none.
func (t *tree) member(i int, k key) int {
	if i < 0 || t.n[i].kind != '{' || t.n[i].opaque {
		return -1
	}
	found := -1
	for c, end := i+1, int(t.n[i].after); c < end; c = int(t.n[c].after) {
		if n := &t.n[c]; n.key == k && n.kind != 'n' && (found < 0 || !n.alt || t.n[found].alt) {
			found = c
		}
	}
	return found
}

// null reports whether object i has a member k that is null.
func (t *tree) null(i int, k key) bool {
	for c := t.first(i); c >= 0; c = t.next(i, c) {
		if t.n[c].key == k && t.n[c].kind == 'n' {
			return true
		}
	}
	return false
}

func (t *tree) kind(i int) byte {
	if i < 0 {
		return 0
	}
	return t.n[i].kind
}

// bytes is the value as it stands on the wire.
func (t *tree) bytes(i int) []byte { return t.raw[t.n[i].start:t.n[i].end] }

// name is the member's name.
func (t *tree) name(i int) string { return unquote(t.raw[t.n[i].nstart:t.n[i].nend]) }

// str is the value of a string; a number, a boolean or a container gives its
// JSON text, and nothing gives "".
func (t *tree) str(i int) string {
	switch t.kind(i) {
	case 0, 'n':
		return ""
	case '"':
		return unquote(t.bytes(i))
	}
	return string(t.bytes(i))
}

// empty reports whether a value is nothing at all: absent, null, "", {} or [].
func (t *tree) empty(i int) bool {
	switch t.kind(i) {
	case 0, 'n':
		return true
	case '"':
		return t.n[i].end-t.n[i].start == 2
	case '{', '[':
		return len(bytes.TrimSpace(t.raw[t.n[i].start+1:t.n[i].end-1])) == 0
	}
	return false
}

// boolean reads true, false, and both as text or number.
func (t *tree) boolean(i int) (value, ok bool) {
	switch t.kind(i) {
	case 't':
		return true, true
	case 'f':
		return false, true
	case '"', '0':
		switch t.str(i) {
		case "true", "True", "TRUE", "1":
			return true, true
		case "false", "False", "FALSE", "0":
			return false, true
		}
	}
	return false, false
}

// unquote decodes a JSON string. Bad UTF-8 becomes U+FFFD.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) >= 2 && plain(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	out, _ := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
	if len(out) < largeText {
		return string(out)
	}
	return unsafe.String(&out[0], len(out)) // nobody has out, and a copy of it is many megabytes
}

// largeText is from where on a text is not copied once more, in bytes.
const largeText = 64 << 10

// plain reports whether all bytes are ASCII, which needs no check of UTF-8.
func plain(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// syntaxDetail says what jsontext found wrong, and at which byte.
func syntaxDetail(err error) string {
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		return fmt.Sprintf("at byte %d: %v", se.ByteOffset, se.Err)
	}
	return err.Error()
}
