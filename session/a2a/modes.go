package a2a

import (
	"slices"
	"strings"
)

// Mode is the media type that a part counts as: the one that it names, else
// the one of its kind. It is empty for a file that names none.
func (p Part) Mode() string {
	if p.MediaType != "" {
		return p.MediaType
	}
	switch p.Kind {
	case PartText:
		return "text/plain"
	case PartData:
		return "application/json"
	}
	return ""
}

// ModeMatches reports whether a media type is among those that are declared.
// "*/*" and "x/*" match what they say, parameters and case do not count, and
// the words of the first cards ("text", "data", "file") stand for text/plain,
// application/json and anything. An empty media type matches: what names
// nothing is outside of nothing.
func ModeMatches(declared []string, mediaType string) bool {
	have := foldMode(mediaType)
	if have == "" {
		return true
	}
	for _, d := range declared {
		want := foldMode(d)
		if want == have || want == "*/*" {
			return true
		}
		if family, ok := strings.CutSuffix(want, "/*"); ok && strings.HasPrefix(have, family+"/") {
			return true
		}
	}
	return false
}

// Fits reports whether a part may be of a declared type. A part that names
// none may be of any type that is of its kind: text of any "text/…", data of
// any that is JSON (in 0.3 neither has a place for a name).
func (p Part) Fits(declared []string) bool {
	if p.MediaType != "" || ModeMatches(declared, p.Mode()) {
		return ModeMatches(declared, p.Mode())
	}
	return slices.ContainsFunc(declared, func(d string) bool {
		d = foldMode(d)
		switch p.Kind {
		case PartData:
			return strings.HasSuffix(d, "/json") || strings.HasSuffix(d, "+json")
		case PartText:
			return strings.HasPrefix(d, "text/")
		}
		return false
	})
}

// foldMode takes parameters and case off a media type.
func foldMode(mode string) string {
	mode, _, _ = strings.Cut(mode, ";")
	switch mode = strings.ToLower(strings.TrimSpace(mode)); mode {
	case "text":
		return "text/plain"
	case "data", "json":
		return "application/json"
	case "file", "*":
		return "*/*"
	}
	return mode
}

// ModesFor returns the modes that hold for a skill: its own, else the card's
// defaults. Without a skill, or for one that the card does not have, anything
// that the card declares anywhere holds, because no one can say which skill
// does the work. nil means that nothing is declared.
func (c Card) ModesFor(skill string) (in, out []string) {
	for _, s := range c.Skills {
		if skill == "" || s.ID != skill {
			continue
		}
		in, out = s.InputModes, s.OutputModes
		if len(in) == 0 {
			in = c.InputModes
		}
		if len(out) == 0 {
			out = c.OutputModes
		}
		return in, out
	}
	in, out = slices.Clone(c.InputModes), slices.Clone(c.OutputModes)
	for _, s := range c.Skills {
		in, out = union(in, s.InputModes), union(out, s.OutputModes)
	}
	return in, out
}

// union adds to a list what it lacks.
func union(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}
