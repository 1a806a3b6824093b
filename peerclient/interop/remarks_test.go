package interop

const (
	noList    = "list was not answered"
	noCall    = "list refused: METHOD_NOT_FOUND (501)" // UNIMPLEMENTED
	getAlone  = "subscribe refused: METHOD_NOT_FOUND (405)"
	brokenOff = "faults in transport: 1"
	fourth    = "push-list was not answered"
	fifth     = "push-delete was not answered"

	java03 = "Java SDK 0.3.3"
	sse    = "JSONRPC 0.3 and HTTP+JSON 0.3"
	all03  = sse + " and GRPC 0.3"

	eventsAfter       = "terminal.events-after contradicts terminal-final"
	viewsDiffer       = "views.differ contradicts views-agree"
	lingers           = "stream.lingers contradicts stream-closes"
	framesAfter       = "cancel.frames-after contradicts cancel-final"
	truncated         = "stream.truncated contradicts stream-closes"
	returnedEarly     = "blocking.returned-early contradicts blocking"
	drifts            = "completed.drifts contradicts completed-stable"
	artifactsUnproven = "artifacts-streamed is unproven"
)

// remarks say what is behind every cell that is no ✓.
var remarks = []remark{
	{sdk: "Go SDK 2.3.1", columns: "HTTP+JSON 0.3", why: "There is no column. The SDK's compatibility expects the members of JSON-RPC below this binding, in snake case, and refuses every message in the form of the 0.3 proto; TestGoSDKOldREST holds that a refused message accuses nobody. Its extended card is at `/extendedAgentCard`, where 0.3 has `/v1/card` (§3.5.6): the console finds it there too (TestGoSDKOldRESTCard)."},
	{sdk: "JavaScript SDK 1.3.0", columns: "GRPC 0.3", walks: "list", shows: []string{noCall, noList},
		why: "The table of methods in 0.3's text (§3.5.6) gives gRPC the operation, its proto has no such call, and a server made from that proto answers unimplemented. No claim of a card depends on it. The Go SDK added the call."},
	{sdk: "JavaScript SDK 1.3.0", columns: "HTTP+JSON 0.3", walks: "push", shows: []string{"push-set refused: INVALID_PARAMS (-32602)", "push-get refused: TASK_NOT_FOUND (-32001)", "push-set was not answered", "push-get was not answered"},
		why: "0.3 has two forms of this request: its text (§7.5) wraps the configuration, the HTTP rule of its proto does not. The console writes the first, which four of the five servers take; this one takes the other."},
	{sdk: "JavaScript SDK 0.3.14", columns: "HTTP+JSON 0.3", walks: "list", shows: []string{"list refused: OTHER (404)", noList},
		why: "0.3 §3.5.6 gives HTTP+JSON the operation, and the SDK has no such route. No claim of a card depends on it."},
	{sdk: "JavaScript SDK 0.3.14", columns: "GRPC 0.3", walks: "list", shows: []string{noCall, noList}, why: "As with JavaScript SDK 1.3.0."},
	{sdk: "Python SDK 1.1.0", columns: "HTTP+JSON 0.3", walks: "list", shows: []string{"list refused: OTHER (404)", noList}, why: "There is no such route, as with JavaScript SDK 0.3.14."},
	{sdk: "Python SDK 1.1.0", columns: "GRPC 0.3", walks: "list", shows: []string{noCall, noList}, why: "As with JavaScript SDK 1.3.0."},
	{sdk: "Python SDK 1.1.0", columns: "JSONRPC 1.0 and HTTP+JSON 1.0 and GRPC 1.0 and GRPC 0.3", walks: "resubscribe after the end", shows: []string{"subscribe refused: INVALID_PARAMS (-32602)", "subscribe refused: INVALID_PARAMS (400)"},
		why: "The refusal is right and names the reason, under the code of wrong parameters where 1.0 (§3.1.6) has UnsupportedOperationError: minor (`errors.code`) in 1.0. 0.3 names no code for it."},
	{sdk: "Python SDK 1.1.0", columns: "JSONRPC 0.3", walks: "resubscribe after the end", shows: []string{"subscribe refused: INTERNAL (-32603)"},
		why: "The compatibility answers with an internal error where a code of A2A is due: minor (`errors.code`)."},
	{sdk: "Python SDK 1.1.0", columns: "HTTP+JSON 0.3", walks: "resubscribe after the end", shows: []string{brokenOff},
		why: "The stream breaks off: a fault in transport, which is held against nobody."},
	{sdk: "Python SDK 1.1.0", columns: "JSONRPC 0.3", walks: "cancel after the end", shows: []string{"cancel refused: INTERNAL (-32603)"},
		why: "The text says that the task cannot be canceled, the code that the server broke; TaskNotCancelableError (-32002) is due: minor (`errors.code`)."},
	{sdk: "Python SDK 1.1.0", columns: "HTTP+JSON 0.3", walks: "push", shows: []string{"push-delete refused: OTHER (404)", fifth}, why: "The compatibility has no route that deletes a configuration."},
	{sdk: "Python SDK 0.3.26", columns: "HTTP+JSON 0.3", walks: "list", shows: []string{"list refused: INTERNAL (500)", noList}, why: "The route is there and not implemented."},
	{sdk: "Python SDK 0.3.26", columns: "GRPC 0.3", walks: "list", shows: []string{noCall, noList}, why: "As with JavaScript SDK 1.3.0."},
	{sdk: "Python SDK 0.3.26", columns: "JSONRPC 0.3 and GRPC 0.3", walks: "resubscribe after the end", shows: []string{"subscribe refused: INVALID_PARAMS (-32602)", "subscribe refused: INVALID_PARAMS (400)"},
		why: "The refusal is right and names the reason, under the code of wrong parameters. 0.3 names no code for it."},
	{sdk: "Python SDK 0.3.26", columns: "HTTP+JSON 0.3", walks: "resubscribe midway and resubscribe beside the stream", shows: []string{getAlone},
		why: "0.3 says POST in its text (§3.5.6, §7.9) and GET in its proto. The console writes POST, then tries GET, which alone this server takes. A web server's 405 is held against nobody."},
	{sdk: "Python SDK 0.3.26", columns: "HTTP+JSON 0.3", walks: "resubscribe at input-required and resubscribe after the end", shows: []string{getAlone, brokenOff},
		why: "The same; and where the task has no live stream, the stream breaks off: a fault in transport, which is held against nobody."},
	{sdk: "Python SDK 0.3.26", columns: "HTTP+JSON 0.3", walks: "push", shows: []string{"push-list refused: INTERNAL (500)", "push-delete refused: METHOD_NOT_FOUND (405)", fourth, fifth},
		why: "The SDK does not list, and has no route to delete a configuration."},
	{sdk: "Python SDK 0.3.26", columns: "GRPC 0.3", walks: "push", shows: []string{"push-list refused: METHOD_NOT_FOUND (501)", "push-delete refused: METHOD_NOT_FOUND (501)", fourth, fifth},
		why: "The SDK has implemented neither list nor delete over gRPC, and says so."},
	{sdk: java03, columns: "HTTP+JSON 0.3", walks: "list", shows: []string{"list refused: OTHER (404)", noList}, why: "There is no such route, as with JavaScript SDK 0.3.14."},
	{sdk: java03, columns: "GRPC 0.3", walks: "list", shows: []string{noCall, noList}, why: "As with JavaScript SDK 1.3.0."},
	{sdk: java03, columns: sse, walks: "stream", races: true,
		shows: []string{eventsAfter, viewsDiffer, lingers, truncated},
		why:   "The SDK hands a stream's events from the thread that makes them to the one that writes them through a buffer (`BufferingTube` of Mutiny Zero 1.1.1) that is filled and emptied without a lock. A request for more that comes between the look for demand and the put leaves an event in the buffer, and what comes behind it goes first; it can also be left there for good, and the stream with it. A plain HTTP client, nothing of the console in it, got 1 to 8 in 100 streams of eight chunks out of order, and 1 in 1,000 that never ended. Over gRPC one thread does both, and no stream came out of order."},
	{sdk: java03, columns: sse, walks: "fail streamed and resume streamed and resubscribe midway and resubscribe beside the stream and resubscribe at input-required", races: true,
		shows: []string{eventsAfter, lingers},
		why:   "The same, in streams of a few events or of a second reader: 1 in 1,000."},
	{sdk: java03, columns: sse, walks: "cancel while chunks come", races: true,
		shows: []string{framesAfter, lingers},
		why:   "The same: a chunk made before the cancel comes behind the canceled state. What the agent makes after it is dropped."},
	{sdk: java03, columns: all03, walks: "resubscribe at input-required", races: true,
		shows: []string{returnedEarly},
		why:   "Every call that reads a task's events, a send as well as a subscription, keeps a copy of the task of its own and saves it whole after each event (`TaskManager`, `InMemoryTaskStore`). With two of them the last to save wins: the send has seen the end and saved it, the subscription saves the state before it, and the send answers with what is in the store."},
	{sdk: java03, columns: all03, walks: "resubscribe midway and resubscribe beside the stream", races: true,
		shows: []string{drifts, artifactsUnproven},
		why:   "The same two copies: the later subscriber's lacks the chunks before it, and chunks that append to an artifact which a copy does not have are dropped from it. Get shows now the one, now the other, and at worst a completed task without any artifact."},
}

