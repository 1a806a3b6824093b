package export

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"a2ascope/session"
)

// void elements have no end.
var void = []string{"meta", "br", "hr", "img", "link", "input"}

// allowed are the elements of the page, and attributes that may stand there.
var (
	allowedElements = strings.Fields(`html head meta title style body a header p h1 h2 h3 h4 strong span dl dt dd nav ul ol li main section article div
		code pre details summary table caption thead tbody tr th td figure figcaption svg text line g path circle rect footer`)
	allowedAttributes = strings.Fields(`lang charset http-equiv content name class href id aria-label aria-labelledby aria-describedby aria-hidden role tabindex scope colspan open
		viewbox viewBox x y x1 y1 x2 y2 cx cy r rx width height d text-anchor`)
)

// checkPage reads a page as strictly as a validator, and returns its text.
func checkPage(t testing.TB, page string) string {
	t.Helper()
	var (
		stack []string
		text  strings.Builder
		ids   = map[string]bool{}
		refs  []string
		level int
		count = map[string]int{}
	)
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			if len(stack) > 0 {
				t.Errorf("never closed: %v", stack)
			}
			for _, r := range refs {
				if !ids[r] {
					t.Errorf("#%s leads nowhere", r)
				}
			}
			for _, once := range []string{"h1", "main", "title", "header", "footer"} {
				if want := map[bool]int{true: 2, false: 1}[once == "title" && count["svg"] > 0]; once != "title" && count[once] != want {
					t.Errorf("%d × %s", count[once], once)
				}
			}
			if count["caption"] != count["table"] {
				t.Errorf("%d tables have %d captions", count["table"], count["caption"])
			}
			return text.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			count[tok.Data]++
			if !slices.Contains(allowedElements, tok.Data) {
				t.Errorf("an element %s", tok.Data)
			}
			if h, err := strconv.Atoi(strings.TrimPrefix(tok.Data, "h")); err == nil {
				if h > level+1 {
					t.Errorf("h%d follows h%d", h, level)
				}
				level = h
			}
			for _, a := range tok.Attr {
				checkAttribute(t, tok.Data, a, ids, &refs)
			}
			if tok.Type == html.StartTagToken && !slices.Contains(void, tok.Data) {
				stack = append(stack, tok.Data)
			}
		case html.EndTagToken:
			tok := z.Token()
			if len(stack) == 0 || stack[len(stack)-1] != tok.Data {
				t.Fatalf("</%s> closes %v", tok.Data, stack)
			}
			stack = stack[:len(stack)-1]
		case html.TextToken:
			raw := string(z.Raw())
			if len(stack) > 0 && stack[len(stack)-1] != "style" && strings.ContainsAny(raw, "<>\"'`") {
				t.Errorf("unescaped: %.80q", raw)
			}
			text.WriteString(html.UnescapeString(raw))
		case html.CommentToken:
			t.Errorf("a comment: %q", z.Raw())
		}
	}
}

func checkAttribute(t testing.TB, element string, a html.Attribute, ids map[string]bool, refs *[]string) {
	t.Helper()
	if !slices.Contains(allowedAttributes, a.Key) {
		t.Errorf("%s has an attribute %s", element, a.Key)
	}
	switch a.Key {
	case "id":
		if ids[a.Val] {
			t.Errorf("two elements have the id %s", a.Val)
		}
		ids[a.Val] = true
	case "href":
		if !strings.HasPrefix(a.Val, "#") {
			t.Errorf("a link out: %s", a.Val)
		}
		*refs = append(*refs, strings.TrimPrefix(a.Val, "#"))
	case "aria-labelledby", "aria-describedby":
		*refs = append(*refs, strings.Fields(a.Val)...)
	}
}

func TestHTML(t *testing.T) {
	t.Parallel()
	for _, name := range recorded {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := exported(t, load(t, name), "html", Options{})
			checkPage(t, page)
			for _, want := range []string{"<!DOCTYPE html>", `lang="en"`, "prefers-color-scheme", "default-src &#39;none&#39;", "@media print"} {
				if !strings.Contains(page, want) {
					t.Errorf("no %s", want)
				}
			}
		})
	}
}

// hostile puts a text of the peer's, and of the operator's, into every place
// of a session.
func hostile(t testing.TB, s string) []session.Record {
	t.Helper()
	records := slices.Clone(load(t, "leaky-cancel"))
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	inJSON := string(b[1 : len(b)-1])
	once := strings.NewReplacer("Demo peer: leaky-cancel", inJSON, "Working on it, chunk by chunk", inJSON, `"artifactId":"slow"`, `"artifactId":"`+inJSON+`"`,
		"chunk 1 of 14", inJSON, "application/json\r\n", "application/json\r\nX-Odd: "+strings.NewReplacer("\r", "", "\n", "").Replace(s)+"\r\n",
		`"version":"1.4.0"`, `"version":"`+inJSON+`"`)
	for i := range records {
		r := &records[i]
		if r.Raw != nil {
			old := len(r.Raw)
			head := headOf(r)
			text := once.Replace(string(r.Raw[:head]))
			rest := once.Replace(string(r.Raw[head:]))
			r.Raw = []byte(text + rest)
			if old != len(r.Raw) && head > 0 {
				r.Body = headMember.ReplaceAll(r.Body, fmt.Appendf(nil, `"head":%d`, len(text)))
			}
		}
		switch r.Kind {
		case session.KindFinding, session.KindDecision:
			body := strings.NewReplacer("the task was canceled", inJSON, "answered canceled", inJSON, "field note 000", inJSON).Replace(string(r.Body))
			r.Body = []byte(body)
		case session.KindOpened:
			r.Body = []byte(strings.Replace(string(r.Body), "demo:leaky-cancel", inJSON, 1))
		}
	}
	return records
}

