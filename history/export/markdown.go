package export

import (
	"fmt"
	"io"
	"strings"

	"a2ascope/session"
)

const (
	maxExcerpt  = 1200 // bytes of a record that a report shows
	reportBeats = 40   // of each third of a report's timeline
)

// report is a bug report in Markdown while it is written.
type report struct {
	*Export
	printer
	doc session.Document
	// showed has the records that were shown already.
	showed map[uint64]bool
}

// markdown writes the bug report.
func (e *Export) markdown(w io.Writer) error {
	if err := e.fold(); err != nil {
		return err
	}
	m := &report{Export: e, printer: printer{w: w}, doc: e.document(), showed: map[uint64]bool{}}
	m.heading()
	m.findings()
	for _, part := range []func() error{m.reproduce, m.times} {
		if err := part(); err != nil {
			return err
		}
	}
	m.matrix()
	m.decided()
	m.environment()
	m.proof()
	return m.err
}

func (m *report) heading() {
	p := m.doc.Peer
	name := orElse(p.Name, m.state.Opened.Typed)
	m.printf("# %s: %s\n\n", plain(cut(name, 120)), plain(m.verdict(&m.doc)))
	m.printf("**In one line:** %s.\n\n", plain(m.summary()))
	m.printf("| | |\n|---|---|\n")
	row := func(what, text string) {
		if text != "" {
			m.printf("| %s | %s |\n", what, text)
		}
	}
	row("Agent", cell(name))
	if p.CardURL != "" {
		row("Agent card", cell(p.CardURL)+", version "+cell(p.CardVersion))
		row("SHA-256 of the card", cell(m.state.Peer.CardSHA))
	}
	row("Spoken", m.spoken())
	row("Session", cell(m.doc.Session)+fmt.Sprintf(", %s to %s", when(m.state.Started), when(m.state.Wall)))
	row("Evidence", fmt.Sprintf("%s of what was sent and received, byte for byte; `#N` is number N", counted(int(m.doc.Log.Records), "record")))
	if o := m.state.Opened.Origin; o != "" {
		row("Kind of session", plain(o))
	}
	row("Taken out", m.takenOut())
	m.print("\nThis report was written by a2ascope, a console that puts what an A2A agent declares on its card to the test and records every byte. ")
	m.print("A *claim* is something that the card says or that the A2A protocol implies; a *finding* is a claim that was seen to be broken, with the records that show it. A source that is a field note or a field case is an earlier sighting of such a fault, not a clause of the protocol.\n")
}

// spoken is the interface in use, and what was declared where that differs.
func (m *report) spoken() string {
	p := m.doc.Peer
	if p.Endpoint == "" {
		return ""
	}
	text := fmt.Sprintf("A2A %s over %s at %s", plain(p.Generation), plain(p.Binding), cell(p.Endpoint))
	d := p.Declared
	if p.CardURL != "" && (d.Generation != p.Generation || d.Binding != p.Binding || d.Endpoint != "" && d.Endpoint != p.Endpoint) {
		text += fmt.Sprintf(" (the card declares %s over %s at %s)", plain(d.Generation), plain(d.Binding), cell(d.Endpoint))
	}
	return text
}

// summary is the gravest finding in a sentence; the verdict where there is
// none.
func (m *report) summary() string {
	if len(m.told) == 0 {
		return m.verdict(&m.doc)
	}
	f := m.told[0]
	text := f.Title
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	if len(m.told) > 1 {
		text += fmt.Sprintf(" (and %s)", counted(len(m.told)-1, "other finding"))
	}
	return capital(oneLine(text))
}

// takenOut says what redaction did, or that nothing was done.
func (m *report) takenOut() string {
	if m.redact == nil {
		return "nothing but known secrets: this report was asked for raw"
	}
	p, err := m.Preview()
	if err != nil {
		m.err = err
		return ""
	}
	if p.Values == 0 {
		return "known secrets, shown as ‹secret:N›; nothing else looks like one"
	}
	return fmt.Sprintf("known secrets, shown as ‹secret:N›, and %s that look like one, shown as ‹redacted:N›", counted(p.Values, "value"))
}

func (m *report) findings() {
	if len(m.told) == 0 {
		m.print("\n## What is wrong\n\nNo rule was broken in this session.\n")
		return
	}
	m.print("\n## What is wrong\n")
	for i, f := range m.told {
		if i == maxTold {
			m.printf("\n%s more were left out; `--finding RULE` selects some.\n", capital(counted(len(m.told)-i, "finding")))
			break
		}
		m.finding(i+1, f)
	}
}

