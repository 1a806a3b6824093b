package a2a

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxState is how many bytes are kept of a state that is none: peers can
// inflate it.
const maxState = 256

// ParseState normalises a task state of any generation or spelling. A word
// that the specification does not know is returned in lower case.
func ParseState(raw string) State {
	switch raw { // the spellings of the specifications, without allocation
	case "TASK_STATE_SUBMITTED", "submitted":
		return Submitted
	case "TASK_STATE_WORKING", "working":
		return Working
	case "TASK_STATE_INPUT_REQUIRED", "input-required":
		return InputRequired
	case "TASK_STATE_AUTH_REQUIRED", "auth-required":
		return AuthRequired
	case "TASK_STATE_COMPLETED", "completed":
		return Completed
	case "TASK_STATE_FAILED", "failed":
		return Failed
	case "TASK_STATE_CANCELED", "canceled":
		return Canceled
	case "TASK_STATE_REJECTED", "rejected":
		return Rejected
	case "TASK_STATE_UNSPECIFIED", "":
		return Unspecified
	}
	if len(raw) > 64 { // no state is so long; do not fold what a peer inflates
		return State(strings.ToLower(raw[:min(len(raw), maxState)]))
	}
	word := strings.TrimPrefix(foldName(strings.ReplaceAll(strings.TrimSpace(raw), " ", "")), "taskstate")
	switch word {
	case "submitted":
		return Submitted
	case "working":
		return Working
	case "inputrequired":
		return InputRequired
	case "authrequired":
		return AuthRequired
	case "completed":
		return Completed
	case "failed":
		return Failed
	case "canceled", "cancelled":
		return Canceled
	case "rejected":
		return Rejected
	case "unspecified", "unknown", "":
		return Unspecified
	}
	return State(strings.ToLower(raw))
}

// stateNumbers are the states by their number in the protocol buffers, which
// is the same in 0.3 and 1.0.
var stateNumbers = []State{Unspecified, Submitted, Working, Completed, Failed, Canceled, InputRequired, Rejected, AuthRequired}

// state reads a state and notes a spelling that its dialect does not have.
func (d *decoder) state(i int) (State, string) {
	raw := d.str(i)
	if d.kind(i) == '0' {
		d.note("state-spelling", false, "the state is the number %s", raw)
		if n, err := strconv.Atoi(raw); err == nil && n >= 0 && n < len(stateNumbers) {
			return stateNumbers[n], raw
		}
		return State(raw), raw
	}
	s := ParseState(raw)
	proto := strings.HasPrefix(raw, "TASK_STATE_")
	known := s == Unspecified || s == Submitted || s == Working || s.Interrupted() || s.Terminal()
	switch {
	case i < 0:
		d.note("field-missing", false, "the status names no state")
	case !known:
		d.note("state-unknown", false, "the state %q is none of the specification; it counts as not terminal", clip(raw))
	case proto && d.ev&(evKind|evType) != 0:
		d.note("state-spelling", false, "the state %q belongs to 1.0, the shape around it to 0.x", raw)
	case proto && raw == "TASK_STATE_CANCELLED" && d.out.Envelope:
		d.note("state-spelling", false, "the state %q has two Ls", raw)
	case !proto && d.ev&(evWrapper|ev10) != 0 && d.ev&(evKind|evType) == 0:
		d.note("state-spelling", false, "the state %q belongs to 0.x, the shape around it to 1.0", raw)
	case !proto && raw != string(s) && raw != "unknown":
		d.note("state-spelling", false, "the state is spelled %q", clip(raw))
	}
	return s, raw
}

// clip shortens a peer's text for a sentence of ours.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// parseRole normalises who wrote a message.
func parseRole(raw string) Role {
	switch raw {
	case "user", "ROLE_USER":
		return User
	case "agent", "ROLE_AGENT":
		return Agent
	}
	lower := strings.ToLower(raw)
	return Role(strings.TrimPrefix(lower, "role_"))
}

// integer reads a number that should be a whole one; 1.0 and "1" are 1.
// Anything else is 0.
func (d *decoder) integer(i int) int {
	f, err := strconv.ParseFloat(d.str(i), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1<<52 {
		return 0
	}
	return int(f)
}

// zonelessLayouts are the timestamps without a zone that peers were seen to
// send; they are read as UTC.
var zonelessLayouts = []string{
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04",
	"2006-01-02",
}

// zonedLayouts are the odd ones with a zone.
var zonedLayouts = []string{
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999 -0700 MST",
	"2006-01-02T15:04Z07:00",
	time.RFC1123, time.RFC1123Z,
}

// timestamp reads a time in every form that was met. The zero time is no time.
func (d *decoder) timestamp(i int) time.Time {
	switch d.kind(i) {
	case 0:
		return time.Time{}
	case '"':
		raw := d.str(i)
		if raw == "" {
			return time.Time{}
		}
		if t, err := time.Parse(time.RFC3339Nano, raw); err == nil {
			return d.plausible(t, raw)
		}
		return d.oddTimestamp(raw)
	case '0':
		return d.epoch(d.str(i))
	case '{':
		seconds := d.member(i, kSeconds)
		d.note("timestamp-invalid", false, "the timestamp is an object")
		if seconds >= 0 {
			return d.plausible(time.Unix(int64(d.integer(seconds)), int64(d.integer(d.member(i, kNanos)))), "")
		}
		return time.Time{}
	}
	d.note("timestamp-invalid", false, "the timestamp is neither text nor number")
	return time.Time{}
}

func (d *decoder) oddTimestamp(raw string) time.Time {
	text := strings.TrimSpace(raw)
	for _, layout := range zonelessLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			d.note("timestamp-invalid", false, "the timestamp %q has no zone; read as UTC", clip(raw))
			return d.plausible(t, raw)
		}
	}
	for _, layout := range zonedLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			d.note("timestamp-invalid", false, "the timestamp %q is not RFC 3339", clip(raw))
			return d.plausible(t, raw)
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return d.epoch(text)
	}
	d.note("timestamp-invalid", false, "the timestamp %q cannot be read", clip(raw))
	return time.Time{}
}

