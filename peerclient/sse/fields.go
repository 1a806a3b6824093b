package sse

import "bytes"

// fields holds what outlives a block while its lines are parsed by the rules of
// the standard, and the last event name, to keep one string for many events.
type fields struct {
	lastID, lastType string
}

// parse reads a block whose lines end in LF: it sets Kind, Data, Type, Retry
// and adds to Flags. The data is appended to dst, which is returned.
func (fs *fields) parse(f *Frame, block, dst []byte) []byte {
	from, count, comments := len(dst), 0, true
	for len(block) > 0 {
		line := block
		if i := bytes.IndexByte(block, '\n'); i >= 0 {
			line, block = block[:i], block[i+1:]
		} else {
			block = nil
		}
		if len(line) == 0 || line[0] == ':' {
			continue
		}
		comments = false
		name, value := split(line)
		if string(name) != "data" {
			fs.set(f, name, value)
			continue
		}
		if count++; count > 1 {
			dst = append(dst, '\n')
		}
		dst = append(dst, value...)
	}
	switch {
	case count > 0:
		f.Kind = Event
		f.Data = dst[from:len(dst):len(dst)]
		if count > 1 {
			f.Flags |= MultiData
		}
	case comments:
		f.Kind = Comment
	default:
		f.Kind = NoData
	}
	return dst
}

// discard reads the lines of text for everything but their data.
func (fs *fields) discard(f *Frame, text []byte) {
	for len(text) > 0 {
		line := text
		if i := indexEOL(text); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if len(line) == 0 || line[0] == ':' {
			continue
		}
		if name, value := split(line); string(name) != "data" {
			fs.set(f, name, value)
		}
	}
}

// split cuts a line at its first colon and takes one blank off the value.
func split(line []byte) (name, value []byte) {
	i := bytes.IndexByte(line, ':')
	if i < 0 {
		return line, nil
	}
	name, value = line[:i], line[i+1:]
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return name, value
}

// set is the field rules for all but data.
func (fs *fields) set(f *Frame, name, value []byte) {
	switch string(name) {
	case "event":
		if string(value) != fs.lastType {
			fs.lastType = string(value)
		}
		f.Type = fs.lastType
	case "id":
		if bytes.IndexByte(value, 0) >= 0 {
			f.Flags |= NULID
			return
		}
		if string(value) != fs.lastID {
			fs.lastID = string(value)
		}
	case "retry":
		if !digits(value) {
			f.Flags |= BadRetry
			return
		}
		f.Retry = string(value)
	default:
		f.Flags |= UnknownField
	}
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
