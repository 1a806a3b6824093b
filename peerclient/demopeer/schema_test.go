package demopeer

import (
	"encoding/json"
	"slices"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// unlike are the peers that are left out: what they write is no 1.0, never
// comes, never ends, or breaks off.
var unlike = []string{
	"html-card", "wrong-version", "silent-stream", "stalled-stream", "lingering-stream", "restarts", "stuck-submitted", "stuck-working",
	"two-contents", "twice-named", "broken-event", "loose-dialect", "slow-silent",
}

// TestMessagesMatchTheSchema reads what a peer writes in 1.0 with the
// specification's own protobuf schema, which refuses unknown members.
func TestMessagesMatchTheSchema(t *testing.T) {
	t.Parallel()
	for _, sc := range Scenarios() {
		if slices.Contains(unlike, sc.Name) {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, sc.Name+"@1.0")
			check(t, c.card().raw, &pb.AgentCard{})
			sent := c.send("ask", "")
			check(t, result(t, sent), &pb.SendMessageResponse{})
			if a := c.get(sent.taskID()); a.code() == 0 {
				check(t, result(t, a), &pb.Task{})
			}
			check(t, result(t, c.call("ListTasks", `{"includeArtifacts":true}`)), &pb.ListTasksResponse{})
			if sc.Name == "no-stream" {
				return
			}
			for _, words := range []string{"task report", "slow 3", "fail", "echo hello"} {
				s := c.stream(words, "")
				s.rest()
				for _, e := range s.events {
					check(t, result(t, e), &pb.StreamResponse{})
				}
			}
		})
	}
}

func result(t *testing.T, a answer) string {
	t.Helper()
	var env struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(a.raw), &env); err != nil || env.Result == nil {
		t.Fatalf("no result in %s", a.raw)
	}
	return string(env.Result)
}

func check(t *testing.T, text string, into proto.Message) {
	t.Helper()
	if err := protojson.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
