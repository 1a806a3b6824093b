package export

import (
	"fmt"
	"io"
	"strings"

	"a2ascope/session"
)

const (
	maxRows     = 2000     // records of the log that the page tells, besides evidence
	maxEvidence = 16 << 10 // bytes that are shown of evidence
	maxFrame    = 2 << 10  // bytes that are shown of another record
	pageBeats   = 130      // arrows of each third of the diagram
	maxLinks    = 12
)

// page is a report as HTML while it is written.
type page struct {
	*report
	want map[uint64]bool // evidence: these records are on the page
}

// html writes the report as one page.
func (e *Export) html(w io.Writer) error {
	if err := e.fold(); err != nil {
		return err
	}
	p := &page{report: &report{Export: e, printer: printer{w: w}, doc: e.document(), showed: map[uint64]bool{}}, want: map[uint64]bool{}}
	p.collect()
	p.head()
	p.htmlFindings()
	p.htmlMatrix()
	for _, part := range []func() error{p.diagram, p.again, p.htmlDecisions, p.rows} {
		if err := part(); err != nil {
			return err
		}
	}
	p.foot()
	return p.err
}

// collect gathers the records that the page must have.
func (p *page) collect() {
	add := func(seqs []uint64) {
		for _, n := range seqs {
			p.want[n] = true
		}
	}
	for _, f := range p.told {
		add(f.Shown)
		add(f.Evidence[:min(len(f.Evidence), maxLinks)])
		p.want[f.Seq] = true
	}
	for _, c := range p.doc.Claims {
		add(c.Evidence)
	}
	for _, d := range p.doc.Decisions[:min(len(p.doc.Decisions), maxTold)] {
		add(d.Evidence)
	}
}

// gravest is the class of the whole session.
func (p *page) gravest() markup {
	n := counts(&p.doc)
	switch {
	case n[session.Contradicted] > 0:
		return "bad"
	case n[session.Honoured] > 0 && len(p.told) == 0:
		return "good"
	}
	return "warn"
}

