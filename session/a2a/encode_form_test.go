package a2a

import (
	"strings"
	"testing"
)

// Each form changes what it is for, and nothing else.
func TestForms(t *testing.T) {
	t.Parallel()
	hello := &Message{ID: "m", Role: User, Parts: []Part{{Kind: PartText, Text: "hi"}}}
	for _, c := range []struct {
		name string
		op   Operation
		gen  Generation
		form Form
		want string // method, path, query, media type and body
	}{
		{"usual", OpSend, Gen10, Form{}, `POST /acme/message:send  application/json {"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`},
		{"below /v1", OpSend, Gen10, Form{OtherPrefix: true}, `POST /v1/acme/message:send  application/json {"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`},
		{"without /v1", OpSend, Gen03, Form{OtherPrefix: true}, `POST /message:send  application/json {"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}`},
		{"card without /v1", OpExtendedCard, Gen03, Form{OtherPrefix: true}, `GET /card   `},
		{"as JSON-RPC", OpSend, Gen03, Form{RPCStyle: true}, `POST /v1/message:send  application/json {"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}`},
		{"subscribe", OpSubscribe, Gen10, Form{}, `POST /acme/tasks/t:subscribe  application/json {"tenant":"acme"}`},
		{"subscribe by GET", OpSubscribe, Gen10, Form{Get: true}, `GET /acme/tasks/t:subscribe   `},
		{"tenant inside", OpSend, Gen10, Form{TenantInside: true}, `POST /message:send  application/json {"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`},
		{"tenant in the query", OpGet, Gen10, Form{TenantInside: true}, `GET /tasks/t tenant=acme  `},
		{"tenant in the query of a subscription", OpSubscribe, Gen10, Form{TenantInside: true, Get: true}, `GET /tasks/t:subscribe tenant=acme  `},
		{"media type", OpCancel, Gen10, Form{Media: MediaA2A}, `POST /acme/tasks/t:cancel  application/a2a+json {"tenant":"acme"}`},
		{"no body", OpCancel, Gen10, Form{NoBody: true}, `POST /acme/tasks/t:cancel   `},
		{"no body is for what has nothing to say", OpSend, Gen03, Form{NoBody: true}, `POST /v1/message:send  application/json {"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}`},
	} {
		r, err := Encode(c.op, c.gen, REST, 1, Params{Message: hello, TaskID: "t", Tenant: "acme", Form: c.form})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		media := ""
		for _, h := range r.Header {
			if h[0] == "Content-Type" {
				media = h[1]
			}
		}
		if got := strings.Join([]string{r.HTTPMethod, r.Path, r.Query, media, string(r.Body)}, " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// The messages of gRPC, as ProtoJSON.
func TestEncodeGRPC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   Operation
		gen  Generation
		p    Params
		want string
	}{
		{OpGet, Gen10, Params{TaskID: "t", Tenant: "acme"}, `/lf.a2a.v1.A2AService/GetTask {"tenant":"acme","id":"t"}`},
		{OpGet, Gen03, Params{TaskID: "t"}, `/a2a.v1.A2AService/GetTask {"name":"tasks/t"}`},
		{OpSubscribe, Gen10, Params{TaskID: "t"}, `/lf.a2a.v1.A2AService/SubscribeToTask {"id":"t"}`},
		{OpSubscribe, Gen03, Params{TaskID: "t"}, `/a2a.v1.A2AService/TaskSubscription {"name":"tasks/t"}`},
		{OpList, Gen03, Params{State: Canceled, PageSize: 3}, `/a2a.v1.A2AService/ListTasks {"status":"TASK_STATE_CANCELLED","pageSize":3}`},
		{OpPushDelete, Gen03, Params{TaskID: "t", PushID: "p"}, `/a2a.v1.A2AService/DeleteTaskPushNotificationConfig {"name":"tasks/t/pushNotificationConfigs/p"}`},
		{OpPushList, Gen03, Params{TaskID: "t"}, `/a2a.v1.A2AService/ListTaskPushNotificationConfig {"parent":"tasks/t"}`},
		{OpExtendedCard, Gen03, Params{}, `/a2a.v1.A2AService/GetAgentCard {}`},
		{OpExtendedCard, Gen10, Params{}, `/lf.a2a.v1.A2AService/GetExtendedAgentCard {}`},
		{OpRaw, Gen10, Params{Method: "GetTask"}, `/lf.a2a.v1.A2AService/GetTask {}`},
		{OpRaw, Gen10, Params{Method: "a.B/C", Body: []byte(`{"x":1}`)}, `/a.B/C {"x":1}`},
		{OpSend, Gen03, Params{Message: &Message{ID: "m", Role: User, Parts: []Part{{Kind: PartBytes, Bytes: []byte{1}, Filename: "f", MediaType: "x/y"}}}}, `/a2a.v1.A2AService/SendMessage {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"file":{"name":"f","mimeType":"x/y","fileWithBytes":"AQ=="}}]}}`},
	} {
		r, err := Encode(c.op, c.gen, GRPC, 1, c.p)
		if err != nil || r.Path+" "+string(r.Body) != c.want || r.Header[0] != [2]string{"a2a-version", string(c.gen)} {
			t.Errorf("%s %s: %s %s %v, %v\nwant %s", c.op, c.gen, r.Path, r.Body, r.Header, err, c.want)
		}
	}
}

// A subscription that the route of get took is a missing route.
func TestSubscribeRouteMissing(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found: T:subscribe","details":[{"reason":"TASK_NOT_FOUND"}]}}`)
	for op, want := range map[Operation]ErrorName{OpSubscribe: ErrMethodNotFound, OpGet: ErrTaskNotFound} {
		if p := Decode(Input{Raw: raw, Op: op, HTTPStatus: 404}); p.Error == nil || p.Error.Name != want {
			t.Errorf("%s: %+v, want %s", op, p.Error, want)
		}
	}
}
