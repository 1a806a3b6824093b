package rule_test

import (
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// twoDoors begins with a card that declares HTTP+JSON beside JSON-RPC, and a
// task that is completed and confirmed.
func twoDoors(s *scribe) {
	s.discover(doors(s.gen))
	settledTask(s)
}

// restError is an A2A error as HTTP+JSON has it.
func restError(s *scribe, code, reason string) string {
	if s.gen == a2a.Gen10 {
		return `http=400 body:{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"a2a-protocol.org"}]}}`
	}
	return `http=400 body:{"code":` + code + `,"message":"no"}`
}

// lastRead is the answer to the last read through the interface in use.
func lastRead(s *scribe) uint64 {
	a := s.state.TaskN(1).Last()
	return a.Reads[len(a.Reads)-1].Answer
}

// tooLate cancels the finished task through the interface in use.
func tooLate(s *scribe) uint64 { return s.answers(s.ask("cancel"), "error -32002 it is over") }

const cancelElsewhere = "cancel --on 2"

var bindingTales = []tale{
	{rule: "bindings.differ", name: "another state, twice", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		read := lastRead(s)
		once := s.answers(s.ask(otherDoor), "body:"+bareTask(s, "working"))
		return is(read, once, s.answers(s.next(), "body:"+bareTask(s, "working")))
	}},
	{rule: "bindings.differ", name: "other artifacts, twice", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "completed"))
		s.answers(s.next(), "body:"+bareTask(s, "completed"))
		return nil
	}},
	{rule: "bindings.differ", name: "a replica that was late", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		s.answers(s.ask("send hello"), "task completed")
		s.settles("task completed")
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "working"))
		s.answers(s.next(), "body:"+bareTask(s, "completed"))
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "working"))
		return nil
	}},
	{rule: "bindings.differ", name: "not found, and found again", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		missed := s.answers(s.ask(otherDoor), restError(s, "-32001", "TASK_NOT_FOUND"))
		return is(missed, s.answers(s.next(), "task completed r=done"))
	}},
	{rule: "bindings.differ", name: "purged meanwhile", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.answers(s.ask(otherDoor), restError(s, "-32001", "TASK_NOT_FOUND"))
		s.answers(s.next(), "error -32001 no task")
		return nil
	}},
	{rule: "bindings.differ", name: "nothing goes by that path", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.answers(s.ask(otherDoor), "http=503 body:later")
		return nil
	}},
	{rule: "bindings.differ", name: "another tenant", gen: a2a.Gen10, plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			doors(s.gen)(k)
			k.interfaces = strings.Replace(k.interfaces, `"protocolBinding":"HTTP+JSON"`, `"tenant":"acme","protocolBinding":"HTTP+JSON"`, 1)
		})
		settledTask(s)
		s.answers(s.ask(otherDoor), restError(s, "-32001", "TASK_NOT_FOUND"))
		s.get("task completed r=done")
		return nil
	}},
	{rule: "bindings.differ", name: "our credentials were kept from it", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.kept = "bearer $TOKEN"
		x := s.ask(otherDoor)
		s.kept = ""
		s.answers(x, restError(s, "-32001", "TASK_NOT_FOUND"))
		s.get("task completed r=done")
		return nil
	}},
	{rule: "bindings.differ", name: "the task was not over", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		s.answers(s.ask("send --immediate hello"), "task working")
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "completed"))
		return nil
	}},
	{rule: "bindings.late", name: "one read differs", says: "inconclusive", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		read := lastRead(s)
		return is(read, s.answers(s.ask(otherDoor), "body:"+bareTask(s, "working")))
	}},
	{rule: "bindings.late", name: "none does", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		s.answers(s.ask("send hello"), "task completed")
		s.settles("task completed")
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "completed"))
		return nil
	}},
	{rule: "bindings.error", name: "another error of A2A's own", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		late := tooLate(s)
		return is(late, s.answers(s.ask(cancelElsewhere), restError(s, "-32004", "UNSUPPORTED_OPERATION")))
	}},
	{rule: "bindings.error", name: "the task is not found by it alone", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		late := tooLate(s)
		missed := s.answers(s.ask(cancelElsewhere), restError(s, "-32001", "TASK_NOT_FOUND"))
		return is(late, missed, s.answers(s.next(), "task completed r=done"))
	}},
	{rule: "bindings.error", name: "the task as it is, in place of the error", says: "minor", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		late := tooLate(s)
		return is(late, s.answers(s.ask(cancelElsewhere), "body:"+bareTask(s, "completed")))
	}},
	{rule: "bindings.error", name: "the same error", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		tooLate(s)
		s.answers(s.ask(cancelElsewhere), restError(s, "-32002", "TASK_NOT_CANCELABLE"))
		return nil
	}},
	{rule: "bindings.error", name: "purged meanwhile", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		tooLate(s)
		s.answers(s.ask(cancelElsewhere), restError(s, "-32001", "TASK_NOT_FOUND"))
		s.answers(s.next(), "error -32001 no task")
		return nil
	}},
	{rule: "bindings.error", name: "a status that several errors share", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		tooLate(s)
		s.answers(s.ask(cancelElsewhere), `http=400 body:{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no"}}`)
		return nil
	}},
	{rule: "bindings.error", name: "the status of 1.0.0", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		tooLate(s)
		s.answers(s.ask(cancelElsewhere), `http=409 body:{"error":{"code":409,"status":"ABORTED","message":"no"}}`)
		return nil
	}},
	{rule: "bindings.error", name: "words that could mean another error", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		tooLate(s)
		s.answers(s.ask(cancelElsewhere), `http=400 body:{"message":"this operation is not supported for a completed task"}`)
		return nil
	}},
	{rule: "bindings.error", name: "trouble", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		tooLate(s)
		s.answers(s.ask(cancelElsewhere), "http=503 body:later")
		return nil
	}},
	{rule: "bindings.error", name: "both take a late cancel for done", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.answers(s.ask("cancel"), "task completed r=done")
		s.answers(s.ask(cancelElsewhere), "body:"+bareTask(s, "completed"))
		return nil
	}},
	{rule: "bindings.agree", name: "the same state", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		s.answers(s.ask("send hello"), "task completed")
		s.settles("task completed")
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "completed"))
		return nil
	}},
	{rule: "bindings.agree", name: "the same error", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		late := tooLate(s)
		return is(late, s.answers(s.ask(cancelElsewhere), restError(s, "-32002", "TASK_NOT_CANCELABLE")))
	}},
	{rule: "bindings.agree", name: "another state", also: []session.Claim{session.BindingsAgree}, plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.answers(s.ask(otherDoor), "body:"+bareTask(s, "working"))
		s.answers(s.next(), "body:"+bareTask(s, "working"))
		return nil
	}},
}
