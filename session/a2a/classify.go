package a2a

import "bytes"

// Bounds on lists. What lies beyond is not decoded, and an anomaly says so.
const (
	maxTasks     = 10_000
	maxArtifacts = 10_000
	maxMessages  = 10_000
	maxParts     = 100_000
	maxConfigs   = 10_000
)

// unionKind maps the discriminator of 0.x, in any spelling, to the wrapper key
// of 1.0 that means the same.
func unionKind(kind string) key {
	switch kind {
	case "task":
		return kTask
	case "message":
		return kMessage
	case "status-update":
		return kStatusUpdate
	case "artifact-update":
		return kArtifactUpdate
	}
	if len(kind) > longestKey {
		return kUnknown
	}
	switch foldName(kind) {
	case "task":
		return kTask
	case "message", "msg":
		return kMessage
	case "statusupdate", "taskstatusupdate", "taskstatusupdateevent":
		return kStatusUpdate
	case "artifactupdate", "taskartifactupdate", "taskartifactupdateevent":
		return kArtifactUpdate
	}
	return kUnknown
}

func isPartKind(kind string) bool { return kind == "text" || kind == "file" || kind == "data" }

// object classifies an object: by wrapper key, by kind, then by its members.
// The order is that of the tests, first that holds wins.
func (d *decoder) object(i int) {
	if d.in.Op == OpCard || d.in.Op == OpExtendedCard {
		if d.in.HTTPStatus < 300 && d.member(i, kError) < 0 && !d.looksFailed(i) {
			d.card(d.unwrapped(i))
			return
		}
	}
	if d.wrapped(i) {
		return
	}
	kind := unionKind(d.text(i, kKind))
	if kind == kUnknown {
		kind = unionKind(d.text(i, kType))
	}
	if kind != kUnknown {
		d.union(kind, i)
		return
	}
	d.structural(i)
}

// wrapped decodes a union by wrapper key, as 1.0 and the proto JSON of 0.3
// have it.
func (d *decoder) wrapped(i int) bool {
	found, which := -1, kUnknown
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		n := &d.n[c]
		k := n.key
		if n.kind != '{' || k != kTask && k != kMessage && k != kMsg && k != kStatusUpdate && k != kArtifactUpdate {
			continue
		}
		if k == kMsg {
			d.ev |= ev03REST
			k = kMessage
		}
		if found >= 0 && which != k && !d.empty(c) {
			d.note("payload-ambiguous", true, "one payload holds a %s and a %s; the first was taken", keyNames[which], keyNames[k])
			continue
		}
		if n.alt {
			d.casing = true
		}
		found, which = c, k
	}
	// A flat object that happens to have such a member is no union.
	if found < 0 || d.member(i, kStatus) >= 0 || d.member(i, kParts) >= 0 || d.member(i, kCode) >= 0 {
		return false
	}
	d.ev |= evWrapper
	outer := d.find(i, kFinal)
	d.union(which, found)
	if s := d.out.Status; s != nil && s.Final == nil && outer >= 0 {
		d.final(s, outer)
	}
	return true
}

// union decodes one member of the union of results and events.
func (d *decoder) union(kind key, i int) {
	switch kind {
	case kTask:
		t := d.task(i)
		d.out.Task, d.out.Kind = &t, KindTask
	case kMessage:
		m := d.message(i)
		d.out.Message, d.out.Kind = &m, KindMessage
	case kStatusUpdate:
		u := d.statusUpdate(i)
		d.out.Status, d.out.Kind = &u, KindStatus
	case kArtifactUpdate:
		u := d.artifactUpdate(i)
		d.out.Artifact, d.out.Kind = &u, KindArtifact
	}
}

