package a2a

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Memory that a document of n bytes may cost, in bytes: the nodes of its
// values, its strings, and each of them once more where a name stands twice.
const (
	fuzzBase    = 256 << 10
	fuzzPerByte = 512
)

// frugal fails when do allocates more than a document of n bytes may.
func frugal(t *testing.T, n int, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(fuzzBase+fuzzPerByte*n); took > most {
		t.Fatalf("%d bytes made us allocate %d, wanted at most %d", n, took, most)
	}
}

// sound decodes and holds the payload to what is true of every one: decoding is
// deterministic, keeps nothing of its input and costs no more than it may, at
// most one thing is told, and lists are as short as they have to be.
func sound(t *testing.T, in Input) Payload {
	t.Helper()
	var p Payload
	frugal(t, len(in.Raw), func() { p = Decode(in) })
	set := 0
	for _, is := range []bool{p.Task != nil, p.Message != nil, p.Status != nil, p.Artifact != nil, p.List != nil, p.Error != nil, p.Card != nil} {
		if is {
			set++
		}
	}
	if p.Kind == "" || set > 1 || len(p.Anomalies) > maxAnomalies {
		t.Fatalf("kind %q with %d members set and %d anomalies", p.Kind, set, len(p.Anomalies))
	}
	copied := bytes.Clone(in.Raw)
	again := Decode(Input{Raw: copied, Op: in.Op, HTTPStatus: in.HTTPStatus})
	for i := range copied {
		copied[i] = '#'
	}
	if !reflect.DeepEqual(p, again) {
		t.Fatal("decoding is not deterministic, or the payload keeps bytes of its input")
	}
	if p.Artifact != nil {
		var a Assembly
		a.Apply(*p.Artifact)
		if a.Digest() != DigestOf([]Artifact{p.Artifact.Artifact}) {
			t.Fatal("one chunk and its snapshot have two digests")
		}
	}
	return p
}

// seeds adds the recorded payloads whose folder or step contains one of words.
func seeds(f *testing.F, add func(r recording, data []byte), words ...string) {
	f.Helper()
	n := 0
	for _, r := range recordings(f) {
		for _, w := range words {
			if !strings.Contains(r.folder+"/"+r.step, w) {
				continue
			}
			for _, data := range r.payloads {
				if len(data) < 2000 {
					add(r, data)
					n++
				}
			}
			break
		}
	}
	if n == 0 {
		f.Fatalf("no recording is of %q", words)
	}
}

// FuzzDecode takes any bytes as the answer to any operation.
func FuzzDecode(f *testing.F) {
	seeds(f, func(r recording, data []byte) { f.Add(data, string(opOf(r.step)), r.status) }, "/")
	f.Fuzz(func(t *testing.T, raw []byte, op string, status int) {
		sound(t, Input{Raw: raw, Op: Operation(op), HTTPStatus: status})
		_, _ = DecodeRequestMessage(raw)
	})
}

// FuzzDecodeEnvelope: a result in an envelope tells what it tells without one,
// and the envelope's id comes back.
func FuzzDecodeEnvelope(f *testing.F) {
	seeds(f, func(r recording, data []byte) {
		var d decoder
		if d.raw, d.s = data, new(scanner); d.build(d.s, true, true) != nil {
			return
		}
		if res := d.member(0, kResult); res >= 0 {
			f.Add(bytes.Clone(d.bytes(res)), uint16(7), string(opOf(r.step)))
		}
	}, "jsonrpc", "py03", "go-v0")
	f.Fuzz(func(t *testing.T, result []byte, id uint16, op string) {
		v := jsontext.Value(result)
		if len(bytes.TrimSpace(result)) == 0 || !v.IsValid() {
			return
		}
		number := jsontext.Uint(uint64(id)).String()
		p := sound(t, Input{Raw: []byte(`{"jsonrpc":"2.0","id":` + number + `,"result":` + string(result) + `}`), Op: Operation(op)})
		if !p.Envelope || p.RPCID != number {
			t.Fatalf("envelope %t with the id %q, wanted %q", p.Envelope, p.RPCID, number)
		}
		if v.Kind() != '{' { // a list may be a batch, and a bare word no answer
			return
		}
		inner := decoder{in: Input{Raw: result}, tree: tree{raw: result}, s: new(scanner)}
		if inner.build(inner.s, false, false) != nil || inner.member(0, kJSONRPC) >= 0 || inner.find(0, kResult) >= 0 || inner.find(0, kError) >= 0 {
			return // an envelope itself
		}
		bare := Decode(Input{Raw: result, Op: Operation(op)})
		if bare.Kind != p.Kind || !reflect.DeepEqual(bare.Task, p.Task) || !reflect.DeepEqual(bare.Message, p.Message) ||
			!reflect.DeepEqual(bare.Status, p.Status) || !reflect.DeepEqual(bare.Artifact, p.Artifact) {
			t.Fatalf("%s alone is %s, in an envelope %s", result, bare.Kind, p.Kind)
		}
	})
}

// FuzzDecodeREST takes bodies with their HTTP status: an error status is told
// as an error, whatever the body is.
func FuzzDecodeREST(f *testing.F) {
	seeds(f, func(r recording, data []byte) { f.Add(data, string(opOf(r.step)), uint16(r.status)) }, "rest")
	f.Fuzz(func(t *testing.T, raw []byte, op string, status uint16) {
		code := 100 + int(status)%500
		p := sound(t, Input{Raw: raw, Op: Operation(op), HTTPStatus: code})
		if p.Kind == KindError && p.Error == nil || p.Kind != KindError && p.Error != nil {
			t.Fatalf("kind %s with the error %v", p.Kind, p.Error)
		}
		if code >= 400 && len(bytes.TrimSpace(raw)) == 0 && p.Kind != KindError {
			t.Fatalf("status %d without a body is %s", code, p.Kind)
		}
	})
}

