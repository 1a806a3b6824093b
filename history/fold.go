package history

import "a2ascope/session"

// Fold makes the summary of a session from its records. page gives them as
// session.Log's Page does.
type Fold func(id string, page func(from uint64, n int) ([]session.Record, error)) (session.Summary, error)

// foldPage is how many records are folded at a time.
const foldPage = 256

// Summarise is the Fold of this console: the session's own fold over all of
// the records, and its summary. It makes the same summary as the session had
// when it was recorded.
func Summarise(_ string, page func(from uint64, n int) ([]session.Record, error)) (session.Summary, error) {
	state := session.NewState()
	for {
		records, err := page(state.Seq+1, foldPage)
		if err != nil {
			return session.Summary{}, err
		}
		for i := range records {
			session.Fold(state, &records[i])
		}
		if len(records) == 0 {
			return session.Summarise(state), nil
		}
	}
}
