package export

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"a2ascope/session"
)

// sample makes a session whose bodies and wire bytes are of all sorts.
func sample(n int, ended bool) []session.Record {
	var (
		out  []session.Record
		prev session.Digest
		rng  = rand.New(rand.NewPCG(1, 2))
		at   = time.Date(2026, 3, 1, 12, 0, 0, 1, time.UTC)
	)
	add := func(kind session.Kind, body, raw []byte) {
		at = at.Add(time.Duration(rng.IntN(1e9)))
		r := session.Record{Seq: uint64(len(out) + 1), Wall: at, Elapsed: time.Duration(len(out)), Kind: kind, Task: 1, Exchange: 2, Body: body, Raw: raw}
		r.Seal(prev)
		prev = r.Hash
		out = append(out, r)
	}
	add(session.KindOpened, session.Encode(session.Opened{Session: "s1"}), nil)
	raws := [][]byte{nil, {}, []byte("data: {\"a\": \"<b>&\u2028\"}\r\n\r\n"), {0xff, 0x00, 0xfe}, []byte("\x00\x01\"\\\n\ufffd"), []byte(`{"x":1}  `)}
	for i := range n {
		body := []byte(fmt.Sprintf(`{"n":%d, "html":"<&>"}`, i))
		if i%7 == 3 {
			body = []byte{'"', 0xc3, '"'}
		}
		add(session.KindFrame, body, raws[i%len(raws)])
	}
	if ended {
		add(session.KindEnded, session.Encode(session.Ended{Reason: "done"}), nil)
	}
	return out
}

func pages(records []session.Record) Pages {
	return func(from uint64, n int) ([]session.Record, error) {
		lo := min(int(from)-1, len(records))
		return records[lo:min(lo+n, len(records))], nil
	}
}

func written(t *testing.T, records []session.Record) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := JSONL(&out, pages(records)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(b []byte) (Contents, []session.Record, error) {
	var got []session.Record
	c, err := ReadJSONL(bytes.NewReader(b), func(r session.Record) error {
		got = append(got, r)
		return nil
	})
	return c, got, err
}

// Bodies and wire bytes come back byte for byte, over any number of pages.
func TestWrittenIsRead(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, pageSize - 2, pageSize - 1, pageSize, 3*pageSize + 7} {
		want := sample(n, true)
		c, got, err := read(written(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d records came back otherwise", n)
		}
		if last := want[len(want)-1]; c.Session != "s1" || !c.Whole || !c.Ended || c.Cut != "" || c.Records != last.Seq || c.Head != last.Hash {
			t.Errorf("%+v", c)
		}
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	r := sample(3, false)[3]
	got := string(Line(r))
	for _, want := range []string{`"seq":4,"wall":"2026-03-01T12:`, `"raw":"data: {\"a\": \"<b>&\u2028\"}\r\n\r\n"`, `"body":"{\"n\":2, \"html\":\"<&>\"}"`, r.Hash.String()} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
		t.Errorf("not one line: %q", got)
	}
}

// A redacted copy keeps the digests of what was there and still verifies.
func TestRedactedVerifies(t *testing.T) {
	t.Parallel()
	want := sample(10, true)
	want[2].Raw, want[2].Redacted = []byte("‹withheld›"), true
	want[5].Body, want[5].Redacted = nil, true
	c, got, err := read(written(t, want))
	if err != nil || c.Redacted != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("came back otherwise")
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	whole := string(written(t, sample(10, true)))
	lines := strings.SplitAfter(whole, "\n")
	join := func(l ...string) string { return strings.Join(l, "") }
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "empty"},
		"no header":           {join(lines[1:]...), "line 1: this is no a2ascope log"},
		"not JSON at all":     {"hello\n", "line 1: this is no a2ascope log"},
		"a newer version":     {strings.Replace(whole, `"version":1`, `"version":2`, 1), "line 1: the format is version 2"},
		"a changed body":      {strings.Replace(whole, `<&>`, `<&&`, 1), "line 3: the hash chain is broken: record 2: the body"},
		"a changed digest":    {strings.Replace(whole, `"hash":"`, `"hash":"0`, 1), "line 2: record 1: its hash is not"},
		"a missing record":    {join(append(append([]string{}, lines[:4]...), lines[5:]...)...), "line 5: the hash chain is broken: record 5 follows record 3"},
		"a missing last":      {join(append(append([]string{}, lines[:11]...), lines[12:]...)...) + lines[13], "the hash chain is broken"},
		"no JSON inside":      {join(lines[0], lines[1], "{\"seq\":\n", lines[2]), "line 3: it is not the JSON"},
		"two files":           {whole + whole, "more follows"},
		"an unknown mark":     {join(lines[0], `{"a2ascope":"index"}`+"\n"), `"index"`},
		"both forms":          {join(lines[0], strings.Replace(lines[1], `"bodySha"`, `"bodyBase64":"","bodySha"`, 1)), "both body and bodyBase64"},
		"a bad time":          {join(lines[0], strings.Replace(lines[1], `"wall":"`, `"wall":"x`, 1)), "wall time"},
		"a wrong trailer":     {join(lines[:12]...) + lines[13], "the trailer speaks of 12 records"},
		"a byte that is gone": {strings.Replace(whole, `"seq":3`, `"seq":`, 1), "line 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c2, _, err := read([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v (%+v), want %s", err, c2, c.want)
			}
			if strings.Contains(c.want, "broken") && !errors.Is(err, session.ErrBroken) {
				t.Errorf("%v is not ErrBroken", err)
			}
		})
	}
}

// Wherever a file is cut, the whole records before are read, and it is said
// that it is not whole.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	records := sample(6, true)
	whole := written(t, records)
	for n := bytes.IndexByte(whole, '\n') + 1; n < len(whole); n++ {
		c, got, err := read(whole[:n])
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if !reflect.DeepEqual(got, records[:len(got):len(got)]) && len(got) > 0 {
			t.Fatalf("cut at %d: %d records come back otherwise", n, len(got))
		}
		if c.Whole && n < len(whole)-1 {
			t.Errorf("cut at %d: said to be whole", n)
		}
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	whole := written(t, sample(3, true))
	_, err := readJSONL(bytes.NewReader(whole), 300, func(session.Record) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "longer than 300 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestEachMayStop(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	_, err := ReadJSONL(bytes.NewReader(written(t, sample(3, true))), func(r session.Record) error {
		if r.Seq == 2 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v", err)
	}
}

// Nothing that is read makes the reader fall over, and what it accepts is
// what it would write.
func FuzzReadJSONL(f *testing.F) {
	var out bytes.Buffer
	if err := JSONL(&out, pages(sample(8, true))); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add(out.Bytes()[:out.Len()/2])
	f.Add([]byte(`{"a2ascope":"log","version":1}` + "\n" + `{"seq":1,"wall":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, got, err := read(b)
		if err != nil || len(got) == 0 {
			return
		}
		var again bytes.Buffer
		if err := JSONL(&again, pages(got)); err != nil {
			t.Fatal(err)
		}
		c2, got2, err := read(again.Bytes())
		if err != nil || c2.Records != c.Records || c2.Head != c.Head || len(got2) != len(got) {
			t.Fatalf("%+v %v, then %+v", c, err, c2)
		}
	})
}
