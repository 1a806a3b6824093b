package console

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/themes"
	"a2ascope/ui/clean"
)

// record writes one tab of a record.
func (t *prose) record(v *session.View, r *session.Record, tab tabID) {
	switch tab {
	case tabRaw:
		t.raw(r)
	case tabHeaders:
		t.headers(r)
	case tabTiming:
		t.timing(r)
	case tabWhy:
		t.why(v, r)
	default:
		t.pretty(r)
	}
}

// why says what a record means: a finding's own words, or what was found with
// it as evidence.
func (t *prose) why(v *session.View, r *session.Record) {
	switch r.Kind {
	case session.KindFinding:
		var b session.Finding
		if t.decoded(r, &b) {
			t.finding(b.Title, b.Detail, b.Advice, b.Source, string(b.Claim), string(b.Severity), b.Rule, b.Evidence)
		}
		return
	case session.KindObserved:
		var b session.Observed
		if t.decoded(r, &b) {
			t.add(t.st.Strong, string(b.Claim)+": "+string(b.Verdict))
			t.add(t.st.Text, clean.Block(b.Detail))
			t.gap()
			t.field("rule", b.Rule)
			t.field("evidence", records(b.Evidence))
		}
		return
	case session.KindDecision:
		var b session.Decision
		if t.decoded(r, &b) {
			t.decision(v, &b)
		}
		return
	}
	if r.Kind == session.KindCard && r.Seq == v.Peer.CardSeq {
		t.peer(v)
		t.gap()
	}
	said := false
	if s := session.Meaning(r); s != "" {
		t.fieldIn(t.st.Warn, "means", clean.Line(s, 0))
		said = true
	}
	for _, f := range v.Findings {
		if slices.Contains(f.Evidence, r.Seq) {
			t.gap()
			t.finding(f.Title, f.Detail, f.Advice, f.Source, string(f.Claim), string(f.Severity), f.Rule, f.Evidence)
			said = true
		}
	}
	for _, c := range v.Claims {
		if slices.Contains(c.Evidence, r.Seq) {
			t.gap()
			t.add(t.st.Text, fmt.Sprintf("This record is evidence for %s: %s.", c.ID, c.Verdict))
			said = true
		}
	}
	if !said {
		t.add(t.st.Faint, "No rule was broken here, and no verdict rests on this record.")
	}
}

// finding writes what is wrong, what was seen, what to do and who says so.
func (t *prose) finding(title, detail, advice, source, claim, severity, rule string, evidence []uint64) {
	st := t.st.Warn
	if session.Severity(severity).Contradicts() {
		st = t.st.Bad
	}
	t.add(st, clean.Line(title, 0))
	if detail != "" {
		t.add(t.st.Text, clean.Block(detail))
	}
	t.gap()
	t.fieldIn(t.st.Strong, "what to do", clean.Block(advice))
	t.field("says who", clean.Line(source, 0))
	t.field("claim", claim)
	t.field("severity", severity)
	t.field("rule", rule)
	t.field("evidence", records(evidence))
}

// decision writes a change of trust or of course.
func (t *prose) decision(v *session.View, d *session.Decision) {
	t.add(t.st.Decision, fmt.Sprintf("Decision %d by %s: %s", d.ID, byWhom(d.By), strings.TrimSpace(string(d.Action)+" "+string(d.Claim))))
	t.add(t.st.Text, clean.Block(d.Reason))
	t.gap()
	if !d.Until.IsZero() {
		t.field("until", d.Until.Local().Format("2006-01-02 15:04"))
	}
	if d.Supersedes > 0 {
		t.field("instead of", fmt.Sprintf("decision %d", d.Supersedes))
	}
	t.field("mode", clean.Line(d.Mode, 0))
	t.field("to", clean.Line(d.To, 0))
	t.field("evidence", records(d.Evidence))
	for _, later := range v.Decisions {
		if later.Supersedes == d.ID {
			t.field("later", fmt.Sprintf("decision %d: %s by %s: %s", later.ID, later.Action, byWhom(later.By), clean.Line(later.Reason, 0)))
		}
	}
	if d.Offer {
		t.gap()
		t.add(t.st.Text, "This waits for your word: C carries it out, O sets it aside.")
	}
}

