package a2a

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// task decodes a task, also one that was made at home: a status that is a
// word, an id under another name.
func (d *decoder) task(i int) Task {
	t := Task{ID: d.text(i, kID), ContextID: d.text(i, kContextID, kSessionID)}
	if t.ID == "" {
		if t.ID = d.text(i, kTaskID, kRunID); t.ID != "" {
			d.note("task-shape", false, "the task's id is not called id")
		} else {
			d.note("field-missing", false, "the task has no id")
		}
	}
	if status := d.find(i, kStatus); status >= 0 {
		t.Status = d.status(status)
	} else if state := d.find(i, kState); state >= 0 {
		d.note("task-shape", false, "the state stands beside the task's id, and in no status")
		t.Status.State, t.Status.RawState = d.state(state)
	} else {
		t.Status = Status{State: Unspecified}
		d.note("field-missing", false, "the task has no status")
	}
	t.Artifacts = d.artifacts(d.find(i, kArtifacts))
	t.History = d.history(d.find(i, kHistory))
	t.PollHint = d.hintOf(i, d.member(i, kStatus))
	return t
}

// hintOf takes the first poll hint of an event or task, its status, and the
// status's message.
func (d *decoder) hintOf(i, status int) (hint time.Duration) {
	if hint = d.pollHint(i); hint == 0 && d.kind(status) == '{' {
		if hint = d.pollHint(status); hint == 0 {
			hint = d.pollHint(d.member(status, kMessage))
		}
	}
	return hint
}

// status decodes a status object, or a status that is only a word.
func (d *decoder) status(i int) Status {
	var s Status
	switch d.kind(i) {
	case '{':
		s.State, s.RawState = d.state(d.find(i, kState))
		s.Timestamp = d.timestamp(d.find(i, kTimestamp))
		if m := d.either(i, kMessage, kMsg); m >= 0 {
			if d.kind(m) == '{' && !d.empty(m) || d.kind(m) == '"' {
				message := d.message(m)
				s.Message = &message
			}
		}
	default:
		d.note("task-shape", false, "the status is a word and no object")
		s.State, s.RawState = d.state(i)
	}
	return s
}

func (d *decoder) statusUpdate(i int) StatusUpdate {
	u := StatusUpdate{TaskID: d.text(i, kTaskID), ContextID: d.text(i, kContextID, kSessionID)}
	if u.TaskID == "" {
		u.TaskID = d.text(i, kID, kRunID)
	}
	status := d.find(i, kStatus)
	if status >= 0 {
		u.Status = d.status(status)
	} else {
		u.Status = Status{State: Unspecified}
		d.note("field-missing", false, "the status update has no status")
	}
	if f := d.find(i, kFinal); f >= 0 {
		d.final(&u, f)
	}
	u.PollHint = d.hintOf(i, status)
	return u
}

// final reads the end mark of 0.x. Where it contradicts the state, the state
// wins.
func (d *decoder) final(u *StatusUpdate, i int) {
	v, ok := d.boolean(i)
	if !ok {
		return
	}
	u.Final = &v
	s := u.Status.State
	if v && !s.Terminal() && !s.Interrupted() || !v && s.Terminal() {
		d.note("final-contradiction", false, "final is %t, the state is %s", v, clip(string(s)))
	}
}

func (d *decoder) artifactUpdate(i int) ArtifactUpdate {
	u := ArtifactUpdate{TaskID: d.text(i, kTaskID), ContextID: d.text(i, kContextID, kSessionID)}
	if u.TaskID == "" {
		u.TaskID = d.text(i, kID, kRunID)
	}
	a := d.find(i, kArtifact)
	u.Append, _ = d.boolean(d.find(i, kAppend))
	u.LastChunk, _ = d.boolean(d.find(i, kLastChunk))
	if d.kind(a) != '{' {
		d.note("field-missing", false, "the artifact update has no artifact")
		u.Artifact.Parts = []Part{}
		return u
	}
	u.Artifact = d.artifact(a, 0)
	// 0.1 has both marks in the artifact.
	if v, ok := d.boolean(d.member(a, kAppend)); ok {
		u.Append = u.Append || v
	}
	if v, ok := d.boolean(d.member(a, kLastChunk)); ok {
		u.LastChunk = u.LastChunk || v
	}
	return u
}

