package rule_test

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// pushedTask begins a task whose callbacks come to us, and says how it went on.
func pushedTask(s *scribe) {
	s.do("push on")
	s.answers(s.ask("send --immediate hello"), "task working")
}

// settledViewTales hold lists and callbacks against reads.
var settledViewTales = []tale{
	{rule: "views.listed", name: "two lists show it working", gen: a2a.Gen10, says: "major", tell: func(s *scribe) []uint64 {
		settledTask(s)
		read := s.state.TaskN(1).Last().Reads[0].Answer
		once := s.answers(s.ask("list"), "list T1:working")
		return is(read, once, s.answers(s.next(), "list T1:working"))
	}},
	{rule: "views.listed", name: "two lists show it failed", gen: a2a.Gen10, says: "major", tell: func(s *scribe) []uint64 {
		settledTask(s)
		s.answers(s.ask("list"), "list T1:failed")
		s.answers(s.next(), "list T1:failed")
		return nil
	}},
	{rule: "views.listed", name: "a list that was late", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		settledTask(s)
		s.answers(s.ask("list"), "list T1:working")
		s.answers(s.next(), "list T1:completed")
		s.answers(s.ask("list"), "list T1:working")
		return nil
	}},
	{rule: "views.listed", name: "the lists came by another way than the reads", gen: a2a.Gen10, plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.do("interface 2")
		const late = `body:{"tasks":[{"id":"T1","contextId":"C1","status":{"state":"TASK_STATE_WORKING"}}],"nextPageToken":"","pageSize":50,"totalSize":1}`
		s.answers(s.ask("list"), late)
		s.answers(s.ask("list"), late)
		return nil
	}},
	{rule: "views.listed", name: "it was asked for before the end was seen", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send --immediate hello"), "task working")
		x, y := s.ask("list"), s.ask("list")
		s.get("task completed r=done")
		s.settles("task completed r=done")
		s.answers(x, "list T1:working")
		s.answers(y, "list T1:working")
		return nil
	}},
	{rule: "views.listed", name: "the task is not over", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send --immediate hello"), "task working")
		s.get("task working")
		s.answers(s.ask("list"), "list T1:submitted")
		s.answers(s.ask("list"), "list T1:submitted")
		return nil
	}},
	{rule: "views.listed", name: "another task", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		settledTask(s)
		s.answers(s.ask("list"), "list T9:working")
		s.answers(s.ask("list"), "list T9:working")
		return nil
	}},
	{rule: "views.listed", name: "a state that we do not know is no state", gen: a2a.Gen10, tell: func(s *scribe) []uint64 {
		settledTask(s)
		s.answers(s.ask("list"), "list T1:unspecified")
		s.answers(s.ask("list"), "list T1:unspecified")
		return nil
	}},
	{rule: "views.pushed", name: "a callback tells another end", says: "major", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		s.get("task completed r=done")
		s.settles("task completed r=done")
		read := lastRead(s)
		return is(s.calls("task failed", true), read)
	}},
	{rule: "views.pushed", name: "it came before the reads", says: "major", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		push := s.calls("task failed", true)
		s.get("task completed r=done")
		s.settles("task completed r=done")
		return is(push, lastRead(s))
	}},
	{rule: "views.pushed", name: "a callback that comes late", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		s.get("task completed r=done")
		s.settles("task completed r=done")
		s.calls("task working", true)
		s.calls("task completed", true)
		s.calls("task working", true)
		return nil
	}},
	{rule: "views.pushed", name: "anybody could have sent it", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		s.get("task completed r=done")
		s.settles("task completed r=done")
		s.calls("task failed", false)
		return nil
	}},
	{rule: "views.pushed", name: "it names another task", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		s.get("task completed r=done")
		s.settles("task completed r=done")
		s.calls("task failed #T9", true)
		return nil
	}},
	{rule: "views.pushed", name: "one read says otherwise", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		s.calls("task failed", true)
		s.get("task completed r=done")
		s.get("task failed")
		s.settles("task failed")
		return nil
	}, also: []session.Claim{session.TerminalFinal}},
	{rule: "views.pushed", name: "a cancel is judged elsewhere", tell: func(s *scribe) []uint64 {
		pushedTask(s)
		s.answers(s.ask("cancel"), "task working")
		s.calls("task canceled", true)
		s.get("task completed r=done")
		s.settles("task completed r=done")
		return nil
	}},
}