// claim writes all that is known of one claim.
func (t *prose) claim(v *session.View, c *session.ClaimDoc, g glyphs) {
	sign, word, st := g.verdictText(t.st, c)
	t.fieldIn(t.st.Text, "declared", clean.Line(c.Declared, 0))
	t.fieldIn(st, "observed", sign+" "+word+orPrefix(", ", c.Observed))
	t.field("verdict", string(c.Verdict))
	trust := string(c.Trust)
	if c.Until != "" {
		trust += " until " + localTime(c.Until)
	}
	t.field("trust", trust)
	t.field("rules", strings.Join(c.Rules, ", "))
	t.field("evidence", records(c.Evidence))
	for _, f := range v.Findings {
		if f.Claim == c.ID {
			t.gap()
			t.finding(f.Title, f.Detail, f.Advice, f.Source, "", string(f.Severity), f.Rule, f.Evidence)
		}
	}
	for _, d := range v.Decisions {
		if d.Claim == c.ID {
			t.gap()
			t.fieldIn(t.st.Decision, fmt.Sprintf("decision %d", d.ID), fmt.Sprintf("%s by %s: %s", d.Action, byWhom(d.By), clean.Line(d.Reason, 0)))
		}
	}
}

// task writes all that is known of one task.
func (t *prose) task(v *session.View, i int) {
	if i < 0 || i >= len(v.Tasks) {
		t.peer(v)
		return
	}
	k := &v.Tasks[i]
	t.field("state", orDash(clean.Line(k.State, 60))+", "+string(k.Outcome)+map[bool]string{true: ", settled", false: ""}[k.Settled])
	for n, id := range k.TaskIDs {
		label := ""
		if n == 0 {
			label = "server id"
		}
		t.field(label, clean.Line(id, 0))
	}
	t.field("context", clean.Line(k.ContextID, 0))
	t.field("correlation", k.Correlation)
	t.field("states", clean.Line(strings.Join(k.States, " → "), 0))
	if len(k.Reading) > 0 {
		t.field("reading", strings.Join(k.Reading, ", "))
	}
	for _, m := range k.Messages {
		t.field(clean.Line(m.Role, 12), clean.Block(m.Text))
	}
	t.files(k.Files)
	for _, a := range k.Artifacts {
		t.gap()
		t.fieldIn(t.st.Strong, "artifact", clean.Line(a.ArtifactID, 60)+"  "+clean.Line(strings.Join(a.MediaTypes, ", "), 80))
		text := clean.Block(a.Text)
		if a.Truncated {
			text += "\n… the rest is in the log"
		}
		t.add(t.st.Text, text)
	}
}

// peer writes what the card says, when there is no task yet.
func (t *prose) peer(v *session.View) {
	p := &v.Peer
	if p.CardSeq == 0 {
		t.add(t.st.Faint, "No card was read yet.")
		return
	}
	t.field("name", clean.Line(p.Name, 0))
	t.field("says", clean.Block(p.Description))
	t.field("card", clean.Line(p.CardURL, 0))
	for n, i := range p.Interfaces {
		t.field(fmt.Sprintf("interface %d", n+1), clean.Line(fmt.Sprintf("%s %s %s", i.Binding, i.Generation, i.URL), 0))
	}
	t.field("takes", clean.Line(strings.Join(p.InputModes, ", "), 0))
	t.field("gives", clean.Line(strings.Join(p.OutputModes, ", "), 0))
	t.access(p)
	for _, s := range p.Skills {
		t.field("skill", clean.Line(s.Name+": "+s.Description, 0))
	}
}

// access writes how the card wants its callers to show who they are, and what
// may help one who is not let in.
func (t *prose) access(p *session.PeerView) {
	if d := p.Device; d != nil {
		t.fieldIn(t.st.Warn, "to do", "enter "+clean.Line(d.Code, 60)+" at "+clean.Line(d.URI, 0)+", until "+sinceStart(d.Until))
	}
	for _, s := range p.Schemes {
		words := []string{clean.Line(s.Kind, 40)}
		if s.Detail != "" {
			words[0] += " " + clean.Line(s.Detail, 0)
		}
		if s.Required {
			words = append(words, "required")
		}
		st := t.st.Text
		if s.InUse {
			words, st = append(words, "in use"), t.st.Good
		} else if s.Way != "" {
			words = append(words, "by "+clean.Line(s.Way, 0))
		}
		t.fieldIn(st, "access", clean.Line(s.Name, 40)+": "+strings.Join(words, ", "))
	}
	for _, s := range p.Suggestions {
		t.field("may help", clean.Line(s.Line, 0)+" ("+clean.Line(s.Why, 0)+")")
	}
}

