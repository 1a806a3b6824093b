package a2a

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// randomArtifacts makes a snapshot of a few artifacts.
func randomArtifacts(r *rand.Rand) []Artifact {
	out := make([]Artifact, 1+r.IntN(4))
	for i := range out {
		out[i] = Artifact{ID: "a" + strconv.Itoa(i*7%5)}
		out[i].ID += strconv.Itoa(i)
		for range r.IntN(6) {
			var p Part
			switch r.IntN(5) {
			case 0:
				p = Part{Kind: PartData, Data: jsontext.Value(`{"n":` + strconv.Itoa(r.IntN(9)) + `}`)}
			case 1:
				p = Part{Kind: PartURL, URL: "http://x/" + strconv.Itoa(r.IntN(9))}
			case 2:
				p = Part{Kind: PartBytes, Bytes: []byte{byte(r.IntN(256))}}
			default:
				p = Part{Kind: PartText, Text: strings.Repeat("é<", r.IntN(20))}
			}
			out[i].Parts = append(out[i].Parts, p)
		}
	}
	return out
}

// chunked cuts a snapshot into updates: artifacts interleaved, parts apart,
// texts in pieces.
func chunked(r *rand.Rand, as []Artifact) []ArtifactUpdate {
	queues := make([][]ArtifactUpdate, len(as))
	for i, a := range as {
		chunk := ArtifactUpdate{Artifact: Artifact{ID: a.ID}}
		flush := func() {
			if r.IntN(3) > 0 {
				queues[i] = append(queues[i], chunk)
				chunk = ArtifactUpdate{Artifact: Artifact{ID: a.ID}, Append: true}
			}
		}
		for _, p := range a.Parts {
			if p.Kind != PartText {
				chunk.Artifact.Parts = append(chunk.Artifact.Parts, p)
				flush()
				continue
			}
			for runes := []rune(p.Text); len(runes) > 0; {
				n := 1 + r.IntN(len(runes))
				chunk.Artifact.Parts = append(chunk.Artifact.Parts, Part{Kind: PartText, Text: string(runes[:n])})
				runes = runes[n:]
				flush()
			}
		}
		chunk.LastChunk = true
		queues[i] = append(queues[i], chunk)
	}
	var out []ArtifactUpdate
	for len(queues) > 0 {
		i := r.IntN(len(queues))
		out = append(out, queues[i][0])
		if queues[i] = queues[i][1:]; len(queues[i]) == 0 {
			queues = slices.Delete(queues, i, i+1)
		}
	}
	return out
}

// The digest and the text of a task do not depend on how it was streamed, nor
// on a restart of the console in the middle.
func TestDigestOfChunks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		as := randomArtifacts(r)
		var streamed, whole Assembly
		for _, u := range chunked(r, as) {
			if anomalies := streamed.Apply(u); anomalies != nil {
				t.Fatalf("seed %d: %+v", seed, anomalies)
			}
			if r.IntN(4) == 0 { // through JSON and back
				b, err := json.Marshal(&streamed)
				if err != nil {
					t.Fatal(err)
				}
				streamed = Assembly{}
				if err := json.Unmarshal(b, &streamed); err != nil {
					t.Fatal(err)
				}
			}
		}
		whole.Replace(as)
		if got, want := streamed.Digest(), DigestOf(as); got != want {
			t.Fatalf("seed %d: streamed %s, snapshot %s of %+v", seed, got, want, as)
		}
		text := map[string]string{}
		for _, a := range whole.Artifacts() {
			text[a.ID] = a.Text + a.Digest + strings.Join(a.MediaTypes, ",")
		}
		for _, a := range streamed.Artifacts() {
			if text[a.ID] != a.Text+a.Digest+strings.Join(a.MediaTypes, ",") || !a.Sealed {
				t.Fatalf("seed %d: artifact %+v differs from its snapshot %q", seed, a, text[a.ID])
			}
		}
	}
}

