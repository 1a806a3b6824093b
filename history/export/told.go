package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"a2ascope/session"
)

const (
	maxTold  = 50 // findings that a report tells in full
	maxShown = 12 // records that are shown for one of them
)

// told is a finding with the records that show it.
type told struct {
	*session.FindingState
	Evidence []uint64 // all that its statements name, in order
	Shown    []uint64 // the shortest sequence that shows it, requests included
}

// cardSeen is a version of the card.
type cardSeen struct {
	Seq          uint64
	URL, SHA, As string
	Extended     bool
}

// fold makes the state of what is exported, and gathers its findings.
func (e *Export) fold() error {
	if e.state != nil {
		return nil
	}
	s := session.NewState()
	restated := map[uint64][]uint64{}
	err := walk(e.pages, func(r *session.Record) error {
		session.Fold(s, r)
		switch r.Kind {
		case session.KindFinding:
			var f session.Finding
			if r.Decode(&f) == nil {
				first := f.Restates
				if first == 0 {
					first = r.Seq
				}
				if len(restated[first]) < 40 {
					restated[first] = append(restated[first], f.Evidence...)
				}
			}
		case session.KindCard:
			var c session.CardRead
			if r.Decode(&c) == nil && len(e.cards) < maxTold {
				e.cards = append(e.cards, cardSeen{Seq: r.Seq, URL: c.URL, SHA: c.SHA256, Extended: c.Extended, As: c.Asked})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.state = s
	for _, f := range s.Findings {
		if !selected(e.options.Finding, f) {
			continue
		}
		t := &told{FindingState: f, Evidence: uniq(restated[f.Seq])}
		if len(e.told) < maxTold {
			if t.Shown, err = e.shown(f, t.Evidence); err != nil {
				return err
			}
		}
		e.told = append(e.told, t)
	}
	sort.SliceStable(e.told, func(i, j int) bool { return gravity(e.told[i].Severity) < gravity(e.told[j].Severity) })
	return nil
}

// selected reports whether a finding is among those that were asked for.
func selected(want string, f *session.FindingState) bool {
	return want == "" || want == f.Rule || want == string(f.Claim) || want == number(f.Seq) || "#"+want == number(f.Seq)
}

func gravity(s session.Severity) int {
	return slices.Index([]session.Severity{session.Critical, session.Major, session.Minor, session.Info}, s)
}

func uniq(seqs []uint64) []uint64 {
	out := slices.Clone(seqs)
	slices.Sort(out)
	return slices.Compact(out)
}

// shown picks from evidence what shows the finding in the fewest records: its
// beginning, its last record, the requests that they answer, and the grounds
// on which it is judged.
func (e *Export) shown(f *session.FindingState, evidence []uint64) ([]uint64, error) {
	pick := evidence
	if len(pick) > 4 {
		pick = append(slices.Clone(pick[:3]), pick[len(pick)-1])
	}
	out := slices.Clone(pick)
	for _, seq := range pick {
		r, ok, err := e.record(seq)
		if err != nil {
			return nil, err
		}
		if x := e.state.ExchangeN(r.Exchange); ok && x != nil && x.Request > 0 {
			out = append(out, x.Request)
		}
	}
	grounds, err := e.grounds(f, evidence)
	if err != nil {
		return nil, err
	}
	out = uniq(append(out, grounds...))
	return out[:min(len(out), maxShown)], nil
}

// observed says what was seen, as a sentence: what the first event was, and how
// many more there were.
func observed(f *told) string {
	text := strings.TrimSuffix(capital(oneLine(orElse(f.Detail, f.Title))), ".")
	switch {
	case f.Count == 2:
		text += ", and one more such event"
	case f.Count > 2:
		text += fmt.Sprintf(", and %d more such events", f.Count-1)
	}
	if strings.HasSuffix(text, "…") { // it was cut where it came from
		return text
	}
	return text + "."
}

// document is the verdict document of what is exported.
func (e *Export) document() session.Document {
	name, version, _ := strings.Cut(e.options.Tool, " ")
	d := session.MakeDocument(e.state, session.ToolDoc{Name: name, Version: version})
	d.Exit = e.state.Exit(false)
	return d
}

// brokenFirst puts what is contradicted in front; the rest stays in order.
func brokenFirst(claims []session.ClaimDoc) []session.ClaimDoc {
	out := slices.Clone(claims)
	slices.SortStableFunc(out, func(a, b session.ClaimDoc) int {
		rank := func(c session.ClaimDoc) int {
			if c.Verdict == session.Contradicted {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	return out
}

// embedded says where the agent of a session is to be had that had an agent of
// the program itself: its address was good for the session only.
func (e *Export) embedded() string {
	name, ok := strings.CutPrefix(e.state.Opened.Typed, "demo:")
	if !ok {
		return ""
	}
	return fmt.Sprintf(" The agent was one of those within a2ascope, and ended with the session: start a2ascope demo serve, and put the address that it prints for %s in the place of %s.", oneLine(name), oneLine(e.state.Opened.URL))
}

// counts says how many claims got which verdict.
func counts(d *session.Document) map[session.Verdict]int {
	n := map[session.Verdict]int{}
	for _, c := range d.Claims {
		n[c.Verdict]++
	}
	return n
}

// verdict is the whole session in one line.
func (e *Export) verdict(d *session.Document) string {
	n := counts(d)
	tested := len(d.Claims) - n[session.Unproven]
	var broken []string
	for _, c := range d.Claims {
		if c.Verdict == session.Contradicted {
			broken = append(broken, string(c.ID))
		}
	}
	switch {
	case e.options.Finding != "" && len(e.told) > 0:
		f := e.told[0]
		return fmt.Sprintf("%s: %s (%s; claim %s)", capital(string(f.Severity)), oneLine(f.Title), counted(max(f.Count, 1), "time"), f.Claim)
	case len(broken) > 0:
		return fmt.Sprintf("%s of %s that this session tested %s contradicted: %s", capital(spelt(len(broken))), counted(tested, "claim"), isAre(len(broken)), strings.Join(broken, ", "))
	case d.Peer.CardURL == "" && e.state.Peer.Undiscovered:
		return "No agent card was found, so nothing could be tested"
	case tested == 0:
		return "Nothing was tested in this session"
	}
	return fmt.Sprintf("Nothing was contradicted: of %s that this session tested, %d honoured, %d under-declared, %d inconclusive",
		counted(tested, "claim"), n[session.Honoured], n[session.UnderDeclared], n[session.Inconclusive])
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func spelt(n int) string {
	words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// capital begins a sentence, unless its first word is a name as machines write
// them.
func capital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if s == "" || strings.ContainsAny(first, "/._-:(\"") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// policyFlags are the flags of a policy where it is not the usual one.
func policyFlags(p session.Policy) []string {
	members := func(p session.Policy) map[string]any {
		m := map[string]any{}
		if err := json.Unmarshal(session.Encode(p), &m); err != nil {
			return nil
		}
		return m
	}
	usual, now := members(session.DefaultPolicy()), members(p)
	var out []string
	for name, v := range now {
		switch name {
		case "probeWindowGiven", "durableWait", "autoRedispatch", "pushListen", "pushUrl", "logLimit": // no waits, or no flags; an address is the operator's own
			continue
		case "noRedispatch":
			if p.NoRedispatch {
				out = append(out, "--no-redispatch")
			}
			continue
		}
		if usual[name] != v {
			out = append(out, "--"+kebab(name)+" "+short(fmt.Sprint(v)))
		}
	}
	slices.Sort(out)
	return out
}

func kebab(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// short is a duration without the zeros behind it.
func short(d string) string {
	if strings.HasSuffix(d, "m0s") {
		d = strings.TrimSuffix(d, "0s")
	}
	if strings.HasSuffix(d, "h0m") {
		d = strings.TrimSuffix(d, "0m")
	}
	return d
}
