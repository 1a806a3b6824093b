package session

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"runtime"
	"strings"
	"testing"

	"a2ascope/session/a2a"
)

// packed packs fill until size bytes are in.
func packed(t testing.TB, coding, fill string, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	case "deflate":
		w = zlib.NewWriter(&out)
	}
	for size > 0 {
		part := fill[:min(len(fill), size)]
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		size -= len(part)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// allocated is how many bytes do allocates, in this and all other goroutines.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A body is unpacked once into as much memory as it needs; a bomb takes none,
// and is left as it came. Not parallel: memory is measured.
func TestUnpackingIsBounded(t *testing.T) {
	const slack = 4 << 20 // the decoders' own windows and tables, twice
	zeros := strings.Repeat("0", 1<<20)
	varied := make([]byte, 1<<20) // packs to about a hundredth
	for i := range varied {
		varied[i] = byte('a' + i/64*7%26)
		if i%64 == 0 {
			varied[i] = byte(i / 64 * 31)
		}
	}
	whole := packed(t, "gzip", string(varied), 20<<20)
	for _, tc := range []struct {
		name, coding string
		body         []byte
		size         int // of what comes back; -1: the body as it came, with an error
		most         uint64
	}{
		{"small zeros", "gzip", packed(t, "gzip", zeros, 1<<20), 1 << 20, 1 << 20},
		{"a bomb", "gzip", packed(t, "gzip", zeros, 32<<20), -1, 0},
		{"a bomb in zlib", "deflate", packed(t, "deflate", zeros, 32<<20), -1, 0},
		{"20 MiB that pack well", "gzip", whole, 20 << 20, 20 << 20},
		{"more than is unpacked", "gzip", packed(t, "gzip", string(varied), 70<<20), maxDecodedBody, maxDecodedBody},
		{"no gzip", "gzip", []byte(`{"a":1}`), -1, 0},
		{"nothing", "gzip", nil, -1, 0},
		{"another coding", "br", []byte("x"), 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out []byte
			var err error
			took := allocated(func() { out, err = responseBody(tc.body, &Responded{Encoding: tc.coding}) })
			if want := tc.size; want < 0 && (err == nil || !bytes.Equal(out, tc.body)) || want >= 0 && (err != nil || len(out) != want) {
				t.Errorf("%d bytes came back of %d, wanted %d (%v)", len(out), len(tc.body), want, err)
			}
			if took > tc.most+slack {
				t.Errorf("%d bytes were allocated, wanted at most %d", took, tc.most+slack)
			}
		})
	}
	cut, err := responseBody(whole[:len(whole)/2], &Responded{Encoding: "gzip"})
	if plain := strings.Repeat(string(varied), 20); err != nil || len(cut) == 0 || !strings.HasPrefix(plain, string(cut)) {
		t.Errorf("of a body that breaks off %d bytes came back (%v)", len(cut), err)
	}
}

// Of a text of many megabytes one copy is made, for the payload; what is shown
// of it and its digest take none. Not parallel: memory is measured.
func TestLongTextIsCopiedOnce(t *testing.T) {
	const size, slack = 16 << 20, 1 << 20
	for name, piece := range map[string]string{"plain": "0123456789abcdef", "escaped": `012345678\"abcde`, "not ASCII": "0123456789abcdé"[:16]} {
		text := strings.Repeat(piece, size/len(piece))
		raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"` + text + `"}]}}}`)
		var p a2a.Payload
		if took := allocated(func() { p = a2a.Decode(a2a.Input{Raw: raw, Op: a2a.OpSend}) }); took > size+slack || p.Message == nil {
			t.Errorf("%s: reading it took %d bytes", name, took)
			continue
		}
		shown := ""
		if took := allocated(func() { shown = MessageText(p.Message) }); took > slack || len(shown) != maxMessageText+len("…") {
			t.Errorf("%s: %d bytes to show took %d", name, len(shown), took)
		}
		if took := allocated(func() { a2a.DigestOf([]a2a.Artifact{{ID: "a", Parts: p.Message.Parts}}) }); took > slack {
			t.Errorf("%s: its digest took %d bytes", name, took)
		}
	}
}

// FuzzUnpack: what was packed comes back, and bytes that only claim to be
// packed cost no more than bombRatio allows.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), false)
	f.Add(packed(f, "gzip", "0", 5000), true)
	f.Add(packed(f, "deflate", "{}", 5000), false)
	f.Fuzz(func(t *testing.T, b []byte, deflate bool) {
		coding := "gzip"
		if deflate {
			coding = "deflate"
		}
		if took, most := allocated(func() { _, _ = responseBody(b, &Responded{Encoding: coding}) }), uint64(bombSize+2<<20+2*bombRatio*len(b)); took > most {
			t.Fatalf("%d bytes made us allocate %d, wanted at most %d", len(b), took, most)
		}
		if len(b) == 0 {
			return
		}
		out, err := responseBody(packed(t, coding, string(b), len(b)), &Responded{Encoding: coding})
		if err != nil || !bytes.Equal(out, b) {
			t.Fatalf("%q came back as %q (%v)", b, out, err)
		}
	})
}
