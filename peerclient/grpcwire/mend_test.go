package grpcwire

import (
	"math"
	"slices"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A value that JSON has no form for does not take its message away.
func TestAnswerMends(t *testing.T) {
	t.Parallel()
	m, err := Find("/lf.a2a.v1.A2AService/GetTask")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(&pb10.Task{
		Id: "t", Status: &pb10.TaskStatus{State: pb10.TaskState_TASK_STATE_WORKING, Timestamp: &timestamppb.Timestamp{Seconds: math.MaxInt64}},
		Artifacts: []*pb10.Artifact{{ArtifactId: "a", Parts: []*pb10.Part{{Content: &pb10.Part_Data{Data: structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{
			structpb.NewNumberValue(1), {}, structpb.NewNumberValue(math.Inf(-1)),
		}})}}}}},
		Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{
			"b": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"c": {}}}), "a": {},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, odd, err := m.Answer(raw)
	want := `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a","parts":[{"data":[1,null,"-Inf"]}]}],"metadata":{"a":null,"b":{"c":null}}}`
	if err != nil || string(doc) != want {
		t.Errorf("%v\n%s\n%s", err, doc, want)
	}
	told := []string{
		"status.timestamp is no time: 9223372036854775807 s and 0 ns; left out",
		"artifacts[0].parts[0].data[1] is a value of no kind; written as null",
		"artifacts[0].parts[0].data[2] is a number that JSON has not: -Inf; written as a text",
		"metadata.a is a value of no kind; written as null",
		"metadata.b.c is a value of no kind; written as null",
	}
	if !slices.Equal(odd, told) {
		t.Errorf("%q", odd)
	}
}
