package themes

// Styles is one theme on one background: a style for each role.
type Styles struct {
	Name string
	Dark bool
	Mono bool // no colour at all: bold, dim, underlined and reverse only

	Text        Style // what is read
	Muted       Style // what stands beside it
	Faint       Style // what must not draw the eye
	Strong      Style // what is read first
	Accent      Style // names, keys of JSON
	Border      Style
	BorderFocus Style
	Title       Style // of a pane
	TitleFocus  Style
	Selected    Style // laid over the line that is selected
	SelectedOff Style // the same, in a pane without focus
	Good        Style
	Bad         Style
	Warn        Style
	Extra       Style // works though it was not declared
	Request     Style // what we sent
	Response    Style // what came back
	Decision    Style
	Key         Style // a key that works now
	KeyOff      Style // a key that does not
	KeyName     Style // what the key does
	Alarm       Style // a badge that must be seen
	Notice      Style // a badge that informs
	Live        Style // recording
	Placeholder Style
	Match       Style // what a search found
}

// Names lists the themes in the order in which they are cycled.
func Names() []string { return []string{"slate", "safe", "contrast", "mono"} }

// Known reports whether a theme has that name.
func Known(name string) bool {
	for _, n := range Names() {
		if n == name {
			return true
		}
	}
	return false
}

// Next returns the theme after the one named.
func Next(name string) string {
	names := Names()
	for i, n := range names {
		if n == name {
			return names[(i+1)%len(names)]
		}
	}
	return names[0]
}

// New makes the styles of a theme for a dark or a light background. An unknown
// name gives the first theme; mono wins over any name (NO_COLOR).
func New(name string, dark, mono bool) Styles {
	if !Known(name) {
		name = Names()[0]
	}
	if mono || name == "mono" {
		return monochrome(name, dark)
	}
	return palettes[name][background(dark)].styles(name, dark)
}

func background(dark bool) int {
	if dark {
		return 0
	}
	return 1
}

// palette is the colours that a theme's roles are mixed from.
type palette struct {
	text, muted, faint, line string
	accent, good, bad, warn  string
	extra, request           string
	selected, selectedOff    string // backgrounds
	onBadge                  string // text on a badge
}

var palettes = map[string][2]palette{
	"slate": {
		{
			text: "#c8d0e0", muted: "#8a94ab", faint: "#5f6980", line: "#3d465a",
			accent: "#7aa2f7", good: "#8fc97a", bad: "#f2707f", warn: "#e5b567",
			extra: "#b79cf0", request: "#6cc4d9", selected: "#2b3450", selectedOff: "#232a3c", onBadge: "#14171f",
		},
		{
			text: "#2a3140", muted: "#5b6578", faint: "#868fa0", line: "#c3cad6",
			accent: "#2757c7", good: "#2f7a2a", bad: "#c02639", warn: "#8f5b00",
			extra: "#7440b8", request: "#0f6f86", selected: "#d6e2fb", selectedOff: "#e9edf4", onBadge: "#ffffff",
		},
	},
	// Blue, orange and vermilion stay apart for the common kinds of colour
	// blindness; green and red are not used beside each other.
	"safe": {
		{
			text: "#d5d9e0", muted: "#98a0ad", faint: "#6b7380", line: "#454c58",
			accent: "#56b4e9", good: "#56b4e9", bad: "#f08030", warn: "#f0e442",
			extra: "#cc9fd0", request: "#9ad0e6", selected: "#263a4d", selectedOff: "#262b33", onBadge: "#101214",
		},
		{
			text: "#22272e", muted: "#58606c", faint: "#88909c", line: "#c4cad2",
			accent: "#005f9e", good: "#005f9e", bad: "#b54400", warn: "#7a6a00",
			extra: "#84407f", request: "#00607a", selected: "#d3e8f7", selectedOff: "#eaedf0", onBadge: "#ffffff",
		},
	},
	"contrast": {
		{
			text: "#ffffff", muted: "#d0d0d0", faint: "#a8a8a8", line: "#8a8a8a",
			accent: "#80c8ff", good: "#70ff70", bad: "#ff8080", warn: "#ffd75f",
			extra: "#e0b0ff", request: "#80ffff", selected: "#004a8f", selectedOff: "#303030", onBadge: "#000000",
		},
		{
			text: "#000000", muted: "#303030", faint: "#555555", line: "#707070",
			accent: "#0033aa", good: "#005500", bad: "#aa0000", warn: "#6a4300",
			extra: "#5a0088", request: "#004f5f", selected: "#b5d5ff", selectedOff: "#e0e0e0", onBadge: "#ffffff",
		},
	},
}

func (p palette) styles(name string, dark bool) Styles {
	fg := func(c string) Style { return paint{fg: c}.style() }
	bold := func(c string) Style { return paint{fg: c, bold: true}.style() }
	return Styles{
		Name: name, Dark: dark,
		Text: fg(p.text), Muted: fg(p.muted), Faint: fg(p.faint), Strong: bold(p.text), Accent: fg(p.accent),
		Border: fg(p.line), BorderFocus: fg(p.accent), Title: fg(p.muted), TitleFocus: bold(p.accent),
		Selected: paint{bg: p.selected}.style(), SelectedOff: paint{bg: p.selectedOff}.style(),
		Good: fg(p.good), Bad: bold(p.bad), Warn: fg(p.warn), Extra: fg(p.extra),
		Request: fg(p.request), Response: fg(p.text), Decision: bold(p.warn),
		Key: bold(p.accent), KeyOff: fg(p.faint), KeyName: fg(p.muted),
		Alarm: paint{fg: p.onBadge, bg: p.bad, bold: true}.style(), Notice: paint{fg: p.onBadge, bg: p.accent, bold: true}.style(),
		Live: fg(p.bad), Placeholder: fg(p.faint), Match: paint{fg: p.warn, under: true}.style(),
	}
}

func monochrome(name string, dark bool) Styles {
	plain, bold, dim := Style{}, paint{bold: true}.style(), paint{dim: true}.style()
	reverse, badge := paint{rever: true}.style(), paint{rever: true, bold: true}.style()
	return Styles{
		Name: name, Dark: dark, Mono: true,
		Text: plain, Muted: plain, Faint: dim, Strong: bold, Accent: plain,
		Border: dim, BorderFocus: bold, Title: dim, TitleFocus: bold,
		Selected: reverse, SelectedOff: paint{under: true}.style(),
		Good: plain, Bad: bold, Warn: bold, Extra: plain, Request: plain, Response: plain, Decision: bold,
		Key: bold, KeyOff: dim, KeyName: plain, Alarm: badge, Notice: badge, Live: bold,
		Placeholder: dim, Match: paint{under: true}.style(),
	}
}
