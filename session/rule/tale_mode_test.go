package rule_test

import (
	"strings"

	"a2ascope/session"
)

func textOnly(k *card) { k.in = `["text/plain"]` }
func anything(k *card) { k.in, k.out = `["*/*"]`, `["*/*"]` }
func oldWords(k *card) { k.in, k.out = `["text","data"]`, `["text"]` }
func textOut(k *card)  { k.out = `["text/plain"]` }
func rich(k *card)     { k.out = `["text/markdown","application/vnd.acme+json"]` }
func images(k *card)   { k.out = `["image/*","text/plain; charset=utf-8"]` }
func skilled(k *card) {
	k.in, k.out = `["text/plain"]`, `["text/plain"]`
	k.skills = strings.Replace(k.skills, `"tags"`, `"inputModes":["application/json"],"outputModes":["image/png"],"tags"`, 1)
}

const refusedType = "error -32005 Incompatible content types"

var modeTales = []tale{
	{rule: "modes.input-refused", name: "ContentTypeNotSupported", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask(`send --data {"a":1}`)
		return is(s.request(x), s.answers(x, refusedType))
	}},
	{rule: "modes.input-refused", name: "415 of an agent that answered before", says: "major", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send echo x"), "message x")
		x := s.ask(`send --data {"a":1}`)
		return is(s.request(x), s.answers(x, "error -32005 Incompatible content types http=415"))
	}},
	{rule: "modes.input-refused", name: "declared by */*", says: "major", card: anything, tell: func(s *scribe) []uint64 {
		s.answers(s.ask(`send --file f.bin;type=image/png`), refusedType)
		return nil
	}},
	{rule: "modes.input-refused", name: "declared by the words of the first cards", says: "major", card: oldWords, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send hello"), refusedType)
		return nil
	}},
	{rule: "modes.input-refused", name: "the skill's modes hold", says: "major", card: skilled, tell: func(s *scribe) []uint64 {
		s.answers(s.ask(`send --data {"a":1}`), refusedType)
		return nil
	}},
	{rule: "modes.input-refused", name: "where the skill has its own, the default is not declared", card: skilled, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send hello"), refusedType)
		return nil
	}},
	{rule: "modes.input-refused", name: "not declared", card: textOnly, tell: func(s *scribe) []uint64 {
		s.answers(s.ask(`send --data {"a":1}`), refusedType)
		return nil
	}},
	{rule: "modes.input-refused", name: "one of two parts is not declared", card: textOnly, tell: func(s *scribe) []uint64 {
		s.answers(s.ask(`send hello --data {"a":1}`), refusedType)
		return nil
	}},
	{rule: "modes.input-refused", name: "it may be the output that was asked for", says: "inconclusive", tell: func(s *scribe) []uint64 {
		x := s.ask("send hello --accept video/mp4")
		return is(s.request(x), s.answers(x, refusedType))
	}},
	{rule: "modes.input-refused", name: "another error", tell: func(s *scribe) []uint64 {
		s.answers(s.ask(`send --data {"a":1}`), "error -32602 Invalid params")
		return nil
	}},

	{rule: "modes.false-failure", name: "-32602 that names the part", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1}`)
		return is(s.request(x), s.answers(x, "error -32602 Invalid params: only a text part is accepted here"))
	}},
	{rule: "modes.false-failure", name: "-32602 whose data names the type", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1}`)
		return is(s.request(x), s.answers(x, `error data={"mimeType":"application/json"} -32602 Invalid params`))
	}},
	{rule: "modes.false-failure", name: "failed as the first state, and its message names the type", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1}`)
		seq := s.answers(x, "task failed says=cannot_read_application/json")
		if o := s.state.Tasks[0].Outcome; o != session.OutcomeFalseFailure {
			s.t.Errorf("the outcome is %s", o)
		}
		return is(s.request(x), seq)
	}},
	{rule: "modes.false-failure", name: "failed as the first event", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1} --stream`)
		s.opens(x)
		return is(s.request(x), s.brings(x, "failed says=unsupported_mime_type"))
	}},
	{rule: "modes.false-failure", name: "text was accepted at the same point before", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada"), "task input-required says=More?")
		x := s.resumes(`resume --data {"a":1}`)
		return is(s.request(x), s.answers(x, "error -32602 Invalid params"))
	}},
	{rule: "modes.false-failure", name: "text is accepted at the same point afterwards", says: "major", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1}`)
		no := s.answers(x, "error -32602 Invalid params")
		y := s.resumes("resume Ada --force")
		yes := s.answers(y, "task completed")
		if len(s.state.Profile.RefusedInputModes) != 1 || s.state.Profile.RefusedInputModes[0] != "application/json" {
			s.t.Errorf("refused modes are %v", s.state.Profile.RefusedInputModes)
		}
		return is(s.request(x), no, yes)
	}},
	{rule: "modes.false-failure", name: "no reason and no control", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1}`)
		return is(s.request(x), s.answers(x, "error -32602 Invalid params"))
	}},
	{rule: "modes.false-failure", name: "text failed at the same point too", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes("resume Ada"), "task failed says=no")
		s.id = "T2"
		s.asks()
		s.answers(s.resumes(`resume --data {"a":1}`), "error -32602 Invalid params")
		return nil
	}},
	{rule: "modes.false-failure", name: "a partial result is no part", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes(`resume --data {"a":1}`), "task failed says=the_partial_result_was_lost")
		return nil
	}},
	{rule: "modes.false-failure", name: "about an id", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes(`resume --data {"a":1}`), "error -32602 the message part has a bad taskId")
		return nil
	}},
	{rule: "modes.false-failure", name: "about a terminal task", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes(`resume --data {"a":1}`), "error -32602 Task is in a terminal state, no part accepted")
		return nil
	}},
	{rule: "modes.false-failure", name: "about an unknown key", tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes(`resume --data {"a":1}`), `error data=[{"type":"extra_forbidden","loc":["message","parts",0,"x"]}] -32602 Invalid params`)
		return nil
	}},
	{rule: "modes.false-failure", name: "the task did not ask", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send slow 9 --immediate"), "task working")
		s.answers(s.ask(`resume --data {"a":1} --force`), "error -32602 no such part")
		return nil
	}},
	{rule: "modes.false-failure", name: "a type that is not declared", card: textOnly, tell: func(s *scribe) []uint64 {
		s.asks()
		s.answers(s.resumes(`resume --data {"a":1}`), "error -32602 only a text part is accepted here")
		return nil
	}},
	{rule: "modes.false-failure", name: "failed after it had worked", tell: func(s *scribe) []uint64 {
		s.asks()
		x := s.resumes(`resume --data {"a":1} --stream`)
		s.opens(x)
		s.brings(x, "working", "failed says=bad_mime_type")
		return nil
	}},

	{rule: "modes.input-accepted", name: "taken", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.ask(`send --data {"a":1}`)
		return is(s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "modes.input-accepted", name: "failed at once", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send fail"), "task failed")
		return nil
	}},
	{rule: "modes.input-accepted", name: "a file that names no type", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send hello --file f.bin"), "task completed")
		return nil
	}},

	{rule: "modes.output-undeclared", name: "a part names another type", says: "major", card: textOut, tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send task x"), "task completed r:image/png=x"))
	}},
	{rule: "modes.output-undeclared", name: "on a stream", says: "major", card: textOut, tell: func(s *scribe) []uint64 {
		return is(s.brings(s.stream("stream task x", "task submitted"), "artifact r:image/png=x"))
	}},
	{rule: "modes.output-undeclared", name: "no part fits", says: "major", card: textOut, tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send task x"), `task completed r:data={"a":1}`))
	}},
	{rule: "modes.output-undeclared", name: "the last chunk, and nothing fits", says: "major", card: textOut, tell: func(s *scribe) []uint64 {
		return is(s.brings(s.stream("stream task x", "task submitted"), `artifact r:data!={"a":1}`))
	}},
	{rule: "modes.output-undeclared", name: "the card has changed since", says: "major", also: []session.Claim{session.CardStable}, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `task completed r:data={"a":1}`)
		s.discover(textOut)
		return is(s.get(`task completed r:data={"a":1}`))
	}},
	{rule: "modes.output-undeclared", name: "a chunk that one that fits may follow", card: textOut, tell: func(s *scribe) []uint64 {
		s.brings(s.stream("stream task x", "task submitted"), `artifact r:data={"a":1}`, "artifact +r!=text")
		return nil
	}},
	{rule: "modes.output-undeclared", name: "anything is declared", card: anything, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r:video/mp4=x")
		return nil
	}},
	{rule: "modes.output-undeclared", name: "text is text/plain", card: oldWords, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r:text/plain=x")
		return nil
	}},
	{rule: "modes.output-undeclared", name: "a family, and parameters", card: images, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r:image/webp=x q:TEXT/plain;charset=ascii=x")
		return nil
	}},
	{rule: "modes.output-undeclared", name: "the skill's own", card: skilled, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r:image/png=x")
		return nil
	}},
	{rule: "modes.output-undeclared", name: "a part that names none counts by its kind", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `task completed r:data={"a":1} q=text`)
		return nil
	}},
	{rule: "modes.output-undeclared", name: "parts that name none, of kinds that can be what is declared", card: rich, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), `task completed r:data={"a":1} q=text`)
		return nil
	}},
	{rule: "modes.output-undeclared", name: "a file that names none", card: textOut, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed r:file=x")
		return nil
	}},
	{rule: "modes.output-undeclared", name: "a message is no artifact", card: textOut, tell: func(s *scribe) []uint64 {
		body := `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"data":{"a":1},"mediaType":"image/png"}]}}`
		if s.gen != "1.0" {
			body = `{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"data","data":{"a":1}}]}`
		}
		s.answers(s.ask("send echo x"), body)
		return nil
	}},
	{rule: "modes.output-declared", name: "as declared", says: "honoured", tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send task x"), "task completed r=x"))
	}},
	{rule: "modes.output-declared", name: "no artifact", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		return nil
	}},

	{rule: "modes.diverge", name: "the peer did it unasked", says: "major", also: []session.Claim{session.ResumeSameTask}, tell: func(s *scribe) []uint64 {
		was := s.answers(s.ask("send ask"), `task input-required r:data={"a":1}`)
		x := s.ask("resume Ada --force")
		s.answers(x, "task input-required r=text #T2")
		s.id = "T2"
		return is(was, s.get("task completed r=text"))
	}},
	{rule: "modes.diverge", name: "a redispatch of ours asked for it", says: "minor", tell: func(s *scribe) []uint64 {
		was := s.answers(s.ask("send task x --immediate"), `task working r:data={"a":1}`)
		s.do("redispatch")
		s.answers(s.next(), "task completed r=text #T2")
		s.id = "T2"
		return is(was, s.get("task completed r=text"))
	}},
	{rule: "modes.diverge", name: "the same types", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x --immediate"), "task working r=a")
		s.do("redispatch")
		s.answers(s.next(), "task completed r=b #T2")
		s.id = "T2"
		s.get("task completed r=b")
		return nil
	}},
}
