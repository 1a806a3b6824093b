package export

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"a2ascope/session"
)

// odd is every character that a terminal obeys or that hides how text reads: the
// controls of ASCII and of C1, bidirectional ones, those without width, tags.
func odd() string {
	var b strings.Builder
	for r := rune(1); r <= 0xffff; r++ {
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			b.WriteRune(r)
		}
	}
	return b.String() + "\u200b\u2060\ufeff\u2028\u2029\u00ad\U000e0041\U000e0001"
}

// checkTerminal fails when a terminal would obey anything in the bytes.
func checkTerminal(t *testing.T, format string, out []byte) {
	t.Helper()
	for i := 0; i < len(out); {
		r, n := utf8.DecodeRune(out[i:])
		switch {
		case r == utf8.RuneError && n == 1: // a raw byte of C1 among them
			t.Fatalf("%s holds the byte %#x, which is no UTF-8, in %.80q", format, out[i], out[max(0, i-30):])
		case r == '\n' || r == '\t':
		case unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp),
			r == '\u200b', r == '\u2060', r == '\ufeff', r == '\u00ad', r >= 0xe0000 && r <= 0xe0fff:
			t.Fatalf("%s holds %U in %.80q", format, r, out[max(0, i-30):])
		}
		i += n
	}
}

// hostileEverywhere is a session in which the peer and the operator use what a
// terminal obeys, in text and in bytes that are no text, with a chain that holds.
func hostileEverywhere(t *testing.T) []session.Record {
	t.Helper()
	text := odd()
	records := hostile(t, text)
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	turned := false
	var prev session.Digest
	for i := range records {
		r := &records[i]
		switch {
		case r.Kind == session.KindCommand && !turned && bytes.Contains(r.Body, []byte("stream slow 20")):
			turned = true
			var b session.Commanded
			if err := r.Decode(&b); err != nil {
				t.Fatal(err)
			}
			b.Line = "stream slow 20 --accept=text/plain " + line + ` "x` + line + `" don't 'y` + line + `'`
			r.Body = session.Encode(b)
		case r.Kind == session.KindRequest && bytes.Contains(r.Raw, []byte("slow 20")):
			r.Raw = bytes.Replace(r.Raw, []byte("slow 20"), []byte("slow 20 "+inString(text)), 1)
		case r.Kind == session.KindFrame && i%3 == 0:
			r.Raw = append(bytes.Clone(r.Raw), 0x9b, '3', '1', 'm', 0x90, 0xff)
		}
		r.Seal(prev)
		prev = r.Hash
	}
	if !turned {
		t.Fatal("the session has no command to change")
	}
	return records
}

// inString is what of a text may stand in a string of JSON as it is.
func inString(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, s)
}

// Whatever is exported may be sent to a terminal, and jsonl reads back as what
// it was.
func TestExportsAreSafeInATerminal(t *testing.T) {
	t.Parallel()
	records := hostileEverywhere(t)
	for _, f := range Formats {
		for _, o := range []Options{{}, {Raw: true}} {
			checkTerminal(t, f.Name, []byte(exported(t, records, f.Name, o)))
		}
	}
	out := exported(t, records, "jsonl", Options{Raw: true})
	i := 0
	var prev session.Digest
	c, err := ReadJSONL(strings.NewReader(out), func(r session.Record) error {
		if want := &records[i]; !bytes.Equal(r.Body, want.Body) || !bytes.Equal(r.Raw, want.Raw) {
			t.Errorf("record %d was read back as something else", r.Seq)
		}
		err := r.Verify(uint64(i), prev)
		i, prev = i+1, r.Hash
		return err
	})
	if err != nil || !c.Whole || i != len(records) {
		t.Errorf("read back: %v, %+v, %d of %d records", err, c, i, len(records))
	}
}

// The script gives the commands that were given.
func TestScriptSpeltOut(t *testing.T) {
	t.Parallel()
	e, err := Open(pages(hostileEverywhere(t)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.fold(); err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, s := range e.commands(false) {
		got, err := session.ParseCommand(s.line)
		if err != nil {
			continue
		}
		want := s.cs.Cmd
		seen = seen || strings.ContainsRune(want.Text, 0x202e)
		if got.Name != want.Name || got.Text != want.Text || len(got.Accept) != len(want.Accept) {
			t.Errorf("%q reads as %q, want %q", s.line, got.Text, want.Text)
		}
	}
	if !seen {
		t.Error("no command holds the characters")
	}
}

// A word of the shell is the text that it was made of.
func TestShellWords(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, text := range []string{odd(), "it's \u202e'quoted'\n\x1b[31m", "\xff\x9b", "plain", "\x1b"} {
		word := (*shell)(nil).word(text, false)
		checkTerminal(t, "the word", []byte(word))
		out, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+word).Output()
		if err != nil || string(out) != text {
			t.Errorf("%s gives %q, want %q: %v", word, out, text, err)
		}
	}
}
