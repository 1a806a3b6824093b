package a2a

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Input is one body or the data of one stream event, as it came.
type Input struct {
	Raw []byte
	// Op is what was asked. It only settles what the shape leaves open, such
	// as what an empty array is a list of.
	Op Operation
	// HTTPStatus of the response; 0 for a stream event or a webhook delivery.
	HTTPStatus int
	// Odd names the values of a gRPC message that JSON has no form for.
	Odd []string
}

// Decode reads one body or event of any generation, with or without a JSON-RPC
// envelope. It never fails: what cannot be read is KindUnreadable, what is read
// but not understood is KindUnknown, and what had to be tolerated stands in
// Anomalies. Nothing in the payload aliases in.Raw.
func Decode(in Input) Payload {
	d := decoder{in: in}
	d.run()
	return d.out
}

// run decodes the whole input.
func (d *decoder) run() {
	s := scanners.Get().(*scanner)
	d.s = s
	if len(d.in.Odd) > 0 {
		d.note("grpc-value", false, "%s", strings.Join(d.in.Odd, "; "))
	}
	d.decode()
	if cap(d.n) <= 1<<14 { // the arena of a huge document is not kept
		s.n = d.n[:0]
	}
	s.buf.Reset()
	scanners.Put(s)
	d.out.Anomalies = d.anomalies
}

// evidence is what the shape says of its generation.
type evidence uint8

const (
	evWrapper evidence = 1 << iota // a union by wrapper key
	evProto                        // TASK_STATE_ or ROLE_ values
	evKind                         // a union by kind
	evType                         // parts by type, sessionId: 0.1
	ev03REST                       // content, msg, fileWithBytes: the proto JSON of 0.3
	ev10                           // mediaType, raw, filename, parts beside a ROLE_
)

type decoder struct {
	tree
	s         *scanner
	in        Input
	out       Payload
	ev        evidence
	inner     []byte // the card's bytes where something stands around it; else nil
	wordsOnly bool   // the bytes of files are left out
	casing    bool   // a known member was found under another spelling
	compared  int    // duplicate names whose values were compared
	anomalies []Anomaly
}

// maxAnomalies bounds the anomalies of one payload.
const maxAnomalies = 32

// note adds an anomaly, once per code and weight. Of a document that was not
// looked into to its end, nothing is said to be missing: it may stand there.
func (d *decoder) note(code string, lossy bool, format string, args ...any) {
	if len(d.anomalies) >= maxAnomalies || d.cut && strings.HasSuffix(code, "-missing") {
		return
	}
	for i := range d.anomalies {
		if d.anomalies[i].Code == code && d.anomalies[i].Lossy == lossy {
			return
		}
	}
	d.anomalies = append(d.anomalies, Anomaly{Code: code, Detail: fmt.Sprintf(format, args...), Lossy: lossy})
}

func (d *decoder) decode() {
	raw := d.in.Raw
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		d.note("json-bom", false, "a byte order mark stands before the JSON")
		raw = raw[3:]
	}
	d.raw = raw
	if len(bytes.TrimSpace(raw)) == 0 {
		d.out.Kind = KindNone
		if d.in.HTTPStatus >= 300 {
			d.statusError("", -1)
		}
		return
	}
	if !d.read() {
		return
	}
	if d.cut {
		d.note("json-too-large", true, "only the first %d values were looked into", maxNodes)
	}
	if d.deep {
		d.note("json-too-deep", false, "values nested more than %d deep were not looked into", maxDepth)
	}
	d.top(0)
	if d.casing {
		code := "key-casing"
		if d.out.Kind == KindCard {
			code = "card-key-casing"
		}
		d.note(code, false, "known members are spelled otherwise than in the specification (snake_case or other case)")
	}
}