// explained says why a contradiction of an official SDK stands: SDK and rule,
// then what proves it.
var explained = map[string]string{
	java03 + " terminal.events-after":   "0.3 (§7.2.2, TaskStatusUpdateEvent) says of `final`: the last event in the stream for this interaction. The frames show `\"final\":true` and `completed`, then chunks that the agent had made before, then the end of the stream. A client that stops at `final` loses them.",
	java03 + " cancel.frames-after":     "The frames show the canceled state with `\"final\":true`, then a chunk, on one stream: as with `terminal.events-after`.",
	java03 + " views.differ":            "0.3 (§7.2.3, TaskArtifactUpdateEvent) says of `append`: to what was sent before under the same id. Who appends the chunks in the order of the frames gets another text than get shows, and at times the first chunk to append comes before the artifact. Get has the order in which the agent made them, as the numbers in them tell. 1.0 (§3.5.2) forbids the reordering in so many words.",
	java03 + " stream.lingers":          "The stream stays open after its last state, until the client closes it.",
	java03 + " stream.truncated":        "The stream ended without the last state, and get says completed.",
	java03 + " blocking.returned-early": "The request says `blocking: true`, the subscription beside it shows the task's end, and the answer says working.",
	java03 + " completed.drifts":        "Two reads of the completed task, one after the other, show different artifacts.",
}

// gone says which part of an SDK could not be had, and what is in its place.
const gone = `
## What could not be walked

Java SDK 1.x: it is published as ` + "`org.a2aproject.sdk`" + ` (1.0.0.Final, 1.1.0.Final, 1.2.0.Final and what went
before them), and the package registry that this page is made with serves none of its versions. The 0.3
line does not speak 1.0.

Java SDK 0.3.3, gRPC: of 0.3.3.Final (` + "`io.github.a2asdk`" + `) that registry lacks ` + "`a2a-java-sdk-reference-grpc`" + ` alone.
The agent puts the SDK's own ` + "`a2a-java-sdk-transport-grpc`" + ` behind a server of grpc-java. Its JSON-RPC and
HTTP+JSON are the SDK's reference servers. A subscription to a waiting task stays without a head until
something happens.
`
