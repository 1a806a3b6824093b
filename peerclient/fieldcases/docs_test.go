package fieldcases

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"a2ascope/session/rule"
)

var update = flag.Bool("update", false, "write docs/field-cases.md anew")

// numbers are those of the collection; its numbering has gaps.
const numbers = "1-5 8-30 32-47 49 51-69 71-84 86-88 90-95 97-104 106-112 114-119 121-125 127-141 143-144"

// TestNumbers: the table has every case of the collection, and no other.
func TestNumbers(t *testing.T) {
	t.Parallel()
	want := map[int]bool{}
	for _, span := range strings.Fields(numbers) {
		from, to := 0, 0
		if n, _ := fmt.Sscanf(span, "%d-%d", &from, &to); n == 1 {
			to = from
		}
		for i := from; i <= to; i++ {
			want[i] = true
		}
	}
	if len(want) != 130 {
		t.Errorf("%d numbers, want 130", len(want))
	}
	for _, fc := range table {
		if !want[fc.n] {
			t.Errorf("%d is no case of the collection", fc.n)
		}
	}
	for n := range want {
		if !slices.ContainsFunc(table, func(fc fieldCase) bool { return fc.n == n }) {
			t.Errorf("case %d is missing", n)
		}
	}
}

// TestDocument keeps docs/field-cases.md the list of what is here.
func TestDocument(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "field-cases.md")
	want := document()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/field-cases.md is stale: go test ./peerclient/fieldcases -run Document -update")
	}
}

var classes = []struct {
	name string
	rows []fieldCase
}{
	{"A. Discovery: where the card is and what address it gives", discovery},
	{"B. Card content and schema", slices.Concat(cards, secured)},
	{"C. Protocol version", versions},
	{"D. Shape of messages, tasks, parts and values", slices.Concat(shapes, within(40, 63))},
	{"E. Event streams and HTTP framing", framing},
	{"F. Stream and task life cycle", lifecycle},
	{"G. Cancel", cancels},
	{"H. Resume, context, history", resumes},
	{"I. Subscribe, get, list", slices.Concat(views, within(121, 125))},
	{"J. Push notifications", pushes},
	{"K. Other gaps between declared and observed", gaps},
	{"L. Errors and HTTP details", slices.Concat(failures, within(138, 141))},
	{"M. gRPC, tenants, credentials", within(143, 144)},
}

// within are the cases of bindings with these numbers.
func within(from, to int) []fieldCase {
	return slices.DeleteFunc(slices.Clone(bindings), func(fc fieldCase) bool { return fc.n < from || fc.n > to })
}

func document() string {
	var b, list strings.Builder
	tested, peers, pending := map[int]bool{}, 0, 0
	for _, class := range classes {
		fmt.Fprintf(&list, "\n## %s\n\n| case | what the peer does | what the console says | covered |\n|---|---|---|---|\n", class.name)
		rows := slices.Clone(class.rows)
		slices.SortStableFunc(rows, func(a, b fieldCase) int { return a.n - b.n })
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && rows[n].n == rows[0].n {
				n++
			}
			fmt.Fprintf(&list, "| %d | %s | %s | %s |\n", rows[0].n, names(rows[:n]), verdicts(rows[:n]), covered(rows[:n]))
			for _, fc := range rows[:n] {
				if fc.not == "" {
					tested[fc.n] = true
					peers++
				}
				if fc.pending != "" {
					pending++
				}
			}
			rows = rows[n:]
		}
	}
	b.WriteString("# Cases from the field\n\nGenerated from `peerclient/fieldcases`; do not edit. The numbers are those of a collection of 130 misbehaviours that were reported in public, by SDKs, frameworks, gateways and agents of every generation; it leaves some numbers out.\n\n")
	fmt.Fprintf(&b, "%d of the 130 cases have a test, by %d scripted peers; %d of these peers wait for a mend. A test runs a whole session over real sockets, compares all its findings with those named here, and sends one more message at the end: the session must be of use afterwards.\n\n", len(tested), peers, pending)
	b.WriteString("Severities: critical and major contradict the claim; minor and info change nothing. \"Tolerated\" means that there is no finding: the peer is within the rules, or nothing on the wire tells.\n")
	b.WriteString(list.String())
	return b.String()
}

// names is what the variants of a case have in common, up to the colon.
func names(rows []fieldCase) string {
	var out []string
	for _, fc := range rows {
		name := fc.name
		if len(rows) > 1 {
			name, _, _ = strings.Cut(name, ": ")
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.ReplaceAll(strings.Join(out, "; "), "|", "\\|")
}

// verdicts names the rules that the variants of a case break, with their
// claims, and what is done where none is.
func verdicts(rows []fieldCase) string {
	var out, how []string
	tolerated := false
	for _, fc := range rows {
		if fc.not != "" {
			continue
		}
		tolerated = tolerated || len(fc.finds) == 0
		for _, line := range fc.finds {
			severity, rest, _ := strings.Cut(line, " ")
			id, words, _ := strings.Cut(rest, " ")
			r, _ := rule.ByID(id)
			text := fmt.Sprintf("`%s`: `%s`, %s", r.Claim, id, severity)
			if code, _, _ := strings.Cut(words, ":"); strings.Contains(code, "-") && !strings.ContainsAny(code, " ./") {
				text += " (" + code + ")"
			}
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
		if fc.how != "" && !slices.Contains(how, fc.how) {
			how = append(how, fc.how)
		}
	}
	if tolerated {
		text := "tolerated"
		if len(out) > 0 {
			text = "else tolerated"
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		out = []string{"–"}
	}
	text := strings.Join(out, "; ")
	if len(how) > 0 {
		text += ". " + strings.ToUpper(how[0][:1]) + strings.Join(how, "; ")[1:]
	}
	return strings.ReplaceAll(text, "|", "\\|")
}

func covered(rows []fieldCase) string {
	peers, out := 0, ""
	for _, fc := range rows {
		switch {
		case fc.not != "":
			out = "no: " + fc.not
		case fc.pending != "":
			out = "the test waits for " + fc.pending
			peers++
		default:
			peers++
		}
	}
	switch {
	case out != "":
		return out
	case peers == 1:
		return "yes"
	}
	return fmt.Sprintf("yes, %d peers", peers)
}
