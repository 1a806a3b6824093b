package a2a

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// out writes JSON members in the order in which they are given, without
// escaping for HTML.
type out struct{ b []byte }

func (o *out) comma() {
	if n := len(o.b); n > 0 {
		if c := o.b[n-1]; c != '{' && c != '[' && c != ':' {
			o.b = append(o.b, ',')
		}
	}
}

func (o *out) open(c byte)  { o.b = append(o.b, c) }
func (o *out) close(c byte) { o.b = append(o.b, c) }

func (o *out) key(name string) {
	o.comma()
	o.quote(name)
	o.b = append(o.b, ':')
}

// quote appends a JSON string; bad UTF-8 in it becomes U+FFFD.
func (o *out) quote(s string) {
	o.b, _ = jsontext.AppendQuote(o.b, s)
}

func (o *out) text(name, value string) {
	o.key(name)
	o.quote(value)
}

// base64 writes bytes as a text that needs no escapes. They may be many: they are
// written in place.
func (o *out) base64(name string, value []byte) {
	o.key(name)
	o.b = slices.Grow(o.b, base64.StdEncoding.EncodedLen(len(value))+2)
	o.b = append(o.b, '"')
	o.b = base64.StdEncoding.AppendEncode(o.b, value)
	o.b = append(o.b, '"')
}

// some writes a text unless it is empty.
func (o *out) some(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *out) raw(name, json string) {
	o.key(name)
	o.b = append(o.b, json...)
}

func (o *out) boolean(name string, v bool) { o.raw(name, strconv.FormatBool(v)) }

// number writes a number unless it is nil.
func (o *out) number(name string, n *int) {
	if n != nil {
		o.raw(name, strconv.Itoa(*n))
	}
}

func (o *out) texts(name string, values []string) {
	o.key(name)
	o.open('[')
	for _, v := range values {
		o.comma()
		o.quote(v)
	}
	o.close(']')
}

// query writes a URL query in the order in which its values are given.
type query struct{ b strings.Builder }

func (q *query) some(name, value string) {
	if value == "" {
		return
	}
	if q.b.Len() > 0 {
		q.b.WriteByte('&')
	}
	q.b.WriteString(name + "=" + url.QueryEscape(value))
}

func (q *query) number(name string, n *int) {
	if n != nil {
		q.some(name, strconv.Itoa(*n))
	}
}
