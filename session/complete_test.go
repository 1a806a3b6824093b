package session

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	ctx := Completion{
		Tasks:      []TaskChoice{{Number: 1, Correlation: "c-1", ServerIDs: []string{"t 1"}}, {Number: 2, Correlation: "c-2"}},
		Interfaces: 2, Contexts: []string{"ctx-9"}, Peers: []string{"https://a.example/x", "https://b.example/a b", "demo:honest"},
	}
	cases := []struct {
		line string // with | at the cursor
		want []string
	}{
		{"re|", []string{"resume", "resubscribe", "redispatch", "restore"}},
		{"  disc|over x", []string{"discover"}},
		{"nonsense |", nil},
		{"send hello --pl|", []string{"--plain"}},
		{"resume --|", []string{"--data", "--file", "--stream", "--force", "--task"}},
		{"resume --stream --data 1 --|", []string{"--data", "--file", "--force", "--task"}},
		{"resume -- --|", nil},
		{"get |", []string{"--history", "--fresh", "--on", "--task"}},
		{"get --history |", nil},
		{"get --task |", []string{"1", "2", "c-1", "'t 1'", "c-2"}},
		{"get --task=c|", []string{"--task=c-1", "--task=c-2"}},
		{"use c-2|", []string{"c-2"}},
		{"use 1 |", nil},
		{"poll --until s|", []string{"settled", "submitted"}},
		{"list --state can|", []string{"canceled"}},
		{"list --context |", []string{"ctx-9"}},
		{"send --context |", []string{"current", "ctx-9"}},
		{"redispatch --to |", []string{"https://a.example/x", "'https://b.example/a b'", "demo:honest"}},
		{"redispatch --to=https://a|", []string{"--to=https://a.example/x"}},
		{"redispatch --to demo:honest --|", []string{"--task"}},
		{"interface |", []string{"1", "2", "jsonrpc", "rest", "grpc"}},
		{"interface rest 0|", []string{"0.1", "0.2", "0.3"}},
		{"auth b|", []string{"bearer", "basic"}},
		{"push o|", []string{"on", "off"}},
		{"wait s|", []string{"state", "settled"}},
		{"wait state w|", []string{"working"}},
		{"wait settled |", []string{"--for", "--task"}},
		{"probe al|", []string{"all"}},
		{"probe cancel-final c|", []string{"card-stable", "card-valid", "completed-stable"}},
		{"demote str|", []string{"streaming", "stream-closes"}},
		{"demote streaming str|", nil},
		{"export h|", []string{"html", "har"}},
		{"send 'open --|", nil},
		{"# re|", nil},
		{"send é --ne|w", []string{"--new"}},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			before, after, _ := strings.Cut(c.line, "|")
			if got := Complete(before+after, len([]rune(before)), ctx); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCompleteOutsideTheLine(t *testing.T) {
	t.Parallel()
	if got := Complete("", 0, Completion{}); len(got) != len(Usages()) {
		t.Errorf("an empty line offers %d commands", len(got))
	}
	if got := Complete("mar", 99, Completion{}); !slices.Equal(got, []string{"mark"}) {
		t.Errorf("behind the line: %q", got)
	}
	if got := Complete("mark", -1, Completion{}); len(got) != len(Usages()) {
		t.Errorf("before the line: %d", len(got))
	}
}

// What a peer calls its tasks must not break the line.
func TestCompleteQuotesIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"--task", "a b", "it's\x1b[2J\n", "&", "\"", "#"} {
		got := Complete("use ", 4, Completion{Tasks: []TaskChoice{{Number: 1, Correlation: id}}})
		c, err := ParseCommand("use " + got[1])
		if err != nil || c.Task != id {
			t.Errorf("%q is offered as %s, which is read as %q, %v", id, got[1], c.Task, err)
		}
	}
}
