package runner

import (
	"fmt"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// save carries out a save command beside the loop: the file's bytes come from
// the log, and go where no file is yet.
func (r *Runner) save(n int, cs *session.CommandState) {
	what := fmt.Sprintf("save %d", cs.Cmd.Number)
	if r.cfg.WriteFile == nil {
		r.later = append(r.later, outcome(n, what+": files cannot be written from here", true))
		return
	}
	f := r.state.TaskN(cs.Task).Files[cs.Cmd.Number-1]
	path := cs.Cmd.Path
	if len(r.batch) > 0 {
		r.commit()
	}
	r.land()
	records, err := r.Page(f.Seq, 1)
	op := a2a.Operation("")
	if len(records) > 0 {
		if x := r.state.ExchangeN(records[0].Exchange); x != nil {
			op = x.Op
		}
	}
	r.beside(n, what, func() (string, bool) {
		if err != nil {
			return what + ": " + err.Error(), true
		}
		if len(records) == 0 || records[0].Seq != f.Seq {
			return fmt.Sprintf("%s: record %d is not in the log", what, f.Seq), true
		}
		data, err := session.FileOf(&records[0], op, f)
		if err == nil {
			err = r.cfg.WriteFile(path, data)
		}
		if err != nil {
			return what + ": " + err.Error(), true
		}
		return fmt.Sprintf("saved file %d (%d bytes, SHA-256 %s) to %s", cs.Cmd.Number, len(data), f.Digest, path), false
	})
}
