package fieldcases

import (
	"encoding/binary"
	"net/http"
	"strconv"
	"strings"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The services of gRPC, as they stand in the paths of calls.
const (
	service03 = "a2a.v1.A2AService"
	service10 = "lf.a2a.v1.A2AService"
)

// rpcAnswers are peers of both services with a finished task.
var (
	rpcAnswers10 = routes{"send": rpcSays(sent10("COMPLETED", report10)), "get": rpcSays(task10("COMPLETED", report10))}
	rpcAnswers03 = routes{"send": rpcSays(`{"task":` + proto03("COMPLETED") + `}`), "get": rpcSays(proto03("COMPLETED"))}
)

// rpcNames are the short keys of the peers whose gen is "grpc 0.3" or "grpc
// 1.0": they serve gRPC at the very address that their card is at.
func rpcNames(service, subscribe, card string) map[string]string {
	out := map[string]string{}
	for key, name := range map[string]string{
		"send": "SendMessage", "stream": "SendStreamingMessage", "get": "GetTask", "cancel": "CancelTask", "subscribe": subscribe, "extended-card": card,
	} {
		out[key] = "POST /" + service + "/" + name
	}
	return out
}

// rpcCall reports whether a request is a call of gRPC.
func rpcCall(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// rpcSays answers a call with messages, written as ProtoJSON.
func rpcSays(docs ...string) answer {
	return func(c *call) {
		var messages []proto.Message
		for _, doc := range docs {
			m := answerOf(c.r.URL.Path)
			if err := protojson.Unmarshal([]byte(c.fill(doc)), m); err != nil {
				panic(err)
			}
			messages = append(messages, m)
		}
		rpcSends(messages...)(c)
	}
}

// answerOf is an empty message of the type that a method answers with.
func answerOf(path string) proto.Message {
	service, method, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		panic(err)
	}
	out := d.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method)).Output()
	t, err := protoregistry.GlobalTypes.FindMessageByName(out.FullName())
	if err != nil {
		panic(err)
	}
	return t.New().Interface()
}

// rpcSends answers a call with messages.
func rpcSends(messages ...proto.Message) answer {
	return func(c *call) {
		c.rpcHead()
		for _, m := range messages {
			raw, err := proto.Marshal(m)
			if err != nil {
				panic(err)
			}
			_, _ = c.w.Write(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(raw))), raw...))
			c.flush()
		}
		c.rpcEnd(codes.OK, "")
	}
}

// rpcRefuses answers a call with a status and nothing else.
func rpcRefuses(code codes.Code, message string) answer {
	return func(c *call) {
		c.rpcHead()
		c.rpcEnd(code, message)
	}
}

func (c *call) rpcHead() {
	c.w.Header().Set("Content-Type", "application/grpc")
	c.w.WriteHeader(200)
	c.flush()
}

func (c *call) rpcEnd(code codes.Code, message string) {
	c.w.Header().Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(int(code)))
	if message != "" {
		c.w.Header().Set(http.TrailerPrefix+"Grpc-Message", message)
	}
}

// rpcStillHere answers the last message of every case.
func rpcStillHere(c *call) {
	if strings.HasPrefix(c.r.URL.Path, "/"+service03) {
		rpcSends(&pb03.SendMessageResponse{Payload: &pb03.SendMessageResponse_Msg{Msg: &pb03.Message{
			MessageId: "m-after", Role: pb03.Role_ROLE_AGENT, Parts: []*pb03.Part{{Part: &pb03.Part_Text{Text: "still here"}}},
		}}})(c)
		return
	}
	rpcSends(&pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Message{Message: &pb10.Message{
		MessageId: "m-after", Role: pb10.Role_ROLE_AGENT, Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: "still here"}}},
	}}})(c)
}
