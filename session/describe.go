package session

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Level says how a record is to be looked at.
type Level string

// The levels of a Description.
const (
	LevelPlain Level = "plain"
	LevelGood  Level = "good"
	LevelWarn  Level = "warn" // odd, or refused
	LevelBad   Level = "bad"  // lost, broken or contradicted
)

// Description is one record for people, as a row of a list shows it. Title and
// Detail hold no line ends but may hold other control characters of the peer:
// whoever draws them cleans them.
type Description struct {
	Arrow  string // one cell: where it went or what it is
	Title  string // a few words
	Detail string // the rest; may be empty
	Level  Level
}

// The arrows of descriptions.
const (
	ArrowOut      = "→" // to the peer
	ArrowIn       = "←" // an answer, or a delivery
	ArrowFrame    = "⇣" // on an open stream
	ArrowClosed   = "⇥" // a stream's end
	ArrowFault    = "✗" // no answer, or a broken rule
	ArrowGood     = "✓" // a claim that was kept
	ArrowUnsure   = "?" // a claim that could not be judged
	ArrowDecision = "⚑"
	ArrowCommand  = "›"
	ArrowNote     = "✎"
	ArrowOther    = "·"
)

// maxDetail is how many bytes of a peer's text a line shows at most.
const maxDetail = 400

// Describe says in one line what a record is. It looks at the record alone: a
// record that was redacted or cannot be read has its line too.
func Describe(r *Record) Description {
	d, err := describe(r)
	if err != nil {
		why := "cannot be read"
		if r.Redacted {
			why = "redacted"
		}
		d = Description{Arrow: arrowOf(r.Kind), Title: string(r.Kind) + " (" + why + ")", Level: LevelWarn}
	}
	if d.Level == "" {
		d.Level = LevelPlain
	}
	d.Title, d.Detail = oneLine(d.Title), oneLine(d.Detail)
	return d
}

// describe is a table: one line or function a kind.
func describe(r *Record) (Description, error) {
	switch r.Kind {
	case KindRequest:
		return told(r, describeRequest)
	case KindResponse:
		return told(r, describeResponse)
	case KindFrame:
		return told(r, describeFrame)
	case KindPush:
		return told(r, describePush)
	case KindClosed:
		return told(r, describeClosed)
	case KindFault:
		return told(r, describeFault)
	case KindOpened:
		return told(r, describeOpened)
	case KindCommand:
		return told(r, describeCommand)
	case KindCard:
		return told(r, describeCard)
	case KindTrust:
		return told(r, describeTrust)
	case KindTimer:
		return told(r, describeTimer)
	case KindFinding:
		return told(r, describeFinding)
	case KindObserved:
		return told(r, describeObserved)
	case KindDecision:
		return told(r, describeDecision)
	case KindNote:
		return told(r, func(_ *Record, b *Noted) Description {
			if b.Mark {
				return Description{Arrow: ArrowNote, Title: "mark"}
			}
			return Description{Arrow: ArrowNote, Title: "note", Detail: b.Text}
		})
	case KindEnded:
		return told(r, func(_ *Record, b *Ended) Description {
			d := Description{Arrow: ArrowOther, Title: "ended", Detail: joined(b.Reason, b.Error)}
			if b.Error != "" {
				d.Level = LevelBad
			}
			return d
		})
	}
	return Description{Arrow: ArrowOther, Title: string(r.Kind)}, nil
}

// told reads the record's body and hands it to the function that describes it.
func told[B any](r *Record, tell func(*Record, *B) Description) (Description, error) {
	var body B
	if err := r.Decode(&body); err != nil {
		return Description{}, err
	}
	return tell(r, &body), nil
}

func arrowOf(k Kind) string {
	switch k {
	case KindRequest:
		return ArrowOut
	case KindResponse, KindPush:
		return ArrowIn
	case KindFrame:
		return ArrowFrame
	case KindClosed:
		return ArrowClosed
	case KindFault, KindFinding:
		return ArrowFault
	case KindDecision:
		return ArrowDecision
	case KindCommand:
		return ArrowCommand
	}
	return ArrowOther
}

func describeOpened(_ *Record, b *Opened) Description {
	d := Description{Arrow: ArrowOther, Title: "opened", Detail: b.Typed}
	if b.Continued {
		d.Title = "continued"
	}
	if b.URL != "" && b.URL != b.Typed {
		d.Detail = joined(d.Detail, "at "+b.URL)
	}
	if b.Follows != "" {
		d.Detail = joined(d.Detail, fmt.Sprintf("goes on with task %d of session %s", b.FollowsTask, b.Follows))
	}
	if b.Tool != "" {
		d.Detail = joined(d.Detail, "a2ascope "+b.Tool)
	}
	if b.Origin != "" {
		d.Detail = joined(d.Detail, b.Origin)
	}
	return d
}

func describeCommand(_ *Record, b *Commanded) Description {
	d := Description{Arrow: ArrowCommand, Title: b.Line}
	if b.Receiver != "" {
		d.Detail = "receiving at " + b.Receiver
	}
	if b.Error != "" {
		d.Detail, d.Level = b.Error, LevelBad
	}
	return d
}

