package session

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Kind says what a record is.
type Kind string

// The kinds of record. Wire records (Request, Response, Frame, Push) carry raw
// bytes; all others only a body.
const (
	KindOpened   Kind = "opened"   // a session was begun, or continued
	KindCommand  Kind = "command"  // the operator, a script or a key asked for something
	KindCard     Kind = "card"     // a response was taken as the peer's card
	KindTrust    Kind = "trust"    // what earlier sessions say of this peer
	KindRequest  Kind = "request"  // committed before its first byte is written
	KindResponse Kind = "response" // a whole answer, or the head of a stream
	KindFrame    Kind = "frame"    // one thing that arrived on an open stream
	KindClosed   Kind = "closed"   // a stream ended, and how
	KindPush     Kind = "push"     // a webhook delivery
	KindFault    Kind = "fault"    // a transport error: no answer of the peer's software
	KindTimer    Kind = "timer"    // a deadline passed
	KindFinding  Kind = "finding"  // a rule was broken
	KindObserved Kind = "observed" // a rule saw a claim honoured, under-declared or undecidable
	KindDecision Kind = "decision" // a change of trust or of course
	KindNote     Kind = "note"     // the operator's own words
	KindEnded    Kind = "ended"    // the session was ended in order
)

// ByRule reports whether records of this kind are written by rules. They are
// never judged again.
func (k Kind) ByRule() bool {
	return k == KindFinding || k == KindObserved || k == KindDecision
}

// Digest is a SHA-256.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Record is one entry of a session's log. Numbers are gapless and start at 1.
type Record struct {
	Seq      uint64
	Wall     time.Time     // UTC, nanoseconds
	Elapsed  time.Duration // session time: monotonic, never less than the record before
	Kind     Kind
	Task     int    // logical task, from 1; 0 for none
	Exchange int    // exchange, from 1; 0 for none
	Body     []byte // JSON, hashed and kept as these very bytes
	Raw      []byte // wire bytes; nil for records that have none
	BodySHA  Digest
	RawSHA   Digest
	Hash     Digest
	// Redacted is set on a copy whose Body or Raw was withheld: the digests
	// still stand for what was there, and the chain still verifies.
	Redacted bool
}

// Seal fills in the record's digests and its place in the hash chain.
//
// The preimage of Hash is the previous hash (32 bytes, zero for the first
// record), then seq, wall (nanoseconds since 1970), elapsed (nanoseconds),
// task and exchange as 8-byte big-endian integers, the kind with its length as
// an 8-byte big-endian integer before it, BodySHA and RawSHA.
func (r *Record) Seal(prev Digest) {
	r.BodySHA = sha256.Sum256(r.Body)
	r.RawSHA = sha256.Sum256(r.Raw)
	r.Hash = r.chain(prev)
}

func (r *Record) chain(prev Digest) Digest {
	var room [32*3 + 8*6 + 16]byte // the longest kind has 8 letters
	buf := append(room[:0], prev[:]...)
	buf = binary.BigEndian.AppendUint64(buf, r.Seq)
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Wall.UnixNano()))
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Elapsed))
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Task))
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Exchange))
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(r.Kind)))
	buf = append(buf, r.Kind...)
	buf = append(buf, r.BodySHA[:]...)
	buf = append(buf, r.RawSHA[:]...)
	return sha256.Sum256(buf)
}

// Verify says whether the record is whole and follows the record whose hash
// is prev and whose number is one less. The error names the first thing that
// is wrong.
func (r *Record) Verify(prevSeq uint64, prev Digest) error {
	if r.Seq <= prevSeq {
		return fmt.Errorf("record %d follows record %d: the numbers go backwards", r.Seq, prevSeq)
	}
	if r.Seq != prevSeq+1 {
		return fmt.Errorf("record %d follows record %d: %d missing", r.Seq, prevSeq, r.Seq-prevSeq-1)
	}
	if !r.Redacted {
		if got := Digest(sha256.Sum256(r.Body)); got != r.BodySHA {
			return fmt.Errorf("record %d: the body is not what was hashed", r.Seq)
		}
		if got := Digest(sha256.Sum256(r.Raw)); got != r.RawSHA {
			return fmt.Errorf("record %d: the wire bytes are not what was hashed", r.Seq)
		}
	}
	if r.chain(prev) != r.Hash {
		return fmt.Errorf("record %d: its hash does not follow from record %d", r.Seq, prevSeq)
	}
	return nil
}

// Decode reads the record's body into one of the body types of this package.
// An unreadable body is an error that names the record.
func (r *Record) Decode(into any) error {
	if r.Redacted && len(r.Body) == 0 {
		return fmt.Errorf("record %d (%s): the body was redacted", r.Seq, r.Kind)
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("record %d (%s): reading its body: %w", r.Seq, r.Kind, err)
	}
	return nil
}

// Encode writes a body type of this package as the bytes that are hashed and
// kept.
func Encode(body any) []byte {
	if f, ok := body.(*Framed); ok {
		if b, ok := f.appendJSON(make([]byte, 0, 96)); ok {
			return b
		}
	}
	b, err := json.Marshal(body)
	if err != nil { // every body type is plain data
		panic(fmt.Sprintf("session: encoding %T: %v", body, err))
	}
	return b
}
