package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// recordedBody takes the head and the chunking off a recorded response.
func recordedBody(t testing.TB, path string) (body []byte, contentType string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return body, resp.Header.Get("Content-Type")
}

// Streams of official SDK servers: honest, so nothing odd is found in them.
func TestRecordings(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		events int // as many as the file has data: lines
		flags  Flags
	}{
		"go-v0-030-stream-slow-5.raw":         {8, 0},
		"go-v0-068-resub-unknown.raw":         {1, 0},
		"js-v03-jsonrpc-061-resub-midway.raw": {9, 0},
		"js-v1-rest-034-stream-error.raw":     {2, 0},
		"py03-030-stream-slow-5.raw":          {8, CRLF},
		"py1-rest-030-stream-slow-5.raw":      {8, CRLF},
		"py1-rest-036-stream-ask.raw":         {3, CRLF},
	}
	paths, err := filepath.Glob("testdata/*.raw")
	if err != nil || len(paths) != len(want) {
		t.Fatalf("%d recordings, want %d: %v", len(paths), len(want), err)
	}
	for _, path := range paths {
		body, contentType := recordedBody(t, path)
		w := want[filepath.Base(path)]
		for _, r := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body))} {
			frames, end, err := gather(r, Options{ContentType: contentType})
			if wrong := wrongBytes(frames, end, body); err != nil || wrong != "" {
				t.Errorf("%s: %v %s", path, err, wrong)
			}
			last := frames[len(frames)-1]
			if last.Kind == Blank { // the line feed of the last CRLF, read by itself
				frames = frames[:len(frames)-1]
			}
			if end.Events != w.events || len(frames) != w.events {
				t.Errorf("%s: %d events in %d frames, want %d", path, end.Events, len(frames), w.events)
			}
			for _, f := range frames {
				if !json.Valid(f.Data) || f.Flags != w.flags {
					t.Errorf("%s: frame at %d: flags %v, data %.80q", path, f.Off, f.Flags, f.Data)
				}
			}
		}
		if how, ok := Disagrees(body); ok {
			t.Errorf("%s: %s", path, how)
		}
	}
}
