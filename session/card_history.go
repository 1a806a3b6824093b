package session

import (
	"cmp"
	"slices"
	"time"

	"a2ascope/session/a2a"
)

// CardVersion is one card of a peer, as its exact bytes: a card that was read
// again unchanged is the same version.
type CardVersion struct {
	N        int          `json:"n"` // from 1, in the order in which they were first seen
	SHA256   string       `json:"sha256"`
	Name     string       `json:"name"`
	Version  string       `json:"version"`            // as the card says
	Extended bool         `json:"extended,omitempty"` // the card for authenticated callers
	First    time.Time    `json:"first"`
	Last     time.Time    `json:"last"`
	Session  string       `json:"session"` // that saw it first
	Seq      uint64       `json:"seq"`     // of the record there
	Reads    int          `json:"reads"`
	Changes  []CardChange `json:"changes"`        // since the version before of its kind; never null
	Note     string       `json:"note,omitempty"` // why there are no changes to list, or more than are listed

	raw []byte
}

// maxCardVersions bounds the versions of one peer that are told apart.
const maxCardVersions = 500

// CardHistory gathers the cards of one peer from the records of its sessions,
// in any order.
type CardHistory struct {
	versions []*CardVersion
	Dropped  int // reads of further versions, beyond what is told apart
}

// Add takes a record of a session. Records that are no cards are nothing to it.
func (h *CardHistory) Add(id string, r *Record) {
	var b CardRead
	if r.Kind != KindCard || r.Decode(&b) != nil {
		return
	}
	for _, v := range h.versions {
		if v.SHA256 != b.SHA256 || v.Extended != b.Extended {
			continue
		}
		v.Reads++
		if r.Wall.Before(v.First) {
			v.First, v.Session, v.Seq = r.Wall, id, r.Seq
		}
		if r.Wall.After(v.Last) {
			v.Last = r.Wall
		}
		if v.raw == nil {
			v.raw = r.Raw
		}
		return
	}
	if len(h.versions) == maxCardVersions {
		h.Dropped++
		return
	}
	v := &CardVersion{SHA256: b.SHA256, Extended: b.Extended, First: r.Wall, Last: r.Wall, Session: id, Seq: r.Seq, Reads: 1, raw: r.Raw}
	if card, _, err := a2a.DecodeCard(r.Raw); err == nil {
		v.Name, v.Version = card.Name, card.Version
	}
	h.versions = append(h.versions, v)
}

// Versions are the cards in the order in which they were first seen, each with
// what changed since the one before of its kind.
func (h *CardHistory) Versions() []CardVersion {
	slices.SortStableFunc(h.versions, func(a, b *CardVersion) int {
		return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq))
	})
	out := make([]CardVersion, len(h.versions))
	before := map[bool]*CardVersion{}
	for i, v := range h.versions {
		out[i] = *v
		out[i].N, out[i].Changes = i+1, []CardChange{}
		if was := before[v.Extended]; was != nil {
			out[i].Changes, out[i].Note = was.Against(&out[i])
		}
		before[v.Extended] = &out[i]
	}
	return out
}

// Against is what differs on another card, and a note where that cannot be
// said or not all of it is listed.
func (v *CardVersion) Against(now *CardVersion) ([]CardChange, string) {
	if len(v.raw) == 0 || len(now.raw) == 0 {
		return []CardChange{}, "one of the cards was redacted, and only its digest is left"
	}
	changes, note := diffCards(v.raw, now.raw)
	if len(changes) == 0 && note == "" {
		note = "the bytes differ, and they say the same"
	}
	return changes, note
}
