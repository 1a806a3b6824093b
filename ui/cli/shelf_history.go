package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"a2ascope/history"
	"a2ascope/history/export"
	"a2ascope/session"
	"a2ascope/ui/console"
)

// Search looks for a text in all that was recorded.
func (s *shelf) Search(ctx context.Context, text string, progress func(done, total uint64), hit func(console.Hit) bool) error {
	return s.store.Search(ctx, history.SearchFilter{Limit: console.MaxHits}, text, progress, func(h history.Hit) bool {
		return hit(console.Hit{Session: h.Session, Seq: h.Seq, Wall: h.Wall, Kind: h.Kind, Excerpt: h.Excerpt})
	})
}

// Rules says which rules found something, by session.
func (s *shelf) Rules(ctx context.Context) (map[string][]string, error) {
	out := map[string][]string{}
	var failed error
	f := history.SearchFilter{Kind: session.KindFinding, Limit: 100000}
	err := s.store.Search(ctx, f, `"rule"`, nil, func(h history.Hit) bool {
		var records []session.Record
		if records, failed = s.store.Page(h.Session, h.Seq, 1); failed != nil || len(records) == 0 {
			return failed == nil
		}
		var found session.Finding
		if records[0].Decode(&found) == nil {
			out[h.Session] = append(out[h.Session], found.Rule)
		}
		return true
	})
	return out, errors.Join(err, failed)
}

// Delete deletes sessions; that they were there stays noted.
func (s *shelf) Delete(ids ...string) (int, error) { return s.store.Prune(ids...) }

// Size is what the log takes on disk.
func (s *shelf) Size() (int64, error) {
	var total int64
	for _, part := range []string{"", "-wal"} {
		info, err := os.Stat(s.store.Path() + part)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, nil
}

// Compare sets two sessions side by side, the first as what was before.
func (s *shelf) Compare(was, now string) (session.Comparison, error) {
	var (
		states [2]*session.State
		docs   [2]session.Document
		cards  [2][]byte
		err    error
	)
	for i, id := range []string{was, now} {
		if states[i], err = stateOf(s.store, id); err != nil {
			return session.Comparison{}, err
		}
		docs[i] = session.MakeDocument(states[i], tool())
		if seq := states[i].Peer.CardSeq; seq > 0 {
			records, err := s.store.Page(id, seq, 1)
			if err != nil {
				return session.Comparison{}, err
			}
			if len(records) == 1 && records[0].Kind == session.KindCard {
				cards[i] = records[0].Raw
			}
		}
	}
	c := session.Compare(docs[0], docs[1], cards[0], cards[1])
	c.Time(states[0], states[1])
	return c, nil
}

// Cards lists the cards that sessions read from a peer.
func (s *shelf) Cards(ctx context.Context, peer string) ([]session.CardVersion, int, error) {
	var h session.CardHistory
	err := gatherCards(ctx, s.store, peer, &h)
	return h.Versions(), h.Dropped, err
}

// withPeer are the sessions with a peer: its key or as it was typed.
func (s *shelf) withPeer(peer string) ([]string, error) {
	all, err := s.List(console.Filter{})
	var out []string
	for _, x := range all {
		if x.Peer == peer || x.Typed == peer || x.Peer != "" && x.Peer == session.PeerKey(peer) {
			out = append(out, x.Session)
		}
	}
	return out, err
}

// Formats are the forms of export.
func (s *shelf) Formats() []console.Format {
	var out []console.Format
	for _, f := range export.Formats {
		out = append(out, console.Format{Name: f.Name, Ext: f.Ext, Title: f.Title})
	}
	return out
}

// beginning keeps the first bytes of what is written, and counts all of them.
type beginning struct {
	bytes.Buffer
	size int64
}

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	const most = 32 << 10
	b.size += int64(len(p))
	b.Buffer.Write(p[:min(len(p), most-b.Len())]) // a buffer takes everything
	return len(p), nil
}

var _ io.Writer = (*beginning)(nil)

// Draft says what an export of a session would hold.
func (s *shelf) Draft(id, format string, raw bool) (console.Draft, error) {
	ready, err := exporter{s.store}.open(id, exportOptions(false, ""))
	if err != nil {
		return console.Draft{}, err
	}
	p, err := ready.Preview()
	if err == nil && raw { // what it would take out is told all the same
		ready, err = exporter{s.store}.open(id, exportOptions(true, ""))
	}
	if err != nil {
		return console.Draft{}, err
	}
	d := console.Draft{Raw: raw, Records: p.Records, Redacted: p.Count(), Values: p.Values}
	for _, x := range p.Places {
		d.Places = append(d.Places, console.Place{Where: x.Where, Count: x.Count, Sample: x.Sample})
	}
	var head beginning
	if err := ready.Write(&head, format); err != nil {
		return console.Draft{}, err
	}
	d.Text, d.Size = head.String(), head.size
	return d, nil
}

// Export writes a session to a file and returns its path.
func (s *shelf) Export(id, format, path string, raw bool) (string, error) {
	return exporter{s.store}.Export(id, format, path, raw)
}