// files writes the files that a task brought.
func (t *prose) files(files []session.FileSeen) {
	for _, f := range files {
		text := fmt.Sprintf("%s  %s", orDash(clean.Line(f.Name, 80)), orDash(clean.Line(f.Type, 60)))
		if f.URL != "" {
			text += "  " + clean.Line(f.URL, 0) + " (not fetched)"
		} else {
			text += fmt.Sprintf("  %s  sha256 %s", bytesText(int64(f.Size)), cut(f.Digest, 13))
		}
		t.field("file", text+fmt.Sprintf("  record %d", f.Seq))
	}
}

// timing writes when things happened.
func (t *prose) timing(r *session.Record) {
	t.field("session", sinceStart(r.Elapsed)+" s")
	t.field("time of day", r.Wall.Local().Format("2006-01-02 15:04:05.000000"))
	var tm session.Timing
	switch r.Kind {
	case session.KindResponse:
		var b session.Responded
		if t.decoded(r, &b) {
			tm = b.Timing
			t.held(b.Held)
		}
	case session.KindFault:
		var b session.Faulted
		if t.decoded(r, &b) {
			tm = b.Timing
			t.field("went wrong", b.Phase)
		}
	case session.KindFrame:
		var b session.Framed
		if t.decoded(r, &b) {
			t.field("frame", fmt.Sprintf("%d of its stream, at byte %d", b.N, b.Off))
			t.duration("took", b.Lead)
			t.held(b.Held)
		}
	case session.KindClosed:
		var b session.Closed
		if t.decoded(r, &b) {
			t.field("stream", fmt.Sprintf("%d frames, %d bytes", b.Frames, b.Bytes))
			t.held(b.Held)
		}
	}
	t.duration("DNS", tm.DNS)
	t.duration("connected", tm.Connect)
	t.duration("TLS", tm.TLS)
	t.duration("request sent", tm.Wrote)
	t.duration("first byte", tm.FirstByte)
	t.duration("done", tm.Done)
	t.field("remote", clean.Line(tm.Remote, 0))
	if tm.Reused {
		t.field("connection", "kept from before")
	}
}

func (t *prose) held(held bool) {
	if held {
		t.add(t.st.Muted, "Our own reader was slow here: times around this record are not compared.")
	}
}

func (t *prose) duration(name string, d session.Duration) {
	if d != 0 {
		t.field(name, fmt.Sprintf("%.3f ms", float64(d.D())/float64(time.Millisecond)))
	}
}

// decoded reads a body, or says why it cannot be read.
func (t *prose) decoded(r *session.Record, into any) bool {
	if err := r.Decode(into); err != nil {
		t.add(t.st.Warn, clean.Line(err.Error(), 0))
		return false
	}
	return true
}

func byWhom(by string) string {
	if by == "rule" {
		return "a rule"
	}
	return "the operator"
}

// records writes the numbers of records.
func records(seqs []uint64) string {
	if len(seqs) == 0 {
		return ""
	}
	word := "record "
	if len(seqs) > 1 {
		word = "records "
	}
	return word + strings.Trim(strings.ReplaceAll(fmt.Sprint(seqs), " ", ", "), "[]")
}

func orPrefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// localTime writes an RFC 3339 time for people.
func localTime(s string) string {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return s
	}
	return at.Local().Format("2006-01-02 15:04")
}

// jsonLine colours one line of indented JSON: names stand out.
func jsonLine(st *themes.Styles, l string) string {
	body := strings.TrimLeft(l, " ")
	if strings.HasPrefix(body, `"`) {
		if i := strings.Index(body[1:], `": `); i >= 0 && !strings.Contains(body[1:i+1], `\`) {
			i += 2
			return l[:len(l)-len(body)] + st.Accent.Render(body[:i]) + st.Text.Render(body[i:])
		}
	}
	return st.Text.Render(l)
}
