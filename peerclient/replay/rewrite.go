package replay

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"a2ascope/session"
)

// maxDecoded bounds a body after content decoding.
const maxDecoded = 64 << 20

// swap is an id as it was recorded and as this client has it, as JSON.
type swap struct{ was, now []byte }

// quoted is a text as a JSON string.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// swapped puts the client's ids in place of the recorded ones.
func swapped(b []byte, swaps []swap) []byte {
	for _, s := range swaps {
		b = bytes.ReplaceAll(b, s.was, s.now)
	}
	return b
}

// withID puts the client's JSON-RPC id into an envelope, where the recorded
// answer had that of its request. An answer to another id stays one.
func withID(b []byte, recorded, client json.RawMessage) []byte {
	if client == nil || bytes.Equal(recorded, client) {
		return b
	}
	return edited(b, envelopeIDs(b), recorded, client)
}

// edited replaces the ids at the given places.
func edited(b []byte, places [][2]int, recorded, client json.RawMessage) []byte {
	for _, at := range slices.Backward(places) {
		b = slices.Concat(b[:at[0]], idLike(b[at[0]:at[1]], recorded, client), b[at[1]:])
	}
	return b
}

// idLike is the id that an answer to the client has, which had was where the
// request had recorded.
func idLike(was, recorded, client json.RawMessage) []byte {
	if bytes.Equal(was, recorded) {
		return client
	}
	if text := bare(was); text == bare(recorded) { // the same in another type
		if was[0] == '"' {
			return quoted(bare(client))
		}
		return client
	}
	a, errA := strconv.ParseInt(string(was), 10, 64)
	r, errR := strconv.ParseInt(string(recorded), 10, 64)
	c, errC := strconv.ParseInt(string(client), 10, 64)
	if errA == nil && errR == nil && errC == nil {
		return strconv.AppendInt(nil, c+a-r, 10) // as far off as it was
	}
	return was
}

// bare is an id without its quotes.
func bare(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil && len(id) > 0 && id[0] == '"' {
		return s
	}
	return string(id)
}

// frameWithID is withID for an event of a stream: the envelope may be spread
// over several data lines.
func frameWithID(raw []byte, recorded, client json.RawMessage) []byte {
	if client == nil || bytes.Equal(recorded, client) {
		return raw
	}
	var data []byte
	var at []int // of each byte of data, in raw
	for start := 0; start < len(raw); {
		end := start + len(raw[start:])
		if i := bytes.IndexAny(raw[start:], "\r\n"); i >= 0 {
			end = start + i
		}
		if value, ok := bytes.CutPrefix(raw[start:end], []byte("data:")); ok {
			from := end - len(value)
			for i, c := range value {
				data, at = append(data, c), append(at, from+i)
			}
			data, at = append(data, '\n'), append(at, end)
		}
		start = end + 1
	}
	places := envelopeIDs(data)
	for i, p := range places {
		places[i] = [2]int{at[p[0]], at[p[1]-1] + 1}
	}
	return edited(raw, places, recorded, client)
}

// readdress replaces, in all JSON strings that are addresses, the origins for
// which to has another. Nothing else of the text changes.
func readdress(b []byte, to func(origin string) string) []byte {
	var out []byte
	kept := 0 // b up to here is in out
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(b) && b[end] != '"' {
			if b[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(b) {
			break
		}
		if now, ok := addressed(string(b[i+1:end]), to); ok {
			out = append(append(out, b[kept:i+1]...), now...)
			kept = end
		}
		i = end
	}
	if kept == 0 {
		return b
	}
	return append(out, b[kept:]...)
}

// addressed gives an address another origin.
func addressed(s string, to func(origin string) string) (string, bool) {
	plain := strings.ReplaceAll(s, `\/`, `/`)
	scheme, rest, ok := strings.Cut(plain, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", false
	}
	now := to(session.OriginOf(plain))
	if now == "" {
		return "", false
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return now + rest[i:], true
	}
	return now, true
}

// decoded undoes a content coding that is known. It reports whether it did.
func decoded(body []byte, coding string) ([]byte, bool) {
	var r io.Reader
	var err error
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		r, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return body, false
	}
	if err != nil {
		return body, false
	}
	out, err := io.ReadAll(io.LimitReader(r, maxDecoded))
	if err != nil {
		return body, false
	}
	return out, true
}