func (d *decoder) artifacts(items int) []Artifact {
	if d.kind(items) != '[' {
		if items >= 0 && !d.empty(items) {
			d.note("task-shape", false, "artifacts is no array")
		}
		return nil
	}
	var out []Artifact
	for c := d.first(items); c >= 0; c = d.next(items, c) {
		if len(out) >= maxArtifacts {
			d.note("list-cut", true, "only the first %d artifacts were read", maxArtifacts)
			break
		}
		if d.kind(c) == '{' {
			out = append(out, d.artifact(c, len(out)))
		}
	}
	return out
}

// artifact decodes one artifact. Its identity is artifactId; in 0.1 the index;
// position is its place in the list, for those that have neither.
func (d *decoder) artifact(i, position int) Artifact {
	a := Artifact{ID: d.text(i, kArtifactID), Name: d.text(i, kName)}
	if a.ID == "" {
		index := d.find(i, kIndex)
		switch {
		case index >= 0:
			a.ID = strconv.Itoa(d.integer(index))
		case d.member(i, kID) >= 0:
			a.ID = d.str(d.member(i, kID))
		default:
			a.ID = strconv.Itoa(position)
		}
		if d.ev&evType == 0 {
			d.note("artifact-id-missing", false, "an artifact has no artifactId; %q stands for it", clip(a.ID))
		}
	}
	a.Parts = d.parts(i)
	return a
}

func (d *decoder) history(items int) []Message {
	if d.kind(items) != '[' {
		if items >= 0 && !d.empty(items) {
			d.note("task-shape", false, "history is no array")
		}
		return nil
	}
	var out []Message
	for c := d.first(items); c >= 0; c = d.next(items, c) {
		if len(out) >= maxMessages {
			d.note("list-cut", true, "only the first %d messages of the history were read", maxMessages)
			break
		}
		if d.kind(c) == '{' {
			m := c
			if inner := d.member(c, kMessage); d.kind(inner) == '{' {
				m = inner
			}
			out = append(out, d.message(m))
		}
	}
	return out
}

// message decodes a message, or a text that stands where one should be.
func (d *decoder) message(i int) Message {
	if d.kind(i) == '"' {
		d.note("message-shape", false, "a text stands where a message should be")
		return Message{Role: Agent, Parts: []Part{{Kind: PartText, Text: d.str(i)}}}
	}
	m := Message{
		ID: d.text(i, kMessageID), TaskID: d.text(i, kTaskID), ContextID: d.text(i, kContextID, kSessionID),
		Role: parseRole(d.text(i, kRole)),
	}
	if m.ID == "" {
		m.ID = d.text(i, kID)
		if d.ev&evType == 0 {
			d.note("message-id-missing", false, "a message has no messageId")
		}
	}
	m.Parts = d.parts(i)
	return m
}

// parts decodes the parts of a message or artifact: an array under parts or
// content, one part alone, or only a text.
func (d *decoder) parts(i int) []Part {
	items, content := d.find(i, kParts), d.find(i, kContent)
	if items < 0 {
		items = content
	} else if content >= 0 && !d.empty(content) && !d.empty(items) && !bytes.Equal(d.bytes(items), d.bytes(content)) {
		d.note("part-two-contents", true, "parts and content are both there and differ; parts was taken")
	}
	switch d.kind(items) {
	case '[':
		count := 0
		for c := d.first(items); c >= 0; c = d.next(items, c) {
			count++
		}
		if count == 0 {
			break
		}
		if count > maxParts {
			d.note("list-cut", true, "only the first %d of %d parts were read", maxParts, count)
			count = maxParts
		}
		out := make([]Part, 0, count)
		for c := d.first(items); c >= 0 && len(out) < count; c = d.next(items, c) {
			out = append(out, d.part(c))
		}
		return out
	case '{', '"':
		d.note("part-dialect", false, "the parts are no array")
		return []Part{d.part(items)}
	}
	if text := d.find(i, kText); d.kind(text) == '"' {
		d.note("part-dialect", false, "the text stands where the parts should be")
		return []Part{{Kind: PartText, Text: d.str(text)}}
	}
	d.note("parts-empty", false, "a message or artifact has no parts")
	return []Part{}
}

