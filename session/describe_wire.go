package session

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"a2ascope/session/a2a"
)

// rung says which try of the ladder a request is, and how it speaks; a card is
// read in no binding.
func rung(b *Requested) string {
	which := fmt.Sprintf("rung %d", b.Rung+1)
	if b.Binding == "" {
		return which
	}
	return fmt.Sprintf("%s: %s %s", which, b.Binding, b.Gen)
}

func describeRequest(r *Record, b *Requested) Description {
	d := Description{Arrow: ArrowOut, Title: b.RPCMethod}
	if d.Title == "" {
		d.Title = string(b.Op)
	}
	d.Detail = strings.TrimSpace(b.HTTPMethod + " " + pathOf(b.URL))
	if b.Op == a2a.OpCard {
		if d.Title = "read card"; b.Binding == a2a.GRPC {
			d.Detail = b.RPCMethod
		}
	}
	if b.Op == a2a.OpSend || b.Op == a2a.OpStream {
		if m, err := a2a.DecodeRequestWords(b.Content(r.Raw)); err == nil && m != nil {
			d.Detail = joined(d.Detail, quoted(MessageText(m)))
		}
	}
	if b.TaskID != "" {
		d.Detail = joined(d.Detail, "task "+b.TaskID)
	}
	if b.Rung > 0 {
		d.Detail = joined(d.Detail, rung(b))
	}
	if b.Hop > 0 {
		d.Detail = joined(d.Detail, "redirect "+strconv.Itoa(b.Hop))
	}
	if b.Withheld != "" {
		d.Detail, d.Level = joined(d.Detail, "without credentials: "+b.Withheld), LevelWarn
	}
	return d
}

func describeResponse(r *Record, b *Responded) Description {
	d := Description{Arrow: ArrowIn, Title: strings.TrimSpace(strconv.Itoa(b.Status) + " " + mediaType(b.ContentType)), Level: LevelGood}
	if b.Status >= 300 {
		d.Level = LevelWarn
	}
	switch {
	case b.Stream && b.Status/100 == 2:
		d.Detail = "the stream is open"
	case b.Status/100 == 3 && b.Location != "":
		d.Detail = "to " + b.Location
	case b.Head < 0 || b.Head > len(r.Raw):
		if d.Detail, d.Level = "its body cannot be read", LevelWarn; r.Redacted {
			d.Detail, d.Level = "redacted", LevelPlain
		}
	default:
		body, err := responseBody(r.Raw, b)
		what, level := payloadLine(a2a.Decode(a2a.Input{Raw: body, HTTPStatus: b.Status}))
		if err != nil {
			what, level = "the body's "+b.Encoding+" coding cannot be read", LevelBad
		}
		d.Detail, d.Level = what, worse(d.Level, level)
	}
	if b.Truncated {
		d.Detail, d.Level = joined(d.Detail, "only its beginning was kept"), worse(d.Level, LevelWarn)
	}
	if b.Cut != "" {
		d.Detail, d.Level = joined(d.Detail, "the body broke off: "+b.Cut), LevelBad
	}
	if b.RetryAfter != "" {
		d.Detail = joined(d.Detail, "retry after "+b.RetryAfter)
	}
	return d
}

// frameWords describe the frames that are no events.
var frameWords = map[string]Description{
	"comment": {Title: "comment"},
	"no-data": {Title: "no data", Detail: "an event without a data line"},
	"blank":   {Title: "blank"},
	"tail":    {Title: "tail (unterminated)", Level: LevelWarn},
	"part":    {Title: "part", Detail: "of an event beyond the size that is read", Level: LevelWarn},
}

func describeFrame(r *Record, b *Framed) Description {
	d, other := frameWords[b.Kind]
	d.Arrow = ArrowFrame
	switch {
	case r.Redacted && len(r.Raw) == 0:
		return Description{Arrow: ArrowFrame, Title: "frame", Detail: joined(b.Kind, "redacted")}
	case b.Kind == "comment":
		d.Detail = strings.TrimSpace(strings.TrimLeft(string(r.Raw), ":"))
	case b.Kind == "part":
		d.Detail = joined(d.Detail, sizeText(len(r.Raw)))
	case b.Kind == "tail" || !other:
		data, ok := frameData(r.Raw, b)
		if !ok {
			data = r.Raw
		}
		title, detail, level := eventLine(a2a.Decode(a2a.Input{Raw: data}), data)
		if other {
			d.Detail = joined(strings.Join(strings.Fields(title), " "), detail)
		} else {
			d.Title, d.Detail, d.Level = title, detail, level
		}
		if b.Type != "" && b.Type != "message" {
			d.Detail = joined(d.Detail, "event: "+b.Type)
		}
	}
	return d
}