// nasty are texts that break out of what is careless.
var nasty = []string{
	`</pre></td></script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, "`````\n# broken out\n```", "```", "| a | b |\n|---|---|",
	"\x1b[31mred\x1b[0m\x00\x07", "\u202eevil\u202c", "\xff\xfe\x80", "]]>&lt;&#x3c;", `$(rm -rf /) 'quoted' "$HOME" \`, "a\nb\r\nc\u2028d", "![x](http://h/i.png) [y](javascript:x) www.x.example @someone",
	"", "-->", "{{.}}", strings.Repeat("`", 300), strings.Repeat("wide", 4000), "\ufffe\ufdd0\U0001ffff",
}

func checkHostile(t testing.TB, s string) {
	t.Helper()
	records := hostile(t, s)
	checkPage(t, exported(t, records, "html", Options{}))
	checkMarkdown(t, exported(t, records, "md", Options{}))
	for _, format := range []string{"curl", "script", "har", "html", "md"} {
		out := exported(t, records, format, Options{})
		if !utf8.ValidString(out) {
			t.Errorf("%s is no UTF-8", format)
		}
		for _, c := range out {
			if c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Bidi_Control) && format != "har" && format != "curl" {
				t.Fatalf("%s holds %U", format, c)
			}
		}
	}
	for line := range strings.Lines(exported(t, records, "script", Options{})) {
		if _, err := session.ParseCommand(line); err != nil && !strings.HasPrefix(line, "#") {
			t.Errorf("script: %q: %v", line, err)
		}
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range nasty {
		checkHostile(t, s)
	}
}

func FuzzHostile(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 1<<12 {
			checkHostile(t, s)
		}
	})
}

var schemeVar = regexp.MustCompile(`--([a-z]+):(#[0-9a-f]{3,6})`)

// luminance is that of a colour, as WCAG 2 has it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	hex = strings.TrimPrefix(hex, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(n>>(8*i)&255) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// Text can be read on every ground that it stands on: in the light, in the
// dark and on paper (WCAG 2 AA, 4.5:1).
func TestContrast(t *testing.T) {
	t.Parallel()
	schemes := strings.Split(styleSheet, ":root{")[1:]
	if len(schemes) != 3 {
		t.Fatalf("%d schemes", len(schemes))
	}
	for i, s := range schemes {
		s, _, _ = strings.Cut(s, "}")
		colour := map[string]float64{}
		for _, m := range schemeVar.FindAllStringSubmatch(s, -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		for ground, texts := range map[string]string{
			"bg": "fg soft accent bad good warn", "panel": "fg soft accent bad good warn", "badbg": "fg soft accent bad", "goodbg": "fg soft accent good",
			"warnbg": "fg soft accent warn", "code": "fg soft",
		} {
			for text := range strings.FieldsSeq(texts) {
				a, b := colour[ground], colour[text]
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
					t.Errorf("scheme %d: %s on %s is %.2f:1", i, text, ground, ratio)
				}
			}
		}
	}
}

var fenceLine = regexp.MustCompile("^(`{3,})([a-z]*)$")

// codeSpans takes the spans of code out of a line, as CommonMark does.
func codeSpans(line string) string {
	var out strings.Builder
	for line != "" {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			break
		}
		if i > 0 && line[i-1] == '\\' {
			out.WriteString(line[:i+1])
			line = line[i+1:]
			continue
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		out.WriteString(line[:i])
		rest := line[i+n:]
		end := -1
		for at := 0; at < len(rest); {
			j := strings.IndexByte(rest[at:], '`')
			if j < 0 {
				break
			}
			run := len(rest[at+j:]) - len(strings.TrimLeft(rest[at+j:], "`"))
			if run == n {
				end = at + j + run
				break
			}
			at += j + run
		}
		if end < 0 {
			out.WriteString("(an open span)<")
			return out.String()
		}
		line = rest[end:]
	}
	return out.String() + line
}

// checkMarkdown reads fences as CommonMark does: what a peer said opens none,
// closes none, and stands in no HTML.
func checkMarkdown(t testing.TB, md string) {
	t.Helper()
	open := ""
	headings := 0
	for line := range strings.Lines(md) {
		line = strings.TrimSuffix(line, "\n")
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case open == "" && m != nil:
			open = m[1]
		case open == "" && strings.HasPrefix(line, "```"):
			t.Errorf("a fence of somebody else's: %.80q", line)
		case open != "" && m != nil && len(m[1]) >= len(open) && m[2] == "":
			open = ""
		case open == "":
			if strings.HasPrefix(line, "#") {
				headings++
			}
			if rest := codeSpans(line); strings.ContainsAny(rest, "<>") {
				t.Errorf("HTML, or an open span: %.200q", line)
			}
		}
	}
	if open != "" {
		t.Error("a fence stays open")
	}
	if headings != 10 {
		t.Errorf("%d headings", headings)
	}
}