// part decodes one part of any dialect.
func (d *decoder) part(i int) Part {
	if d.kind(i) != '{' {
		d.note("part-dialect", false, "a part is no object")
		if d.kind(i) == '"' {
			return Part{Kind: PartText, Text: d.str(i)}
		}
		return Part{Kind: PartData, Data: bytes.Clone(d.bytes(i))}
	}
	p := Part{MediaType: d.text(i, kMediaType, kMimeType, kContentType), Filename: d.text(i, kFilename)}
	kind := d.text(i, kKind)
	if kind == "" {
		if t := d.text(i, kType); isPartKind(t) {
			kind = t
		}
	}
	text, data, file, raw, url := d.find(i, kText), d.find(i, kData), d.find(i, kFile), d.find(i, kRaw), d.find(i, kURL)
	candidates := [5]int{text, data, file, raw, url}
	chosen := d.chosen(kind, candidates)
	switch {
	case chosen >= 0 && chosen == text:
		p.Kind, p.Text = PartText, d.str(text)
		if d.kind(text) != '"' {
			d.note("part-dialect", false, "the text of a part is no string")
		}
	case chosen >= 0 && chosen == data:
		p.Kind, p.Data = PartData, d.data(i, data, kind)
	case chosen >= 0 && chosen == file:
		d.file(file, &p)
	case chosen >= 0 && chosen == raw:
		p.Kind, p.Bytes = PartBytes, d.content(raw, p.MediaType)
	case chosen >= 0 && chosen == url:
		p.Kind, p.URL = PartURL, d.str(url)
	default:
		d.contentless(i, kind, &p)
	}
	return p
}

// chosen picks the content of a part: the one that its kind names, else the
// only one that is not empty. Two that are not empty are ambiguous.
func (d *decoder) chosen(kind string, candidates [5]int) int {
	named := -1
	switch kind {
	case "text":
		named = candidates[0]
	case "data":
		named = candidates[1]
	case "file":
		named = candidates[2]
	}
	chosen, full := named, 0
	for _, c := range candidates {
		if c < 0 || d.empty(c) {
			continue
		}
		if full++; chosen < 0 || full == 1 && named < 0 {
			chosen = c
		}
	}
	if full > 1 {
		d.note("part-two-contents", true, "a part has %d contents; the one of its kind, else the first of text, data, file, raw and url, was taken", full)
	}
	if chosen >= 0 {
		return chosen
	}
	for _, c := range candidates { // an empty content is one, if there is no other
		if c >= 0 {
			return c
		}
	}
	return -1
}

// contentless is a part without a content that we know. One of another kind
// is kept whole as data, so that nothing is lost.
func (d *decoder) contentless(i int, kind string, p *Part) {
	switch {
	case d.null(i, kData) && (kind == "data" || kind == ""):
		p.Kind, p.Data = PartData, []byte("null")
	case kind == "text", d.empty(i):
		p.Kind = PartText
		d.note("part-dialect", false, "a part has no content")
	default:
		p.Kind, p.Data = PartData, compact(d.bytes(i))
		d.note("part-dialect", false, "a part of the unknown kind %q was kept as data", clip(kind))
	}
}

// data takes the value of a data part, out of the wrapper that compatibility
// layers put around values that are no objects, and out of the DataPart of the
// proto JSON of 0.3.
func (d *decoder) data(part, i int, kind string) []byte {
	if d.kind(i) == '{' {
		if meta := d.member(part, kMetadata); d.kind(meta) == '{' && bytes.Contains(d.bytes(meta), []byte("ompat")) {
			if v, _ := d.boolean(d.member(d.expand(meta), kDataPartCompat)); v {
				x := d.expand(i)
				if value := d.anyMember(x, kValue); value >= 0 {
					return bytes.Clone(d.bytes(value))
				}
			}
		}
		if kind == "" && !d.out.Envelope && d.ev&ev10 == 0 && bytes.Contains(d.bytes(i), []byte(`"data"`)) {
			x := d.expand(i)
			c := d.first(x)
			if c >= 0 && d.n[c].key == kData && d.kind(c) == '{' && d.next(x, c) < 0 {
				return bytes.Clone(d.bytes(c))
			}
		}
	}
	return bytes.Clone(d.bytes(i))
}

