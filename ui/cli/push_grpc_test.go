package cli_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// hooksGRPC serves the agent over gRPC, and its card over HTTP.
func hooksGRPC(t *testing.T, h *hooks, gen string) string {
	host := serveRPC(t, func(s *grpc.Server, _ string) {
		if gen == "1.0" {
			pb10.RegisterA2AServiceServer(s, &hooks10{h: h})
		} else {
			pb03.RegisterA2AServiceServer(s, &hooks03{h: h})
		}
	})
	return served(t, http.NotFound, func(string) string { return hookCard(gen, "GRPC", host) })
}

var errNoHook = status.Error(codes.NotFound, "no such configuration")

// hooks10 speaks 1.0.
type hooks10 struct {
	pb10.UnimplementedA2AServiceServer
	h *hooks
}

func task10(state string) *pb10.Task {
	return &pb10.Task{Id: "T", ContextId: "C", Status: &pb10.TaskStatus{State: pb10.TaskState(pb10.TaskState_value["TASK_STATE_"+strings.ToUpper(state)])}}
}

func (w webhook) proto10() *pb10.TaskPushNotificationConfig {
	return &pb10.TaskPushNotificationConfig{TaskId: "T", Id: w.id, Url: w.url, Token: w.token, Authentication: &pb10.AuthenticationInfo{Scheme: w.scheme, Credentials: w.credentials}}
}

func (p *hooks10) SendMessage(context.Context, *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
	return &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Task{Task: task10("working")}}, nil
}

func (p *hooks10) GetTask(context.Context, *pb10.GetTaskRequest) (*pb10.Task, error) {
	return task10(p.h.state()), nil
}

func (p *hooks10) CreateTaskPushNotificationConfig(_ context.Context, c *pb10.TaskPushNotificationConfig) (*pb10.TaskPushNotificationConfig, error) {
	a := c.GetAuthentication()
	p.h.set(c.GetTaskId(), webhook{c.GetId(), c.GetUrl(), c.GetToken(), a.GetScheme(), a.GetCredentials()})
	return c, nil
}

func (p *hooks10) GetTaskPushNotificationConfig(_ context.Context, r *pb10.GetTaskPushNotificationConfigRequest) (*pb10.TaskPushNotificationConfig, error) {
	if w, ok := p.h.get(r.GetTaskId(), r.GetId()); ok {
		return w.proto10(), nil
	}
	return nil, errNoHook
}

func (p *hooks10) ListTaskPushNotificationConfigs(_ context.Context, r *pb10.ListTaskPushNotificationConfigsRequest) (*pb10.ListTaskPushNotificationConfigsResponse, error) {
	out := &pb10.ListTaskPushNotificationConfigsResponse{}
	for _, w := range p.h.list(r.GetTaskId()) {
		out.Configs = append(out.Configs, w.proto10())
	}
	return out, nil
}

func (p *hooks10) DeleteTaskPushNotificationConfig(_ context.Context, r *pb10.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	p.h.remove(r.GetTaskId(), r.GetId())
	return &emptypb.Empty{}, nil
}

// hooks03 speaks 0.3, where all is named by resource.
type hooks03 struct {
	pb03.UnimplementedA2AServiceServer
	h *hooks
}

func task03(state string) *pb03.Task {
	return &pb03.Task{Id: "T", ContextId: "C", Status: &pb03.TaskStatus{State: pb03.TaskState(pb03.TaskState_value["TASK_STATE_"+strings.ToUpper(state)])}}
}

// resource reads tasks/T/pushNotificationConfigs/ID, or tasks/T.
func resource(name string) (task, id string) {
	task, id, _ = strings.Cut(strings.TrimPrefix(name, "tasks/"), "/pushNotificationConfigs/")
	return task, id
}

func (w webhook) proto03() *pb03.TaskPushNotificationConfig {
	return &pb03.TaskPushNotificationConfig{Name: "tasks/T/pushNotificationConfigs/" + w.id, PushNotificationConfig: &pb03.PushNotificationConfig{
		Id: w.id, Url: w.url, Token: w.token, Authentication: &pb03.AuthenticationInfo{Schemes: []string{w.scheme}, Credentials: w.credentials},
	}}
}

func (p *hooks03) SendMessage(context.Context, *pb03.SendMessageRequest) (*pb03.SendMessageResponse, error) {
	return &pb03.SendMessageResponse{Payload: &pb03.SendMessageResponse_Task{Task: task03("working")}}, nil
}

func (p *hooks03) GetTask(context.Context, *pb03.GetTaskRequest) (*pb03.Task, error) {
	return task03(p.h.state()), nil
}

func (p *hooks03) CreateTaskPushNotificationConfig(_ context.Context, r *pb03.CreateTaskPushNotificationConfigRequest) (*pb03.TaskPushNotificationConfig, error) {
	c := r.GetConfig().GetPushNotificationConfig()
	task, _ := resource(r.GetParent())
	if named, id := resource(r.GetConfig().GetName()); named != task || id != c.GetId() || r.GetConfigId() != id {
		p.h.t.Errorf("set came as %v", r)
	}
	a := c.GetAuthentication()
	p.h.set(task, webhook{c.GetId(), c.GetUrl(), c.GetToken(), strings.Join(a.GetSchemes(), ","), a.GetCredentials()})
	return r.GetConfig(), nil
}

func (p *hooks03) GetTaskPushNotificationConfig(_ context.Context, r *pb03.GetTaskPushNotificationConfigRequest) (*pb03.TaskPushNotificationConfig, error) {
	if w, ok := p.h.get(resource(r.GetName())); ok {
		return w.proto03(), nil
	}
	return nil, errNoHook
}

func (p *hooks03) ListTaskPushNotificationConfig(_ context.Context, r *pb03.ListTaskPushNotificationConfigRequest) (*pb03.ListTaskPushNotificationConfigResponse, error) {
	task, _ := resource(r.GetParent())
	out := &pb03.ListTaskPushNotificationConfigResponse{}
	for _, w := range p.h.list(task) {
		out.Configs = append(out.Configs, w.proto03())
	}
	return out, nil
}

func (p *hooks03) DeleteTaskPushNotificationConfig(_ context.Context, r *pb03.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	p.h.remove(resource(r.GetName()))
	return &emptypb.Empty{}, nil
}
