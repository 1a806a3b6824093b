package grpcwire

import (
	"encoding/base64"
	"encoding/json"

	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // registers the usual details
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// httpStatus is the HTTP status that stands for a gRPC status, as
// google.rpc.Code has it.
var httpStatus = map[codes.Code]int{
	codes.OK: 200, codes.Canceled: 499, codes.Unknown: 500, codes.InvalidArgument: 400, codes.DeadlineExceeded: 504,
	codes.NotFound: 404, codes.AlreadyExists: 409, codes.PermissionDenied: 403, codes.Unauthenticated: 401,
	codes.ResourceExhausted: 429, codes.FailedPrecondition: 400, codes.Aborted: 409, codes.OutOfRange: 400,
	codes.Unimplemented: 501, codes.Internal: 500, codes.Unavailable: 503, codes.DataLoss: 500,
}

// statusNames spells the codes as google.rpc.Code does.
var statusNames = map[codes.Code]string{
	codes.Canceled: "CANCELLED", codes.Unknown: "UNKNOWN", codes.InvalidArgument: "INVALID_ARGUMENT",
	codes.DeadlineExceeded: "DEADLINE_EXCEEDED", codes.NotFound: "NOT_FOUND", codes.AlreadyExists: "ALREADY_EXISTS",
	codes.PermissionDenied: "PERMISSION_DENIED", codes.Unauthenticated: "UNAUTHENTICATED",
	codes.ResourceExhausted: "RESOURCE_EXHAUSTED", codes.FailedPrecondition: "FAILED_PRECONDITION",
	codes.Aborted: "ABORTED", codes.OutOfRange: "OUT_OF_RANGE", codes.Unimplemented: "UNIMPLEMENTED",
	codes.Internal: "INTERNAL", codes.Unavailable: "UNAVAILABLE", codes.DataLoss: "DATA_LOSS",
}

// maxDetails bounds the details of one error that are written.
const maxDetails = 32

// Error writes a status that is not OK in the JSON form that the HTTP+JSON
// binding gives the same error, and returns the HTTP status that stands for
// it.
func Error(st *status.Status) (doc []byte, http int) {
	http, ok := httpStatus[st.Code()]
	if !ok {
		http = 500
	}
	e := problem{Code: http, Status: statusNames[st.Code()], Message: st.Message()}
	if e.Status == "" {
		e.Status = "UNKNOWN"
	}
	for i, d := range st.Proto().GetDetails() {
		if i == maxDetails {
			break
		}
		e.Details = append(e.Details, detail(d))
	}
	doc, err := json.Marshal(map[string]problem{"error": e})
	if err != nil { // a detail that is no JSON cannot come out of detail
		doc = []byte(`{"error":{}}`)
	}
	return doc, http
}

// problem is an error of the HTTP+JSON binding.
type problem struct {
	Code    int               `json:"code"`
	Status  string            `json:"status"`
	Message string            `json:"message"`
	Details []json.RawMessage `json:"details,omitempty"`
}

// detail is one detail as JSON; one whose type is not known, or that cannot be
// read, is its bytes.
func detail(d *anypb.Any) json.RawMessage {
	if doc, err := compact(protojson.Marshal(d)); err == nil {
		return doc
	}
	doc, err := json.Marshal(map[string]string{"@type": d.GetTypeUrl(), "value": base64.StdEncoding.EncodeToString(d.GetValue())})
	if err != nil {
		return json.RawMessage("null")
	}
	return doc
}

// StatusBytes is the status as it stands in grpc-status-details-bin; nil when
// it has no details.
func StatusBytes(st *status.Status) []byte {
	if len(st.Proto().GetDetails()) == 0 {
		return nil
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(st.Proto())
	if err != nil {
		return nil
	}
	return raw
}
