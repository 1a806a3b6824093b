package console

import (
	"context"
	"fmt"
	"strings"
	"time"

	"a2ascope/keymap"
	"a2ascope/themes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// screenID is one of the three screens.
type screenID int

const (
	screenPeers screenID = iota
	screenSession
	screenHistory
)

// model is the whole program. Only Update changes it.
type model struct {
	opt  Options
	ctx  context.Context
	now  func() time.Time
	keys *keymap.Map
	st   themes.Styles
	g    glyphs

	w, h   int
	theme  string
	dark   bool
	mono   bool // the terminal shows no colours, or must not
	mouse  bool
	byWall bool // times of day instead of session time

	screen  screenID
	peers   *peersScreen
	history *historyScreen
	session *sessionScreen // nil when none is open
	opening *opening
	gen     int // of the session; messages of an earlier one are dropped

	layers []layer // questions, palette, help: the last is on top
	field  *field  // command line, filter, address; nil when none is open
	past   [fieldKinds]*lineInput

	zones    []zone // of the frame that is shown
	toast    toast
	errors   []mishap
	click    click
	quitting bool
	beat     int // counts ticks, for the spinner
	chain    int // of ticks
	fast     bool
	// screenful is drawn on anew for each frame: it is no state.
	screenful *canvas
}

// layer is something laid over the screen that takes all keys.
type layer interface {
	context() keymap.Context
	key(m *model, k tea.KeyPressMsg) tea.Cmd
	view(m *model) (rect, []string)
}

func newModel(ctx context.Context, o Options) *model {
	m := &model{opt: o, ctx: ctx, now: o.Now, keys: o.Keys, theme: o.Theme, dark: true, mouse: !o.NoMouse, w: o.Width, h: o.Height}
	if m.now == nil {
		m.now = time.Now
	}
	if m.keys == nil {
		m.keys = keymap.Default()
	}
	for i := range m.past {
		m.past[i] = newLineInput()
	}
	m.g = glyphSet(o.ASCII)
	m.restyle()
	m.peers = newPeers(o)
	m.history = &historyScreen{}
	for _, p := range o.Problems {
		m.fail("keys: " + p.Error())
	}
	return m
}

func (m *model) restyle() {
	m.st = themes.New(m.theme, m.dark, m.mono)
	m.theme = m.st.Name
	if m.session != nil {
		m.session.restyle()
	}
}

// Init asks for what the first screen needs.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor, m.loadPeers(), m.tick()}
	switch o := m.opt; {
	case o.Start != "" && o.Follow.Session != "":
		cmds = append(cmds, m.openHandover(&handover{of: o.Follow, to: o.Start}))
	case o.Start != "":
		cmds = append(cmds, m.open(openPeer, o.Start, ""))
	case o.Review != "":
		cmds = append(cmds, m.open(openReview, o.Review, ""))
	case o.Continue != "":
		cmds = append(cmds, m.open(openContinue, o.Continue, ""))
	}
	return tea.Batch(cmds...)
}

// Update takes a message. It does no I/O.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		return m, m.refill()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.restyle()
	case tea.ColorProfileMsg:
		m.mono = msg.Profile <= colorprofile.ASCII
		m.restyle()
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.PasteMsg:
		return m, m.paste(msg.Content)
	case tea.MouseMsg:
		return m, m.pointed(msg)
	case tea.ResumeMsg:
		return m, tea.ClearScreen
	case tickMsg:
		if msg.chain == m.chain {
			m.beat++
			return m, m.tick()
		}
	default:
		return m, m.arrived(msg)
	}
	return m, nil
}

// press routes a key: the way out, then the topmost layer, then a text field,
// then pane, screen and everywhere.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	key := keyName(k)
	if b, ok := m.keys.Lookup(key, keymap.Everywhere); ok && b.Action == keymap.Quit {
		return m.quit()
	}
	m.toast.seen()
	if b, ok := m.keys.Lookup(key, append(m.contexts(), keymap.Everywhere)...); ok && typed(k) == "" && (b.Action == keymap.Suspend || b.Action == keymap.Redraw) {
		cmd, _ := m.actEverywhere(b) // whatever is open or being typed
		return cmd
	}
	if m.small() && m.w > 0 { // nobody answers what cannot be seen
		return nil
	}
	if n := len(m.layers); n > 0 {
		return m.layers[n-1].key(m, k)
	}
	if m.field != nil {
		return m.fieldKey(k)
	}
	if s := m.session; m.screen == screenSession && s != nil && s.focus == paneMessage {
		return m.messageKey(k)
	}
	b, ok := m.keys.Lookup(key, m.contexts()...)
	if !ok {
		return nil
	}
	return m.act(b)
}

// keyName is a key as the key map writes it.
func keyName(k tea.KeyPressMsg) string {
	if k.String() == " " {
		return "space"
	}
	return k.String()
}

