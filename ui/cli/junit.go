package cli

import (
	"encoding/xml"
	"io"
	"strings"

	"a2ascope/session"
	"a2ascope/ui/clean"
)

// The parts of a JUnit report, as continuous integration reads it.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Failure *junitText `xml:"failure"`
		Error   *junitText `xml:"error"`
		Skipped *junitText `xml:"skipped"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite a peer and a case a claim: contradicted fails,
// what could not be judged or was not tried is skipped. A session that came to
// nothing (no answer, no log) is an error.
func writeJUnit(w io.Writer, all []probed) error {
	var out junitSuites
	for i := range all {
		out.Suites = append(out.Suites, junitOf(&all[i]))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(one *probed) junitSuite {
	d := &one.doc
	suite := junitSuite{Name: clean.Line(one.typed, 0)}
	for _, c := range d.Claims {
		k := junitCase{Class: suite.Name, Name: string(c.ID)}
		switch c.Verdict {
		case session.Contradicted:
			suite.Failures++
			k.Failure = &junitText{Message: "declared " + clean.Line(c.Declared, 200) + ", observed " + clean.Line(c.Observed, 200), Text: findingsText(d, c.ID)}
		case session.Unproven, session.Inconclusive:
			suite.Skipped++
			k.Skipped = &junitText{Message: string(c.Verdict)}
		}
		suite.Cases = append(suite.Cases, k)
	}
	if s := d.Exit.Status; s > 1 {
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{Class: suite.Name, Name: "session", Error: &junitText{Message: strings.Join(d.Exit.Reasons, ", "), Text: clean.Block(d.Error)}})
	}
	suite.Tests = len(suite.Cases)
	return suite
}

// findingsText is what contradicted a claim, for people.
func findingsText(d *session.Document, id session.Claim) string {
	var b strings.Builder
	for _, f := range d.Findings {
		if f.Claim == id && f.Severity.Contradicts() {
			b.WriteString(string(f.Severity) + " " + f.Rule + ": " + clean.Line(f.Title, 0) + "\n" + clean.Line(f.Detail, 0) + "\n" + clean.Line(f.Advice, 0) + "\n")
		}
	}
	return b.String()
}
