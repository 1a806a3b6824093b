package cli

import (
	"strconv"
	"strings"

	"a2ascope/history"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// follow makes a session go on with a logical task of another one, at another
// peer: it names that session and keeps the task's correlation id (DESIGN's
// course, step 2).
func follow(store *history.Store, which string, opened *session.Opened) error {
	state, t, err := followed(store, which)
	if err != nil {
		return err
	}
	opened.Follows, opened.FollowsTask, opened.Correlation = state.Opened.Session, t.N, t.Correlation
	return nil
}

// followed finds the task that "SESSION" or "SESSION/N" names: the session's
// current one where N is left out.
func followed(store *history.Store, which string) (*session.State, *session.Task, error) {
	name, number, given := strings.Cut(which, "/")
	id, err := findSession(store, name)
	if err != nil {
		return nil, nil, err
	}
	state, err := session.At(func(from uint64, n int) ([]session.Record, error) { return store.Page(id, from, n) }, ^uint64(0))
	if err != nil {
		return nil, nil, err
	}
	n := state.Current
	if given {
		if n, err = strconv.Atoi(number); err != nil {
			return nil, nil, usage("--redispatch %s: behind the session comes the number of its task", which)
		}
	}
	t := state.TaskN(n)
	if t == nil || t.FirstSend == 0 {
		return nil, nil, usage("--redispatch %s: that session has no such task with a message to send again", which)
	}
	return state, t, nil
}

// again is the command that sends the first message of a task of another
// session once more. Files cannot be written as a command; they are not sent
// without the operator's word.
func again(store *history.Store, which string) (string, error) {
	state, t, err := followed(store, which)
	if err != nil {
		return "", err
	}
	records, err := store.Page(state.Opened.Session, t.FirstSend, 1)
	if err != nil {
		return "", err
	}
	var b session.Requested
	if len(records) == 0 || records[0].Decode(&b) != nil {
		return "", usage("--redispatch %s: the task's first message is not in the log", which)
	}
	m, err := a2a.DecodeRequestMessage(b.Content(records[0].Raw))
	if err != nil {
		return "", usage("--redispatch %s: the task's first message cannot be read: %w", which, err)
	}
	words := []string{"send"}
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case a2a.PartText:
			words = append(words, session.QuoteWord(p.Text))
		case a2a.PartData:
			words = append(words, "--data", session.QuoteWord(string(p.Data)))
		default:
			return "", usage("--redispatch %s: its first message holds a file; send it by hand, with --file", which)
		}
	}
	return strings.Join(append(words, "--new"), " "), nil
}
