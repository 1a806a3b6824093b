package a2a

import (
	"strings"
)

// dialect is how messages and parts are written.
type dialect int

const (
	dialect01      dialect = iota // parts by type, no ids
	dialect03                     // kind
	dialectREST                   // the proto JSON of 0.3
	dialectProto03                // the same, in the names of its later protocol buffers
	dialect10                     // flat parts
)

func dialectOf(gen Generation, bind Binding) dialect {
	switch {
	case gen == Gen01:
		return dialect01
	case gen == Gen10:
		return dialect10
	case bind == REST:
		return dialectREST
	}
	return dialect03
}

func (o *out) message(x dialect, m Message) {
	o.open('{')
	if x == dialect03 {
		o.text("kind", "message")
	}
	if x != dialect01 {
		o.text("messageId", m.ID)
		o.some("contextId", m.ContextID)
		o.some("taskId", m.TaskID)
	}
	role := string(m.Role)
	if x == dialectREST || x == dialectProto03 || x == dialect10 {
		role = "ROLE_" + strings.ToUpper(role)
	}
	o.text("role", role)
	if x == dialectREST {
		o.key("content")
	} else {
		o.key("parts")
	}
	o.open('[')
	for _, p := range m.Parts {
		o.comma()
		o.part(x, p)
	}
	o.close(']')
	o.close('}')
}

func (o *out) part(x dialect, p Part) {
	o.open('{')
	switch x {
	case dialect10:
		switch p.Kind {
		case PartText:
			o.text("text", p.Text)
		case PartData:
			o.raw("data", dataOf(p))
		case PartBytes:
			o.base64("raw", p.Bytes)
		case PartURL:
			o.text("url", p.URL)
		}
		o.some("filename", p.Filename)
		o.some("mediaType", p.MediaType)
	case dialectREST, dialectProto03:
		switch p.Kind {
		case PartText:
			o.text("text", p.Text)
		case PartData:
			o.key("data")
			o.open('{')
			o.raw("data", objectOf(p))
			o.close('}')
		default:
			name := ""
			if x == dialectProto03 {
				name = "name"
			}
			o.file("fileWithBytes", "fileWithUri", name, p)
		}
	default:
		discriminator := "kind"
		if x == dialect01 {
			discriminator = "type"
		}
		switch p.Kind {
		case PartText:
			o.text(discriminator, "text")
			o.text("text", p.Text)
		case PartData:
			o.text(discriminator, "data")
			data := objectOf(p)
			o.raw("data", data)
			if data != dataOf(p) {
				o.raw("metadata", `{"data_part_compat":true}`)
			}
		default:
			o.text(discriminator, "file")
			o.file("bytes", "uri", "name", p)
		}
	}
	o.close('}')
}

// file writes the file member of 0.x. The proto JSON of 0.3.0 has no name.
func (o *out) file(bytesKey, uriKey, nameKey string, p Part) {
	o.key("file")
	o.open('{')
	if nameKey != "" {
		o.some(nameKey, p.Filename)
	}
	o.some("mimeType", p.MediaType)
	if p.Kind == PartURL {
		o.text(uriKey, p.URL)
	} else {
		o.base64(bytesKey, p.Bytes)
	}
	o.close('}')
}

// dataOf is the JSON of a data part; what is no JSON becomes null.
func dataOf(p Part) string {
	if len(p.Data) == 0 || !p.Data.IsValid(laxly...) {
		return "null"
	}
	return string(p.Data)
}

// objectOf wraps what is no object, because 0.x allows nothing else.
func objectOf(p Part) string {
	data := dataOf(p)
	if strings.HasPrefix(strings.TrimLeft(data, " \t\r\n"), "{") {
		return data
	}
	return `{"value":` + data + `}`
}
