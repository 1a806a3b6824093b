package cli

import (
	"bytes"
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
// session once more, with the options that it had. It is streamed where it was
// and form, which is how this peer is given a task, says that it may be.
func again(store *history.Store, which, form string) (string, error) {
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
		return "", usage("redispatching %s: the task's first message is not in the log", which)
	}
	m, err := a2a.DecodeRequestMessage(b.Content(records[0].Raw))
	if err != nil {
		return "", usage("redispatching %s: the task's first message cannot be read: %w", which, err)
	}
	cmd := state.MeantBy(t.FirstSend)
	if cmd == nil {
		cmd = &session.Command{}
	}
	words := options(cmd, m.ContextID, form)
	files := cmd.Files
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case a2a.PartText:
			words = append(words, session.QuoteWord(p.Text))
		case a2a.PartData:
			words = append(words, "--data", session.QuoteWord(string(p.Data)))
		default:
			if len(files) == 0 || !sameFile(files[0], p) {
				return "", usage("redispatching %s: its first message holds the file %s, which is not there any more as it was sent; send it by hand, with --file", which, p.Filename)
			}
			words = append(words, "--file", session.QuoteWord(files[0].Path+";type="+p.MediaType))
			files = files[1:]
		}
	}
	return strings.Join(append(words, "--new"), " "), nil
}

// options are the first words of a message's command: its name, and what it
// asked for beside its parts. A context is named where the operator named it.
func options(cmd *session.Command, context, form string) []string {
	words := []string{"send"}
	plain := cmd.Plain
	switch {
	case cmd.Streams() && form == "stream":
		words[0] = "stream"
	case cmd.Streams():
		plain = true
	}
	if plain {
		words = append(words, "--plain")
	} else if cmd.Immediate {
		words = append(words, "--immediate")
	}
	for _, mode := range cmd.Accept {
		words = append(words, "--accept", session.QuoteWord(mode))
	}
	if cmd.Context != "" && context != "" {
		words = append(words, "--context", session.QuoteWord(context))
	}
	return words
}

// sameFile reports whether a file still holds what a part of a message sent.
func sameFile(f session.FilePart, p *a2a.Part) bool {
	data, err := readFile(f.Path)
	return err == nil && p.Kind == a2a.PartBytes && bytes.Equal(data, p.Bytes)
}