func (m *report) finding(n int, f *told) {
	m.printf("\n### %d. %s\n\n", n, plain(capital(f.Title)))
	times := ""
	if f.Count > 1 {
		times = fmt.Sprintf(", seen %d times", f.Count)
	}
	m.printf("%s, rule %s, claim %s%s; found at %s.\n\n", capital(string(f.Severity)), code(f.Rule), code(string(f.Claim)), times, when(f.At))
	m.printf("- **Expected:** %s", expected[f.Claim])
	if declared := m.state.DeclaredText(f.Claim); declared != "implied" && declared != "undeclared" {
		m.printf(" The card declares: %s.", code(cut(declared, 200)))
	}
	if f.Source != "" {
		m.printf(" (%s)", plain(f.Source))
	}
	m.printf("\n- **Observed:** %s\n", plain(observed(f)))
	m.printf("- **Records:** %s\n", nums(f.Evidence, 12))
	if f.Advice != "" {
		m.printf("- **Until it is fixed,** for callers: %s\n", plain(f.Advice))
	}
	if len(f.Shown) > 0 {
		m.print("\nThe shortest sequence that shows it:\n")
	}
	for _, seq := range f.Shown {
		r, ok, err := m.record(seq)
		if err != nil && m.err == nil {
			m.err = err
		}
		if ok {
			m.excerpt(f.Claim, &r)
		}
	}
}

// excerpt shows one record, for a finding on a claim. A card is shown each time:
// another claim is declared by other members.
func (m *report) excerpt(c session.Claim, r *session.Record) {
	d := session.Describe(r)
	m.printf("\n**%s** %s · %s · %s %s", num(r.Seq), at(r.Elapsed), when(r.Wall), direction(r.Kind), plain(d.Title))
	if d.Detail != "" {
		m.printf(" · %s", plain(cut(d.Detail, 160)))
	}
	if m.showed[r.Seq] && r.Kind != session.KindCard {
		m.print(" (shown above)\n")
		return
	}
	m.showed[r.Seq] = true
	m.print("\n\n")
	m.print(fence("", shownFor(c, r)))
}

// direction says in words where a record went.
func direction(k session.Kind) string {
	switch k {
	case session.KindRequest:
		return "to the agent:"
	case session.KindResponse, session.KindPush, session.KindCard:
		return "from the agent:"
	case session.KindFrame:
		return "from the agent, on the open stream:"
	}
	return string(k) + ":"
}

func (m *report) reproduce() error {
	m.print("\n## See it again\n\nWith a2ascope, which judges what it sees:\n\n")
	m.print(fence("sh", visible(m.runLine())))
	m.printf("\na2ascope is a terminal program for whoever runs or calls A2A agents; it writes reports such as this one. The commands here work %s; `a2ascope version` prints yours. ", fmt.Sprintf(m.since(), code(m.version())))
	m.print("`a2ascope --help`, `a2ascope run --help` and `a2ascope man` document the command line; so do docs/flags.md and docs/commands.md in its source. Who does not have it asks whoever sent this report for the a2ascope binary, or builds it from its source.\n")
	if m.needsFile() {
		m.print("\nThe commands read files of the reporter's machine: put your own in their place.\n")
	}
	steps, err := m.curlSteps()
	if err != nil || steps == "" {
		return err
	}
	m.print("\nWith curl alone, in a shell. Behind each arrow stands what came back when this was recorded: compare it with what comes now. ")
	m.print("Ids that the agent makes are read from its answers. A message id that was seen before may be refused: change it then." + plain(m.embedded()) + "\n\n")
	m.print(fence("sh", steps))
	m.print("\nOr with your own client, without the agent: `a2ascope replay FILE` serves the jsonl export of this session as an agent that answers as it was recorded.\n")
	return nil
}

// version is that of the program whose commands a report shows: the one that
// writes it, or the one that recorded the session.
func (m *report) version() string {
	if _, v, ok := strings.Cut(m.options.Tool, " "); ok {
		return v
	}
	return orElse(m.state.Opened.Tool, "dev")
}

// since says from which version the commands work, with a verb for the version.
func (m *report) since() string {
	if strings.HasPrefix(m.version(), "dev") {
		return "with a development build (%s) as it was when this was written"
	}
	return "from version %s on"
}

func (m *report) needsFile() bool {
	for _, c := range m.commands(true) {
		if c.cs != nil && (len(c.cs.Cmd.Files) > 0 || strings.Contains(c.line, "--data @") || strings.Contains(c.line, "--data=@")) {
			return true
		}
	}
	return false
}

