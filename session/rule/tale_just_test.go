package rule_test

import (
	"fmt"
	"time"

	"a2ascope/session"
)

// justTales are of honest peers: what the operator, another door or the
// specification's leave explains is held against nobody.
var justTales = []tale{
	{rule: "resubscribe.refused", name: "a second stream beside an open one need not be served", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.stream("stream slow 9", "task submitted", "working")
		s.answers(s.ask("resubscribe"), "error -32004 one stream at a time")
		s.answers(s.next(), "task working")
		return nil
	}},
	{rule: "resubscribe.refused", name: "the stream before it was closed", says: "major", tell: func(s *scribe) []uint64 {
		x := s.stream("stream slow 9", "task submitted", "working")
		s.ends(x, session.ClosedDetached)
		s.answers(s.ask("resubscribe"), "error -32004 no")
		return is(s.answers(s.next(), "task working"))
	}},
	{rule: "durable.lost", name: "another caller asks", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.do("auth bearer $OTHER")
		s.with = "bearer $OTHER"
		s.get(gone)
		s.wait(3 * time.Second)
		s.get(gone)
		return nil
	}},
	{rule: "durable.lost", name: "another tenant is named by a header", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.do(`header "X-Tenant: blue"`)
		s.get(gone)
		s.wait(3 * time.Second)
		s.get(gone)
		return nil
	}},
	{rule: "durable.lost", name: "the operator went to another address", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.do("endpoint http://peer.example/other")
		s.get(gone)
		s.wait(3 * time.Second)
		s.get(gone)
		return nil
	}},
	{rule: "completed.drifts", name: "another binding tells fewer artifacts", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.do("interface 2")
		s.get("body:" + bareTask(s, "completed"))
		return nil
	}},
	{rule: "terminal.left", name: "another binding tells another state", plain: true, tell: func(s *scribe) []uint64 {
		twoDoors(s)
		s.do("interface 2")
		s.get("body:" + bareTask(s, "working"))
		return nil
	}},
	{rule: "cancel.left", name: "another binding tells another state", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.get("task canceled")
		s.get("task canceled")
		s.do("interface 2")
		s.get("body:" + bareTask(s, "working"))
		return nil
	}},
	{rule: "wire.other-id", name: "the id came back as a number with a fraction", tell: func(s *scribe) []uint64 {
		x := s.ask("send hello")
		s.answers(x, fmt.Sprintf("id=%d.0 task completed", s.state.Exchanges[x-1].RPCID))
		return nil
	}},
	{rule: "wire.other-id", name: "a fraction that is none of it", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send hello")
		s.answers(x, fmt.Sprintf("id=%d.5 task completed", s.state.Exchanges[x-1].RPCID))
		return nil
	}},
}
