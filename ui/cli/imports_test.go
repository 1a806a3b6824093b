package cli_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "a2ascope"

// mayImport says which packages of this module each package may import: the
// arrows between the parts. A package that is not named here may import none.
var mayImport = map[string][]string{
	"":                   {"ui/cli"},
	"ui/cli":             {"ui/console", "ui/clean", "peerclient", "peerclient/cardkey", "peerclient/demopeer", "peerclient/replay", "peerclient/webhook", "history", "history/export", "session", "session/a2a", "session/rule", "session/runner", "session/probe", "keymap", "themes"},
	"ui/console":         {"ui/clean", "session", "session/a2a", "session/runner", "keymap", "themes"},
	"peerclient":         {"peerclient/grpcwire", "peerclient/sse", "session", "session/a2a"},
	"peerclient/webhook": {"session", "session/a2a"},
	"peerclient/cardkey": {"session"},
	"peerclient/replay":  {"session", "session/a2a"},
	"history":            {"history/export", "session"},
	"history/export":     {"session", "session/a2a"},
	"session":            {"session/a2a"},
	"session/rule":       {"session", "session/a2a"},
	"session/probe":      {"session", "session/a2a"},
	"session/runner":     {"session", "session/a2a", "session/rule", "session/probe"},
}

// outside are the packages that a part must not reach, directly or through
// others: the domain has no network, no SQL, no terminal and no gRPC, and only
// the console and the command line draw. A name that ends in a slash stands for
// all below it.
var outside = map[string][]string{
	"session":    {"net", "net/http", "database/sql", "charm.land/", "google.golang.org/grpc/", "github.com/charmbracelet/", "github.com/mattn/go-sqlite3", "os/exec"},
	"peerclient": {"database/sql", "charm.land/", "github.com/mattn/go-sqlite3"},
	"history":    {"net/http", "charm.land/", "google.golang.org/grpc/"},
	"keymap":     {"net", "database/sql"},
	"themes":     {"net", "database/sql"},
	"ui/console": {"database/sql", "github.com/mattn/go-sqlite3", "google.golang.org/grpc/"},
}

// listed is the import graph of the module with all that it stands on.
type listed struct {
	imports map[string][]string
	modules map[string]string // of packages outside of the standard library
}

func importGraph(t *testing.T) listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}\t{{with .Module}}{{.Path}}{{end}}\t{{join .Imports \" \"}}", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	g := listed{imports: map[string][]string{}, modules: map[string]string{}}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("go list printed %q", line)
		}
		g.imports[f[0]], g.modules[f[0]] = strings.Fields(f[2]), f[1]
	}
	return g
}

// own returns the package's path within the module.
func (g listed) own(path string) (string, bool) {
	if g.modules[path] != module {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), true
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	g := importGraph(t)
	seen := 0
	for path, imports := range g.imports {
		from, ok := g.own(path)
		if !ok {
			continue
		}
		seen++
		for _, i := range imports {
			if to, ok := g.own(i); ok && !slices.Contains(mayImport[from], to) {
				t.Errorf("%s imports %s: the arrows of docs/architecture.md do not point that way", path, i)
			}
		}
		for part, never := range outside {
			if from == part || strings.HasPrefix(from, part+"/") && part != "peerclient" {
				g.mustNotReach(t, path, never)
			}
		}
	}
	if seen < 10 {
		t.Errorf("go list named %d packages of this module", seen)
	}
}

// mustNotReach walks what a package stands on.
func (g listed) mustNotReach(t *testing.T, path string, never []string) {
	t.Helper()
	reached := map[string]string{path: ""}
	for queue := []string{path}; len(queue) > 0; queue = queue[1:] {
		for _, i := range g.imports[queue[0]] {
			if _, ok := reached[i]; ok {
				continue
			}
			reached[i] = queue[0]
			queue = append(queue, i)
			for _, n := range never {
				if i == strings.TrimSuffix(n, "/") || strings.HasSuffix(n, "/") && strings.HasPrefix(i, n) {
					t.Errorf("%s reaches %s through %s", path, i, queue[0])
				}
			}
		}
	}
}

// Whoever adds a module says in docs/dependencies.md what it is for.
func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	g := importGraph(t)
	for path, imports := range g.imports {
		if _, ok := g.own(path); !ok {
			continue
		}
		for _, i := range imports {
			m := g.modules[i]
			if m != "" && m != module && !strings.Contains(string(text), "`"+m+"`") {
				t.Errorf("%s imports %s: docs/dependencies.md does not say why", path, m)
			}
		}
	}
}