func (p *page) head() {
	peer := p.doc.Peer
	name := orElse(peer.Name, p.state.Opened.Typed)
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s · A2A report</title>
<style>`, contentPolicy(), cut(oneLine(name), 50))
	p.print(styleSheet)
	p.put(`</style>
</head>
<body>
<a class="skip" href="#main">Skip to what is wrong</a>
<header>
<p class="kicker">A2A agent · report of session %s</p>
<h1>%s</h1>
<p class="verdict %s"><strong>%s</strong>`, p.doc.Session, oneLine(cut(name, 160)), p.gravest(), p.verdict(&p.doc))
	if len(p.told) > 0 {
		p.put(` <span>%s.</span>`, strings.TrimSuffix(p.summary(), "."))
	}
	p.print("</p>\n<dl class=\"facts\">\n")
	if peer.CardURL != "" {
		p.put("<dt>Agent card</dt><dd>%s, version %s</dd>\n<dt>SHA-256 of the card</dt><dd class=\"mono\">%s</dd>\n", peer.CardURL, orElse(peer.CardVersion, "none"), p.state.Peer.CardSHA)
	}
	if peer.Endpoint != "" {
		p.put("<dt>Spoken</dt><dd>A2A %s over %s at %s%s</dd>\n", peer.Generation, peer.Binding, peer.Endpoint, p.declaredElse())
	}
	p.put("<dt>Recorded</dt><dd>%s to %s, %s, by a2ascope %s</dd>\n", when(p.state.Started), when(p.state.Wall), counted(int(p.doc.Log.Records), "record"), p.state.Opened.Tool)
	p.put("<dt>Taken out</dt><dd>%s</dd>\n</dl>\n", p.takenOut())
	p.print("<p class=\"soft\">Written by a2ascope, a console that puts what an A2A agent declares on its card to the test and records every byte. A claim is something that the card says or that the A2A protocol implies; a finding is a claim that was seen to be broken, with the records (#) that show it. A source that is a field note or a field case is an earlier sighting of such a fault, not a clause of the protocol.</p>\n</header>\n")
	p.print(`<nav aria-label="On this page"><ul>
<li><a href="#wrong">What is wrong</a></li><li><a href="#claims">Declared and observed</a></li><li><a href="#sequence">Sequence</a></li><li><a href="#again">See it again</a></li><li><a href="#decisions">Decisions</a></li><li><a href="#log">Log</a></li><li><a href="#check">Check this report</a></li>
</ul></nav>
<main id="main">
`)
}

// declaredElse says what the card declares where something else is spoken.
func (p *page) declaredElse() string {
	a, d := p.doc.Peer, p.doc.Peer.Declared
	if a.CardURL == "" || d.Generation == a.Generation && d.Binding == a.Binding && (d.Endpoint == "" || d.Endpoint == a.Endpoint) {
		return ""
	}
	return fmt.Sprintf(" (the card declares %s over %s at %s)", d.Generation, d.Binding, orElse(d.Endpoint, "no address"))
}

func (p *page) htmlFindings() {
	p.print("<section aria-labelledby=\"wrong\">\n<h2 id=\"wrong\">What is wrong</h2>\n")
	if len(p.told) == 0 {
		p.print("<p>No rule was broken in this session.</p>\n")
	}
	for i, f := range p.told {
		if i == maxTold {
			p.put("<p>%s more were left out.</p>\n", counted(len(p.told)-i, "finding"))
			break
		}
		p.htmlFinding(f)
	}
	p.print("</section>\n")
}

func (p *page) htmlFinding(f *told) {
	p.put("<article aria-labelledby=\"f%d\">\n<h3 id=\"f%d\">%s</h3>\n", f.Seq, f.Seq, capital(oneLine(f.Title)))
	times := ""
	if f.Count > 1 {
		times = fmt.Sprintf(" · seen %d times", f.Count)
	}
	p.put("<p class=\"tags\"><strong class=\"%s\">%s</strong> · rule <code>%s</code> · claim <code>%s</code>%s · found in %s</p>\n",
		severityClass(f.Severity), f.Severity, f.Rule, f.Claim, times, p.link(f.Seq))
	p.put("<div class=\"pair\">\n<div class=\"exp\"><h4>Expected</h4><p>%s</p>", expected[f.Claim])
	if declared := p.state.DeclaredText(f.Claim); declared != "implied" && declared != "undeclared" {
		p.put("<p>The card declares: %s</p>", cut(oneLine(declared), 300))
	}
	if f.Source != "" {
		p.put("<p>Source: %s</p>", oneLine(f.Source))
	}
	p.put("</div>\n<div class=\"obs\"><h4>Observed</h4><p>%s</p><p>Records %s</p></div>\n</div>\n",
		observed(f), p.links(f.Evidence, maxLinks))
	if f.Advice != "" {
		p.put("<p><strong>Until it is fixed,</strong> for callers: %s</p>\n", oneLine(f.Advice))
	}
	if len(f.Shown) == 0 {
		p.print("</article>\n")
		return
	}
	p.print("<h4>The shortest sequence that shows it</h4>\n<ol class=\"ex\">\n")
	for _, seq := range f.Shown {
		r, ok, err := p.record(seq)
		if err != nil && p.err == nil {
			p.err = err
		}
		if !ok {
			continue
		}
		d := session.Describe(&r)
		more := markup("")
		if d.Detail != "" {
			more = fill(" · <span class=\"%s\">%s</span>", map[bool]markup{true: "soft", false: "came"}[r.Kind == session.KindRequest], cut(oneLine(d.Detail), 160))
		}
		p.put("<li><details open><summary>%s %s · %s %s%s</summary><pre>%s</pre></details></li>\n",
			number(seq), at(r.Elapsed), direction(r.Kind), oneLine(d.Title), more, shownFor(f.Claim, &r))
	}
	p.print("</ol>\n</article>\n")
}

func (p *page) htmlMatrix() {
	p.print("<section aria-labelledby=\"claims\">\n<h2 id=\"claims\">Declared and observed</h2>\n")
	table := func(title string, unproven bool) {
		p.put("<section class=\"scroll\" tabindex=\"0\" aria-label=\"Table: %s\"><table class=\"matrix\">\n<caption>%s</caption>\n", title, title)
		p.print("<thead><tr><th scope=\"col\">Claim</th><th scope=\"col\">Verdict</th><th scope=\"col\">Declared</th><th scope=\"col\">Observed</th><th scope=\"col\">Trust</th><th scope=\"col\">Records</th></tr></thead>\n<tbody>\n")
		for _, c := range brokenFirst(p.doc.Claims) {
			if (c.Verdict == session.Unproven) != unproven {
				continue
			}
			p.put("<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
				c.ID, verdictMark(c.Verdict), cut(oneLine(c.Declared), 120), orElse(oneLine(c.Observed), "–"), c.Trust, p.links(c.Evidence, 5))
		}
		p.print("</tbody>\n</table></section>\n")
	}
	n := counts(&p.doc)[session.Unproven]
	if n < len(p.doc.Claims) {
		table("What the card says or the protocol implies, and how often it was seen to hold (honoured) or not (contradicted)", false)
	} else {
		p.print("<p>No claim was tested in this session.</p>\n")
	}
	if n > 0 {
		p.put("<details><summary>%s not tested in this session</summary>\n", counted(n, "claim"))
		table("Claims of which nothing was seen", true)
		p.print("</details>\n")
	}
	p.print("</section>\n")
}

func (p *page) again() error {
	steps, err := p.curlSteps()
	if err != nil {
		return err
	}
	p.put("<section aria-labelledby=\"again\">\n<h2 id=\"again\">See it again</h2>\n<p>With a2ascope, which judges what it sees:</p>\n<pre><code>%s</code></pre>\n", p.runLine())
	p.put("<p>a2ascope is a terminal program for whoever runs or calls A2A agents; it writes reports such as this one. The commands here work %s; <code>a2ascope version</code> prints yours. <code>a2ascope --help</code>, <code>a2ascope run --help</code> and <code>a2ascope man</code> document the command line; so do docs/flags.md and docs/commands.md in its source. Who does not have it asks whoever sent this report for the a2ascope binary, or builds it from its source.</p>\n", fill(markup(p.since()), fill("<code>%s</code>", p.version())))
	if p.needsFile() {
		p.print("<p>The commands read files of the reporter’s machine: put your own in their place.</p>\n")
	}
	if steps != "" {
		p.put("<p>With curl alone. Behind each arrow stands what came back when this was recorded: compare it with what comes now. Ids that the agent makes are read from its answers; a message id that was seen before may be refused: change it then.%s</p>\n<pre><code>%s</code></pre>\n", p.embedded(), steps)
	}
	p.print("</section>\n")
	return nil
}

func (p *page) htmlDecisions() error {
	p.print("<section aria-labelledby=\"decisions\">\n<h2 id=\"decisions\">Decisions</h2>\n")
	if len(p.doc.Decisions) == 0 {
		p.print("<p>Nothing was decided in this session.</p>\n</section>\n")
		return nil
	}
	p.print("<section class=\"scroll\" tabindex=\"0\" aria-label=\"Table of decisions\"><table class=\"matrix\">\n<caption>What a2ascope, or its operator, made of it. To demote a claim is not to rely on it at this agent for a time</caption>\n<thead><tr><th scope=\"col\">No.</th><th scope=\"col\">Decision</th><th scope=\"col\">By</th><th scope=\"col\">Reason</th><th scope=\"col\">Records</th></tr></thead>\n<tbody>\n")
	for i, d := range p.doc.Decisions {
		if i == maxTold {
			p.put("<tr><td></td><td colspan=\"4\">%d more were left out</td></tr>\n", len(p.doc.Decisions)-i)
			break
		}
		p.put("<tr><th scope=\"row\">%d</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			d.ID, strings.TrimSpace(string(d.Action)+" "+string(d.Claim)), d.By, oneLine(d.Reason), p.links(d.Evidence, 5))
	}
	p.print("</tbody>\n</table></section>\n</section>\n")
	return nil
}

// rows writes the log: its beginning, and all that is evidence.
func (p *page) rows() error {
	p.print("<section aria-labelledby=\"log\">\n<h2 id=\"log\">Log</h2>\n<table class=\"time\">\n<caption>Records in order, with the bytes that were sent and received. Times are from the session’s start.</caption>\n<thead><tr><th scope=\"col\">Record</th><th scope=\"col\">Time</th><th scope=\"col\">What</th></tr></thead>\n<tbody>\n")
	shown, left := 0, uint64(0)
	err := walk(p.pages, func(r *session.Record) error {
		if !p.has(r.Seq) {
			left++
			return p.err
		}
		if left > 0 {
			p.put("<tr><td></td><td></td><td class=\"soft\">%d records are left out here</td></tr>\n", left)
			left = 0
		}
		shown++
		p.row(r)
		return p.err
	})
	if left > 0 {
		p.put("<tr><td></td><td></td><td class=\"soft\">%d more records are left out</td></tr>\n", left)
	}
	p.put("</tbody>\n</table>\n<p class=\"soft\">%d of %s are shown", shown, counted(int(p.doc.Log.Records), "record"))
	if uint64(shown) < p.doc.Log.Records {
		p.put(": the first %d and all evidence. The jsonl export has every one", maxRows)
	}
	p.print(".</p>\n</section>\n")
	return err
}

func (p *page) row(r *session.Record) {
	d := session.Describe(r)
	tag := markup("")
	most := maxFrame
	if p.want[r.Seq] {
		tag, most = ` <span class="tag">evidence</span>`, maxEvidence
	}
	p.put("<tr id=\"r%d\"><th scope=\"row\" class=\"n\">#%d</th><td class=\"t\">%s</td><td><span class=\"%s\"><span aria-hidden=\"true\">%s</span> %s</span>",
		r.Seq, r.Seq, at(r.Elapsed), rowClass(d.Level), d.Arrow, oneLine(d.Title))
	if d.Detail != "" {
		p.put(" <span class=\"soft\">%s</span>", oneLine(d.Detail))
	}
	p.print(string(tag))
	if r.Raw != nil {
		p.put("<details><summary>Bytes: %s%s</summary><pre>%s</pre></details>", size(len(r.Raw)), redactedNote(r), shownBytes(r, most))
	}
	p.print("</td></tr>\n")
}

func redactedNote(r *session.Record) string {
	if r.Redacted {
		return ", redacted"
	}
	return ""
}

func (p *page) foot() {
	p.print("<section aria-labelledby=\"check\">\n<h2 id=\"check\">Check this report</h2>\n<p>Each record is hashed together with the hash of the record before it. The last hash stands for the whole log:</p>\n")
	p.put("<pre>records %d\nhead    %s</pre>\n", p.doc.Log.Records, p.doc.Log.Head)
	p.put("<p>Ask the reporter for the log (<code>a2ascope export %s --format jsonl</code>). <code>a2ascope import</code> checks the chain and names the first record that does not fit. A redacted copy verifies too: the hashes are over digests of the original bytes. The chain finds accidents and edits; it is not a signature.</p>\n", p.doc.Session)
	if flags := policyFlags(p.state.Opened.Policy); len(flags) > 0 {
		p.put("<p>Waits other than the usual ones: <code>%s</code></p>\n", strings.Join(flags, " "))
	}
	for _, f := range p.doc.FaultList[:min(len(p.doc.FaultList), 10)] {
		p.put("<p>Fault of the transport in %s: %s</p>\n", p.link(f.Seq), oneLine(f.What))
	}
	p.print("</section>\n</main>\n<footer><p>End of the report. It loads nothing and runs no script.</p></footer>\n</body>\n</html>\n")
}
