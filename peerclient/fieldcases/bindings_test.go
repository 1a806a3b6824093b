package fieldcases

import (
	"strings"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/structpb"

	"a2ascope/session"
)

// bindings are the cases of classes D, I, L and M that are about HTTP+JSON,
// gRPC and tenants.
var bindings = []fieldCase{
	{
		n: 55, name: "0.3 HTTP+JSON has its own dialect: proto JSON", peer: peer{card: rest03, on: routes{"POST /v1/message:send": protoOnly, "GET /v1/tasks/t": is(200, "application/json", proto03("COMPLETED"))}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated key-casing"},
	},
	{
		n: 55, name: "0.3 HTTP+JSON has its own dialect: JSON-RPC style", peer: peer{card: rest03, on: routes{"POST /v1/message:send": plainOnly, "GET /v1/tasks/t": is(200, "application/json", task03("completed", report03))}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"info endpoint.form"},
	},
	{
		n: 60, name: "a null in gRPC metadata becomes 0 or kills the call: null and numbers", peer: peer{gen: "grpc 1.0", card: strings.Replace(rpc10, `"defaultOutputModes":["text/plain"]`, `"defaultOutputModes":["application/json"]`, 1), on: routes{"send": rpcSays(sent10("COMPLETED", valued)), "get": rpcSays(task10("COMPLETED", valued))}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: `{"half":0.5,"none":null,"one":1}`,
	},
	{
		n: 60, name: "a null in gRPC metadata becomes 0 or kills the call: a value of no kind", peer: peer{gen: "grpc 1.0", card: rpc10, on: routes{"send": rpcSends(&pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Task{Task: kindless}}), "get": rpcSends(kindless)}},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"minor wire.tolerated grpc-value: task.artifacts[0].metadata.k is a value of no kind; written as null"},
	},
	{
		n: 60, name: "a null in gRPC metadata becomes 0 or kills the call: INTERNAL", peer: peer{gen: "grpc 1.0", card: rpc10, on: routes{"send": rpcRefuses(codes.Internal, "cannot serialise message.metadata.k: int32 expected, got object")}},
		lines: []string{"send report"}, shows: []string{"message.metadata.k: int32 expected"},
	},
	{
		n: 63, name: "rejected arrives as unknown over REST", policy: soon, peer: peer{card: strings.Replace(rest03, `"capabilities"`, `"additionalInterfaces":[{"url":"$url/rpc","transport":"JSONRPC"}],"capabilities"`, 1), on: routes{
			"POST /v1/message:stream": streams("data: {\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}\n\n", "data: {\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_UNSPECIFIED\"},\"final\":true}}\n\n"),
			"POST /v1/message:send":   silent, "GET /v1/tasks/t": is(200, "application/json", `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_UNSPECIFIED"}}`), "tasks/get": says(task03("rejected"))}},
		lines: []string{"stream report", "wait state rejected --for 500ms"}, state: "rejected", how: "another declared binding is asked once; a state that is not told ends nothing",
	},
	{
		n: 122, name: "REST subscribe: POST only", peer: restStreaming("POST /tasks/t:subscribe", "GET /tasks/t:subscribe", is(404, "application/json", `{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found: t:subscribe","details":[{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`)),
		lines: []string{"stream report", "detach", "resubscribe", "wait settled"}, state: "completed", text: "report",
	},
	{
		n: 122, name: "REST subscribe: GET only", peer: restStreaming("GET /tasks/t:subscribe", "POST /tasks/t:subscribe", is(405, "", "")),
		lines: []string{"stream report", "detach", "resubscribe", "wait settled"}, state: "completed", text: "report", finds: []string{"info endpoint.form"},
	},
	{
		n: 141, name: "empty body and content type on REST POST", peer: peer{gen: "1.0", card: rest10, on: routes{
			"POST /message:send": is(200, "application/json", sent10("WORKING")), "GET /tasks/t": is(200, "application/json", task10("CANCELED")), "POST /tasks/t:cancel": needsBody}},
		lines: []string{"send --immediate report", "cancel", "wait settled"}, state: "canceled",
	},
	{
		n: 143, name: "0.3 and 1.0 protobufs are not wire compatible: the card says 1.0, the service is that of 0.3",
		peer:  peer{gen: "grpc 0.3", card: rpc10, on: rpcAnswers03},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"major version.refused"}, check: all(speaks("0.3"), oneMessage),
	},
	{
		n: 143, name: "0.3 and 1.0 protobufs are not wire compatible: the card says 0.3, the service is that of 1.0",
		peer:  peer{gen: "grpc 1.0", card: rpc03, on: rpcAnswers10},
		lines: []string{"send report", "wait settled"}, state: "completed", text: "report", finds: []string{"major version.refused"}, check: all(speaks("1.0"), oneMessage),
	},
	{
		n: 144, name: "tenant must be echoed in every request: JSON-RPC", peer: peer{gen: "1.0", card: tenanted, on: answers10},
		lines: []string{"send report"}, state: "completed", text: "report", check: asksWith("send", `"tenant":"acme"`),
	},
	{
		n: 144, name: "tenant must be echoed in every request: HTTP+JSON", peer: peer{gen: "1.0", card: strings.Replace(rest10, `"protocolVersion":"1.0"`, `"protocolVersion":"1.0","tenant":"acme"`, 1), on: routes{
			"POST /acme/message:send": is(200, "application/json", sent10("COMPLETED", report10)), "GET /acme/tasks/t": is(200, "application/json", task10("COMPLETED", report10))}},
		lines: []string{"send report"}, state: "completed", text: "report",
	},
}

