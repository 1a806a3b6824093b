package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Messages of an export.
type (
	// draftedMsg: what an export would hold was read.
	draftedMsg struct {
		wish  exportWish
		draft Draft
		err   error
	}
	// exportedMsg: a session was written.
	exportedMsg struct {
		path string
		err  error
	}
)

// exportWish is what an export is to be.
type exportWish struct {
	id     string
	format Format
	raw    bool // what looks like a secret is left in
}

// name is the file that is written unless another one is named. A raw one says
// so.
func (w *exportWish) name() string {
	if w.raw {
		return "a2ascope-" + w.id + "-raw." + w.format.Ext
	}
	return "a2ascope-" + w.id + "." + w.format.Ext
}

// askExport asks for the form in which a session is to be written.
func (m *model) askExport(id string) tea.Cmd {
	src := m.opt.Sessions
	if src == nil || id == "" {
		m.say(toastWarn, "there is no session to write")
		return nil
	}
	p := &picker{input: newLineInput(), title: "Write the session as …"}
	for _, f := range src.Formats() {
		p.entries = append(p.entries, entry{name: f.Name, key: "." + f.Ext, help: f.Title, do: func(m *model) tea.Cmd { return m.draft(exportWish{id: id, format: f}) }})
	}
	p.search()
	m.push(p)
	return nil
}

// draft reads what would be written.
func (m *model) draft(w exportWish) tea.Cmd {
	m.say(toastInfo, "reading the session for a preview…")
	src := m.opt.Sessions
	return func() tea.Msg {
		d, err := src.Draft(w.id, w.format.Name, w.raw)
		return draftedMsg{w, d, err}
	}
}

// drafted shows it: where it goes and what is taken out first, then how the
// file begins.
func (m *model) drafted(msg draftedMsg) tea.Cmd {
	m.toast = toast{}
	if msg.err != nil {
		m.fail("preparing the export: " + msg.err.Error())
		return nil
	}
	d, w := msg.draft, msg.wish
	at, exists := placeOf(w.name())
	g := m.g
	box := &textBox{
		title: "Preview of " + w.format.Name, search: newLineInput(), box: viewport.New(), wide: true, plain: clean.Block(d.Text), copies: "the preview",
		enter: "write to a file", onEnter: func(m *model) tea.Cmd { return m.askPath(w) },
		other: "raw", otherKey: "r", onOther: func(m *model) tea.Cmd { return m.askRaw(w, &d) },
		make: func(st *themes.Styles, width int) []string {
			t := &prose{st: st, w: width}
			t.destination(&d, at, exists)
			t.redactions(&d, g)
			t.gap()
			for _, l := range strings.Split(ansi.Strip(clean.Block(d.Text)), "\n") {
				t.add(st.Text, l)
			}
			if d.Size > int64(len(d.Text)) {
				t.add(st.Muted, "… and so on: "+bytesText(d.Size)+" in all")
			}
			return t.lines
		},
	}
	if w.raw {
		box.title, box.other = box.title+": RAW, nothing taken out", "redacted"
	}
	m.push(box)
	return nil
}

// placeOf is where a file would be written, and whether one is there.
func placeOf(path string) (at string, exists bool) {
	at, err := filepath.Abs(path)
	if err != nil { // the working directory is gone
		at = path
	}
	_, err = os.Stat(path)
	return at, err == nil
}

// destination says where an export goes, and how long it is.
func (t *prose) destination(d *Draft, at string, exists bool) {
	note := "; enter asks for another place too"
	if exists {
		note = " is there already: it is not replaced without a yes"
	}
	t.field("file", clean.Line(at, 0)+note)
	t.field("size", fmt.Sprintf("%s, %s, for you alone to read", bytesText(d.Size), counted(int(d.Records), "record")))
}

