package sse

import (
	"bytes"
	"fmt"
	"io"

	r3 "github.com/r3labs/sse/v2"
)

var bom = []byte("\xef\xbb\xbf")

// longestID is the longest line looked at inside the skipped rest of an event.
const longestID = 1 << 10

// stream is one Read: the fix-up, the reader behind it and the way out.
type stream struct {
	src     body
	opt     Options
	emit    func(Frame) error
	refused error // by emit
	end     End

	lines   lineScan
	scanned int   // pending bytes that lines has seen
	head    int   // pending bytes in front of the block: a BOM, or the LF of a CR already taken
	next    Flags // of the next frame, learnt before it
	sniffed bool  // whether the body is documents has been decided
	fields  fields

	feed    feeder
	reader  *r3.EventStreamReader
	scratch []byte
}

// feeder hands one block at a time to the reader.
type feeder struct{ block []byte }

func (f *feeder) Read(p []byte) (int, error) {
	if len(f.block) == 0 {
		return 0, io.EOF
	}
	n := copy(p, f.block)
	f.block = f.block[n:]
	return n, nil
}

// run reads until the body ends (io.EOF), reading fails, emit refuses or the
// oversize events are too many.
func (s *stream) run() error {
	for {
		more, err := s.step()
		for more && err == nil {
			more, err = s.step()
		}
		if err != nil {
			return err
		}
		if err := s.src.fill(len(s.src.pending()) <= s.head); err != nil {
			return s.finish(err)
		}
	}
}

// step takes one frame out of the pending bytes; false if they hold no whole one.
func (s *stream) step() (bool, error) {
	b := s.src.window(s.opt.MaxEvent)
	if !s.skipHead(b) {
		return false, nil
	}
	if s.scanned == s.head {
		if n := s.head + countEOL(b[s.head:]); n > s.head {
			return true, s.blank(n)
		}
		if !s.sniffed {
			switch s.sniff(b[s.head:]) {
			case undecided:
				if len(b) < s.opt.MaxEvent {
					return false, nil
				}
			case documents:
				return s.documents()
			}
			s.sniffed = true
		}
	}
	for s.scanned < len(b) {
		n, _, _, blank := s.lines.next(b[s.scanned:])
		s.scanned += n
		if blank {
			if s.lines.cr && s.scanned < len(b) && b[s.scanned] == '\n' {
				s.scanned++
				s.lines.cr = false
			}
			return true, s.block(b[:s.scanned])
		}
	}
	if len(s.src.pending()) > s.opt.MaxEvent {
		return true, s.oversize()
	}
	return false, nil
}

// skipHead finds what stands in front of a block without being part of it, and
// says whether anything follows.
func (s *stream) skipHead(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if s.scanned == 0 {
		s.head = 0
		switch {
		case s.src.off == 0 && len(b) < len(bom) && bytes.HasPrefix(bom, b):
			return false
		case s.src.off == 0 && bytes.HasPrefix(b, bom):
			s.head = len(bom)
			s.next |= BOM
		case s.lines.cr && b[0] == '\n':
			s.head = 1
			s.next |= CRLF
		}
		s.lines = lineScan{}
		s.scanned = s.head
	}
	return len(b) > s.head
}

// blank takes n bytes that hold nothing but line ends.
func (s *stream) blank(n int) error {
	raw := s.src.pending()[:n]
	cr := raw[n-1] == '\r'
	err := s.deliver(n, Frame{Kind: Blank, Flags: endings(raw[s.head:])}, nil)
	s.lines.cr = cr
	return err
}

// block sends a whole block through the reader and parses what comes out.
func (s *stream) block(raw []byte) error {
	text, f := raw[s.head:], Frame{}
	if bytes.IndexByte(text, '\r') >= 0 {
		f.Flags = endings(text)
		s.scratch = fold(s.scratch[:0], text)
		text = s.scratch
	}
	if s.reader == nil {
		s.reader = r3.NewEventStreamReader(&s.feed, s.opt.MaxEvent+minRoom)
	}
	s.feed.block = text
	event, err := s.reader.ReadEvent()
	if err != nil {
		return fmt.Errorf("splitting the block at byte %d: %w", s.src.off, err)
	}
	data := s.fields.parse(&f, event, make([]byte, len(raw), len(raw)+len(event)))
	if len(raw) > keepBuffer { // neither keeps a huge buffer for one huge event
		s.reader, s.scratch = nil, nil
	}
	return s.deliver(len(raw), f, data)
}

