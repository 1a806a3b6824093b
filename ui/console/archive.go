package console

import (
	"context"
	"time"

	"a2ascope/session"
)

// Secrets are the values of variables that credentials name. They live in
// memory alone.
type Secrets interface {
	// Wanted lists the variables that a credential command names and neither a
	// file nor the environment answers for; of an empty line those of the
	// credentials that every session is given.
	Wanted(line string) []Secret
	// Give keeps a value for the sessions of this console; an empty one forgets
	// it.
	Give(name, value string)
}

// Archive is what can be done with the sessions of the log.
type Archive interface {
	// Search looks for a text in bodies and wire bytes, newest session first,
	// and gives hits as they are found, at most MaxHits. progress is told of
	// the records looked through and of all there are. It ends when ctx is done
	// or hit returns false.
	Search(ctx context.Context, text string, progress func(done, total uint64), hit func(Hit) bool) error
	// Rules says which rules found something, by session.
	Rules(ctx context.Context) (map[string][]string, error)
	// Delete deletes whole sessions and notes that they were there. It returns
	// how many went.
	Delete(ids ...string) (int, error)
	// Size is what the log takes on disk, in bytes.
	Size() (int64, error)
	// Compare sets two sessions side by side.
	Compare(was, now string) (session.Comparison, error)
	// Cards lists the different cards that sessions read from a peer, which is
	// given by its key or as it was typed, the oldest first, and says how many
	// reads of further cards are not in the list (session.CardHistory).
	Cards(ctx context.Context, peer string) (cards []session.CardVersion, dropped int, err error)
	// Formats are the forms of export.
	Formats() []Format
	// Draft says what an export would hold, without writing it. What looks like
	// a secret is replaced in it unless raw is set, and counted either way.
	Draft(id, format string, raw bool) (Draft, error)
	// Export writes a session to a file, what looks like a secret replaced
	// unless raw is set, and returns the file's path.
	Export(id, format, path string, raw bool) (string, error)
}

// MaxHits is how many hits of a search are shown.
const MaxHits = 1000

// Hit is a record in which a text was found.
type Hit struct {
	Session string
	Seq     uint64
	Wall    time.Time
	Kind    session.Kind
	Excerpt string // what stands around it
}

// Format is one form of export.
type Format struct {
	Name  string // as the export command takes it
	Ext   string // of its files
	Title string
}

// Draft is what an export would hold.
type Draft struct {
	Raw      bool   // what looks like a secret is left in
	Text     string // how it begins
	Size     int64  // of the whole file, in bytes
	Records  uint64
	Redacted int // stretches that look like a secret, and are replaced unless it is raw
	Values   int // different ones
	Places   []Place
}

// Place is where something that looks like a secret stands.
type Place struct {
	Where  string
	Count  int
	Sample string // masked
}