var (
	rpc10    = strings.NewReplacer("$url/rpc", "127.0.0.1:$port", `"JSONRPC"`, `"GRPC"`).Replace(card10)
	rpc03    = strings.NewReplacer("$url/rpc", "127.0.0.1:$port", `"JSONRPC"`, `"GRPC"`).Replace(card03)
	valued   = `,"artifacts":[{"artifactId":"a","parts":[{"data":{"none":null,"one":1,"half":0.5}}],"metadata":{"none":null,"one":1}}]`
	kindless = &pb10.Task{
		Id: "t", ContextId: "c", Status: &pb10.TaskStatus{State: pb10.TaskState_TASK_STATE_COMPLETED},
		Artifacts: []*pb10.Artifact{{ArtifactId: "a", Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: "report"}}}, Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"k": {}}}}},
	}
	rest03   = strings.NewReplacer("$url/rpc", "$url", `"JSONRPC"`, `"HTTP+JSON"`).Replace(card03)
	tenanted = strings.Replace(card10, `"protocolVersion":"1.0"`, `"protocolVersion":"1.0","tenant":"acme"`, 1)
)

func proto03(state string) string {
	return `{"id":"t","context_id":"c","status":{"state":"TASK_STATE_` + state + `"},"artifacts":[{"artifact_id":"a","parts":[{"text":"report"}]}]}`
}

// soon gives confirming up early.
func soon(p *session.Policy) { p.SettleMax = 5 }

// protoOnly takes the message of the 0.3 proto, plainOnly that of the JSON-RPC
// binding.
func protoOnly(c *call) {
	if !strings.Contains(string(c.body), `"content":[`) {
		is(400, "application/json", `{"code":400,"message":"Message has no field named parts"}`)(c)
		return
	}
	is(200, "application/json", `{"task":`+proto03("COMPLETED")+`}`)(c)
}

func plainOnly(c *call) {
	if !strings.Contains(string(c.body), `"parts":[`) {
		is(400, "application/json", `{"detail":[{"loc":["body","message","parts"],"msg":"Field required","type":"missing"}]}`)(c)
		return
	}
	is(200, "application/json", task03("completed", report03))(c)
}

// needsBody refuses a cancel without JSON, as some frameworks do.
func needsBody(c *call) {
	if !strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/json") || string(c.body) == "null" {
		is(415, "application/json", `{"error":"Unsupported Media Type"}`)(c)
		return
	}
	is(200, "application/json", task10("CANCELED"))(c)
}

// restStreaming is a peer over HTTP+JSON that takes subscriptions at one route
// and refuses them at another.
func restStreaming(good, bad string, refusal answer) peer {
	done := is(200, "application/json", task10("COMPLETED", report10))
	return peer{gen: "1.0", card: rest10, on: routes{
		"POST /message:send": silent, "POST /message:stream": streams(`data: {"task":`+task10("WORKING")+"}\n\n", hold),
		"GET /tasks/t": done, bad: refusal,
		good: streams(`data: {"task":`+task10("WORKING")+"}\n\n", `data: {"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"report"}]}}}`+"\n\n",
			`data: {"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`+"\n\n"),
	}}
}
