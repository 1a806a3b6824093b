package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const preface = `# The official SDKs as peers

What a2ascope sees of agents on the official A2A SDKs, walked by the runner over
loopback. ✓: every answer came as the specification has it, the task ended as
it should, and no claim was contradicted. Anything else is said in the cell, and
explained below. "✓, not always" is a cell of an SDK that races: most runs come
out as they should, and what comes instead is named below.

The Go agent is walked by ` + "`go test ./...`" + `; the whole page is made by
` + "`A2ASCOPE_INTEROP=1 go test ./peerclient/interop -run TestOfficialSDKs -update`" + `.
`

// wavering is what the page says of a cell that a race decides.
const wavering = "✓, not always"

// remark says what is behind cells that are no ✓. Columns and walks are joined
// by " and "; without a walk it is about the column.
type remark struct {
	sdk, columns, walks string
	why                 string
	shows               []string // departures: no others are let pass
	races               bool     // it comes out ✓ as well
}

func (r *remark) of(sdk, column, walk string) bool {
	return r.sdk == sdk && slices.Contains(strings.Split(r.columns, " and "), column) && slices.Contains(strings.Split(r.walks, " and "), walk)
}

// cell is what the page says of a walk, and the departures that no remark
// explains.
func cell(sdk, column, walk string, departures []string) (words string, unexplained []string) {
	words = strings.ReplaceAll(strings.Join(departures, "; "), "|", `\|`)
	if len(departures) == 0 {
		words = "✓"
	}
	var shows []string
	for i := range remarks {
		if r := &remarks[i]; r.of(sdk, column, walk) {
			shows = append(shows, r.shows...)
			if r.races {
				words = wavering
			}
		}
	}
	for _, what := range departures {
		rule, _, accuses := strings.Cut(what, " contradicts ")
		if !slices.Contains(shows, what) || accuses && explained[sdk+" "+rule] == "" {
			unexplained = append(unexplained, what)
		}
	}
	return words, unexplained
}

func notes() string {
	var b strings.Builder
	b.WriteString("\n## What is behind it\n\n")
	for _, r := range remarks {
		where := []string{r.sdk, r.columns}
		if r.walks != "" {
			where = append(where, r.walks)
		}
		said := ""
		if r.races {
			said = "Now and then `" + strings.Join(r.shows, "`, `") + "`. "
		}
		fmt.Fprintf(&b, "- %s: %s%s\n", strings.Join(where, ", "), said, r.why)
	}
	b.WriteString("\n## What is held against a peer, and why\n\n")
	keys := make([]string, 0, len(explained))
	for k := range explained {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, "- %s: %s\n", k, explained[k])
	}
	b.WriteString(gone)
	return b.String()
}

// TestCells: a departure passes in the cells of the remark that names it, and
// nowhere else; an accusation passes only with its proof.
func TestCells(t *testing.T) {
	const after = eventsAfter
	java := remark{sdk: java03, columns: "JSONRPC 0.3 and HTTP+JSON 0.3", walks: "stream", shows: []string{after}, races: true}
	was := remarks
	t.Cleanup(func() { remarks = was })
	remarks = []remark{java,
		{sdk: "X 1", columns: "GRPC 0.3", walks: "list", shows: []string{"list was not answered", "wire.broken contradicts wire-format"}},
	}
	for _, c := range []struct {
		sdk, column, walk string
		departures        []string
		words             string
		unexplained       int
	}{
		{"X 1", "JSONRPC 1.0", "stream", nil, "✓", 0},
		{"X 1", "JSONRPC 1.0", "stream", []string{"2 tasks", "a|b"}, `2 tasks; a\|b`, 2},
		{"X 1", "GRPC 0.3", "list", []string{"list was not answered"}, "list was not answered", 0},
		{"X 1", "GRPC 0.3", "list", []string{"list was not answered", "2 tasks"}, "list was not answered; 2 tasks", 1},
		{"X 1", "GRPC 1.0", "list", []string{"list was not answered"}, "list was not answered", 1},
		{"X 1", "GRPC 0.3", "list", []string{"wire.broken contradicts wire-format"}, "wire.broken contradicts wire-format", 1}, // unproven
		{java.sdk, "JSONRPC 0.3", "stream", nil, wavering, 0},
		{java.sdk, "HTTP+JSON 0.3", "stream", []string{after}, wavering, 0},
		{java.sdk, "HTTP+JSON 0.3", "stream", []string{after, "2 tasks"}, wavering, 1},
		{java.sdk, "GRPC 0.3", "stream", []string{after}, after, 1},
		{java.sdk, "JSONRPC 0.3", "fail streamed", []string{after}, after, 1},
		{"Python SDK 1.1.0", "JSONRPC 0.3", "stream", []string{after}, after, 1},
	} {
		words, unexplained := cell(c.sdk, c.column, c.walk, c.departures)
		if words != c.words || len(unexplained) != c.unexplained {
			t.Errorf("%s, %s, %s, %q: %q, unexplained %q", c.sdk, c.column, c.walk, c.departures, words, unexplained)
		}
	}
}

// TestPageIsOfToday: what docs/interop.md says around its tables is what the
// remarks say. The tables need the SDKs, and TestOfficialSDKs.
func TestPageIsOfToday(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "interop.md"))
	if err != nil {
		t.Fatal(err)
	}
	if s := string(page); !strings.HasPrefix(s, preface) || !strings.HasSuffix(s, notes()) {
		t.Error("docs/interop.md is not of today: see its head for the command that writes it")
	}
}
