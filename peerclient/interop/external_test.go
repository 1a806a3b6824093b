package interop

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	install       func(dir string) [][]string
	start         func(dir string) *exec.Cmd
	speaks        []spoken
}

func (o *official) sdk() string { return o.name + " " + o.version }

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

// TestOfficialSDKs walks agents on the other official SDKs over every binding,
// all SDKs at once. What does not come to what it should fails, unless a remark
// of the page names that very departure for that very cell; an accusation needs
// a proof besides. An SDK whose programs are missing, or whose packages are not
// to be had, is left out, and that is told. It does nothing unless
// A2ASCOPE_INTEROP is 1.
func TestOfficialSDKs(t *testing.T) {
	if os.Getenv("A2ASCOPE_INTEROP") != "1" {
		return
	}
	hook := receiver(t)
	tables := make([]string, 1+len(officials)) // none of an SDK that is left out
	var walks sync.WaitGroup
	walks.Go(func() {
		t.Run("Go SDK 2.3.1", func(t *testing.T) {
			on := slices.Concat(now, []spoken{{a2a.JSONRPC, a2a.Gen03}, {a2a.GRPC, a2a.Gen03}})
			tables[0] = table(t, "Go SDK 2.3.1", goSDK(t, 10*time.Millisecond).url, hook, on)
		})
	})
	for i := range officials {
		walks.Go(func() {
			o := &officials[i]
			t.Run(o.sdk(), func(t *testing.T) {
				url, why := o.serve(t)
				if why != "" {
					t.Logf("left out: %s: %s", o.sdk(), why)
					return
				}
				tables[i+1] = table(t, o.sdk(), url, hook, o.speaks)
			})
		})
	}
	walks.Wait()
	page(t, tables)
}

// page writes docs/interop.md, or tells what of it came out differently.
func page(t *testing.T, tables []string) {
	t.Helper()
	file := filepath.Join("..", "..", "docs", "interop.md")
	doc := preface + strings.Join(tables, "") + notes()
	if *update {
		if t.Failed() || slices.Contains(tables, "") {
			t.Fatal("docs/interop.md is written only when every SDK was walked and every cell is explained")
		}
		if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	has, section := map[string]bool{}, ""
	for line := range strings.Lines(string(want)) {
		section = below(section, line)
		has[section+line] = true
	}
	for line := range strings.Lines(doc) {
		if section = below(section, line); !has[section+line] {
			t.Logf("not in docs/interop.md: %s%s", section, line)
		}
	}
}

// below is the section that a line is in, after the one that the line before
// it was in.
func below(section, line string) string {
	if strings.HasPrefix(line, "#") {
		return line
	}
	return section
}

// table walks an agent and returns what came out: a row a walk, a column a
// binding.
func table(t *testing.T, sdk, url, hook string, speaks []spoken) string {
	t.Helper()
	cells := map[string][]string{}
	var doc strings.Builder
	fmt.Fprintf(&doc, "\n## %s\n\n| walk |", sdk)
	for _, on := range speaks {
		fmt.Fprintf(&doc, " %s |", on.column())
		for _, st := range walks(hook, on.binding, on.gen) {
			w := st.lead(t, url, on)
			list := st.departures(w, on.binding, on.gen)
			words, unexplained := cell(sdk, on.column(), st.name, list)
			cells[st.name] = append(cells[st.name], words)
			for _, what := range unexplained {
				t.Errorf("%s, %s, %s: %s, and no remark explains it", sdk, on.column(), st.name, what)
			}
			if len(unexplained) > 0 {
				t.Log(w.transcript())
			} else if len(list) > 0 && words == wavering {
				t.Logf("this time %s, %s, %s: %s", sdk, on.column(), st.name, strings.Join(list, "; "))
			}
		}
	}
	doc.WriteString("\n|---|" + strings.Repeat("---|", len(speaks)) + "\n")
	for _, st := range walks(hook, a2a.JSONRPC, a2a.Gen10) {
		fmt.Fprintf(&doc, "| %s | %s |\n", st.name, strings.Join(cells[st.name], " | "))
	}
	return doc.String()
}
