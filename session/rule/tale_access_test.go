package rule_test

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// asksToken has the card require a bearer token, as its generation writes it.
func asksToken(gen a2a.Generation) func(*card) {
	return func(k *card) {
		k.more = `,"securitySchemes":{"t":{"type":"http","scheme":"bearer"}},"security":[{"t":[]}]`
		if gen == a2a.Gen10 {
			k.more = `,"securitySchemes":{"t":{"httpAuthSecurityScheme":{"scheme":"bearer"}}},"securityRequirements":[{"schemes":{"t":{"list":[]}}}]`
		}
	}
}

func givesExtended(gen a2a.Generation) func(*card) {
	return func(k *card) {
		if gen == a2a.Gen10 {
			k.history = `true,"extendedAgentCard":true` // it stands among the capabilities
		} else {
			k.more = `,"supportsAuthenticatedExtendedCard":true`
		}
	}
}

// restExtended is a card of HTTP+JSON alone that declares an extended one.
func restExtended(gen a2a.Generation) func(*card) {
	return func(k *card) {
		givesExtended(gen)(k)
		k.interfaces = `"protocolVersion":"0.3.0","url":"http://peer.example/rest","preferredTransport":"HTTP+JSON"`
		if gen == a2a.Gen10 {
			k.interfaces = `"supportedInterfaces":[{"url":"http://peer.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]`
		}
	}
}

// restSent is what a send over HTTP+JSON brings.
func restSent(s *scribe) string {
	if s.gen == a2a.Gen10 {
		return `{"task":` + bareTask(s, "completed") + `}`
	}
	return bareTask(s, "completed")
}

// nowhere answers 404 to each way of asking for the extended card, and returns
// the last answer.
func nowhere(s *scribe, x int) uint64 {
	s.t.Helper()
	seq := s.answers(x, "http=404 body:not found")
	for range 4 { // three other paths, and that of 0.2
		seq = s.answers(s.next(), "http=404 body:not found")
	}
	return seq
}

// schemeOnly declares a scheme that nothing requires.
func schemeOnly(gen a2a.Generation) string {
	if gen == a2a.Gen10 {
		return `,"securitySchemes":{"t":{"httpAuthSecurityScheme":{"scheme":"bearer"}}}`
	}
	return `,"securitySchemes":{"t":{"type":"http","scheme":"bearer"}}`
}

// bearer gives a token before the next command.
func bearer(s *scribe) {
	s.do("auth bearer $TOKEN")
	s.with = "bearer $TOKEN"
}

// doors is a card that declares HTTP+JSON beside JSON-RPC.
func doors(gen a2a.Generation) func(*card) {
	return func(k *card) {
		k.interfaces = `"protocolVersion":"0.3.0","url":"http://peer.example/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"http://peer.example/rest","transport":"HTTP+JSON"}]`
		if gen == a2a.Gen10 {
			k.interfaces = `"supportedInterfaces":[{"url":"http://peer.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"http://peer.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]`
		}
	}
}

// otherDoor is the number of the interface that is not in use.
const otherDoor = "get --on 2"

// settledTask begins a task that is completed, and confirms it.
func settledTask(s *scribe) {
	s.answers(s.ask("send hello"), "task completed r=done")
	s.settles("task completed r=done")
}

func requiresExtension(k *card) {
	k.streaming = `true,"extensions":[{"uri":"urn:receipts","required":true}]`
}

// signatures has the runner say what became of the card's signatures.
func signatures(results ...string) func(*scribe) []uint64 {
	return func(s *scribe) []uint64 {
		for _, r := range results {
			s.facts = append(s.facts, session.SignatureFact{Alg: "ES256", KeyID: "k1", KeyURL: "https://keys.example", Result: r})
		}
		return is(s.discover(nil))
	}
}

const refusedCall = "http=401 asks=Bearer body:no"

