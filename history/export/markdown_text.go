package export

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"a2ascope/session"
)

// code is text between backticks that nothing in it can end.
func code(s string) string {
	s = strings.TrimSpace(oneLine(s))
	if s == "" {
		return "–"
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// cell is code within a table: a bar would end the cell, even there.
func cell(s string) string { return strings.ReplaceAll(code(s), "|", `\|`) }

// fence is a block of text that nothing in it can end.
func fence(language, text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks + "\n"
}

func longestRun(s string, c rune) int {
	most, n := 0, 0
	for _, x := range s {
		if x != c {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// plain is text in which nothing is taken for Markdown or HTML.
func plain(s string) string {
	s = oneLine(s)
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '<':
			b.WriteString("&lt;")
			continue
		case c == '>':
			b.WriteString("&gt;")
			continue
		case c == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]#|~@", c):
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return noLinks.Replace(b.String())
}

// noLinks keeps what a peer says from becoming a link by itself.
var noLinks = strings.NewReplacer("://", "&#58;//", "www.", "www&#46;")

// num names a record. Between backticks it is not taken for an issue.
func num(seq uint64) string { return "`" + number(seq) + "`" }

func nums(seqs []uint64, max int) string {
	var out []string
	for i, n := range seqs {
		if i == max {
			out = append(out, fmt.Sprintf("and %d more", len(seqs)-max))
			break
		}
		out = append(out, num(n))
	}
	return strings.Join(out, ", ")
}

// shownBytes is what a record holds, for people: its wire bytes without the
// fields that say nothing here, or its body.
func shownBytes(r *session.Record, most int) string {
	if r.Raw == nil {
		if r.Redacted && len(r.Body) == 0 {
			return "(withheld)"
		}
		return cutSaying(visible(string(r.Body)), most)
	}
	head := headOf(r)
	var b strings.Builder
	if head > 0 {
		b.WriteString(visible(firstLine(r.Raw[:head])) + "\n")
		for _, h := range headers(r.Raw[:head]) {
			if !dull[strings.ToLower(h.Name)] {
				b.WriteString(oneLine(h.Name+": "+h.Value) + "\n")
			}
		}
	}
	body := r.Raw[head:]
	var enc struct {
		Encoding  string `json:"encoding"`
		ProtoJSON []byte `json:"protoJson"`
	}
	if r.Decode(&enc) == nil {
		if len(enc.ProtoJSON) > 0 {
			body = enc.ProtoJSON
		}
		body, _, _ = session.Unpack(body, enc.Encoding) // as above
	}
	if head > 0 && len(body) > 0 {
		b.WriteString("\n")
	}
	switch {
	case !utf8.Valid(body[:min(len(body), 4096)]) && bytes.IndexByte(body, 0) >= 0:
		fmt.Fprintf(&b, "(%s that are no text)", size(len(body)))
	default:
		b.WriteString(visible(string(body[:min(len(body), 4*most)])))
		if len(body) > 4*most {
			b.WriteString(fmt.Sprintf("… (%s more)", size(len(body)-4*most)))
		}
	}
	return cutSaying(strings.TrimRight(b.String(), "\n"), most)
}

// dull fields say nothing of how an agent behaves.
var dull = map[string]bool{
	"host": true, "user-agent": true, "date": true, "content-length": true, "connection": true, "transfer-encoding": true,
	"x-accel-buffering": true, "vary": true, "accept-encoding": true,
}

// cutSaying shortens text and says by how much.
func cutSaying(s string, most int) string {
	if len(s) <= most {
		return s
	}
	short := strings.TrimSuffix(cut(s, most), "…")
	return fmt.Sprintf("%s… (%s more)", short, size(len(s)-len(short)))
}
