package session

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxDecodedBody is how much of a body is unpacked, in bytes: as much as is
	// kept of one that came plain.
	maxDecodedBody = 64 << 20
	bombSize       = 4 << 20
	bombRatio      = 200
)

// Bomb reports whether what unpacked so far, in bytes, is a bomb and no answer:
// much, and far more than was sent. JSON of real agents packs to a tenth; gzip
// at its best to a thousandth.
func Bomb(packed, unpacked int64) bool {
	return unpacked > bombSize && unpacked > bombRatio*packed
}

// responseBody returns the body of a response after content decoding. A body
// that cannot be decoded is returned as it came, with an error.
func responseBody(raw []byte, b *Responded) ([]byte, error) {
	if len(b.ProtoJSON) > 0 {
		return b.ProtoJSON, nil
	}
	if b.Head < 0 || b.Head > len(raw) {
		return nil, nil
	}
	body, _, err := Unpack(raw[b.Head:], b.Encoding)
	return body, err
}

// ErrBomb says that a body unpacks to far more than it is.
var ErrBomb = errors.New("given up")

// Unpack undoes a content coding; packed is false when there was none, or none
// that we know. A body that cannot be unpacked is returned as it came, with an
// error. At most 64 MiB are unpacked.
func Unpack(body []byte, coding string) (plain []byte, packed bool, err error) {
	open := opener(coding)
	if open == nil {
		return body, false, nil
	}
	size, err := unpackedSize(body, open)
	if err != nil {
		return body, false, err
	}
	r, err := open(bytes.NewReader(body))
	if err != nil {
		return body, false, err
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(r, out); err != nil {
		return body, false, err
	}
	return out, true, nil
}

// opener gives the decoder of a content coding; nil where there is nothing to
// decode, or nothing that we can.
func opener(coding string) func(io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "gzip", "x-gzip":
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		return func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
	}
	return nil
}

// unpackedSize unpacks a body without keeping it. Twice the work is cheaper than
// a buffer that grows: a peer can make us unpack a lot, and no more memory is
// taken than the body has in the end. A body that breaks off has the size of what
// came; one that never began is an error.
func unpackedSize(body []byte, open func(io.Reader) (io.Reader, error)) (int, error) {
	src := bytes.NewReader(body)
	r, err := open(src)
	if err != nil {
		return 0, err
	}
	var size int64
	for size < maxDecodedBody {
		n, err := io.CopyN(io.Discard, r, min(1<<20, maxDecodedBody-size))
		if size += n; err != nil {
			if size == 0 && !errors.Is(err, io.EOF) {
				return 0, err
			}
			break
		}
		if took := int64(len(body) - src.Len()); Bomb(took, size) {
			return 0, fmt.Errorf("%d bytes unpacked to more than %d: %w", took, size, ErrBomb)
		}
	}
	return int(size), nil
}