// structural classifies by members alone. Get and cancel answer a bare Task in
// 1.0, and 0.1 has no discriminator at all: that is regular. Elsewhere in 0.x
// the missing kind is an anomaly.
func (d *decoder) structural(i int) {
	status, taskID := d.member(i, kStatus), d.member(i, kTaskID)
	switch {
	case d.member(i, kError) >= 0 && status < 0:
		d.failure(d.member(i, kError))
	case d.kind(d.member(i, kArtifact)) == '{':
		d.kindMissing(i)
		d.union(kArtifactUpdate, i)
	case d.isUpdate(i, status, taskID):
		d.kindMissing(i)
		d.union(kStatusUpdate, i)
	case d.looksFailed(i):
		d.problem(i)
	case status >= 0 && (d.kind(status) == '{' || d.kind(status) == '"') && (taskID >= 0 || d.member(i, kID) >= 0 || d.member(i, kRunID) >= 0):
		d.kindMissing(i)
		d.union(kTask, i)
	case d.kind(d.member(i, kState)) == '"' && d.either(i, kID, kTaskID, kRunID) >= 0:
		d.union(kTask, i)
	case (d.member(i, kParts) >= 0 || d.member(i, kContent) >= 0) && (d.member(i, kRole) >= 0 || d.member(i, kMessageID) >= 0):
		d.kindMissing(i)
		d.union(kMessage, i)
	case d.kind(d.member(i, kTasks)) == '[', d.in.Op == OpList && d.in.HTTPStatus < 300 && d.out.Envelope && d.sparse(i):
		d.tasks(i, d.member(i, kTasks))
	case d.isPush(i):
		d.push(i)
	case d.isCard(i):
		d.card(i)
	case d.in.HTTPStatus >= 300:
		d.problem(i)
	default:
		d.unknown(i)
	}
}

// unknown is an object that is none of what we know. An empty one is what its
// operation makes of it.
func (d *decoder) unknown(i int) {
	switch {
	case d.in.Op == OpPushList && d.sparse(i):
		d.out.Kind = KindPush
	case d.in.Op == OpList && d.sparse(i):
		d.out.List, d.out.Kind = &TaskList{Tasks: []Task{}}, KindList
	case d.empty(i):
		d.out.Kind = KindNone
	case d.onlyNulls(i):
		d.out.Kind = KindNone
		d.note("field-missing", false, "every member of the answer is null")
	default:
		d.out.Kind = KindUnknown
		d.note("shape-unknown", false, "the object is no task, message, update, list, card or error: %s", d.memberNames(i))
	}
}

// sparse reports whether an object holds nothing but what an empty page holds.
func (d *decoder) sparse(i int) bool {
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		switch k := d.n[c].key; {
		case d.n[c].kind == 'n', k == kNextPageToken, k == kTotalSize, d.name(c) == "pageSize", d.name(c) == "page_size":
		default:
			return false
		}
	}
	return true
}

func (d *decoder) onlyNulls(i int) bool {
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		if d.n[c].kind != 'n' {
			return false
		}
	}
	return true
}

// memberNames lists some of an object's names, for people.
func (d *decoder) memberNames(i int) string {
	var b bytes.Buffer
	count := 0
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		if count++; count > 8 || b.Len() > 200 {
			b.WriteString(", …")
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		name := d.name(c)
		if len(name) > 40 {
			name = name[:40] + "…"
		}
		b.WriteString(name)
	}
	return b.String()
}

// isUpdate reports whether a flat object is a status update and no task: both
// have an id and a status. 0.1 calls the task's id "id" in updates too; there
// only final, or having been asked for a stream, tells.
func (d *decoder) isUpdate(i, status, taskID int) bool {
	if d.kind(status) != '{' || d.in.Op == OpGet || d.in.Op == OpCancel {
		return false
	}
	for _, k := range []key{kArtifacts, kHistory, kSessionID} {
		if d.member(i, k) >= 0 {
			return false
		}
	}
	if d.member(i, kFinal) >= 0 {
		return true
	}
	if taskID >= 0 && d.member(i, kID) < 0 {
		return true
	}
	return taskID < 0 && d.in.Op.Streams() && d.member(i, kContextID) < 0 && d.ev&(evProto|evWrapper) == 0
}

// kindMissing notes a member of the union that tells itself by its members
// only, where its generation wants more.
func (d *decoder) kindMissing(i int) {
	if d.ev&evType != 0 {
		return // 0.1
	}
	task := d.member(i, kTaskID) < 0 && d.member(i, kRole) < 0
	if d.ev&evProto != 0 && task && !d.in.Op.Streams() && d.in.Op != OpSend {
		return // 1.0: a bare task
	}
	if d.ev&evProto == 0 && task && d.member(i, kContextID) < 0 {
		return // 0.1 without any mark of its own
	}
	d.note("kind-missing", false, "neither a kind nor a wrapper key says what this is; its members do")
}