// finish takes what is left when the body has ended, for the reason given.
func (s *stream) finish(why error) error {
	raw := s.src.pending()
	if len(raw) == 0 {
		return why
	}
	var err error
	if len(raw) <= s.head {
		err = s.deliver(len(raw), Frame{Kind: Blank}, nil)
	} else {
		text := fold(nil, raw[s.head:])
		f := Frame{Flags: endings(raw[s.head:])}
		data := s.fields.parse(&f, text, make([]byte, len(raw), len(raw)+len(text)))
		f.Kind = Tail
		err = s.deliver(len(raw), f, data)
	}
	if err != nil {
		return err
	}
	return why
}

// oversize keeps the first MaxEvent bytes of an event that is longer, and skips
// the rest of it.
func (s *stream) oversize() error {
	raw := s.src.window(s.opt.MaxEvent)
	last := bytes.LastIndexAny(raw, "\r\n") + 1
	rest := skipped{line: bytes.Clone(raw[last:min(len(raw), last+longestID)])}
	rest.long = len(raw)-last > longestID
	rest.scan = lineScan{cr: raw[len(raw)-1] == '\r', open: last < len(raw)}

	f := Frame{Flags: endings(raw[s.head:])}
	s.fields.discard(&f, raw[s.head:max(s.head, last)])
	f.Kind = Part
	if err := s.deliver(len(raw), f, nil); err != nil {
		return err
	}
	if s.tooMany() {
		return ErrOversize
	}
	return s.skip(&rest)
}

func (s *stream) tooMany() bool {
	s.end.Oversize++
	return s.end.Oversize >= s.opt.MaxOversize
}

// skipped is the part of an oversize event that is not kept. Its id lines are
// still read: the last event id outlives the event.
type skipped struct {
	scan lineScan
	line []byte
	long bool // line is not all of it
	n    int64
}

// add looks at more bytes and says how many belong to the event, and whether
// it is over.
func (k *skipped) add(b []byte, ids *fields) (n int, over bool) {
	for n < len(b) && !over {
		used, text, ended, blank := k.scan.next(b[n:])
		n += used
		k.long = k.long || len(k.line)+len(text) > longestID
		k.line = append(k.line, text[:min(len(text), longestID-len(k.line))]...)
		if ended {
			if !k.long {
				ids.discard(&Frame{}, k.line)
			}
			k.line, k.long = k.line[:0], false
		}
		over = blank
	}
	k.n += int64(n)
	return n, over
}

// skip drops bytes up to and with the next blank line and leaves a notice.
func (s *stream) skip(k *skipped) error {
	at := s.src.off
	first := s.src.first
	quota := int64(s.opt.MaxEvent)
	var why error
	for {
		n, over := k.add(s.src.window(int(quota-k.n)), &s.fields)
		s.src.take(n)
		if over {
			break
		}
		if k.n == quota {
			quota += int64(s.opt.MaxEvent)
			if s.tooMany() {
				why = ErrOversize
				break
			}
		}
		if len(s.src.pending()) > 0 {
			continue
		}
		if why = s.src.fill(false); why != nil {
			break
		}
	}
	if k.n == 0 {
		return why
	}
	s.src.first = first
	err := s.deliver(0, Frame{Kind: Part, Off: at, Skipped: k.n}, nil)
	s.src.first = s.src.last
	s.lines.cr = k.scan.cr
	if err != nil {
		return err
	}
	return why
}

// deliver takes n pending bytes as a frame and hands it on. data is the frame's
// memory, n bytes for Raw with the data behind them; nil if there is no data.
func (s *stream) deliver(n int, f Frame, data []byte) error {
	if data == nil {
		data = make([]byte, n)
	}
	copy(data, s.src.pending()[:n])
	f.Raw = data[:n:n]
	if f.Skipped == 0 {
		f.Off = s.src.off
	}
	f.First, f.Last, f.Held = s.src.first, s.src.last, s.src.held
	f.Flags |= s.next
	f.ID = s.fields.lastID
	s.src.take(n)
	s.scanned, s.head, s.next = 0, 0, 0
	if err := s.emit(f); err != nil {
		s.refused = err
		return err
	}
	s.end.Frames++
	s.end.Kept += int64(n)
	if f.Kind == Event || f.Kind == Document {
		s.end.Events++
	}
	return nil
}