func (m *report) times() error {
	m.print("\n## What happened, in order\n\nTimes are from the session's start. Records in **bold** are evidence.\n\n| record | time | | what |\n|---|---|---|---|\n")
	all, err := m.timeline(reportBeats)
	if err != nil {
		return err
	}
	for _, x := range all {
		if x.Left > 0 {
			m.printf("| | | ⋮ | %s, up to %s |\n", x.D.Title, num(x.Upto))
			continue
		}
		seq := num(x.Seq)
		if x.Evidence {
			seq = "**" + seq + "**"
		}
		text := plain(x.D.Title)
		if x.D.Detail != "" {
			text += " · " + plain(cut(x.D.Detail, 140))
		}
		m.printf("| %s | %s | %s | %s |\n", seq, at(x.At), x.D.Arrow, text)
	}
	return nil
}

func (m *report) matrix() {
	m.print("\n## Declared against observed\n\nHonoured: seen to hold, so many times. Contradicted: seen not to.\n\n| claim | declared | observed | verdict | records |\n|---|---|---|---|---|\n")
	untested := 0
	for _, c := range brokenFirst(m.doc.Claims) {
		if c.Verdict == session.Unproven {
			untested++
			continue
		}
		m.printf("| %s | %s | %s | %s %s | %s |\n", c.ID, cell(cut(c.Declared, 80)), plain(cut(c.Observed, 120)), marks[c.Verdict], c.Verdict, nums(c.Evidence, 5))
	}
	if untested > 0 {
		m.printf("\n%s not tested in this session.\n", capital(counted(untested, "other claim"))+" "+map[bool]string{true: "was", false: "were"}[untested == 1])
	}
}

func (m *report) decided() {
	if len(m.doc.Decisions) == 0 {
		return
	}
	m.print("\n## What the console did about it\n\nTo demote a claim is not to rely on it at this agent for a time.\n\n")
	for i, d := range m.doc.Decisions {
		if i == maxTold {
			m.printf("- and %d more\n", len(m.doc.Decisions)-i)
			break
		}
		m.printf("- %s, by %s: %s%s\n", plain(strings.TrimSpace(string(d.Action)+" "+string(d.Claim))), plain(d.By), plain(d.Reason), evidenceOf(d.Evidence))
	}
}

func evidenceOf(seqs []uint64) string {
	if len(seqs) == 0 {
		return ""
	}
	return " (" + nums(seqs, 5) + ")"
}

func (m *report) environment() {
	o := &m.state.Opened
	m.print("\n## Environment\n\n")
	m.printf("- recorded by a2ascope %s\n", code(o.Tool))
	if m.options.Tool != "" {
		m.printf("- report written by %s\n", code(m.options.Tool))
	}
	m.printf("- address as it was typed: %s; requests began at %s\n", code(o.Typed), code(o.URL))
	if flags := policyFlags(o.Policy); len(flags) > 0 {
		m.printf("- waits other than the usual ones: %s\n", code(strings.Join(flags, " ")))
	}
	p := o.Policy
	m.printf("- a stream may stay open for %s after the end; what comes within %s of a cancel's answer was still on its way; an end is confirmed by %d equal reads, %s apart\n",
		short(p.CloseWindow.D().String()), short(p.RaceMargin.D().String()), p.SettleReads, short(p.SettleEvery.D().String()))
	for i, c := range m.cards {
		if len(m.cards) > 1 && i < 10 {
			m.printf("- card as read in %s: SHA-256 %s\n", num(c.Seq), code(c.SHA))
		}
	}
	for _, f := range m.doc.FaultList[:min(len(m.doc.FaultList), 10)] {
		m.printf("- fault of the transport in %s: %s\n", num(f.Seq), plain(f.What))
	}
}

func (m *report) proof() {
	m.print("\n## How to check this report\n\nEach record is hashed together with the hash of the record before it. The last hash stands for the whole log:\n\n")
	m.print(fence("", fmt.Sprintf("records %d\nhead    %s", m.doc.Log.Records, m.doc.Log.Head)))
	m.printf("\nAsk the reporter for the log (`a2ascope export %s --format jsonl`). `a2ascope import` checks the chain and names the first record that does not fit; docs/jsonl.md has the few lines of Python that do the same. ", plain(m.doc.Session))
	m.print("A redacted copy verifies too: hashes are over digests of the original bytes. The chain finds accidents and edits; it is not a signature.\n")
}
