package a2a

import "bytes"

// SplitField cuts a line of an event stream into its field name and value, by
// the rules of the WHATWG standard: at the first colon, with one blank taken
// off the value.
func SplitField(line []byte) (name, value []byte) {
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

// EventData returns the data of one event from the bytes of its frame: the
// values of its data lines, joined by LF. Lines may end in LF, CR or CRLF; a
// byte order mark in front is passed over. It returns nil when there is no
// data line. The result may share memory with raw.
func EventData(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	var data []byte
	lines := 0
	for len(raw) > 0 {
		line := raw
		if i := bytes.IndexAny(raw, "\r\n"); i >= 0 {
			line = raw[:i]
			if raw[i] == '\r' && i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
			raw = raw[i+1:]
		} else {
			raw = nil
		}
		name, value := SplitField(line)
		if len(line) == 0 || string(name) != "data" {
			continue
		}
		switch lines++; lines {
		case 1:
			data = value[:len(value):len(value)]
			if data == nil {
				data = []byte{}
			}
		default:
			data = append(append(data, '\n'), value...)
		}
	}
	return data
}
