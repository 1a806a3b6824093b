package a2a

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on what an Assembly keeps of a task's artifacts.
const (
	MaxAssembled  = 1000     // artifacts; the rest are counted
	MaxText       = 64 << 10 // bytes of text of one artifact; the rest only enters the digest
	maxMediaTypes = 32
)

// Assembly puts the artifacts of one task together from the updates of its
// streams, at a cost of the update and never of what is there already. It is
// plain data, and its zero value is empty.
type Assembly struct {
	Items []Assembled `json:"items,omitempty"`
	// Beyond counts the artifacts that came when MaxAssembled were there.
	Beyond int `json:"beyond,omitempty"`

	index map[string]int // of Items by id; made anew when it does not fit
}

// Assembled is the state of one artifact. Only its plain members mean
// something outside of this package.
type Assembled struct {
	ID         string   `json:"id"`
	Name       string   `json:"name,omitempty"`
	MediaTypes []string `json:"mediaTypes,omitempty"` // in the order of their first part
	Parts      int      `json:"parts,omitempty"`
	Chunks     int      `json:"chunks,omitempty"` // updates that made it; 1 for a snapshot
	Size       int64    `json:"size,omitempty"`   // bytes of all content
	Sealed     bool     `json:"sealed,omitempty"` // its last chunk was marked
	Truncated  bool     `json:"truncated,omitempty"`
	Text       []byte   `json:"text,omitempty"`

	// Parts that are over, and the text part that may go on, as SHA-256 states.
	Done []byte `json:"done,omitempty"`
	Open []byte `json:"open,omitempty"`
	Line bool   `json:"line,omitempty"` // the next text begins a new line
}

// AssembledArtifact is one artifact as it stands, for views and documents.
type AssembledArtifact struct {
	ID         string
	Name       string
	MediaTypes []string
	Text       string // text parts joined; data and URL parts on lines of their own
	Truncated  bool   // Text is only the first MaxText bytes
	Digest     string // hex, of this artifact's parts
	Sealed     bool
	Parts      int
	Chunks     int
	Size       int64
}

// Apply takes in one update. A chunk to be appended to an artifact that is not
// there creates it. A last chunk without parts only seals.
func (a *Assembly) Apply(u ArtifactUpdate) []Anomaly {
	at, known := a.find(u.Artifact.ID)
	var out []Anomaly
	if u.Append && !known {
		out = []Anomaly{{Code: "artifact-append-unknown", Detail: fmt.Sprintf("a chunk is to be appended to the artifact %q, which was not begun", clip(u.Artifact.ID))}}
	}
	if !known {
		if len(a.Items) >= MaxAssembled {
			a.Beyond++
			return out
		}
		at = a.create(u.Artifact.ID)
	}
	item := &a.Items[at]
	marker := u.LastChunk && len(u.Artifact.Parts) == 0
	if known && !u.Append && !marker {
		*item = Assembled{ID: u.Artifact.ID}
	}
	item.extend(u.Artifact)
	item.Sealed = item.Sealed || u.LastChunk
	return out
}

// Replace makes the assembly what a snapshot of the task says. Artifacts of
// one id are one artifact.
func (a *Assembly) Replace(as []Artifact) {
	*a = Assembly{}
	for i := range as {
		at, known := a.find(as[i].ID)
		if !known {
			if len(a.Items) >= MaxAssembled {
				a.Beyond++
				continue
			}
			at = a.create(as[i].ID)
		}
		a.Items[at].extend(as[i])
	}
}

// Clone returns a copy that shares nothing that either will change.
func (a *Assembly) Clone() Assembly {
	c := Assembly{Items: slices.Clone(a.Items), Beyond: a.Beyond}
	for i := range c.Items {
		item := &c.Items[i]
		item.MediaTypes, item.Text = slices.Clone(item.MediaTypes), slices.Clone(item.Text)
		item.Done, item.Open = slices.Clone(item.Done), slices.Clone(item.Open)
	}
	return c
}