// eventLine describes what came on a stream.
func eventLine(p a2a.Payload, data []byte) (title, detail string, level Level) {
	switch {
	case p.Status != nil:
		detail = messageText(p.Status.Status.Message)
		if f := p.Status.Final; f != nil && *f {
			detail = joined(detail, "final")
		}
		return "status  " + stateText(p.Status.Status), detail, stateLevel(p.Status.Status.State)
	case p.Artifact != nil:
		u := p.Artifact
		detail = "+" + sizeText(partsSize(u.Artifact.Parts))
		if u.Append {
			detail += " (append)"
		}
		if u.LastChunk {
			detail += " (last)"
		}
		return "artifact " + nameOr(u.Artifact.ID, "without id"), joined(detail, quoted(partsText(u.Artifact.Parts))), LevelPlain
	case p.Task != nil:
		return "task  " + stateText(p.Task.Status), taskDetail(p.Task), stateLevel(p.Task.Status.State)
	case p.Message != nil:
		return "message", messageText(p.Message), LevelGood
	case p.Error != nil:
		return "error  " + string(p.Error.Name), errorText(p.Error), LevelWarn
	case p.Kind == a2a.KindNone:
		return "empty result", "", LevelWarn
	}
	title = "unknown event"
	if p.Kind == a2a.KindUnreadable {
		title = "unreadable event"
	}
	return title, cutAt(string(data[:min(len(data), 2*maxDetail)]), maxDetail), LevelWarn
}

// payloadLine describes what an answer holds.
func payloadLine(p a2a.Payload) (string, Level) {
	switch {
	case p.Task != nil:
		return joined("task "+stateText(p.Task.Status), taskDetail(p.Task)), stateLevel(p.Task.Status.State)
	case p.Message != nil:
		return joined("message", messageText(p.Message)), LevelPlain
	case p.Error != nil && !p.Error.A2A:
		return joined("not an answer of the agent", pageWords(p.Error)), LevelWarn
	case p.Error != nil:
		return joined(string(p.Error.Name), errorText(p.Error)), LevelWarn
	case p.List != nil:
		return plural(len(p.List.Tasks), "task") + " listed", LevelPlain
	case p.Card != nil:
		return joined("card", p.Card.Name, p.Card.Version), LevelPlain
	}
	switch p.Kind {
	case a2a.KindPush:
		return plural(len(p.Push), "push configuration"), LevelPlain
	case a2a.KindNone:
		return "empty", LevelPlain
	case a2a.KindUnreadable:
		return "no JSON", LevelWarn
	}
	title, detail, level := eventLine(p, nil)
	if p.Kind == a2a.KindUnknown {
		title = "JSON of an unknown form"
	}
	return joined(title, detail), level
}

func describePush(r *Record, b *Pushed) Description {
	d := Description{Arrow: ArrowIn, Title: "push", Level: LevelGood}
	switch {
	case r.Redacted && len(r.Raw) == 0:
		d.Detail = "redacted"
	case b.Validation:
		d.Detail = "the peer made sure of our address"
	case b.Head < 0 || b.Head > len(r.Raw):
		d.Detail, d.Level = "cannot be read", LevelWarn
	default:
		data, _ := responseBody(r.Raw, &Responded{Head: b.Head, Encoding: b.Encoding}) // as it came, where it cannot be unpacked
		title, detail, level := eventLine(a2a.Decode(a2a.Input{Raw: data}), data)
		d.Title, d.Detail, d.Level = "push  "+strings.Join(strings.Fields(title), " "), detail, level
	}
	switch {
	case b.Untokened:
		d.Detail, d.Level = joined(d.Detail, "without our token"), LevelWarn
	case !b.TokenOK && !b.Validation && b.Answered > 0:
		d.Detail, d.Level = joined(d.Detail, fmt.Sprintf("not for us, answered %d", b.Answered)), LevelWarn
	case !b.TokenOK && !b.Validation:
		d.Detail, d.Level = joined(d.Detail, "without our token"), LevelWarn
	}
	if b.Skipped > 0 {
		d.Detail, d.Level = joined(d.Detail, plural(b.Skipped, "request")+" before it came too fast and were not kept"), LevelWarn
	}
	return d
}

var closedWords = map[string]Description{
	ClosedClean:     {Title: "stream closed", Detail: "by the peer", Level: LevelPlain},
	ClosedCut:       {Title: "stream broke off", Level: LevelBad},
	ClosedDetached:  {Title: "stream detached", Detail: "by us; the task goes on", Level: LevelPlain},
	ClosedOversize:  {Title: "stream given up", Detail: "too many events beyond the size that is read", Level: LevelBad},
	ClosedStopped:   {Title: "stream stopped", Detail: "the console ended", Level: LevelPlain},
	ClosedFull:      {Title: "stream dropped", Detail: "by us, because of the log's limit; the task goes on", Level: LevelWarn},
	ClosedContinued: {Title: "stream lost", Detail: "it was open when the console died", Level: LevelWarn},
}

