package a2a

import (
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
	if v && !s.Terminal() && !s.Interrupted() && s != Unspecified || !v && s.Terminal() {
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
