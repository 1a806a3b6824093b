// Package demopeer embeds small scripted A2A agents that speak real HTTP on
// loopback: one honest agent, and one for each way in which an agent can
// behave differently from what its card, or the protocol, promises.
//
// It is meant to be read. The engine (task.go, script.go, server.go) is an
// agent that follows the specification to the letter. Every liar is that same
// engine plus a few lines: look for the scenario's name in one of the files
//
//	lies_cancel.go   what "canceled" is worth
//	lies_stream.go   what a declared stream brings, and when it ends
//	lies_resume.go   what becomes of a task that waits for an answer
//	lies_settle.go   what a finished task is worth
//	lies_card.go     what the card says, and where it points
//	lies_wire.go     what the bytes are worth
//	lies_push.go     what becomes of webhooks
//
// The bytes on the wire are written literally (wire10.go, wire03.go) and never
// through the decoding code of this program: if both ends shared a misreading
// of the specification, every test between them would still pass.
package demopeer
