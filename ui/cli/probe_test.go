package cli_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"a2ascope/session"
)

func (b *bench) probe(args ...string) result {
	b.t.Helper()
	return b.run(append(append([]string{"probe"}, quick...), args...)...)
}

func TestProbeDocuments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.probe("demo:honest", "demo:hidden-artifact", "--claim", "artifacts-streamed", "--output", "json")
	var docs []session.Document
	if err := json.Unmarshal([]byte(r.out), &docs); err != nil || len(docs) != 2 || r.status != 1 {
		t.Fatalf("status %d, %v, %d documents\n%s", r.status, err, len(docs), r.err)
	}
	for i, want := range []session.Verdict{session.Honoured, session.Contradicted} {
		for _, c := range docs[i].Claims {
			if c.ID == session.ArtifactsStreamed && c.Verdict != want {
				t.Errorf("%s: %s is %s, want %s", docs[i].Peer.Name, c.ID, c.Verdict, want)
			}
		}
		if got := docs[i].Exit.Status == 1; got != (want == session.Contradicted) {
			t.Errorf("%s: exit %+v", docs[i].Peer.Name, docs[i].Exit)
		}
	}
}

func TestProbeText(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.probe("demo:honest", "demo:hidden-artifact", "--claim", "artifacts-streamed", "--claim", "resume-same-task")
	for _, want := range []string{"Probes", "resume-send", "All agents", "2  demo:hidden-artifact", "artifacts-streamed", "✗ contradicted"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	if r.status != 1 || strings.Contains(r.out, "no prompt for input-required") {
		t.Errorf("status %d\n%s", r.status, r.out)
	}
}

func TestProbeJUnit(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	b := newBench(t)
	r := b.probe("demo:hidden-artifact", closed.URL, "--claim", "artifacts-streamed", "--output", "junit")
	var report struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(r.out), &report); err != nil || len(report.Suites) != 2 || r.status != 1 {
		t.Fatalf("status %d, %v\n%s%s", r.status, err, r.out, r.err)
	}
	hidden, gone := report.Suites[0], report.Suites[1]
	if hidden.Tests != len(session.Claims) || hidden.Failures != 1 || hidden.Errors != 0 || hidden.Name != "demo:hidden-artifact" {
		t.Errorf("%+v", hidden)
	}
	for _, c := range hidden.Cases {
		if failed := c.Failure != nil; failed != (c.Name == "artifacts-streamed") {
			t.Errorf("%s: failure %v", c.Name, failed)
		}
	}
	if gone.Errors != 1 || gone.Failures != 0 || gone.Skipped != len(session.Claims) {
		t.Errorf("%+v", gone)
	}
}

func TestProbeMistakes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"demo:honest", "demo:nobody"}, {"demo:honest", "--claim", "x"}, {"demo:honest", "--continue"}, {"demo:honest", "--prompt", "nowhere"},
		{"demo:honest", "--bearer-env", "NOT_SET"},
	} {
		if r := newBench(t).probe(append(args, "--output", "json")...); r.status != 2 || r.out != "" {
			t.Errorf("%v: status %d, %q, %q", args, r.status, r.out, r.err)
		}
	}
}
