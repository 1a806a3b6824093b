package peerclient

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
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
