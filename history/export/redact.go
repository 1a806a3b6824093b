package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// Bounds of what redaction remembers, whatever a peer sends.
const (
	maxValues  = 20_000  // values with a number of their own
	maxEchoes  = 1_000   // values that are looked for everywhere
	maxEcho    = 4 << 10 // bytes of such a value
	maxPlaces  = 200     // kinds of places that are told apart
	maxJudged  = 1_000   // names whose meaning is remembered
	minEcho    = 12
	placesMore = "other places"
)

// redactor takes what looks like a secret out of records. The same value gets
// the same placeholder wherever it stands.
type redactor struct {
	names   map[string]bool // of keys that cards declare, in lower case
	judged  map[string]bool // names that were looked at: the same ones come again and again
	numbers map[[sha256.Size]byte]int
	echoes  []string // values that are looked for everywhere
	echo    *strings.Replacer
	places  map[string]*Place
	hits    int  // since it was last set to 0
	found   bool // the first pass found something
	records uint64
	// clean has a bit for each record that was looked at in full knowledge and
	// holds nothing: reports read the session several times. nil before that.
	clean []uint64
}

func newRedactor() *redactor {
	return &redactor{names: map[string]bool{}, judged: map[string]bool{}, numbers: map[[sha256.Size]byte]int{}, places: map[string]*Place{}}
}

// secretName reports whether the value of a header, parameter, cookie or
// member of this name is taken for a secret.
func (r *redactor) secretName(name string) bool {
	secret, ok := r.judged[name]
	if !ok {
		secret = session.SecretName(name) || r.names[strings.ToLower(name)]
		if len(r.judged) < maxJudged && len(name) <= 64 {
			r.judged[name] = secret
		}
	}
	return secret
}

// placeholder returns what stands for a value, and counts it.
func (r *redactor) placeholder(value []byte, where string) []byte {
	r.hits++
	sum := sha256.Sum256(value)
	n, known := r.numbers[sum]
	if !known && len(r.numbers) < maxValues {
		n = len(r.numbers) + 1
		r.numbers[sum] = n
		if echoes(value) && len(r.echoes) < maxEchoes {
			r.echoes = append(r.echoes, string(value))
		}
	}
	r.count(visible(where), 1, mask(value))
	if n == 0 {
		return []byte("‹redacted›")
	}
	return []byte(redacted(n))
}

func redacted(n int) string { return "‹redacted:" + strconv.Itoa(n) + "›" }

func (r *redactor) count(where string, n int, sample string) {
	where = cut(where, 60)
	p := r.places[where]
	if p == nil && len(r.places) >= maxPlaces {
		where = placesMore
		p = r.places[where]
	}
	if p == nil {
		p = &Place{Where: where, Sample: sample}
		r.places[where] = p
	}
	p.Count += n
}

// echoes reports whether a value is so much its own that finding it again
// elsewhere cannot be chance.
func echoes(value []byte) bool {
	if len(value) < minEcho || len(value) > maxEcho || bytes.ContainsAny(value, " \t\r\n‹") {
		return false
	}
	letter := bytes.ContainsFunc(value, func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' })
	return letter && (hasDigit(value) || len(value) >= 24)
}

// mask shows so much of a value that its owner knows it again.
func mask(value []byte) string {
	shown := ""
	if len(value) >= 16 {
		shown = visible(string(value[:2]))
	}
	return fmt.Sprintf("%s… (%d bytes)", shown, len(value))
}

// learned ends the first pass: the values that were found are looked for
// everywhere from now on, and counting begins anew.
func (r *redactor) learned() {
	var pairs []string
	for _, v := range r.echoes {
		with := redacted(r.numbers[sha256.Sum256([]byte(v))])
		forms := []string{v, url.QueryEscape(v), url.PathEscape(v), base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)), string(quoted([]byte(v)))}
		slices.Sort(forms)
		for _, f := range slices.Compact(forms) {
			pairs = append(pairs, f, with)
		}
	}
	r.found = r.hits > 0
	r.echo = nil
	if len(pairs) > 0 {
		r.echo = strings.NewReplacer(pairs...)
	}
	r.places, r.records, r.hits = map[string]*Place{}, 0, 0
	r.clean = []uint64{}
}

// isClean reports whether a record was found to hold nothing.
func (r *redactor) isClean(seq uint64) bool {
	return seq/64 < uint64(len(r.clean)) && r.clean[seq/64]>>(seq%64)&1 == 1
}

// markClean keeps in mind that a record holds nothing.
func (r *redactor) markClean(seq uint64) {
	if r.clean == nil || seq/64 > uint64(len(r.clean)) { // read out of turn
		return
	}
	if seq/64 == uint64(len(r.clean)) {
		r.clean = append(r.clean, 0)
	}
	r.clean[seq/64] |= 1 << (seq % 64)
}

// idle reports whether the first pass found nothing: records then stay as
// they are.
func (r *redactor) idle() bool { return !r.found }

