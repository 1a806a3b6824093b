package peerclient

import (
	"bytes"
	"context"
	"sync"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A long message tells how much of it has left, over gRPC as over HTTP: never
// backwards, never more than there is, and all of it in the end.
func TestRPCUploadIsTold(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	took := 0
	addr := serve10(t, &agent10{send: func(_ context.Context, r *pb10.SendMessageRequest) (*pb10.SendMessageResponse, error) {
		took = len(r.GetMessage().GetParts()[0].GetRaw())
		return &pb10.SendMessageResponse{Payload: &pb10.SendMessageResponse_Task{Task: task10("t-1", pb10.TaskState_TASK_STATE_COMPLETED)}}, nil
	}}, grpc.MaxRecvMsgSize(2*size))
	cl := rpcCall(a2a.OpSend, addr)
	cl.Params.Message.Parts = []a2a.Part{{Kind: a2a.PartBytes, Bytes: bytes.Repeat([]byte{7}, size), MediaType: "application/octet-stream"}}
	c := newClient(t, Options{})
	p, err := c.Prepare(cl)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said []int
	p.Wrote = func(n int) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, n)
	}
	answered := false
	if err := c.Do(t.Context(), p, func(a session.Arrival) { answered = answered || a.Response != nil }); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !answered || took != size {
		t.Fatalf("answered %t, %d bytes were taken", answered, took)
	}
	between := 0
	for i, n := range said {
		if n > len(p.Raw) || i > 0 && n < said[i-1] {
			t.Fatalf("%d of %d after %v", n, len(p.Raw), said[:i])
		}
		if n > len(p.Raw)/10 && n < len(p.Raw)*9/10 {
			between++
		}
	}
	if between == 0 || said[len(said)-1] != len(p.Raw) {
		t.Errorf("it says %d times something in between, and ends at %v of %d", between, said[max(0, len(said)-3):], len(p.Raw))
	}
}