// redactions says what an export takes out, or leaves in.
func (t *prose) redactions(d *Draft, g glyphs) {
	if d.Redacted == 0 {
		t.field("taken out", g.ok+" nothing here looks like a secret; those that you gave are not in the log at all")
		return
	}
	what := fmt.Sprintf("%s like secrets, in %s", looking(d.Values), counted(d.Redacted, "place"))
	if d.Raw {
		t.fieldIn(t.st.Bad, "LEFT IN", g.bad+" "+what+": whoever reads the file can use them")
	} else {
		t.fieldIn(t.st.Warn, "taken out", what+"; each stands as ‹redacted:N›")
	}
	for i, p := range d.Places {
		if i == 12 {
			t.field("", fmt.Sprintf("… and %d other kinds of place", len(d.Places)-i))
			break
		}
		t.field("", fmt.Sprintf("%d× %s  %s", p.Count, clean.Line(p.Where, 60), clean.Line(p.Sample, 40)))
	}
}

// looking is how many values look like something.
func looking(n int) string {
	if n == 1 {
		return "1 value that looks"
	}
	return fmt.Sprintf("%d values that look", n)
}

// askRaw asks whether what looks like a secret is to be left in, and goes back
// to the redacted preview without a question.
func (m *model) askRaw(w exportWish, d *Draft) tea.Cmd {
	w.raw = !w.raw
	switch {
	case !w.raw:
		m.pop()
		return m.draft(w)
	case d.Redacted == 0:
		m.say(toastInfo, "nothing is taken out here: raw would be the same file")
		return nil
	}
	text := []string{
		fmt.Sprintf("%s like secrets, in %s, would stand in the file as they are.", looking(d.Values), counted(d.Redacted, "place")),
		"Whoever gets the file can use them: send it to nobody whom you would not give them to. Those that you gave to the console are not in the log, and not in the file.",
	}
	if len(d.Places) > 0 {
		text = append(text, fmt.Sprintf("The most of them: %d× %s %s", d.Places[0].Count, clean.Line(d.Places[0].Where, 40), clean.Line(d.Places[0].Sample, 20)))
	}
	m.push(&dialog{
		title: "Leave secrets in the file?", text: text, yes: "leave them in", no: "take them out",
		onYes: func(m *model) tea.Cmd { m.pop(); return m.draft(w) },
	})
	return nil
}

// askPath asks where to write, and once more before a file is replaced.
func (m *model) askPath(w exportWish) tea.Cmd {
	cmd := m.openField(fieldPath, w.name())
	m.field.note = w.format.Title
	if w.raw {
		m.field.note = "RAW: secrets are left in"
	}
	m.field.take = func(path string) (tea.Cmd, error) {
		path = m.atHome(path)
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			return nil, fmt.Errorf("%s is a folder: add a name", path)
		case err == nil:
			m.push(&dialog{
				title: "Replace the file?", text: []string{clean.Line(path, 200) + " is there already."}, yes: "replace it", no: "keep it",
				onYes: func(m *model) tea.Cmd { return m.export(w, path) },
			})
			return nil, nil
		}
		if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
			return nil, fmt.Errorf("there is no folder %s", filepath.Dir(path))
		}
		return m.export(w, path), nil
	}
	return cmd
}

// atHome is a path whose ~ is the operator's home, as a shell reads it.
func (m *model) atHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home := m.env("HOME")
	if !ok || home == "" {
		return path
	}
	return filepath.Join(home, rest)
}

// export writes the file: by the session's own command where it goes on, so
// that its log says so.
func (m *model) export(w exportWish, path string) tea.Cmd {
	if s := m.session; m.screen == screenSession && s != nil && s.writable(m) == "" && s.view.Session == w.id {
		line := "export " + w.format.Name + " " + session.QuoteWord(path)
		if w.raw {
			line += " --raw"
		}
		return m.run(line, nil)
	}
	src := m.opt.Sessions
	return func() tea.Msg {
		written, err := src.Export(w.id, w.format.Name, path, w.raw)
		return exportedMsg{written, err}
	}
}

func (m *model) exported(msg exportedMsg) {
	if msg.err != nil {
		m.fail("writing the export: " + msg.err.Error())
		return
	}
	m.say(toastInfo, "written: "+clean.Line(msg.path, 300))
}