var accessTales = []tale{
	{rule: "security.refused", name: "a call without credentials gets 401", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send hello")
		return is(s.state.Peer.CardSeq, s.request(x), s.answers(x, refusedCall))
	}},
	{rule: "security.refused", name: "an error of JSON-RPC says so", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send hello")
		return is(s.state.Peer.CardSeq, s.request(x), s.answers(x, "error -31401 who are you"))
	}},
	{rule: "security.honoured", name: "a token is required, and an error of JSON-RPC says so", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		x := s.ask("send hello")
		return is(s.request(x), s.answers(x, "error -31401 who are you"))
	}},
	{rule: "security.honoured", name: "a server in trouble is no answer to a call without credentials", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		s.answers(s.ask("send hello"), "error -32603 oops")
		return nil
	}},
	{rule: "security.refused", name: "a list is for callers that are known", gen: a2a.Gen10, says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("list"), "http=401 body:no")
		return nil
	}},
	{rule: "security.refused", name: "a list is for callers that are known, says JSON-RPC", gen: a2a.Gen10, says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("list"), "error -31401 who are you")
		return nil
	}},
	{rule: "security.refused", name: "a gateway's page says 403", says: "inconclusive", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send hello"), "http=403 body:<html>Forbidden</html>")
		return nil
	}},
	{rule: "security.refused", name: "our credentials are not the right ones", tell: func(s *scribe) []uint64 {
		bearer(s)
		s.answers(s.ask("send hello"), refusedCall)
		return nil
	}},
	{rule: "security.refused", name: "the card requires a token", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		s.answers(s.ask("send hello"), refusedCall)
		return nil
	}},
	{rule: "security.refused", name: "a scheme without a requirement", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			k.more = `,"securitySchemes":{"t":{"type":"http","scheme":"bearer"}}`
			if s.gen == a2a.Gen10 {
				k.more = `,"securitySchemes":{"t":{"httpAuthSecurityScheme":{"scheme":"bearer"}}}`
			}
		})
		s.answers(s.ask("send hello"), refusedCall)
		return nil
	}},
	{rule: "security.refused", name: "a skill has requirements of its own", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			k.skills = `[{"id":"s","name":"S","description":"d","tags":["t"],"security":[{"t":[]}]}]`
			if s.gen == a2a.Gen10 {
				k.skills = `[{"id":"s","name":"S","description":"d","tags":["t"],"securityRequirements":[{"schemes":{"t":{"list":[]}}}]}]`
			}
		})
		s.answers(s.ask("send hello"), refusedCall)
		return nil
	}},
	{rule: "security.open", name: "a message is carried out without credentials", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		x := s.ask("send hello")
		return is(s.state.Peer.CardSeq, s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "security.open", name: "a stream is served without credentials", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		x := s.ask("stream hello")
		s.opens(x)
		return is(s.state.Peer.CardSeq, s.request(x), s.brings(x, "task working"))
	}},
	{rule: "security.open", name: "credentials went along", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		bearer(s)
		s.answers(s.ask("send hello"), "task completed")
		return nil
	}},
	{rule: "security.open", name: "a header of our own may have been the key", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		s.do(`header "X-Room: blue"`)
		s.answers(s.ask("send hello"), "task completed")
		return nil
	}},
	{rule: "security.open", name: "an error is no service", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		s.answers(s.ask("send hello"), "error -32602 bad")
		return nil
	}},
	{rule: "security.open", name: "without credentials is one of the ways", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			asksToken(s.gen)(k)
			k.more = k.more[:len(k.more)-1] + `,{}]`
		})
		s.answers(s.ask("send hello"), "task completed")
		return nil
	}},
	{rule: "security.extended-open", name: "it comes without credentials", says: "minor", tell: func(s *scribe) []uint64 {
		x := s.ask("extended-card")
		k := newCard(s.server)
		return is(s.request(x), s.answers(x, k.json(s.gen)))
	}},
	{rule: "security.extended-open", name: "and the card requires a token", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		x := s.ask("extended-card")
		k := newCard(s.server)
		return is(s.request(x), s.answers(x, k.json(s.gen)))
	}},
	{rule: "security.extended-open", name: "with credentials", tell: func(s *scribe) []uint64 {
		bearer(s)
		k := newCard(s.server)
		s.answers(s.ask("extended-card"), k.json(s.gen))
		return nil
	}},
	{rule: "security.challenge", name: "401 says what it wants", says: "info", also: []session.Claim{session.Security}, tell: func(s *scribe) []uint64 {
		x := s.ask("send hello")
		return is(s.request(x), s.answers(x, refusedCall))
	}},
	{rule: "security.challenge", name: "401 says nothing", also: []session.Claim{session.Security}, tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send hello"), "http=401 body:no")
		return nil
	}},
	{rule: "security.honoured", name: "a token is required, and a call without one refused", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(asksToken(s.gen))
		x := s.ask("send hello")
		return is(s.request(x), s.answers(x, refusedCall))
	}},
	{rule: "security.honoured", name: "nothing is asked for, and all are served", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.ask("send hello")
		return is(s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "security.honoured", name: "with credentials nothing is known", tell: func(s *scribe) []uint64 {
		bearer(s)
		s.answers(s.ask("send hello"), "task completed")
		return nil
	}},
	{rule: "extended.refused", name: "declared, and not configured", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		seq := s.discover(givesExtended(s.gen))
		x := s.ask("extended-card")
		return is(seq, s.request(x), s.answers(x, "error -32007 not configured"))
	}},
	{rule: "extended.refused", name: "declared, and known by no name", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		seq := s.discover(givesExtended(s.gen))
		x := s.ask("extended-card")
		s.answers(x, "error -32601 Method not found")
		s.answers(s.next(), "error -32601 Method not found")
		return is(seq, s.request(x), s.answers(s.next(), "http=404 body:not found"))
	}},
	{rule: "extended.refused", name: "at no path of an agent that routes", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		seq := s.discover(restExtended(s.gen))
		s.answers(s.ask("send hello"), "body:"+restSent(s))
		x := s.ask("extended-card")
		return is(seq, s.request(x), nowhere(s, x))
	}},
	{rule: "extended.refused", name: "at no path, and the address may be wrong", says: "inconclusive", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(restExtended(s.gen))
		nowhere(s, s.ask("extended-card"))
		return nil
	}},
	{rule: "extended.refused", name: "at no path for a caller without credentials", says: "inconclusive", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			restExtended(s.gen)(k)
			k.more += schemeOnly(s.gen)
		})
		s.answers(s.ask("send hello"), "body:"+restSent(s))
		nowhere(s, s.ask("extended-card"))
		return nil
	}},
	{rule: "extended.served", name: "0.3 at the path of 1.0", says: "honoured", gen: a2a.Gen03, plain: true, tell: func(s *scribe) []uint64 {
		s.discover(restExtended(s.gen))
		s.answers(s.ask("extended-card"), "http=404 body:not found")
		s.answers(s.next(), "http=404 body:not found")
		k := newCard(s.server)
		return is(s.answers(s.next(), "body:"+k.json(s.gen)) + 1)
	}},
	{rule: "extended.refused", name: "0.3 at the path of 1.0", gen: a2a.Gen03, plain: true, tell: func(s *scribe) []uint64 {
		s.discover(restExtended(s.gen))
		s.answers(s.ask("extended-card"), "http=404 body:not found")
		s.answers(s.next(), "http=404 body:not found")
		k := newCard(s.server)
		s.answers(s.next(), "body:"+k.json(s.gen))
		return nil
	}},
	{rule: "extended.refused", name: "refused with credentials that are good elsewhere", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		seq := s.discover(givesExtended(s.gen))
		bearer(s)
		settledTask(s)
		x := s.ask("extended-card")
		return is(seq, s.request(x), s.answers(x, "http=403 body:no"))
	}},
	{rule: "extended.refused", name: "refused without credentials", says: "inconclusive", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			givesExtended(s.gen)(k)
			k.more += `,"securitySchemes":{"t":{"type":"http","scheme":"bearer"}}`
		})
		s.answers(s.ask("extended-card"), refusedCall)
		return nil
	}},
	{rule: "extended.refused", name: "the server has trouble", says: "inconclusive", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(givesExtended(s.gen))
		s.answers(s.ask("extended-card"), "http=503 body:later")
		return nil
	}},
	{rule: "extended.refused", name: "not declared, and not there", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("extended-card"), "error -32007 not configured")
		return nil
	}},
	{rule: "extended.served", name: "declared, and there", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(givesExtended(s.gen))
		bearer(s)
		k := newCard(s.server)
		return is(s.answers(s.ask("extended-card"), k.json(s.gen)) + 1)
	}},
	{rule: "extended.served", name: "there, and not declared", says: "under-declared", tell: func(s *scribe) []uint64 {
		bearer(s)
		k := newCard(s.server)
		return is(s.answers(s.ask("extended-card"), k.json(s.gen)) + 1)
	}},
	{rule: "extended.served", name: "by the other generation's name", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(givesExtended(s.gen))
		bearer(s)
		s.answers(s.ask("extended-card"), "error -32601 Method not found")
		k := newCard(s.server)
		return is(s.answers(s.next(), k.json(s.gen)) + 1)
	}},
	{rule: "extended.served", name: "refused", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("extended-card"), "error -32007 not configured")
		return nil
	}},
	{rule: "extensions.not-enforced", name: "a call that does not name it is served", says: "minor", plain: true, tell: func(s *scribe) []uint64 {
		seq := s.discover(requiresExtension)
		x := s.ask("send --without extensions hello")
		return is(seq, s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "extensions.not-enforced", name: "a call that names it is served", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(requiresExtension)
		s.answers(s.ask("send hello"), "task completed")
		return nil
	}},
	{rule: "extensions.enforced", name: "a call that does not name it is refused", says: "honoured", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(requiresExtension)
		x := s.ask("send --without extensions hello")
		return is(s.request(x), s.answers(x, "error -32008 extension required"))
	}},
	{rule: "extensions.enforced", name: "nothing is required", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send --without extensions hello"), "error -32008 extension required")
		return nil
	}},
	{rule: "signature.invalid", name: "it does not verify", says: "critical", plain: true, tell: signatures(session.SigInvalid)},
	{rule: "signature.invalid", name: "one does and one does not", says: "critical", plain: true, tell: signatures(session.SigVerified, session.SigInvalid)},
	{rule: "signature.invalid", name: "we hold no key", plain: true, tell: signatures(session.SigNoKey)},
	{rule: "signature.verified", name: "it verifies", says: "honoured", plain: true, tell: signatures(session.SigVerified)},
	{rule: "signature.verified", name: "another does not", also: []session.Claim{session.Signature}, plain: true, tell: signatures(session.SigVerified, session.SigInvalid)},
	{rule: "signature.unchecked", name: "no key", says: "inconclusive", plain: true, tell: signatures(session.SigNoKey)},
	{rule: "signature.unchecked", name: "an algorithm that proves nothing", says: "inconclusive", plain: true, tell: signatures(session.SigUnknown)},
	{rule: "signature.unchecked", name: "no signature", plain: true, tell: signatures()},
	{rule: "interfaces.dead", name: "404 at the other one", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		x := s.ask("send hello")
		alive := s.answers(x, "task completed r=done")
		s.settles("task completed r=done")
		return is(s.answers(s.ask(otherDoor), "http=404 body:not found"), alive)
	}},
	{rule: "interfaces.dead", name: "no answer at the other one", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		settledTask(s)
		s.fails(s.ask(otherDoor))
		return nil
	}},
	{rule: "interfaces.dead", name: "the other one has trouble", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(doors(s.gen))
		settledTask(s)
		s.answers(s.ask(otherDoor), "http=503 body:later")
		return nil
	}},
	{rule: "interfaces.answer", name: "the agent answers", says: "honoured", tell: func(s *scribe) []uint64 {
		return is(s.answers(s.ask("send hello"), "task completed"))
	}},
	{rule: "interfaces.answer", name: "something else answers", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send hello"), "http=503 body:later")
		return nil
	}},
}

// bareTask is the task as HTTP+JSON has it: without an envelope.
func bareTask(s *scribe, state string) string {
	w := &words{gen: s.gen, id: s.id}
	return w.task(state)
}
