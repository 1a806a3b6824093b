package peerclient

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// Whatever a peer sends: the head is a prefix of it, kept byte for byte, and
// what follows a head that could be read is the body's.
func FuzzHead(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.0 200\n\nx", "HTTP/1.1 200 OK\r\n \r\n\r\n",
		"HTTP/1.1 200 OK\r\nA: b\r\n\tc\r\n \r\n\r\nbody", "HTTP/9.9 999 x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\n:\r\n\r\n", "HTTP/1.1 200 OK\r\r\n\r\n", "\r\n\r\n", "HTT",
	} {
		f.Add([]byte(s))
	}
	paths, err := filepath.Glob("../session/a2a/testdata/wire/*/0[0-3]*.raw")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:min(len(raw), 1500)])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		br := bufio.NewReaderSize(bytes.NewReader(in), 16)
		head, err := readHead(br, 1000)
		if !bytes.HasPrefix(in, head) || len(head) > 1000+16 {
			t.Fatalf("head %q of %q", head, in)
		}
		if err != nil {
			return
		}
		resp, body, err := parseHead(head, br, "POST")
		if err != nil {
			return
		}
		got, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		rest, _ := io.ReadAll(body)
		if len(resp.TransferEncoding) == 0 && string(got)+string(rest) != string(in[len(head):]) {
			t.Errorf("of %q the head is %q, the body %q and the rest %q", in, head, got, rest)
		}
	})
}

// FuzzChunked: a body that was cut into chunks is read back as it was, however
// the reads fall, and one whose last chunk is missing is told from a whole one.
func FuzzChunked(f *testing.F) {
	f.Add([]byte("{}"), uint16(1), "", false)
	f.Add([]byte(strings.Repeat("data: {}\n\n", 20)), uint16(7), ";x=y", false)
	f.Add([]byte("0\r\n\r\n"), uint16(3), "", true)
	f.Fuzz(func(t *testing.T, body []byte, size uint16, ext string, cut bool) {
		// Chunks that are more extension than data are refused: see the hostile answers.
		if strings.ContainsAny(ext, "\r\n") || len(ext) > 10 || ext != "" && ext[0] != ';' {
			ext = ""
		}
		var wire bytes.Buffer
		wire.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		n := wire.Len()
		for rest := body; len(rest) > 0; {
			part := rest[:min(len(rest), 1+int(size)%300)]
			rest = rest[len(part):]
			fmt.Fprintf(&wire, "%x%s\r\n%s\r\n", len(part), ext, part)
		}
		if !cut {
			wire.WriteString("0\r\n\r\n")
		}
		br := bufio.NewReaderSize(iotest.HalfReader(&wire), 16)
		head, err := readHead(br, 1000)
		if err != nil || len(head) != n {
			t.Fatalf("head %q, %v", head, err)
		}
		resp, _, err := parseHead(head, br, "POST")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if (err != nil) != cut || !bytes.Equal(got, body) && !strings.Contains(fmt.Sprint(err), "chunk") {
			t.Fatalf("read %q (%v), wanted %q", got, err, body)
		}
	})
}

func TestHeadEndsAtTheFirstEmptyLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nA: b\r\n\r\n\r\nrest":                         "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\nA: b\n\nrest":                                   "HTTP/1.1 200 OK\nA: b\n\n",
		"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 9000) + "\r\n\r\n": "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 9000) + "\r\n\r\n",
	} {
		got, err := readHead(bufio.NewReaderSize(strings.NewReader(in), 16), maxHead)
		if err != nil || string(got) != want {
			t.Errorf("head of %.60q is %.60q, %v", in, got, err)
		}
	}
}
