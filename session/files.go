package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"a2ascope/session/a2a"
)

// FileSeen is a file part that a peer sent, or pointed at. Its bytes are in
// the log alone.
type FileSeen struct {
	Artifact string
	Part     int    // of the artifact, or of the message, from 1
	Name     string // as the peer calls it
	Type     string // media type; empty when it names none
	Size     int    // bytes
	Digest   string // SHA-256 of the bytes, in hex; empty for a URL
	URL      string // shown, and never fetched
	Seq      uint64 // record that brought it first
}

const maxFiles = 100 // kept of a task

// filesCame keeps which files a payload brought. The same bytes in the same
// artifact are one file, however often they come.
func (s *State) filesCame(c *Change) {
	if c.Payload == nil || c.Task == nil {
		return
	}
	eachFile(c.Payload, func(f FileSeen, _ []byte) bool {
		for _, known := range c.Task.Files {
			if known.Artifact == f.Artifact && known.Digest == f.Digest && known.URL == f.URL && known.Name == f.Name {
				return true
			}
		}
		if f.Seq = c.Record.Seq; len(c.Task.Files) < maxFiles {
			c.Task.Files = append(c.Task.Files, f)
		} else {
			c.Task.FilesMore++
		}
		return true
	})
}

// eachFile walks the file parts of a payload until yield returns false.
func eachFile(p *a2a.Payload, yield func(FileSeen, []byte) bool) {
	var artifacts []a2a.Artifact
	var messages []*a2a.Message
	switch {
	case p.Task != nil:
		artifacts, messages = p.Task.Artifacts, []*a2a.Message{p.Task.Status.Message}
	case p.Artifact != nil:
		artifacts = []a2a.Artifact{p.Artifact.Artifact}
	case p.Status != nil:
		messages = []*a2a.Message{p.Status.Status.Message}
	case p.Message != nil:
		messages = []*a2a.Message{p.Message}
	}
	walk := func(id string, parts []a2a.Part) bool {
		for i := range parts {
			part := &parts[i]
			if part.Kind != a2a.PartBytes && part.Kind != a2a.PartURL {
				continue
			}
			f := FileSeen{Artifact: cutAt(id, maxDetail), Part: i + 1, Name: cutAt(part.Filename, maxDetail), Type: cutAt(part.MediaType, maxDetail), URL: cutAt(part.URL, maxURL)}
			if part.Kind == a2a.PartBytes {
				sum := sha256.Sum256(part.Bytes)
				f.Size, f.Digest = len(part.Bytes), hex.EncodeToString(sum[:])
			}
			if !yield(f, part.Bytes) {
				return false
			}
		}
		return true
	}
	for i := range artifacts {
		if !walk(artifacts[i].ID, artifacts[i].Parts) {
			return
		}
	}
	for _, m := range messages {
		if m != nil && m.Role != a2a.User && !walk("", m.Parts) {
			return
		}
	}
}

const maxURL = 2 << 10

// FileOf reads a file's bytes back out of the record that brought it. op and
// status are those of the record's exchange.
func FileOf(r *Record, op a2a.Operation, f FileSeen) ([]byte, error) {
	if r.Redacted && len(r.Raw) == 0 {
		return nil, fmt.Errorf("record %d was redacted or pruned, and the file with it", r.Seq)
	}
	var data []byte
	status := a2a.StatusOK
	switch r.Kind {
	case KindResponse:
		var b Responded
		if err := r.Decode(&b); err != nil {
			return nil, err
		}
		body, err := responseBody(r.Raw, &b)
		if err != nil {
			return nil, fmt.Errorf("record %d cannot be unpacked: %w", r.Seq, err)
		}
		data, status = body, b.Status
	case KindFrame:
		var b Framed
		if err := r.Decode(&b); err != nil {
			return nil, err
		}
		data, _ = frameData(r.Raw, &b)
	case KindPush:
		var b Pushed
		if err := r.Decode(&b); err != nil {
			return nil, err
		}
		data, _ = responseBody(r.Raw, &Responded{Head: b.Head, Encoding: b.Encoding})
	}
	p := a2a.Decode(a2a.Input{Raw: data, Op: op, HTTPStatus: status})
	var out []byte
	found := false
	eachFile(&p, func(seen FileSeen, bytes []byte) bool {
		found = seen.Digest == f.Digest && seen.Artifact == f.Artifact && seen.Digest != ""
		if found {
			out = append([]byte(nil), bytes...)
		}
		return !found
	})
	if !found {
		return nil, fmt.Errorf("record %d does not hold the file any more", r.Seq)
	}
	return out, nil
}

// saveCommand checks that there is such a file; the runner writes it, and a
// note says what came of it.
func (s *State) saveCommand(cs *CommandState) {
	t := s.TaskN(cs.Task)
	switch n := cs.Cmd.Number; {
	case t == nil:
		s.commandOver(cs, ResultCannot, "there is no task yet, and so no file of one")
	case n > len(t.Files):
		s.commandOver(cs, ResultCannot, fmt.Sprintf("the task has %s, and no number %d", plural(len(t.Files), "file"), n))
	case t.Files[n-1].Digest == "":
		s.commandOver(cs, ResultCannot, fmt.Sprintf("file %d is an address, and the console fetches none: %s", n, t.Files[n-1].URL))
	}
}

func readSave(a *arguments) error {
	w, err := a.next("the file's number")
	if err != nil {
		return err
	}
	if a.cmd.Number, err = number(w.text, 1); err != nil {
		return a.check(w, err)
	}
	if w, err = a.next("the path"); err != nil {
		return err
	}
	a.cmd.Path = w.text
	return nil
}