func describeTrust(_ *Record, b *Carried) Description {
	d := Description{Arrow: ArrowOther, Title: "trust", Detail: "this peer was not met before"}
	if !b.Known {
		return d
	}
	d.Detail = "known peer, nothing demoted"
	if len(b.Demoted) > 0 {
		var names []string
		for _, x := range b.Demoted {
			names = append(names, string(x.Claim))
		}
		d.Detail, d.Level = "demoted by earlier sessions: "+strings.Join(names, ", "), LevelWarn
	}
	return d
}

func describeTimer(_ *Record, b *Ticked) Description {
	d := Description{Arrow: ArrowOther, Title: "timer " + b.ID}
	switch b.ID {
	case TimerStall:
		d.Title, d.Detail, d.Level = "stall", "the console itself was not running: times before are not compared with times after", LevelWarn
	case TimerJump:
		d.Title, d.Detail, d.Level = "clock jump", "the machine slept or its clock was set: times before are not compared with times after", LevelWarn
	case TimerFull:
		d.Title, d.Detail, d.Level = "log limit", "the console keeps no stream open any more", LevelWarn
	default:
		kind, of, _ := strings.Cut(b.ID, ":")
		if what, ok := timerWords[DeadlineKind(kind)]; ok {
			d.Title, d.Detail = "timer "+kind, joined(what, timerOf(of))
		}
	}
	if b.Late > 0 {
		d.Detail = joined(d.Detail, b.Late.D().Round(time.Millisecond).String()+" late")
	}
	return d
}

var timerWords = map[DeadlineKind]string{
	DueWindow:    "the window for a stream's first event is over",
	DueHead:      "the window for a subscription's answer is over; it stays open",
	DueIdle:      "the stream is silent",
	DueClose:     "the time for the stream to close is over",
	DueCancel:    "the watch after the cancel is over",
	DueCommand:   "the command's time is over",
	DueSilent:    "working without a sign",
	DueSubmitted: "submitted for too long",
	DueWorking:   "working for too long",
	DuePush:      "the time for a callback is over",
	DueReread:    "the card is due to be read again",
}

// timerOf says what a deadline's id names: "x3" is exchange 3.
func timerOf(id string) string {
	if len(id) < 2 {
		return ""
	}
	switch id[0] {
	case 'x':
		return "exchange " + id[1:]
	case 't':
		return "task " + id[1:]
	case 'c':
		return "command " + id[1:]
	}
	return ""
}

func describeFinding(_ *Record, b *Finding) Description {
	d := Description{Arrow: ArrowFault, Title: string(b.Severity) + " " + b.Rule, Detail: joined(b.Title, b.Detail, evidenceText(b.Evidence)), Level: LevelWarn}
	if b.Severity.Contradicts() {
		d.Level = LevelBad
	}
	if b.Restates > 0 {
		d.Detail = joined(b.Title, "now "+plural(b.Count, "time"), evidenceText(b.Evidence))
	}
	return d
}

func describeObserved(_ *Record, b *Observed) Description {
	d := Description{Arrow: ArrowUnsure, Title: string(b.Claim) + " " + string(b.Verdict), Detail: joined(b.Detail, evidenceText(b.Evidence))}
	switch b.Verdict {
	case Honoured:
		d.Arrow, d.Level = ArrowGood, LevelGood
	case UnderDeclared:
		d.Arrow, d.Level = "+", LevelGood
	}
	return d
}

func describeDecision(_ *Record, b *Decision) Description {
	d := Description{Arrow: ArrowDecision, Title: strings.TrimSpace(fmt.Sprintf("decision %d: %s %s", b.ID, b.Action, b.Claim)), Level: LevelWarn}
	by := ""
	if b.By == "operator" {
		by = "by the operator"
	}
	until := ""
	if !b.Until.IsZero() {
		until = "until " + b.Until.UTC().Format("2006-01-02 15:04 MST")
	}
	supersedes := ""
	if b.Supersedes > 0 {
		supersedes = "in place of decision " + strconv.Itoa(b.Supersedes)
	}
	d.Detail = joined(b.Reason, by, until, supersedes, evidenceText(b.Evidence))
	if b.Offer {
		d.Detail = joined("offered", d.Detail)
	}
	if b.Action == ActRestore || b.Action == ActConfirm {
		d.Level = LevelPlain
	}
	return d
}

func evidenceText(seqs []uint64) string {
	if len(seqs) == 0 {
		return ""
	}
	const shown = 5
	var b strings.Builder
	for i, n := range seqs {
		if i == shown {
			return fmt.Sprintf("%s … %d more", b.String(), len(seqs)-shown)
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "#%d", n)
	}
	return b.String()
}

// joined puts what is not empty behind one another.
func joined(parts ...string) string {
	out := ""
	for _, p := range parts {
		switch {
		case p == "":
		case out == "":
			out = p
		default:
			out += " · " + p
		}
	}
	return out
}

// oneLine takes the line ends out of s and cuts it.
func oneLine(s string) string {
	s = cutAt(s, maxDetail)
	if strings.ContainsAny(s, "\r\n") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

// cutAt cuts s to about max bytes, between two characters.
func cutAt(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end := max
	for end > max-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// pathOf returns path and query of an address; the address itself where it
// cannot be read.
func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return u.RequestURI()
}
