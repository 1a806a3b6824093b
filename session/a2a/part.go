package a2a

import (
	"bytes"
	"strings"
)

// parts decodes the parts of a message or artifact: an array under parts or
// content, one part alone, or only a text.
func (d *decoder) parts(i int) []Part {
	items, content := d.find(i, kParts), d.find(i, kContent)
	if items < 0 {
		items = content
	} else if content >= 0 && !d.empty(content) && !d.empty(items) && !bytes.Equal(d.bytes(items), d.bytes(content)) {
		d.note("part-two-contents", true, "parts and content are both there and differ; parts was taken")
	}
	switch d.kind(items) {
	case '[':
		count := 0
		for c := d.first(items); c >= 0; c = d.next(items, c) {
			count++
		}
		if count == 0 {
			break
		}
		if count > maxParts {
			d.note("list-cut", true, "only the first %d of %d parts were read", maxParts, count)
			count = maxParts
		}
		out := make([]Part, 0, count)
		for c := d.first(items); c >= 0 && len(out) < count; c = d.next(items, c) {
			out = append(out, d.part(c))
		}
		return out
	case '{', '"':
		d.note("part-dialect", false, "the parts are no array")
		return []Part{d.part(items)}
	}
	if text := d.find(i, kText); d.kind(text) == '"' {
		d.note("part-dialect", false, "the text stands where the parts should be")
		return []Part{{Kind: PartText, Text: d.str(text)}}
	}
	d.note("parts-empty", false, "a message or artifact has no parts")
	return []Part{}
}

// part decodes one part of any dialect.
func (d *decoder) part(i int) Part {
	if d.kind(i) != '{' {
		d.note("part-dialect", false, "a part is no object")
		if d.kind(i) == '"' {
			return Part{Kind: PartText, Text: d.str(i)}
		}
		return Part{Kind: PartData, Data: bytes.Clone(d.bytes(i))}
	}
	p := Part{MediaType: d.text(i, kMediaType, kMimeType, kContentType), Filename: d.text(i, kFilename)}
	kind := d.text(i, kKind)
	if kind == "" {
		if t := d.text(i, kType); isPartKind(t) {
			kind = t
		}
	}
	text, data, file, raw, url := d.find(i, kText), d.find(i, kData), d.find(i, kFile), d.find(i, kRaw), d.find(i, kURL)
	candidates := [5]int{text, data, file, raw, url}
	chosen := d.chosen(kind, candidates)
	switch {
	case chosen >= 0 && chosen == text:
		p.Kind, p.Text = PartText, d.str(text)
		if d.kind(text) != '"' {
			d.note("part-dialect", false, "the text of a part is no string")
		}
	case chosen >= 0 && chosen == data:
		p.Kind, p.Data = PartData, d.data(i, data, kind)
	case chosen >= 0 && chosen == file:
		if d.out.Envelope && d.ev&(evWrapper|evProto) != 0 && d.ev&(evKind|evType) == 0 {
			d.note("part-dialect", false, "a part has a file around its content, which 1.0 has no more")
		}
		d.file(file, &p)
	case chosen >= 0 && chosen == raw:
		p.Kind, p.Bytes = PartBytes, d.content(raw, p.MediaType)
	case chosen >= 0 && chosen == url:
		p.Kind, p.URL = PartURL, d.str(url)
	default:
		d.contentless(i, kind, &p)
	}
	return p
}

// chosen picks the content of a part: the one that its kind names, else the
// only one that is not empty. Two that are not empty are ambiguous.
func (d *decoder) chosen(kind string, candidates [5]int) int {
	named := -1
	switch kind {
	case "text":
		named = candidates[0]
	case "data":
		named = candidates[1]
	case "file":
		named = candidates[2]
	}
	chosen, full := named, 0
	for _, c := range candidates {
		if c < 0 || d.empty(c) {
			continue
		}
		if full++; chosen < 0 || full == 1 && named < 0 {
			chosen = c
		}
	}
	if full > 1 {
		d.note("part-two-contents", true, "a part has %d contents; the one of its kind, else the first of text, data, file, raw and url, was taken", full)
	}
	if chosen >= 0 {
		return chosen
	}
	for _, c := range candidates { // an empty content is one, if there is no other
		if c >= 0 {
			return c
		}
	}
	return -1
}

