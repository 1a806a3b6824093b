package demopeer

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

// official connects the official Go client to a peer, by its card alone.
func official(t *testing.T, c *raw) *a2aclient.Client {
	t.Helper()
	resolver := agentcard.NewResolver(nil)
	resolver.CardParser = a2av0.NewAgentCardParser()
	card, err := resolver.Resolve(t.Context(), c.peer.URL())
	if err != nil {
		t.Fatal(err)
	}
	client, err := a2aclient.NewFromCard(t.Context(), card,
		a2aclient.WithCompatTransport(a2av0.Version, a2a.TransportProtocolJSONRPC, a2av0.NewJSONRPCTransportFactory(a2av0.JSONRPCTransportConfig{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Destroy() })
	return client
}

func userSays(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

func TestOfficialClientUnderstandsThePeer(t *testing.T) {
	t.Parallel()
	both(t, "honest", func(t *testing.T, c *raw) {
		client := official(t, c)
		ctx := t.Context()

		reply, err := client.SendMessage(ctx, userSays("echo hello"))
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := reply.(*a2a.Message); !ok || m.Parts[0].Text() != "hello" {
			t.Fatalf("echo: %#v", reply)
		}

		var story []string
		var id a2a.TaskID
		for event, err := range client.SendStreamingMessage(ctx, userSays("ask")) {
			if err != nil {
				t.Fatal(err)
			}
			id = event.TaskInfo().TaskID
			switch e := event.(type) {
			case *a2a.Task:
				story = append(story, string(e.Status.State))
			case *a2a.TaskStatusUpdateEvent:
				story = append(story, string(e.Status.State))
			}
		}
		want(t, "the question", strings.Join(story, " "), "TASK_STATE_SUBMITTED TASK_STATE_WORKING TASK_STATE_INPUT_REQUIRED")

		answer := a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: id}, a2a.NewTextPart("Ada"))
		done, err := client.SendMessage(ctx, &a2a.SendMessageRequest{Message: answer})
		if err != nil {
			t.Fatal(err)
		}
		task, ok := done.(*a2a.Task)
		if !ok || task.ID != id || task.Status.State != a2a.TaskStateCompleted || task.Artifacts[0].Parts[0].Text() != "You answered: Ada" {
			t.Fatalf("the answer: %#v", done)
		}
		if _, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: "nobody"}); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Fatalf("an unknown task: %v", err)
		}
		if _, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
			t.Fatalf("a late cancel: %v", err)
		}
	})
}