// epoch reads seconds, milliseconds, microseconds or nanoseconds since 1970,
// told apart by their size.
func (d *decoder) epoch(raw string) time.Time {
	d.note("timestamp-invalid", false, "the timestamp %q is a number", clip(raw))
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > 9e18 {
		return time.Time{}
	}
	switch {
	case f >= 1e17:
		return d.plausible(time.Unix(0, int64(f)), raw)
	case f >= 1e14:
		return d.plausible(time.UnixMicro(int64(f)), raw)
	case f >= 1e11:
		return d.plausible(time.UnixMilli(int64(f)), raw)
	}
	whole, frac := math.Modf(f)
	return d.plausible(time.Unix(int64(whole), int64(frac*1e9)), raw)
}

// plausible refuses years that RFC 3339 cannot write.
func (d *decoder) plausible(t time.Time, raw string) time.Time {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		d.note("timestamp-invalid", false, "the timestamp %q is outside the years 1 to 9999", clip(raw))
		return time.Time{}
	}
	return t
}

// maxPollHint bounds the cadence that a peer can ask for.
const maxPollHint = 24 * time.Hour

// pollHint looks for the cadence that a peer asks for in an object's metadata.
func (d *decoder) pollHint(i int) time.Duration {
	meta := d.member(i, kMetadata)
	if d.kind(meta) != '{' || !bytes.Contains(bytes.ToLower(d.bytes(meta)), []byte("poll")) {
		return 0
	}
	meta = d.expand(meta)
	if ms := d.number(d.member(meta, kPollIntervalMs)); ms > 0 {
		return time.Duration(min(ms*float64(time.Millisecond), float64(maxPollHint)))
	}
	if s := d.number(d.member(meta, kPollHintSeconds)); s > 0 {
		return time.Duration(min(s*float64(time.Second), float64(maxPollHint)))
	}
	return 0
}

// number reads a number, also one written as text; 0 when there is none.
func (d *decoder) number(i int) float64 {
	f, err := strconv.ParseFloat(d.str(i), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// base64Forms are tried in order after padding and white space are taken off.
var base64Forms = []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding}

func decodeBase64(text string) ([]byte, bool) {
	if strings.ContainsAny(text, " \t\r\n") {
		text = strings.Join(strings.Fields(text), "")
	}
	text = strings.TrimRight(text, "=")
	for _, form := range base64Forms {
		if b, err := form.DecodeString(text); err == nil {
			return b, true
		}
	}
	return nil, false
}

// magic gives the first bytes of some media types, by which content that was
// encoded twice is recognised.
var magic = map[string]string{
	"image/png": "\x89PNG", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8",
	"application/pdf": "%PDF", "application/zip": "PK\x03\x04", "application/gzip": "\x1f\x8b",
	"image/webp": "RIFF", "audio/wav": "RIFF", "application/wasm": "\x00asm",
}

// content decodes the bytes of a file part.
func (d *decoder) content(i int, mediaType string) []byte {
	if d.wordsOnly {
		return []byte{}
	}
	if d.kind(i) == '{' || d.kind(i) == '[' {
		return d.byteArray(i)
	}
	text := d.str(i)
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		if _, b64, ok := strings.Cut(rest, ";base64,"); ok {
			d.note("bytes-encoding", false, "the bytes are a data: URL")
			text = b64
		}
	}
	b, ok := decodeBase64(text)
	if !ok {
		d.note("bytes-encoding", false, "the bytes are not base64; kept as the text that they are")
		return []byte(text)
	}
	if inner, ok := encodedAgain(b, mediaType); ok {
		d.note("bytes-encoding", false, "the bytes are base64 twice: %d bytes, of which the content is %d", len(b), len(inner))
	}
	return b
}

// encodedAgain reports whether bytes are base64 once more, of what begins as the
// declared media type does; or, where none is declared or one that has no
// beginning of its own, as any of the kinds that are told by four bytes or more.
// Text is left alone: a base64 text can be meant.
func encodedAgain(b []byte, mediaType string) ([]byte, bool) {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	mediaType = strings.TrimSpace(mediaType)
	want, declared := magic[mediaType]
	if declared && bytes.HasPrefix(b, []byte(want)) || strings.HasPrefix(mediaType, "text/") {
		return nil, false
	}
	if head, ok := decodeBase64(string(b[:min(len(b), 8)])); !ok || !beginsAs(head, want) {
		return nil, false
	}
	return decodeBase64(string(b))
}

// beginsAs reports whether content begins as wanted; "" is as any kind that is
// told by four bytes.
func beginsAs(content []byte, want string) bool {
	if want != "" {
		return bytes.HasPrefix(content, []byte(want))
	}
	for _, m := range magic {
		if len(m) >= 4 && bytes.HasPrefix(content, []byte(m)) {
			return true
		}
	}
	return false
}

// byteArray reads bytes that were written as an array of numbers, or as the
// object that a JavaScript buffer makes of itself.
func (d *decoder) byteArray(i int) []byte {
	d.note("bytes-encoding", false, "the bytes are an array of numbers")
	if d.kind(i) == '{' {
		if i = d.member(i, kData); i < 0 {
			return nil
		}
	}
	i = d.expand(i)
	var out []byte
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		out = append(out, byte(d.integer(c)))
	}
	return out
}