// contexts are those in force, the innermost first.
func (m *model) contexts() []keymap.Context {
	if n := len(m.layers); n > 0 {
		return []keymap.Context{m.layers[n-1].context()}
	}
	if m.field != nil {
		return []keymap.Context{keymap.Line}
	}
	switch m.screen {
	case screenHistory:
		return found(m.history.current(), keymap.History, keymap.Move, keymap.Everywhere)
	case screenSession:
		if m.session != nil {
			return m.session.contexts()
		}
	}
	return found(&m.peers.table, keymap.Peers, keymap.Move, keymap.Everywhere)
}

// found adds the keys that hold where a filter is on.
func found(t *table, contexts ...keymap.Context) []keymap.Context {
	if t.filter.empty() {
		return contexts
	}
	return append([]keymap.Context{keymap.Found}, contexts...)
}

// act carries an action out, or says why it cannot be done now.
func (m *model) act(b keymap.Binding) tea.Cmd {
	if why := m.disabled(b); why != "" {
		m.refuse(b.Name + ": " + why)
		return nil
	}
	if cmd, done := m.actEverywhere(b); done {
		return cmd
	}
	switch m.screen {
	case screenHistory:
		return m.actHistory(b)
	case screenSession:
		if m.session != nil {
			return m.actSession(b)
		}
	}
	return m.actPeers(b)
}

// paste puts text into the field that has the focus. It never submits.
func (m *model) paste(text string) tea.Cmd {
	switch {
	case m.small():
	case len(m.layers) > 0:
		if p, ok := m.layers[len(m.layers)-1].(*picker); ok {
			p.input.insert(text)
			p.search()
		}
	case m.field != nil:
		m.field.edit.insert(text)
		return m.fieldChanged()
	case m.screen == screenSession && m.session != nil && m.session.focus == paneMessage && m.session.writable(m) == "":
		m.session.message.edit.insert(text)
	}
	return nil
}

// View draws the screen.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.title()}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.w <= 0 || m.h <= 0 {
		return v
	}
	rows, cursor := m.draw()
	v.Content = strings.Join(rows, "\n")
	if m.opt.ASCII {
		v.Content = asciiOnly(v.Content)
	}
	v.Cursor = cursor
	return v
}

func (m *model) title() string {
	if m.screen == screenSession && m.session != nil {
		return "a2ascope · " + m.session.name()
	}
	return "a2ascope"
}

// draw returns the rows of the screen and where the cursor stands.
func (m *model) draw() ([]string, *tea.Cursor) {
	if m.small() {
		m.zones = nil
		return m.tooSmall(), nil
	}
	var rows []string
	var cursor *tea.Cursor
	m.zones = m.zones[:0]
	switch {
	case m.screen == screenSession && m.session != nil:
		rows, cursor = m.session.draw(m)
	case m.screen == screenHistory:
		rows = m.history.draw(m)
	default:
		rows = m.peers.draw(m)
	}
	rows = m.drawStatus(rows)
	if m.field != nil {
		cursor = m.drawField(rows)
		m.zones = m.zones[:0]
	}
	for _, l := range m.layers {
		m.zones = m.zones[:0] // what lies below takes no clicks
		r, lines := l.view(m)
		overlay(rows, r, lines)
		cursor = nil
		if p, ok := l.(*picker); ok {
			cursor = p.cursor(r)
		}
	}
	return rows, cursor
}

func (m *model) tooSmall() []string {
	rows := make([]string, m.h)
	text := map[int]string{m.h / 2: "too small: need 60×15"}
	if m.h > 2 {
		text[m.h/2+1] = fmt.Sprintf("this is %d×%d; %s leaves", m.w, m.h, m.keys.Key(keymap.Quit))
	}
	for i := range rows {
		l := newLine(m.w)
		l.skip((m.w-width(text[i]))/2).put(m.st.Warn, text[i])
		rows[i] = l.end()
	}
	return rows
}

// small reports whether the screen is too small to show anything.
func (m *model) small() bool { return m.w < minWidth || m.h < minHeight }

// quit ends the session in order and leaves; a second time it leaves at once.
func (m *model) quit() tea.Cmd {
	if m.quitting {
		return tea.Quit
	}
	m.quitting = true
	if m.opening != nil {
		m.opening.stop()
	}
	s := m.session
	if s == nil {
		return tea.Quit
	}
	m.say(toastInfo, "ending the session… ctrl+c again leaves at once")
	return tea.Sequence(func() tea.Msg {
		s.stop("quit")
		return nil
	}, tea.Quit)
}

// push lays something over the screen.
func (m *model) push(l layer) { m.layers = append(m.layers, l) }

func (m *model) pop() {
	if n := len(m.layers); n > 0 {
		m.layers = m.layers[:n-1]
	}
}