// read builds the tree: strictly, then laxly with what was wrong as an
// anomaly. It reports whether there is a tree.
func (d *decoder) read() bool {
	if len(d.raw) > maxBytes {
		d.unreadable(fmt.Sprintf("%d bytes are more than can be read", len(d.raw)))
		return false
	}
	err := d.build(d.s, false, false)
	if err == nil {
		return true
	}
	if errors.Is(err, errTrailing) {
		return d.trailing()
	}
	strict := err
	d.deep, d.cut = false, false
	err = d.build(d.s, true, true)
	if err != nil && !errors.Is(err, errTrailing) {
		d.unreadable(whatItIs(d.raw) + ", " + syntaxDetail(err))
		return false
	}
	if errors.Is(strict, jsontext.ErrDuplicateName) {
		before := len(d.anomalies)
		d.duplicates(0, false, false)
		if len(d.anomalies) == before {
			d.note("json-duplicate-key", false, "%s", syntaxDetail(strict))
		}
	} else {
		d.note("json-utf8", false, "bad UTF-8 was replaced: %s", syntaxDetail(strict))
	}
	return err == nil || d.trailing()
}

// trailing is what follows the JSON value. Words that only begin like JSON,
// such as "404 page not found", are no JSON at all.
func (d *decoder) trailing() bool {
	if k := d.kind(0); k != '{' && k != '[' {
		d.unreadable(whatItIs(d.raw))
		return false
	}
	rest := bytes.TrimSpace(d.raw[d.n[0].end:])
	d.note("json-trailing", true, "%d bytes follow the JSON value at byte %d and were not read", len(rest), d.n[0].end)
	return true
}

// unreadable is the answer to what is no JSON: with an HTTP error it is that
// error's page, else it is content that was lost.
func (d *decoder) unreadable(what string) {
	if d.in.HTTPStatus >= 300 {
		d.statusError(pageText(d.raw), -1)
		return
	}
	d.out.Kind = KindUnreadable
	d.note("event-unreadable", true, "%s", what)
}

// whatItIs names the look of a body that is no JSON, for people.
func whatItIs(raw []byte) string {
	head := bytes.TrimSpace(raw)
	if len(head) > 64 {
		head = head[:64]
	}
	lower := strings.ToLower(string(head))
	switch {
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "an HTML page"
	case strings.HasPrefix(lower, "<"):
		return "XML or HTML"
	case strings.HasPrefix(lower, "{"), strings.HasPrefix(lower, "["):
		return "broken or cut JSON"
	}
	return "no JSON"
}

// find is member, and remembers that a known member had another spelling.
func (d *decoder) find(i int, k key) int {
	c := d.member(i, k)
	if c >= 0 && d.n[c].alt {
		d.casing = true
	}
	return c
}

// either finds the first of several members that is there.
func (d *decoder) either(i int, ks ...key) int {
	for _, k := range ks {
		if c := d.find(i, k); c >= 0 {
			return c
		}
	}
	return -1
}

// text is the string value of the first of several members that is there.
func (d *decoder) text(i int, ks ...key) string { return d.str(d.either(i, ks...)) }

// top reads the envelope, if there is one, and then the result.
func (d *decoder) top(i int) {
	if d.kind(i) == '[' { // a batch of one is an envelope too
		if c := d.first(i); c >= 0 && d.next(i, c) < 0 && d.member(c, kJSONRPC) >= 0 {
			d.note("envelope-shape", false, "a JSON-RPC batch of one")
			i = c
		}
	}
	if d.kind(i) != '{' {
		d.bare(i)
		return
	}
	id, result, failure := d.idOf(i), d.find(i, kResult), d.find(i, kError)
	marked := d.member(i, kJSONRPC) >= 0
	if !marked && (result < 0 || d.member(i, kStatus) >= 0) && (failure < 0 || id == "") {
		d.bare(i)
		return
	}
	d.out.Envelope, d.out.RPCID = true, id
	if !marked {
		d.note("envelope-shape", false, `the JSON-RPC envelope lacks "jsonrpc"`)
	}
	switch {
	case failure >= 0:
		if result >= 0 && !d.empty(result) {
			d.note("envelope-ambiguous", true, "the envelope holds a result and an error; the error was taken")
		}
		d.failure(failure)
	case result >= 0:
		if id == "null" { // an error may have it: the request could not be read
			d.note("rpc-id-mismatch", false, "a result answers the request with the id null")
		}
		d.bare(result)
	case d.member(i, kParams) >= 0:
		d.note("envelope-shape", false, "the envelope is a request or notification, its params were read as the result")
		d.bare(d.member(i, kParams))
	default:
		d.out.Kind = KindNone
		if d.in.Op == OpPushList {
			d.out.Kind = KindPush
		}
	}
}

