package console

import (
	"fmt"
	"os"
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
		id     string
		format Format
		draft  Draft
		err    error
	}
	// exportedMsg: a session was written.
	exportedMsg struct {
		path string
		err  error
	}
)

// askExport asks for the form in which a session is to be written.
func (m *model) askExport(id string) tea.Cmd {
	src := m.opt.Sessions
	if src == nil || id == "" {
		m.say(toastWarn, "there is no session to write")
		return nil
	}
	p := &picker{input: newLineInput(), title: "Write the session as …"}
	for _, f := range src.Formats() {
		p.entries = append(p.entries, entry{name: f.Name, key: "." + f.Ext, help: f.Title, do: func(m *model) tea.Cmd { return m.draft(id, f) }})
	}
	p.search()
	m.push(p)
	return nil
}

// draft reads what would be written.
func (m *model) draft(id string, f Format) tea.Cmd {
	m.say(toastInfo, "reading the session for a preview…")
	src := m.opt.Sessions
	return func() tea.Msg {
		d, err := src.Draft(id, f.Name)
		return draftedMsg{id, f, d, err}
	}
}

// drafted shows it: what is taken out first, then how the file begins.
func (m *model) drafted(msg draftedMsg) tea.Cmd {
	m.toast = toast{}
	if msg.err != nil {
		m.fail("preparing the export: " + msg.err.Error())
		return nil
	}
	d, f := msg.draft, msg.format
	g := m.g
	m.push(&textBox{
		title: "Preview of " + f.Name, search: newLineInput(), box: viewport.New(), wide: true, plain: clean.Block(d.Text), copies: "the preview",
		enter: "write to a file", onEnter: func(m *model) tea.Cmd { return m.askPath(msg.id, f) },
		make: func(st *themes.Styles, w int) []string {
			t := &prose{st: st, w: w}
			t.redactions(&d, g)
			t.gap()
			for _, l := range strings.Split(ansi.Strip(clean.Block(d.Text)), "\n") {
				t.add(st.Text, l)
			}
			return t.lines
		},
	})
	return nil
}

// redactions says what an export takes out.
func (t *prose) redactions(d *Draft, g glyphs) {
	t.field("records", fmt.Sprint(d.Records))
	if d.Redacted == 0 {
		t.field("taken out", g.ok+" nothing here looks like a secret; those that you gave are not in the log at all")
		return
	}
	t.fieldIn(t.st.Warn, "taken out", fmt.Sprintf("%s that look like secrets, in %s; each stands as ‹redacted:N›", counted(d.Values, "value"), counted(d.Redacted, "place")))
	for i, p := range d.Places {
		if i == 12 {
			t.field("", fmt.Sprintf("… and %d other kinds of place", len(d.Places)-i))
			break
		}
		t.field("", fmt.Sprintf("%d× %s  %s", p.Count, clean.Line(p.Where, 60), clean.Line(p.Sample, 40)))
	}
}

// askPath asks where to write, and once more before a file is replaced.
func (m *model) askPath(id string, f Format) tea.Cmd {
	cmd := m.openField(fieldPath, "a2ascope-"+id+"."+f.Ext)
	m.field.note = f.Title
	m.field.take = func(path string) (tea.Cmd, error) {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			return nil, fmt.Errorf("%s is a folder: add a name", path)
		case err == nil:
			m.push(&dialog{
				title: "Replace the file?", text: []string{clean.Line(path, 200) + " is there already."}, yes: "replace it", no: "keep it",
				onYes: func(m *model) tea.Cmd { return m.export(id, f, path) },
			})
			return nil, nil
		}
		return m.export(id, f, path), nil
	}
	return cmd
}

// export writes the file: by the session's own command where it goes on, so
// that its log says so.
func (m *model) export(id string, f Format, path string) tea.Cmd {
	if s := m.session; m.screen == screenSession && s != nil && s.writable(m) == "" && s.view.Session == id {
		return m.run("export "+f.Name+" "+session.QuoteWord(path), nil)
	}
	src := m.opt.Sessions
	return func() tea.Msg {
		written, err := src.Export(id, f.Name, path)
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
