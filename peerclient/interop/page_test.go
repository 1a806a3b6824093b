package interop

import (
	"fmt"
	"slices"
	"strings"
)

const preface = `# The official SDKs as peers

What a2ascope sees of agents on the official A2A SDKs, walked by the runner over
loopback. ✓: every answer came as the specification has it, the task ended as
it should, and no claim was contradicted. Anything else is said in the cell, and
explained below.

The Go agent is walked by ` + "`go test ./...`" + `; the whole page is made by
` + "`A2ASCOPE_INTEROP=1 go test ./peerclient/interop -run TestOfficialSDKs -update`" + `.
`

// explained says why a contradiction of an official SDK stands: SDK, version
// and rule, then the clause that proves it. None does today.
var explained = map[string]string{}

// remarks say what is behind every cell that is no ✓: the SDK, the columns,
// what the walk's name begins with. Without a walk it is about the column.
var remarks = []remark{
	{"Go SDK 2.3.1", "HTTP+JSON 0.3", "", "There is no column. The SDK's compatibility expects the members of JSON-RPC below this binding, in snake case, and refuses every message in the form of the 0.3 proto; TestGoSDKOldREST holds that a refused message accuses nobody. Its extended card is at `/extendedAgentCard`, where 0.3 has `/v1/card` (§3.5.6): asked for over this binding, it is told as declared and not to be had (`extended.refused`)."},
	{"JavaScript SDK 1.3.0", "GRPC 0.3", "list", "The table of methods in 0.3's text (§3.5.6) gives gRPC the operation, its proto has no such call, and a server made from that proto answers unimplemented. No claim of a card depends on it. The Go SDK added the call."},
	{"JavaScript SDK 1.3.0", "HTTP+JSON 0.3", "push", "0.3 has two forms of this request: its text (§7.5) wraps the configuration, the HTTP rule of its proto does not. The console writes the first, which four of the five servers take; this one takes the other."},
	{"JavaScript SDK 0.3.14", "HTTP+JSON 0.3", "list", "0.3 §3.5.6 gives HTTP+JSON the operation, and the SDK has no such route. No claim of a card depends on it."},
	{"JavaScript SDK 0.3.14", "GRPC 0.3", "list", "As with JavaScript SDK 1.3.0."},
	{"Python SDK 1.1.0", "HTTP+JSON 0.3", "list", "There is no such route, as with JavaScript SDK 0.3.14."},
	{"Python SDK 1.1.0", "GRPC 0.3", "list", "As with JavaScript SDK 1.3.0."},
	{"Python SDK 1.1.0", "JSONRPC 1.0 and HTTP+JSON 1.0 and GRPC 1.0 and GRPC 0.3", "resubscribe after the end", "The refusal is right and names the reason, under the code of wrong parameters where 1.0 (§3.1.6) has UnsupportedOperationError: minor (`errors.code`) in 1.0, and nothing in 0.3."},
	{"Python SDK 1.1.0", "JSONRPC 0.3", "resubscribe after the end", "The compatibility answers with an internal error where a code of A2A is due: minor (`errors.code`)."},
	{"Python SDK 1.1.0", "HTTP+JSON 0.3", "resubscribe after the end", "The stream breaks off: a fault in transport, which is held against nobody."},
	{"Python SDK 1.1.0", "JSONRPC 0.3", "cancel after the end", "The text says that the task cannot be canceled, the code that the server broke; TaskNotCancelableError (-32002) is due: minor (`errors.code`)."},
	{"Python SDK 1.1.0", "HTTP+JSON 0.3", "push", "The compatibility has no route that deletes a configuration."},
	{"Python SDK 0.3.26", "HTTP+JSON 0.3", "list", "The route is there and not implemented."},
	{"Python SDK 0.3.26", "GRPC 0.3", "list", "As with JavaScript SDK 1.3.0."},
	{"Python SDK 0.3.26", "JSONRPC 0.3 and GRPC 0.3", "resubscribe after the end", "The refusal is right and names the reason, under the code of wrong parameters: nothing is held against it."},
	{"Python SDK 0.3.26", "HTTP+JSON 0.3", "resubscribe", "0.3 says POST in its text (§3.5.6, §7.9) and GET in its proto. The console writes POST, then tries GET, which alone this server takes; where the task has no live stream, its stream breaks off, a fault in transport. A web server's 405 is held against nobody."},
	{"Python SDK 0.3.26", "HTTP+JSON 0.3", "push", "The SDK does not list, and has no route to delete a configuration."},
	{"Python SDK 0.3.26", "GRPC 0.3", "push", "The SDK has implemented neither list nor delete over gRPC, and says so."},
	{"Java SDK 0.3.3", "HTTP+JSON 0.3", "list", "There is no such route, as with JavaScript SDK 0.3.14."},
	{"Java SDK 0.3.3", "GRPC 0.3", "list", "As with JavaScript SDK 1.3.0: the status is UNIMPLEMENTED. The name in the cell is read from the status's text, which says that a method of A2AService/ListTasks was not found."},
	{"Java SDK 0.3.3", "HTTP+JSON 0.3", "cancel after the end", "The refusal is right (409), and the error is named by a class of Java (`io.a2a.spec.TaskNotCancelableError`), which is no name of A2A's. It is held against nobody."},
}

// gone says which part of an SDK could not be had, and what is in its place.
const gone = `
## What could not be walked

Java 1.0: the SDK's 1.x is published as ` + "`org.a2aproject.sdk`" + `; of 1.0.0.Final, 1.1.0.Final and
1.2.0.Final the package index in reach has no file (` + "`a2a-java-sdk-reference-jsonrpc`" + `; of
1.0.0.Final and 1.2.0.Final ` + "`a2a-java-sdk-server-common`" + ` neither). Of 0.3.3.Final
(` + "`io.github.a2asdk`" + `) it lacks ` + "`a2a-java-sdk-reference-grpc`" + `, so the agent puts the SDK's own
` + "`a2a-java-sdk-transport-grpc`" + ` behind a server of grpc-java. Its JSON-RPC and HTTP+JSON are the SDK's
reference servers. A subscription to its waiting task stays without a head until something happens.
`

type remark struct{ sdk, columns, walk, why string }

// remarked reports whether a remark explains the cell.
func remarked(sdk string, on spoken, walk string) bool {
	return slices.ContainsFunc(remarks, func(r remark) bool {
		columns := strings.Split(r.columns, " and ")
		return r.sdk == sdk && r.walk != "" && strings.HasPrefix(walk, r.walk) && slices.Contains(columns, on.column())
	})
}

func (s spoken) column() string { return string(s.binding) + " " + string(s.gen) }

func notes() string {
	var b strings.Builder
	b.WriteString("\n## What is behind it\n\n")
	for _, r := range remarks {
		where := []string{r.sdk, r.columns}
		if r.walk != "" {
			where = append(where, r.walk)
		}
		fmt.Fprintf(&b, "- %s: %s\n", strings.Join(where, ", "), r.why)
	}
	keys := make([]string, 0, len(explained))
	for k := range explained {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, "- **%s**, held against the peer: %s\n", k, explained[k])
	}
	b.WriteString(gone)
	return b.String()
}