// FuzzDecode01: a task of the first generation is read back as it was written.
func FuzzDecode01(f *testing.F) {
	for _, state := range []string{"submitted", "working", "input-required", "completed", "canceled", "failed", "unknown", "x"} {
		f.Add("t-1", "s-1", state, "text", []byte(`{"rows":[1,2]}`))
	}
	f.Fuzz(func(t *testing.T, id, session, state, text string, data []byte) {
		for _, s := range []string{id, session, state, text} {
			if !utf8.ValidString(s) || s == "" {
				return
			}
		}
		if v := jsontext.Value(data); !v.IsValid() || v.Kind() != '{' {
			data = []byte(`{}`)
		}
		q := func(s string) string {
			b, _ := jsontext.AppendQuote(nil, s)
			return string(b)
		}
		p := sound(t, Input{Op: OpSend, Raw: []byte(`{"jsonrpc":"2.0","id":1,"result":{"id":` + q(id) + `,"sessionId":` + q(session) + `,"status":{"state":` + q(state) +
			`},"artifacts":[{"name":"r","index":0,"parts":[{"type":"text","text":` + q(text) + `},{"type":"data","data":` + string(data) + `}]}]}}`)})
		if p.Kind != KindTask || p.Gen != Gen01 || p.Task.ID != id || p.Task.ContextID != session || len(p.Task.Artifacts) != 1 {
			t.Fatalf("read as %s %s: %+v", p.Kind, p.Gen, p.Task)
		}
		parts := p.Task.Artifacts[0].Parts
		if len(parts) != 2 || parts[0].Text != text || parts[1].Kind != PartData {
			t.Fatalf("parts %+v, wanted the text %q", parts, text)
		}
	})
}

// FuzzDecodePush takes the bodies of webhook deliveries: nothing was asked, and
// there is no status.
func FuzzDecodePush(f *testing.F) {
	files, err := filepath.Glob("../../peerclient/webhook/testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded deliveries: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for block := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n### ") {
			if _, body, ok := strings.Cut(block, "\n\n"); ok {
				f.Add([]byte(strings.TrimSpace(body)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p := sound(t, Input{Raw: raw}); p.Kind == KindCard && p.Card == nil {
			t.Fatal("a card without one")
		}
	})
}

// FuzzDecodeCard: a card that is refused leaves nothing, and reading one is
// deterministic and costs no more than it may.
func FuzzDecodeCard(f *testing.F) {
	seeds(f, func(r recording, data []byte) {
		if op := opOf(r.step); op == OpCard || op == OpExtendedCard {
			f.Add(data)
		}
	}, "card")
	f.Add([]byte(`{` + full03 + `,"securitySchemes":{"x":{"type":"oauth2","flows":{}}},"security":[{"x":[]}]}`))
	for _, around := range []string{`{"card":$}`, `{"ok":true,"agent_card":$}`, `{"data":$}`, `{"jsonrpc":"2.0","id":1,"result":{"card":$}}`, `{"a":$,"b":$}`} {
		f.Add([]byte(strings.ReplaceAll(around, "$", "{"+full03+"}")))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var card Card
		var notes []Anomaly
		var err error
		frugal(t, len(raw), func() { card, notes, err = DecodeCard(raw) })
		if err != nil && (card.Name != "" || card.Interfaces != nil) {
			t.Fatalf("a card beside the error %v", err)
		}
		again, notesAgain, _ := DecodeCard(bytes.Clone(raw))
		if !reflect.DeepEqual(card, again) || !reflect.DeepEqual(notes, notesAgain) {
			t.Fatal("decoding is not deterministic")
		}
		card.ModesFor("")
		own := CardOf(raw)
		if inner, _, err := DecodeCard(own); err != nil && len(own) < len(raw) || err == nil && len(own) < len(raw) && !reflect.DeepEqual(inner, card) {
			t.Fatalf("its own bytes %q are not that card: %v", own, err)
		}
	})
}

// FuzzMessage: a message that we write is read back as it was, in every
// generation and binding.
func FuzzMessage(f *testing.F) {
	f.Add("m", "t", "c", "a <b> & \u2028 é", []byte{0, 1, 2}, "image/png", "p.png", uint8(0))
	f.Add("m", "t", "", "", []byte("x"), "", "", uint8(4))
	f.Fuzz(func(t *testing.T, id, task, context, text string, raw []byte, media, name string, which uint8) {
		for _, s := range []string{id, task, context, text, media, name} {
			if !utf8.ValidString(s) {
				return
			}
		}
		form := []struct {
			gen  Generation
			bind Binding
		}{{Gen10, JSONRPC}, {Gen10, REST}, {Gen03, JSONRPC}, {Gen03, REST}, {Gen02, JSONRPC}}[which%5]
		want := &Message{ID: id, TaskID: task, ContextID: context, Role: User, Parts: []Part{
			{Kind: PartText, Text: text}, {Kind: PartBytes, Bytes: raw, MediaType: media, Filename: name},
		}}
		req, err := Encode(OpSend, form.gen, form.bind, 1, Params{Message: want})
		if err != nil {
			return
		}
		got, err := DecodeRequestMessage(req.Body)
		if err != nil {
			t.Fatalf("%s: %v", req.Body, err)
		}
		if got.ID != id || got.TaskID != task || got.ContextID != context || len(got.Parts) != 2 || got.Parts[0].Text != text || !bytes.Equal(got.Parts[1].Bytes, raw) || got.Parts[1].MediaType != media {
			t.Fatalf("%+v was written as %s and read as %+v", want, req.Body, got)
		}
	})
}
