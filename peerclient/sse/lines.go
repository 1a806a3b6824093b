package sse

import "bytes"

// lineScan finds line ends: LF, CR and CR LF, in whatever pieces they come.
type lineScan struct {
	cr   bool // the last byte was a CR: an LF now belongs to it
	open bool // the current line has bytes
}

// next looks at the first line of b (not empty), or the rest of one: n bytes,
// of which text is without the line end; ended if that is there, blank if the
// whole line is empty.
func (l *lineScan) next(b []byte) (n int, text []byte, ended, blank bool) {
	if l.cr {
		l.cr = false
		if b[0] == '\n' {
			return 1, nil, false, false
		}
	}
	i := indexEOL(b)
	if i < 0 {
		l.open = true
		return len(b), b, false, false
	}
	blank = i == 0 && !l.open
	l.open, l.cr = false, b[i] == '\r'
	return i + 1, b[:i], true, blank
}

func indexEOL(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		return j
	}
	return i
}

func countEOL(b []byte) int {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			return i
		}
	}
	return len(b)
}

// fold appends b to dst with every line end as LF.
func fold(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(append(dst, b[:i]...), '\n')
		b = bytes.TrimPrefix(b[i+1:], []byte{'\n'})
	}
}

// endings says which line ends but LF there are. A CR at the very end counts as
// neither: its LF may still come.
func endings(b []byte) Flags {
	var flags Flags
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 || i+1 == len(b) {
			return flags
		}
		b = b[i+1:]
		if b[0] == '\n' {
			flags |= CRLF
		} else {
			flags |= CR
		}
	}
}