// anyMember is member, null included.
func (d *decoder) anyMember(i int, k key) int {
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		if d.n[c].key == k {
			return c
		}
	}
	return -1
}

// file decodes the file of 0.x, by value or by reference.
func (d *decoder) file(i int, p *Part) {
	if d.kind(i) == '"' {
		d.note("part-dialect", false, "the file of a part is a text")
		if text := d.str(i); strings.Contains(text, "://") {
			p.Kind, p.URL = PartURL, text
		} else {
			p.Kind, p.Bytes = PartBytes, d.content(i, p.MediaType)
		}
		return
	}
	if m := d.text(i, kMimeType, kMediaType, kContentType); m != "" {
		p.MediaType = m
	}
	if n := d.text(i, kName, kFilename); n != "" {
		p.Filename = n
	}
	value, ref := d.either(i, kBytes, kFileWithBytes, kRaw), d.either(i, kURI, kFileWithURI, kURL)
	if d.kind(value) == '{' { // the draft of 1.0 nested once more
		if inner := d.either(value, kBytes, kRaw); inner >= 0 {
			value = inner
		}
	}
	if d.kind(ref) == '{' {
		if inner := d.either(ref, kURI, kURL); inner >= 0 {
			ref = inner
		}
	}
	switch {
	case !d.empty(value) && !d.empty(ref):
		d.note("part-two-contents", true, "a file has bytes and a URI; the bytes were taken")
		p.Kind, p.Bytes = PartBytes, d.content(value, p.MediaType)
	case value >= 0 && d.empty(ref):
		p.Kind, p.Bytes = PartBytes, d.content(value, p.MediaType)
	case ref >= 0:
		p.Kind, p.URL = PartURL, d.str(ref)
	default:
		p.Kind, p.Bytes = PartBytes, []byte{}
		d.note("part-dialect", false, "a file has neither bytes nor URI")
	}
}

// pushConfig decodes a webhook registration: flat in 1.0, nested in 0.x, where
// REST puts the ids into a resource name.
func (d *decoder) pushConfig(i int) PushConfig {
	if inner := d.member(i, kConfig); d.kind(inner) == '{' && d.member(i, kPushNotificationConfig) < 0 {
		i = inner
	}
	c := PushConfig{TaskID: d.text(i, kTaskID)}
	name := d.text(i, kName)
	if nested := d.find(i, kPushNotificationConfig); d.kind(nested) == '{' {
		if c.TaskID == "" {
			c.TaskID = d.text(i, kID)
		}
		i = nested
	}
	c.ID, c.URL, c.Token = d.text(i, kID), d.text(i, kURL), d.text(i, kToken)
	if rest, ok := strings.CutPrefix(name, "tasks/"); ok {
		task, id, _ := strings.Cut(rest, "/pushNotificationConfigs/")
		if c.TaskID == "" {
			c.TaskID = task
		}
		if c.ID == "" {
			c.ID = id
		}
	}
	if auth := d.find(i, kAuthentication); d.kind(auth) == '{' {
		c.AuthSchemes = d.strings(d.find(auth, kSchemes))
		if s := d.text(auth, kScheme); s != "" && len(c.AuthSchemes) == 0 {
			c.AuthSchemes = []string{s}
		}
		c.Credentials = d.text(auth, kCredentials)
	}
	return c
}

// strings reads an array of texts, or one text; nil when there is neither.
func (d *decoder) strings(i int) []string {
	switch d.kind(i) {
	case '"':
		return []string{d.str(i)}
	case '[':
		out := []string{}
		for c := d.first(i); c >= 0 && len(out) < maxConfigs; c = d.next(i, c) {
			if d.kind(c) == '"' {
				out = append(out, d.str(c))
			}
		}
		return out
	}
	return nil
}
