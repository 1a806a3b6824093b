package interop

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/session/a2a"
)

var update = flag.Bool("update", false, "write docs/interop.md anew")

// official is an agent on an official SDK, started as a program of its own.
type official struct {
	name, version string
	folder        string   // of its agent
	needs         []string // programs
	install       func(dir string) []*exec.Cmd
	start         func(dir string) *exec.Cmd
	speaks        []spoken
}

var (
	now  = []spoken{{a2a.JSONRPC, a2a.Gen10}, {a2a.REST, a2a.Gen10}, {a2a.GRPC, a2a.Gen10}}
	old  = []spoken{{a2a.JSONRPC, a2a.Gen03}, {a2a.REST, a2a.Gen03}, {a2a.GRPC, a2a.Gen03}}
	both = slices.Concat(now, old)
)

// officials are the SDKs beside the Go one. Their versions are pinned in the
// agents' package.json, requirements.txt and pom.xml.
var officials = []official{
	{"JavaScript SDK", "1.3.0", "js/v1", []string{"node", "npm"}, npm, node, both},
	{"JavaScript SDK", "0.3.14", "js/v03", []string{"node", "npm"}, npm, node, old},
	{"Python SDK", "1.1.0", "python/v1", []string{"python3"}, pip, python, both},
	{"Python SDK", "0.3.26", "python/v03", []string{"python3"}, pip, python, old},
	{"Java SDK", "0.3.3", "java/v03", []string{"java", "mvn"}, maven, java, old},
}

// TestOfficialSDKs walks agents on the other official SDKs over every binding.
// No claim may come out contradicted, and what does not come to what it should
// needs a remark; what else differs from docs/interop.md is told, and is no
// failure: those agents are not ours. An SDK whose programs are missing, or
// whose packages Maven cannot have, is left out, and that is told. It does
// nothing unless A2ASCOPE_INTEROP is 1.
func TestOfficialSDKs(t *testing.T) {
	if os.Getenv("A2ASCOPE_INTEROP") != "1" {
		return
	}
	hook := receiver(t)
	var doc bytes.Buffer
	doc.WriteString(preface)
	table(t, &doc, "Go SDK 2.3.1", goSDK(t, 10*time.Millisecond).url, hook, slices.Concat(now, []spoken{{a2a.JSONRPC, a2a.Gen03}, {a2a.GRPC, a2a.Gen03}}))
	left := false
	for _, o := range officials {
		url, why := o.serve(t)
		if why != "" {
			left = true
			t.Logf("left out: %s %s: %s", o.name, o.version, why)
			continue
		}
		table(t, &doc, o.name+" "+o.version, url, hook, o.speaks)
	}
	doc.WriteString(notes())
	file := filepath.Join("..", "..", "docs", "interop.md")
	if *update {
		if left {
			t.Fatal("docs/interop.md is written only when every SDK was walked")
		}
		if err := os.WriteFile(file, doc.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(doc.String()) {
		if !bytes.Contains(want, []byte(line)) {
			t.Logf("not in docs/interop.md: %s", line)
		}
	}
}

// table walks an agent and writes what came out: a row a walk, a column a
// binding.
func table(t *testing.T, doc *bytes.Buffer, sdk, url, hook string, speaks []spoken) {
	t.Helper()
	cells := map[string]map[spoken]string{}
	fmt.Fprintf(doc, "\n## %s\n\n| walk |", sdk)
	for _, on := range speaks {
		fmt.Fprintf(doc, " %s %s |", on.binding, on.gen)
		for _, st := range walks(hook, on.binding, on.gen) {
			w := walk(t, url, append([]string{"interface " + on.word()}, st.lines...)...)
			list := st.departures(w, on.binding, on.gen)
			if cells[st.name] == nil {
				cells[st.name] = map[spoken]string{}
			}
			cells[st.name][on] = cell(list)
			if len(list) > 0 && !remarked(sdk, on, st.name) {
				t.Errorf("%s, %s, %s: %s, and no remark explains it%s", sdk, on.word(), st.name, strings.Join(list, "; "), w.transcript())
			}
			for _, what := range list {
				if rule, _, ok := strings.Cut(what, " contradicts "); ok && explained[sdk+" "+rule] == "" {
					t.Errorf("%s, %s, %s: %s, and nothing proves it%s", sdk, on.word(), st.name, what, w.transcript())
				}
			}
		}
	}
	doc.WriteString("\n|---|" + strings.Repeat("---|", len(speaks)) + "\n")
	for _, st := range walks(hook, a2a.JSONRPC, a2a.Gen10) {
		fmt.Fprintf(doc, "| %s |", st.name)
		for _, on := range speaks {
			fmt.Fprintf(doc, " %s |", cells[st.name][on])
		}
		doc.WriteString("\n")
	}
}

func cell(departures []string) string {
	if len(departures) == 0 {
		return "✓"
	}
	return strings.ReplaceAll(strings.Join(departures, "; "), "|", `\|`)
}
