package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"a2ascope/session/a2a"
)

// CardChange is one place at which two cards differ. A value is JSON, cut to a
// readable length; it is empty where the place is not there.
type CardChange struct {
	Path string `json:"path"` // "capabilities.streaming", "skills[echo].tags[0]"
	Was  string `json:"was"`
	Now  string `json:"now"`
}

// Bounds of a card's comparison.
const (
	maxCardChanges = 200
	maxCardDepth   = 64
	maxCardValue   = 200 // bytes
)

// diffCards compares two cards member by member, and says why where it cannot.
func diffCards(a, b []byte) (changes []CardChange, note string) {
	changes = []CardChange{}
	if len(a) == 0 || len(b) == 0 {
		switch {
		case len(a) > 0:
			note = "only the first session read a card"
		case len(b) > 0:
			note = "only the second session read a card"
		}
		return changes, note
	}
	was, errA := readCard(a)
	now, errB := readCard(b)
	if errA != nil || errB != nil {
		if !bytes.Equal(a, b) {
			note = "the cards differ, and one of them is no JSON"
		}
		return changes, note
	}
	d := cardDiff{changes: changes}
	d.walk("", was, now, 0)
	if d.more > 0 {
		note = fmt.Sprintf("%d more differences are not listed", d.more)
	}
	return d.changes, note
}

func readCard(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(a2a.CardOf(raw)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the card")
	}
	return v, nil
}

// absent stands for a value that is not there.
type absent struct{}

type cardDiff struct {
	changes []CardChange
	more    int
}

func (d *cardDiff) walk(path string, was, now any, depth int) {
	switch w := was.(type) {
	case map[string]any:
		if n, ok := now.(map[string]any); ok && depth < maxCardDepth {
			d.members(path, w, n, depth)
			return
		}
	case []any:
		if n, ok := now.([]any); ok && depth < maxCardDepth {
			d.elements(path, w, n, depth)
			return
		}
	}
	a, b := cardValue(was), cardValue(now)
	if a == b {
		return
	}
	if len(d.changes) == maxCardChanges {
		d.more++
		return
	}
	d.changes = append(d.changes, CardChange{Path: path, Was: clipValue(a), Now: clipValue(b)})
}

func (d *cardDiff) members(path string, was, now map[string]any, depth int) {
	names := slices.Collect(maps.Keys(was))
	for name := range now {
		if _, ok := was[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := name
		if strings.ContainsAny(name, ".[]\" ") || name == "" {
			at = strconv.Quote(name)
		}
		if path != "" {
			at = path + "." + at
		}
		d.walk(at, member(was, name), member(now, name), depth+1)
	}
}

func member(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return absent{}
}

// elements compares two lists: those of objects that have names by their
// names, all others by place.
func (d *cardDiff) elements(path string, was, now []any, depth int) {
	a, named := byName(was)
	b, alsoNamed := byName(now)
	if named && alsoNamed && len(was)+len(now) > 0 {
		for _, v := range was {
			name := nameOf(v)
			d.walk(path+"["+name+"]", v, member(b, name), depth+1)
		}
		for _, v := range now {
			if name := nameOf(v); member(a, name) == any(absent{}) {
				d.walk(path+"["+name+"]", absent{}, v, depth+1)
			}
		}
		return
	}
	for i := range max(len(was), len(now)) {
		d.walk(path+"["+strconv.Itoa(i)+"]", element(was, i), element(now, i), depth+1)
	}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// byName returns the objects of a list by what they are called; false when one
// has no name, or two have the same.
func byName(list []any) (map[string]any, bool) {
	out := map[string]any{}
	for _, v := range list {
		name := nameOf(v)
		if _, twice := out[name]; twice || name == "" {
			return nil, false
		}
		out[name] = v
	}
	return out, true
}

// nameOf is what an object of a card is called among its like: a skill's id,
// an extension's URI. Interfaces go by place: their order means something.
func nameOf(v any) string {
	m, _ := v.(map[string]any)
	for _, key := range []string{"id", "uri"} {
		if name, ok := m[key].(string); ok && name != "" {
			return name
		}
	}
	return ""
}

func cardValue(v any) string {
	if v == any(absent{}) {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // it was decoded from JSON
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func clipValue(s string) string {
	if len(s) <= maxCardValue {
		return s
	}
	return strings.ToValidUTF8(s[:maxCardValue], "") + "…"
}
