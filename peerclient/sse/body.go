package sse

import (
	"io"
	"time"
)

const (
	// readSize is the most that one Read asks for, minRoom the least.
	readSize = 32 << 10
	minRoom  = 4 << 10
	// keepBuffer is the largest buffer kept when nothing is pending.
	keepBuffer = 1 << 20

	// blockedAfter: so long away from Read (in emit, mostly) counts as blocked.
	blockedAfter = 5 * time.Millisecond
	// waitedAfter: a Read that took so long, and came back with less than it
	// asked for, had to wait for the peer. A full one may be backlog.
	waitedAfter = time.Millisecond
)

// body reads the wire and holds what no frame has taken yet.
//
// One time per read is enough: whatever a read completes is taken before the
// next one, so the last byte of each frame is of the newest read, and only the
// frame that was pending before it has an older first byte.
type body struct {
	r   io.Reader
	now func() time.Time
	err error // came with the bytes of the last read

	buf   []byte
	start int   // of the pending bytes in buf
	off   int64 // of the pending bytes in the body
	total int64

	first, last time.Time
	held        bool      // the newest read's
	behind      bool      // blocked, and not waited since
	left        time.Time // when the last read came back
}

func (b *body) pending() []byte { return b.buf[b.start:] }

// window is the pending bytes up to limit.
func (b *body) window(limit int) []byte {
	p := b.pending()
	return p[:min(len(p), limit)]
}

// fill adds one read's bytes to the pending ones. fresh: no byte that is
// pending belongs to the next frame proper.
func (b *body) fill(fresh bool) error {
	if b.err != nil {
		return b.err
	}
	b.makeRoom()
	free := b.buf[len(b.buf):min(cap(b.buf), len(b.buf)+readSize)]
	for range 100 {
		n, err := b.read(free)
		if n > 0 {
			b.buf = b.buf[:len(b.buf)+n]
			b.total += int64(n)
			b.err = err
			if fresh {
				b.first = b.last
			}
			return nil
		}
		if err != nil {
			b.err = err
			return err
		}
	}
	b.err = io.ErrNoProgress
	return b.err
}

// read is one Read and what it tells of who waited for whom. Bytes that were
// read before we were blocked keep their exact times: only what is read after
// it, and before the peer had to be waited for again, is held.
func (b *body) read(p []byte) (int, error) {
	from := b.now()
	if !b.left.IsZero() && from.Sub(b.left) >= blockedAfter {
		b.behind = true
	}
	n, err := b.r.Read(p)
	b.left = b.now()
	if b.left.Sub(from) >= waitedAfter && n < len(p) {
		b.behind = false
	}
	if n > 0 {
		b.last, b.held = b.left, b.behind
	}
	return n, err
}

// take removes n pending bytes; what stays pending came with the newest read.
func (b *body) take(n int) {
	b.start += n
	b.off += int64(n)
	b.first = b.last
}

func (b *body) makeRoom() {
	if b.start == len(b.buf) {
		b.buf, b.start = b.buf[:0], 0
		if cap(b.buf) > keepBuffer {
			b.buf = nil
		}
	}
	if cap(b.buf)-len(b.buf) >= minRoom {
		return
	}
	p := b.pending()
	if b.start < cap(b.buf)/2 || cap(b.buf)-len(p) < minRoom {
		b.buf = make([]byte, 0, max(readSize+minRoom, 2*cap(b.buf)))
	}
	b.buf, b.start = append(b.buf[:0], p...), 0
}