func (a *Assembly) find(id string) (int, bool) {
	if a.index == nil || len(a.index) != len(a.Items) {
		a.index = make(map[string]int, len(a.Items))
		for i := range a.Items {
			a.index[a.Items[i].ID] = i
		}
	}
	at, ok := a.index[id]
	return at, ok
}

func (a *Assembly) create(id string) int {
	a.Items = append(a.Items, Assembled{ID: id})
	a.index[id] = len(a.Items) - 1
	return len(a.Items) - 1
}

// Digest is the artifact digest in hex: SHA-256 over the artifacts sorted by
// id, each as its id with its length before it, and the SHA-256 over its parts
// in order, each as its kind and the SHA-256 of its content. Neighbouring text
// parts are one, data is canonical JSON, bytes are decoded, a URL is without
// its query. How the content was cut into chunks does not matter.
func (a *Assembly) Digest() string {
	order := make([]int, len(a.Items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return strings.Compare(a.Items[x].ID, a.Items[y].ID) })
	h := sha256.New()
	for _, i := range order {
		item := &a.Items[i]
		writeSized(h, item.ID)
		h.Write(item.sum())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// DigestOf is the artifact digest of a snapshot.
func DigestOf(as []Artifact) string {
	var a Assembly
	a.Replace(as)
	return a.Digest()
}

// Artifacts returns the artifacts in the order of their first update.
func (a *Assembly) Artifacts() []AssembledArtifact {
	out := make([]AssembledArtifact, 0, len(a.Items))
	for i := range a.Items {
		item := &a.Items[i]
		out = append(out, AssembledArtifact{
			ID: item.ID, Name: item.Name, MediaTypes: append([]string{}, item.MediaTypes...),
			Text: strings.ToValidUTF8(string(item.Text), "\ufffd"), Truncated: item.Truncated,
			Digest: hex.EncodeToString(item.sum()), Sealed: item.Sealed,
			Parts: item.Parts, Chunks: item.Chunks, Size: item.Size,
		})
	}
	return out
}

// extend appends the parts of a chunk.
func (s *Assembled) extend(a Artifact) {
	s.Chunks++
	if a.Name != "" {
		s.Name = a.Name
	}
	var open hash.Hash
	for i := range a.Parts {
		p := &a.Parts[i]
		s.Parts++
		if p.Kind == PartText && p.Text == "" {
			continue // nothing to join, and nothing of a type
		}
		if m := p.Mode(); m != "" && len(s.MediaTypes) < maxMediaTypes && !slices.Contains(s.MediaTypes, m) {
			s.MediaTypes = append(s.MediaTypes, m)
		}
		if p.Kind == PartText {
			if open == nil {
				open = restore(s.Open)
			}
			writeText(open, p.Text)
			s.Size += int64(len(p.Text))
			s.write(p.Text, false)
			continue
		}
		content := partContent(p)
		s.Size += int64(len(content))
		s.finish(open)
		open = nil
		done := restore(s.Done)
		writePart(done, p.Kind, sha256.Sum256(content))
		s.Done = save(done, s.Done)
		switch p.Kind {
		case PartData:
			s.write(string(compact(p.Data)), true)
		case PartURL:
			s.write(p.URL, true)
		}
	}
	if open != nil {
		s.Open = save(open, s.Open)
	}
}

// finish closes the text part that is open, in the hash given or in Open.
func (s *Assembled) finish(open hash.Hash) {
	if open == nil {
		if len(s.Open) == 0 {
			return
		}
		open = restore(s.Open)
	}
	done := restore(s.Done)
	writePart(done, PartText, [sha256.Size]byte(open.Sum(nil)))
	s.Done, s.Open = save(done, s.Done), nil
}

// sum is the digest of the artifact as it stands.
func (s *Assembled) sum() []byte {
	done := restore(s.Done)
	if len(s.Open) > 0 {
		writePart(done, PartText, [sha256.Size]byte(restore(s.Open).Sum(nil)))
	}
	return done.Sum(nil)
}

// write adds to the kept text; own puts it on a line of its own.
func (s *Assembled) write(text string, own bool) {
	if len(s.Text) > 0 && (s.Line || own) && !bytes.HasSuffix(s.Text, []byte("\n")) {
		s.keep("\n")
	}
	s.keep(text)
	s.Line = own
}

// keep appends text up to the bound, and cuts between characters.
func (s *Assembled) keep(text string) {
	if s.Truncated {
		return
	}
	if room := MaxText - len(s.Text); len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text, s.Truncated = text[:room], true
	}
	s.Text = append(s.Text, text...)
}

// partContent is what of a part enters the digest, but for text.
func partContent(p *Part) []byte {
	switch p.Kind {
	case PartData:
		v := jsontext.Value(bytes.Clone(p.Data))
		if v.Canonicalize(laxly...) != nil {
			return p.Data
		}
		return v
	case PartURL:
		address, fragment, hasFragment := strings.Cut(p.URL, "#")
		address, _, _ = strings.Cut(address, "?")
		if hasFragment {
			address += "#" + fragment
		}
		return []byte(address)
	}
	return p.Bytes
}

// writeText hashes a text piece by piece: as bytes it would be there twice.
func writeText(h hash.Hash, text string) {
	var piece []byte
	for len(text) > 0 {
		piece = append(piece[:0], text[:min(len(text), 32<<10)]...)
		h.Write(piece)
		text = text[len(piece):]
	}
}

func writePart(h hash.Hash, kind PartKind, content [sha256.Size]byte) {
	writeSized(h, string(kind))
	h.Write(content[:])
}

// writeSized writes a text with its length before it, so that no two lists of
// texts are the same bytes.
func writeSized(h hash.Hash, text string) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(text)))
	h.Write(size[:])
	h.Write([]byte(text))
}

