// Package peerclient puts requests on the wire with one peer and reports what
// comes back, byte for byte. It implements session.Peer for the JSON-RPC,
// HTTP+JSON and gRPC bindings.
//
// For the first two it speaks HTTP/1.1 by itself, for one reason: a request is
// recorded before its first byte is written, so the bytes are fixed first and
// then written as they are. net/http parses heads and undoes transfer codings;
// its Transport, which reorders headers, follows redirects and repeats
// requests on broken connections, has no part in it. Nothing here retries,
// follows or repairs: each of those is an exchange of its own, asked for by
// the runner.
//
// What is recorded of an answer: the head exactly as it came, and the body
// after transfer coding and before content coding. Event streams are the one
// exception to the latter: a frame is a unit of the decoded text and has no
// bytes of its own in a gzip stream, so frames of an encoded stream hold the
// decoded bytes, Responded.Encoding names the coding, and Framed.Flags says so
// ("gzip"). Interim answers (1xx) are read and left out.
//
// gRPC goes through google.golang.org/grpc, over connections that this package
// makes and the library cannot make anew: it repeats nothing, and follows no
// service configuration. What is recorded of a call are the protobuf bytes of
// every message, with their ProtoJSON beside them; the heads are metadata
// rendered as text, trailers behind the rest, because HTTP/2 has no text of its
// own. Responded.Status is then the HTTP status that stands for the gRPC
// status.
package peerclient