// list decodes an array: push configs in 0.3, tasks where somebody left out
// the object around them.
func (d *decoder) list(i int) {
	c := d.first(i)
	switch {
	case c < 0 && d.in.Op == OpList:
		d.note("list-shape", false, "a bare array instead of an object with tasks")
		d.out.List, d.out.Kind = &TaskList{Tasks: []Task{}}, KindList
	case c < 0 && d.in.Op == OpPushList:
		d.out.Kind = KindPush
	case c < 0:
		d.out.Kind = KindNone
	case d.kind(c) != '{':
		d.out.Kind = KindUnknown
		d.note("shape-unknown", false, "the answer is an array of no objects")
	case d.isPush(c):
		if d.out.Envelope && d.kind(d.member(c, kPushNotificationConfig)) != '{' && d.member(c, kTaskID) >= 0 {
			d.note("list-shape", false, "a bare array of push configurations, where 1.0 has an object around it")
		}
		d.configs(i)
	case d.member(c, kStatus) >= 0 || d.member(c, kTask) >= 0:
		d.note("list-shape", false, "a bare array instead of an object with tasks")
		d.out.List, d.out.Kind = &TaskList{Tasks: d.taskItems(i)}, KindList
	default:
		if d.in.HTTPStatus >= 300 {
			d.statusError("", i)
			return
		}
		d.out.Kind = KindUnknown
		d.note("shape-unknown", false, "the answer is an array of unknown objects: %s", d.memberNames(c))
	}
}

// tasks decodes a page of tasks.
func (d *decoder) tasks(i, items int) {
	l := TaskList{Tasks: []Task{}, NextPageToken: d.text(i, kNextPageToken), TotalSize: d.integer(d.find(i, kTotalSize))}
	if items >= 0 {
		l.Tasks = d.taskItems(items)
	}
	d.out.List, d.out.Kind = &l, KindList
}

func (d *decoder) taskItems(items int) []Task {
	out := []Task{}
	for c := d.first(items); c >= 0; c = d.next(items, c) {
		if len(out) >= maxTasks {
			d.note("list-cut", true, "only the first %d tasks of the list were read", maxTasks)
			break
		}
		item := c
		if inner := d.member(c, kTask); d.kind(inner) == '{' {
			d.note("list-shape", false, "each task of the list is wrapped like a stream event")
			item = inner
		}
		if d.kind(item) == '{' {
			out = append(out, d.task(item))
		}
	}
	return out
}

// isPush reports whether an object is a push configuration or a list of them.
func (d *decoder) isPush(i int) bool {
	if d.kind(d.member(i, kPushNotificationConfig)) == '{' || d.kind(d.member(i, kConfigs)) == '[' {
		return true
	}
	pushOp := d.in.Op == OpPushSet || d.in.Op == OpPushGet || d.in.Op == OpPushList
	return d.kind(d.member(i, kURL)) == '"' && (pushOp || d.member(i, kTaskID) >= 0) && d.member(i, kSkills) < 0
}

func (d *decoder) push(i int) {
	d.out.Kind = KindPush
	if items := d.member(i, kConfigs); d.kind(items) == '[' {
		if c := d.first(items); d.out.Envelope && d.kind(d.member(c, kPushNotificationConfig)) == '{' {
			d.note("list-shape", false, "the push configurations of 0.3 in the object that 1.0 has around them")
		}
		d.configs(items)
		return
	}
	d.out.Push = []PushConfig{d.pushConfig(i)}
}

func (d *decoder) configs(items int) {
	d.out.Kind = KindPush
	for c := d.first(items); c >= 0; c = d.next(items, c) {
		if len(d.out.Push) >= maxConfigs {
			d.note("list-cut", true, "only the first %d push configurations were read", maxConfigs)
			return
		}
		if d.kind(c) == '{' {
			d.out.Push = append(d.out.Push, d.pushConfig(c))
		}
	}
}
