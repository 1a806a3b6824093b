package webhook

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// tape is a connection that brings what it holds, and takes anything.
type tape struct {
	net.Conn // nothing else is used
	io.Reader
}

func (t tape) Read(p []byte) (int, error)       { return t.Reader.Read(p) }
func (t tape) Write(p []byte) (int, error)      { return len(p), nil }
func (t tape) SetReadDeadline(time.Time) error  { return nil }
func (t tape) SetWriteDeadline(time.Time) error { return nil }

// delivered reads all requests of a connection.
func delivered(in io.Reader) (all []*delivery, err error) {
	r := New(Options{Now: func() time.Time { return time.Unix(1, 0) }})
	c := tape{Reader: in}
	br := bufio.NewReaderSize(c, 16)
	for {
		d, err := r.read(c, br)
		if d == nil {
			return all, err
		}
		if all = append(all, d); d.truncated || d.cut != nil || d.req.Close {
			return all, nil
		}
	}
}

// FuzzRequest: whatever comes on a connection, heads are kept byte for byte and
// in bounds, and requests are the same however the reads fall.
func FuzzRequest(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded deliveries: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "\n### ") {
			if _, request, ok := strings.Cut(block, "] "); ok && i < 4 {
				f.Add([]byte(strings.ReplaceAll(strings.ReplaceAll(request, "\r\n", "\n"), "\n", "\r\n")))
			}
		}
	}
	f.Add([]byte("POST /h HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nT: v\r\n\r\nPOST /h HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"))
	f.Add([]byte("\r\n\nGET /h?validationToken=x HTTP/1.1\nHost: a\n\n"))
	f.Add([]byte("POST /h HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\nx"))
	f.Fuzz(func(t *testing.T, in []byte) {
		all, err := delivered(bytes.NewReader(in))
		slow, errSlow := delivered(iotest.OneByteReader(bytes.NewReader(in)))
		if len(all) != len(slow) || errors.Is(err, errBadHead) != errors.Is(errSlow, errBadHead) {
			t.Fatalf("%d requests (%v) in one piece, %d (%v) byte by byte", len(all), err, len(slow), errSlow)
		}
		kept := 0
		for i, d := range all {
			if !bytes.Contains(in, d.head) || len(d.head) > maxHead || len(d.body) > maxBody {
				t.Fatalf("the head %q of %q", d.head, in)
			}
			if !bytes.Equal(d.head, slow[i].head) || !bytes.Equal(d.body, slow[i].body) || (d.cut == nil) != (slow[i].cut == nil) {
				t.Fatalf("request %d is %q %q in one piece, %q %q byte by byte", i, d.head, d.body, slow[i].head, slow[i].body)
			}
			kept += len(d.head) + len(d.body)
		}
		if kept > len(in) {
			t.Fatalf("%d bytes were made of %d", kept, len(in))
		}
	})
}