func describeClosed(_ *Record, b *Closed) Description {
	d, ok := closedWords[b.How]
	if !ok {
		d = Description{Title: "stream closed: " + b.How, Level: LevelWarn}
	}
	d.Arrow = ArrowClosed
	d.Detail = joined(d.Detail, b.Error, plural(b.Frames, "frame")+", "+sizeText(int(b.Bytes)))
	if b.Skipped > 0 {
		d.Detail = joined(d.Detail, sizeText(int(b.Skipped))+" not kept")
	}
	return d
}

func describeFault(_ *Record, b *Faulted) Description {
	d := Description{Arrow: ArrowFault, Title: "fault: " + b.Phase, Detail: b.Error, Level: LevelBad}
	if b.Timeout {
		d.Title += " timed out"
	}
	if b.Unsent {
		d.Detail = joined(d.Detail, "nothing was sent")
	}
	return d
}

func describeCard(r *Record, b *CardRead) Description {
	d := Description{Arrow: ArrowOther, Title: "card", Detail: b.URL}
	if b.Extended {
		d.Title = "extended card"
	}
	if r.Redacted && len(r.Raw) == 0 {
		d.Detail = joined(d.Detail, "redacted")
		return d
	}
	card, anomalies, err := a2a.DecodeCard(r.Raw)
	if err != nil {
		d.Detail, d.Level = joined(d.Detail, err.Error()), LevelBad
		return d
	}
	name := strings.TrimSpace(card.Name + " " + card.Version)
	via := ""
	if len(card.Interfaces) > 0 {
		via = strings.TrimSpace(string(card.Interfaces[0].Generation) + " " + string(card.Interfaces[0].Binding))
	}
	odd := ""
	if len(anomalies) > 0 {
		odd = plural(len(anomalies), "oddity")
		if len(anomalies) > 1 {
			odd = strconv.Itoa(len(anomalies)) + " oddities"
		}
	}
	d.Detail, d.Level = joined(name, via, odd, "from "+b.URL), LevelGood
	return d
}

func stateText(s a2a.Status) string {
	if s.State == "" {
		return "without a state"
	}
	return string(s.State)
}

func stateLevel(s a2a.State) Level {
	switch s {
	case a2a.Completed:
		return LevelGood
	case a2a.Failed, a2a.Rejected, a2a.InputRequired, a2a.AuthRequired:
		return LevelWarn
	}
	return LevelPlain
}

func taskDetail(t *a2a.Task) string {
	n := ""
	if len(t.Artifacts) > 0 {
		n = plural(len(t.Artifacts), "artifact")
	}
	return joined(messageText(t.Status.Message), n)
}

func messageText(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	return quoted(MessageText(m))
}

func errorText(e *a2a.Error) string {
	code := ""
	if e.Code != 0 {
		code = strconv.Itoa(e.Code)
	}
	return joined(code, e.Message, dataText(e))
}

// dataText is what an error says beside its message: a text, or JSON. What its
// reason has told already is left out.
func dataText(e *a2a.Error) string {
	var text string
	switch {
	case len(e.Data) == 0 || e.Reason != "" || string(e.Data) == "null":
		return ""
	case json.Unmarshal(e.Data, &text) == nil:
		return cutAt(text, maxDetail)
	}
	return cutAt(string(e.Data), maxDetail)
}

// partsText is the text that a chunk of an artifact begins with.
func partsText(parts []a2a.Part) string {
	for i := range parts {
		if parts[i].Kind == a2a.PartText {
			return parts[i].Text
		}
	}
	return ""
}

func partsSize(parts []a2a.Part) int {
	n := 0
	for i := range parts {
		p := &parts[i]
		n += len(p.Text) + len(p.Data) + len(p.Bytes) + len(p.URL)
	}
	return n
}

// pageWords is what a page that is no answer of the agent says.
func pageWords(e *a2a.Error) string {
	if strings.HasPrefix(e.Message, "HTTP ") {
		return "" // made of the status, which is shown
	}
	return quoted(e.Message)
}

// quoted puts a peer's words into quotation marks, cut to what a line shows.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "“" + oneLine(cutAt(text, maxDetail/2)) + "”"
}

func sizeText(n int) string {
	switch {
	case n >= 10<<20:
		return strconv.Itoa(n>>20) + " MiB"
	case n >= 10<<10:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n) + " B"
}

func nameOr(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// mediaType is a content type without its parameters.
func mediaType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.TrimSpace(t)
}

// worse returns the level that weighs more.
func worse(a, b Level) Level {
	rank := map[Level]int{LevelPlain: 0, "": 0, LevelGood: 1, LevelWarn: 2, LevelBad: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