// rewrite puts the spots into b. Where they overlap, the first and longest
// stands for the whole stretch.
func (r *redactor) rewrite(b []byte, spots []spot) []byte {
	if len(spots) > 0 {
		slices.SortStableFunc(spots, func(x, y spot) int {
			if x.from != y.from {
				return x.from - y.from
			}
			return y.to - x.to
		})
		out := make([]byte, 0, len(b)+16*len(spots))
		at := 0
		for i := 0; i < len(spots); {
			s, end := spots[i], spots[i].to
			for i++; i < len(spots) && spots[i].from < end; i++ {
				end = max(end, spots[i].to)
			}
			out = append(append(out, b[at:s.from]...), s.with...)
			at = end
		}
		b = append(out, b[at:]...)
	}
	return r.echoed(b)
}

// echoed replaces values that were found under a name wherever else they
// stand.
func (r *redactor) echoed(b []byte) []byte {
	if r.echo == nil || len(b) < minEcho {
		return b
	}
	out := []byte(r.echo.Replace(string(b)))
	if n := bytes.Count(out, []byte("‹redacted")) - bytes.Count(b, []byte("‹redacted")); n > 0 {
		r.hits += n
		r.count("the same value elsewhere", n, "")
		return out
	}
	return b
}

// body rewrites what a peer sent, or was sent, as a body.
func (r *redactor) body(b []byte) []byte {
	spots := r.inString(b, false, 0)
	if bytes.IndexByte(b, '=') > 0 && form.Match(b) {
		spots = r.formFields(b, spots)
	}
	return r.rewrite(b, spots)
}

var (
	headMember     = regexp.MustCompile(`"head":[0-9]+`)
	encodingMember = regexp.MustCompile(`,"encoding":"[^"]*"`)
	protoMember    = regexp.MustCompile(`"protoJson":"[^"]*"`)
)

// record returns a copy without what looks like a secret; the record itself
// when it holds none. The copy keeps digests and hash, and says that it is
// redacted.
func (r *redactor) record(in session.Record) session.Record {
	if r.isClean(in.Seq) {
		return in
	}
	before := r.hits
	out := in
	body := r.rewrite(in.Body, r.inString(in.Body, true, 0))
	if in.Raw != nil {
		out.Raw, body = r.wire(&in, body)
	}
	r.learnNames(&in)
	if r.hits == before && bytes.Equal(body, in.Body) && bytes.Equal(out.Raw, in.Raw) {
		r.markClean(in.Seq)
		return in
	}
	r.records++
	out.Body, out.Redacted = body, true
	return out
}

// wire rewrites the bytes of a wire record, and what the body says of them.
func (r *redactor) wire(in *session.Record, body []byte) (raw, newBody []byte) {
	var b struct {
		Head     int    `json:"head"`
		Encoding string `json:"encoding"`
	}
	if in.Kind == session.KindRequest || in.Kind == session.KindResponse || in.Kind == session.KindPush {
		if in.Decode(&b) != nil || b.Head < 0 || b.Head > len(in.Raw) {
			b.Head = 0
		}
	}
	head := in.Raw[:b.Head]
	newHead := r.rewrite(head, r.head(head, nil))
	rest := in.Raw[b.Head:]
	newRest, unpacked := r.content(in.Body, body, rest, b.Encoding)
	if unpacked {
		body = encodingMember.ReplaceAll(body, nil)
	}
	if b.Head > 0 && len(newHead) != len(head) {
		body = headMember.ReplaceAll(body, fmt.Appendf(nil, `"head":%d`, len(newHead)))
	}
	if len(newHead) == len(head) && len(newRest) == len(rest) && bytes.Equal(newHead, head) && bytes.Equal(newRest, rest) {
		return in.Raw, body
	}
	return append(slices.Clone(newHead), newRest...), body
}

// content rewrites what follows the head. A gRPC message is told by its JSON in
// the record's body: when there is something to take out of that, its own bytes
// go, for there is no taking out of those.
func (r *redactor) content(oldBody, newBody, rest []byte, encoding string) (out []byte, unpacked bool) {
	if proto := protoMember.Find(oldBody); proto != nil {
		if !bytes.Equal(proto, protoMember.Find(newBody)) || !bytes.Equal(r.rewrite(rest, r.text(rest, nil)), rest) {
			return nil, false
		}
		return rest, false
	}
	plain, packed, err := session.Unpack(rest, encoding)
	if errors.Is(err, session.ErrBomb) { // what cannot be looked into is not handed on
		r.hits++
		r.count("bodies that unpack to too much to look into", 1, "")
		return nil, true
	}
	out = r.body(plain)
	if bytes.Equal(out, plain) {
		return rest, false
	}
	return out, packed
}

// learnNames takes in how a card names the keys that it asks for.
func (r *redactor) learnNames(in *session.Record) {
	if in.Kind != session.KindCard || len(r.names) > maxPlaces {
		return
	}
	card, _, err := a2a.DecodeCard(in.Raw)
	if err != nil {
		return
	}
	for _, s := range card.Schemes {
		if s.Kind == "apiKey" && s.Param != "" {
			r.names[strings.ToLower(s.Param)] = true
			clear(r.judged)
		}
	}
}