// contentless is a part without a content that we know. One of another kind
// is kept whole as data, so that nothing is lost.
func (d *decoder) contentless(i int, kind string, p *Part) {
	switch {
	case d.null(i, kData) && (kind == "data" || kind == ""):
		p.Kind, p.Data = PartData, []byte("null")
	case kind == "text", d.empty(i):
		p.Kind = PartText
		d.note("part-dialect", false, "a part has no content")
	default:
		p.Kind, p.Data = PartData, compact(d.bytes(i))
		d.note("part-dialect", false, "a part of the unknown kind %q was kept as data", clip(kind))
	}
}

// data takes the value of a data part, out of the wrapper that compatibility
// layers put around values that are no objects, and out of the DataPart of the
// proto JSON of 0.3.
func (d *decoder) data(part, i int, kind string) []byte {
	if d.kind(i) == '{' {
		if meta := d.member(part, kMetadata); d.kind(meta) == '{' && bytes.Contains(d.bytes(meta), []byte("ompat")) {
			if v, _ := d.boolean(d.member(d.expand(meta), kDataPartCompat)); v {
				x := d.expand(i)
				if value := d.anyMember(x, kValue); value >= 0 {
					return bytes.Clone(d.bytes(value))
				}
			}
		}
		if kind == "" && !d.out.Envelope && d.ev&ev10 == 0 && bytes.Contains(d.bytes(i), []byte(`"data"`)) {
			x := d.expand(i)
			c := d.first(x)
			if c >= 0 && d.n[c].key == kData && d.kind(c) == '{' && d.next(x, c) < 0 {
				return bytes.Clone(d.bytes(c))
			}
		}
	}
	return bytes.Clone(d.bytes(i))
}

// anyMember is member, null included.
func (d *decoder) anyMember(i int, k key) int {
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		if d.n[c].key == k {
			return c
		}
	}
	return -1
}

// file decodes the file of 0.x, by value or by reference.
func (d *decoder) file(i int, p *Part) {
	if d.kind(i) == '"' {
		d.note("part-dialect", false, "the file of a part is a text")
		if text := d.str(i); strings.Contains(text, "://") {
			p.Kind, p.URL = PartURL, text
		} else {
			p.Kind, p.Bytes = PartBytes, d.content(i, p.MediaType)
		}
		return
	}
	if m := d.text(i, kMimeType, kMediaType, kContentType); m != "" {
		p.MediaType = m
	}
	if n := d.text(i, kName, kFilename); n != "" {
		p.Filename = n
	}
	value, ref := d.either(i, kBytes, kFileWithBytes, kRaw), d.either(i, kURI, kFileWithURI, kURL)
	if d.kind(value) == '{' { // the draft of 1.0 nested once more
		if inner := d.either(value, kBytes, kRaw); inner >= 0 {
			value = inner
		}
	}
	if d.kind(ref) == '{' {
		if inner := d.either(ref, kURI, kURL); inner >= 0 {
			ref = inner
		}
	}
	switch {
	case !d.empty(value) && !d.empty(ref):
		d.note("part-two-contents", true, "a file has bytes and a URI; the bytes were taken")
		p.Kind, p.Bytes = PartBytes, d.content(value, p.MediaType)
	case value >= 0 && d.empty(ref):
		p.Kind, p.Bytes = PartBytes, d.content(value, p.MediaType)
	case ref >= 0:
		p.Kind, p.URL = PartURL, d.str(ref)
	default:
		p.Kind, p.Bytes = PartBytes, []byte{}
		d.note("part-dialect", false, "a file has neither bytes nor URI")
	}
}