func TestDigestTellsApart(t *testing.T) {
	t.Parallel()
	text := func(id string, parts ...string) Artifact {
		a := Artifact{ID: id}
		for _, p := range parts {
			a.Parts = append(a.Parts, Part{Kind: PartText, Text: p})
		}
		return a
	}
	one := func(p Part) []Artifact { return []Artifact{{ID: "a", Parts: []Part{p}}} }
	data := func(s string) []Artifact { return one(Part{Kind: PartData, Data: jsontext.Value(s)}) }
	for name, c := range map[string]struct {
		a, b []Artifact
		same bool
	}{
		"order of artifacts":    {[]Artifact{text("a", "x"), text("b", "y")}, []Artifact{text("b", "y"), text("a", "x")}, true},
		"texts joined":          {[]Artifact{text("a", "x", "", "y")}, []Artifact{text("a", "xy")}, true},
		"names and types":       {[]Artifact{{ID: "a", Name: "n", Parts: []Part{{Kind: PartText, Text: "x", MediaType: "text/html"}}}}, []Artifact{text("a", "x")}, true},
		"canonical data":        {data(`{"b":1.0,"a":"\u00e9"}`), data(`{ "a": "é", "b": 1 }`), true},
		"query of a URL":        {one(Part{Kind: PartURL, URL: "http://x/y?sig=1"}), one(Part{Kind: PartURL, URL: "http://x/y?sig=2"}), true},
		"ids":                   {[]Artifact{text("a", "x")}, []Artifact{text("b", "x")}, false},
		"text":                  {[]Artifact{text("a", "x")}, []Artifact{text("a", "y")}, false},
		"where artifacts end":   {[]Artifact{text("a", "x"), text("b", "y")}, []Artifact{text("a", "xy")}, false},
		"kind":                  {one(Part{Kind: PartText, Text: "x"}), one(Part{Kind: PartBytes, Bytes: []byte("x")}), false},
		"order of parts":        {one(Part{Kind: PartURL, URL: "x"}), one(Part{Kind: PartURL, URL: "y"}), false},
		"data":                  {data(`{"a":1}`), data(`{"a":2}`), false},
		"text around data":      {[]Artifact{{ID: "a", Parts: []Part{{Kind: PartText, Text: "x"}, {Kind: PartData, Data: jsontext.Value("1")}, {Kind: PartText, Text: "y"}}}}, []Artifact{{ID: "a", Parts: []Part{{Kind: PartText, Text: "xy"}, {Kind: PartData, Data: jsontext.Value("1")}}}}, false},
		"nothing and something": {nil, []Artifact{text("a", "x")}, false},
	} {
		if same := DigestOf(c.a) == DigestOf(c.b); same != c.same {
			t.Errorf("%s: same digest: %t", name, same)
		}
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	chunk := func(id, text string, more, last bool) ArtifactUpdate {
		u := ArtifactUpdate{Artifact: Artifact{ID: id, Parts: []Part{}}, Append: more, LastChunk: last}
		if text != "" {
			u.Artifact.Parts = append(u.Artifact.Parts, Part{Kind: PartText, Text: text})
		}
		return u
	}
	for _, c := range []struct {
		name   string
		chunks []ArtifactUpdate
		text   string
		codes  string
		sealed bool
	}{
		{"words (92)", []ArtifactUpdate{chunk("a", "Hel", false, false), chunk("a", "lo, ", true, false), chunk("a", "wor", true, false), chunk("a", "ld", true, true)}, "Hello, world", "", true},
		{"append to unknown (82)", []ArtifactUpdate{chunk("a", "x", true, false), chunk("a", "y", true, false)}, "xy", "artifact-append-unknown", false},
		{"replace", []ArtifactUpdate{chunk("a", "x", false, true), chunk("a", "y", false, false)}, "y", "", false},
		{"only a mark (54)", []ArtifactUpdate{chunk("a", "x", false, false), chunk("a", "", true, true)}, "x", "", true},
		{"only a mark, without append", []ArtifactUpdate{chunk("a", "x", false, false), chunk("a", "", false, true)}, "x", "", true},
	} {
		var a Assembly
		var anomalies []Anomaly
		for _, u := range c.chunks {
			anomalies = append(anomalies, a.Apply(u)...)
		}
		got := a.Artifacts()
		if len(got) != 1 || got[0].Text != c.text || got[0].Sealed != c.sealed || codes(anomalies) != c.codes {
			t.Errorf("%s: %+v, %+v", c.name, got, anomalies)
		}
	}
}

func TestTextOfArtifact(t *testing.T) {
	t.Parallel()
	var a Assembly
	a.Replace([]Artifact{{ID: "a", Parts: []Part{
		{Kind: PartText, Text: "one"}, {Kind: PartText, Text: " line"}, {Kind: PartData, Data: jsontext.Value(`{ "n": 1 }`)},
		{Kind: PartURL, URL: "http://x/?q"}, {Kind: PartBytes, Bytes: []byte("zz"), MediaType: "image/png"}, {Kind: PartText, Text: "end"},
	}}})
	got := a.Artifacts()[0]
	if got.Text != "one line\n{\"n\":1}\nhttp://x/?q\nend" {
		t.Errorf("text %q", got.Text)
	}
	if want := []string{"text/plain", "application/json", "image/png"}; !slices.Equal(got.MediaTypes, want) {
		t.Errorf("media types %v", got.MediaTypes)
	}
}

func TestAssemblyBounds(t *testing.T) {
	t.Parallel()
	var a Assembly
	for i := range MaxAssembled + 5 {
		a.Apply(ArtifactUpdate{Artifact: Artifact{ID: strconv.Itoa(i), Parts: []Part{{Kind: PartText, Text: "x"}}}})
	}
	if len(a.Items) != MaxAssembled || a.Beyond != 5 {
		t.Errorf("%d artifacts, %d beyond", len(a.Items), a.Beyond)
	}
	long := strings.Repeat("é", MaxText) // twice the bound, and an odd cut
	for _, lead := range []string{"", "x"} {
		var one, cut Assembly
		one.Replace([]Artifact{{ID: "a", Parts: []Part{{Kind: PartText, Text: lead + long}}}})
		cut.Apply(ArtifactUpdate{Artifact: Artifact{ID: "a", Parts: []Part{{Kind: PartText, Text: lead}}}})
		cut.Apply(ArtifactUpdate{Append: true, Artifact: Artifact{ID: "a", Parts: []Part{{Kind: PartText, Text: long}}}})
		got := one.Artifacts()[0]
		if !got.Truncated || len(got.Text) > MaxText || len(got.Text) < MaxText-3 || strings.Contains(got.Text, "\ufffd") {
			t.Errorf("text of %d bytes, truncated %t", len(got.Text), got.Truncated)
		}
		if one.Digest() != cut.Digest() {
			t.Error("what is beyond the kept text does not count")
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	u := ArtifactUpdate{Append: true, Artifact: Artifact{ID: "a", Parts: []Part{{Kind: PartText, Text: "x"}}}}
	var a Assembly
	a.Apply(u)
	b := a.Clone()
	before := b.Digest()
	a.Apply(u)
	a.Apply(u)
	if b.Digest() != before || b.Artifacts()[0].Text != "x" {
		t.Error("a change of the original reached its clone")
	}
}

// 100,000 chunks of one artifact cost what their bytes cost: the second half
// takes no longer than a few times the first.
func TestAppendIsLinear(t *testing.T) {
	t.Parallel()
	var a Assembly
	u := ArtifactUpdate{Append: true, Artifact: Artifact{ID: "a", Parts: []Part{{Kind: PartText, Text: strings.Repeat("word ", 20)}}}}
	half := func() time.Duration {
		start := time.Now()
		for range 50_000 {
			a.Apply(u)
		}
		return time.Since(start)
	}
	first, second := half(), half()
	if second > 8*first+100*time.Millisecond {
		t.Errorf("the first 50,000 chunks took %v, the second %v", first, second)
	}
	if got := a.Artifacts()[0]; got.Size != 10_000_000 || got.Chunks != 100_000 {
		t.Errorf("size %d in %d chunks", got.Size, got.Chunks)
	}
}

func TestReplayKey(t *testing.T) {
	t.Parallel()
	key := func(raw string) string { return Decode(Input{Raw: []byte(raw)}).ReplayKey() }
	status := func(task, state, at string) string {
		return rpc(`{"statusUpdate":{"taskId":"` + task + `","contextId":"c","status":{"state":"` + state + `","timestamp":"` + at + `"}}}`)
	}
	chunk := func(id, text string, more bool) string {
		return rpc(`{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"` + id + `","parts":[{"text":"` + text + `"}]},"append":` + strconv.FormatBool(more) + `}}`)
	}
	const t1, t2 = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"
	distinct := []string{
		status("t", "TASK_STATE_WORKING", t1), status("t", "TASK_STATE_WORKING", t2), status("t", "TASK_STATE_COMPLETED", t1), status("u", "TASK_STATE_WORKING", t1),
		chunk("a", "x", true), chunk("a", "x", false), chunk("a", "y", true), chunk("b", "x", true),
		rpc(`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"` + t1 + `"}}}`),
		rpc(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}`),
		rpc(`{"message":{"role":"ROLE_AGENT","parts":[{"text":"x"}]}}`), rpc(`{"message":{"role":"ROLE_AGENT","parts":[{"text":"y"}]}}`),
	}
	seen := map[string]string{}
	for _, raw := range distinct {
		k := key(raw)
		if k == "" || seen[k] != "" {
			t.Errorf("the key %q of %s is that of %s", k, raw, seen[k])
		}
		seen[k] = raw
	}
	// The same event in another spelling of its time is the same event.
	if key(status("t", "TASK_STATE_WORKING", t1)) != key(status("t", "working", "2026-01-01T01:00:00+01:00")) {
		t.Error("one moment has two keys")
	}
	if key(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"x"}}`) != "" {
		t.Error("an error has a replay key")
	}
}

func BenchmarkApply(b *testing.B) {
	u := ArtifactUpdate{Append: true, Artifact: Artifact{ID: "a", Parts: []Part{{Kind: PartText, Text: "chunk 17 of many"}}}}
	var a Assembly
	b.ReportAllocs()
	for b.Loop() {
		a.Apply(u)
	}
}

func BenchmarkReplayKey(b *testing.B) {
	p := Decode(Input{Raw: []byte(`{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[{"text":"chunk 17"}]},"append":true}}`)})
	b.ReportAllocs()
	for b.Loop() {
		p.ReplayKey()
	}
}