// idOf is the envelope's id as raw JSON, null included.
func (d *decoder) idOf(i int) string {
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		if d.n[c].key == kID && !d.n[c].alt {
			return string(d.bytes(c))
		}
	}
	return ""
}

// bare classifies a result, or a body without an envelope.
func (d *decoder) bare(i int) {
	switch d.kind(i) {
	case '{':
		d.survey(i)
		d.object(i)
		d.generation()
	case '[':
		d.survey(i)
		d.list(i)
		d.generation()
	case 'n':
		d.out.Kind = KindNone
		if d.in.Op == OpPushList {
			d.out.Kind = KindPush
		}
	default:
		if d.in.HTTPStatus >= 300 {
			d.statusError(d.str(i), -1)
			return
		}
		d.out.Kind = KindUnknown
		d.note("shape-unknown", false, "the answer is a bare JSON %s", jsontext.Kind(d.kind(i)))
	}
}

// survey gathers what tells the generation, everywhere but in payloads and
// metadata. It goes first, because some parts can be read only with it.
func (d *decoder) survey(i int) {
	role, parts := false, false
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		n := &d.n[c]
		switch n.key {
		case kData, kMetadata:
			continue
		case kKind:
			if unionKind(d.str(c)) != kUnknown || isPartKind(d.str(c)) {
				d.ev |= evKind
			}
		case kType:
			if isPartKind(d.str(c)) {
				d.ev |= evType
			}
		case kSessionID:
			d.ev |= evType
		case kState, kStatus:
			if n.kind == '"' && bytes.HasPrefix(d.bytes(c), []byte(`"TASK_STATE_`)) {
				d.ev |= evProto
			}
			if n.kind == '"' && string(d.bytes(c)) == `"TASK_STATE_CANCELLED"` {
				d.ev |= ev03REST
			}
		case kRole:
			if bytes.HasPrefix(d.bytes(c), []byte(`"ROLE_`)) {
				d.ev |= evProto
				role = true
			}
		case kParts:
			parts = n.kind == '['
		case kContent:
			if n.kind == '[' {
				d.ev |= ev03REST
			}
		case kFileWithBytes, kFileWithURI:
			d.ev |= ev03REST
		case kMediaType, kFilename, kRaw:
			d.ev |= ev10
		}
		if n.kind == '{' || n.kind == '[' {
			d.survey(c)
		}
	}
	if role && parts {
		d.ev |= ev10
	}
}

// generation settles Payload.Gen from what was seen. Without an envelope the
// proto JSON of 0.3 and of 1.0 can be the same bytes: then nothing is said.
func (d *decoder) generation() {
	switch d.out.Kind {
	case KindCard:
		d.out.Gen = d.out.Card.Generation
		return
	case KindError, KindUnknown, KindNone:
		return
	}
	switch ev := d.ev; {
	case ev&evKind != 0:
		d.out.Gen = Gen03
		if ev&evWrapper != 0 {
			d.note("version-shape-mix", false, "a union by wrapper key (1.0) holds members with a kind (0.x)")
		}
	case ev&evType != 0:
		d.out.Gen = Gen01
	case ev&ev03REST != 0:
		d.out.Gen = Gen03
	case ev&(evProto|evWrapper) != 0 && (d.out.Envelope || ev&ev10 != 0):
		d.out.Gen = Gen10
	}
}