// restore makes a hash from its saved state; none is a fresh one. A state that
// is no state of ours, which only damage can bring about, begins afresh too.
func restore(state []byte) hash.Hash {
	h := sha256.New()
	if len(state) > 0 && h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state) != nil {
		h.Reset()
	}
	return h
}

// save writes a hash's state into a fresh slice or over the old one.
func save(h hash.Hash, old []byte) []byte {
	state, err := h.(encoding.BinaryAppender).AppendBinary(old[:0])
	if err != nil { // SHA-256 of the standard library never refuses
		return old
	}
	return state
}

// ReplayKey names what an event says, so that a replay after a resubscribe is
// recognised: a status by task, state and timestamp, or its
// message where it has no time; an artifact chunk by id,
// append and content; a snapshot by task, state and timestamp; a message by
// its id. It is empty for everything else. Keys are short and of one length.
func (p Payload) ReplayKey() string {
	h := sha256.New()
	mark := ""
	switch {
	case p.Status != nil:
		mark = "s"
		writeSized(h, p.Status.TaskID)
		writeStatus(h, p.Status.Status)
	case p.Task != nil:
		mark = "t"
		writeSized(h, p.Task.ID)
		writeStatus(h, p.Task.Status)
	case p.Artifact != nil:
		mark = "a"
		writeSized(h, p.Artifact.Artifact.ID)
		writeSized(h, strconv.FormatBool(p.Artifact.Append))
		h.Write(digestParts(p.Artifact.Artifact.Parts))
	case p.Message != nil:
		mark = "m"
		writeSized(h, p.Message.ID)
		if p.Message.ID == "" {
			writeSized(h, string(p.Message.Role))
			h.Write(digestParts(p.Message.Parts))
		}
	default:
		return ""
	}
	return mark + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15])
}

func writeStatus(h hash.Hash, s Status) {
	writeSized(h, string(s.State))
	if !s.Timestamp.IsZero() {
		writeSized(h, s.Timestamp.UTC().Format(time.RFC3339Nano))
	} else if s.Message != nil { // without a time only the message tells two apart
		writeSized(h, s.Message.ID)
		h.Write(digestParts(s.Message.Parts))
	}
}

func digestParts(parts []Part) []byte {
	s := Assembled{}
	s.extend(Artifact{Parts: parts})
	return s.sum()
}
