package rule_test

import (
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

const again = "discover http://peer.example"

func named(id string) string {
	return `[{"id":"` + id + `","name":"S","description":"does things","tags":["t"]}]`
}

var cardTales = []tale{
	{rule: "card.not-a-card", name: "a page at every place", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		x := s.ask("discover http://peer.example")
		evidence := is(s.card(x, "<html>hello</html>", 200))
		for len(s.state.Obligations) > 0 {
			evidence = append(evidence, s.card(s.next(), "<html>hello</html>", 200))
		}
		return evidence
	}},
	{rule: "card.not-a-card", name: "nothing at any place", plain: true, tell: func(s *scribe) []uint64 {
		s.card(s.ask("discover http://peer.example"), "not found", 404)
		for len(s.state.Obligations) > 0 {
			s.card(s.next(), "not found", 404)
		}
		return nil
	}},
	{rule: "card.not-a-card", name: "nobody answers", plain: true, tell: func(s *scribe) []uint64 {
		s.fails(s.ask("discover http://peer.example"))
		return nil
	}},
	{rule: "card.not-a-card", name: "a page at the first place, a card at the next", plain: true, tell: func(s *scribe) []uint64 {
		s.card(s.ask("discover http://peer.example"), "<html>hello</html>", 200)
		k := newCard(s.server)
		s.card(s.next(), k.json(s.gen), 200)
		return nil
	}},
	{rule: "card.not-a-card", name: "every answer breaks off", plain: true, tell: func(s *scribe) []uint64 {
		s.arrives(s.ask("discover http://peer.example"), session.KindResponse, session.Responded{Status: 200, Cut: "connection reset by peer"}, []byte(`{"name":"Ag`))
		for len(s.state.Obligations) > 0 {
			s.arrives(s.next(), session.KindResponse, session.Responded{Status: 200, Truncated: true}, []byte(`{"name":"Ag`))
		}
		return nil
	}},
	{rule: "card.no-endpoint", name: "no interface has an address", says: "major", plain: true, tell: func(s *scribe) []uint64 {
		return is(s.discover(func(k *card) { k.url = "" }))
	}},
	{rule: "card.no-endpoint", name: "another binding has one", plain: true, tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) {
			k.interfaces = `"supportedInterfaces":[{"url":"peer.example:443","protocolBinding":"GRPC","protocolVersion":"1.0"}]`
		})
		return nil
	}},
	{rule: "card.no-endpoint", name: "it stands beyond what we look into", gen: a2a.Gen10, plain: true, tell: func(s *scribe) []uint64 {
		s.discover(crowded)
		return nil
	}},
	{rule: "card.fields", name: "members stand beyond what we look into", gen: a2a.Gen10, plain: true, tell: func(s *scribe) []uint64 {
		s.discover(crowded)
		return nil
	}},
	{rule: "card.fields", name: "required members are missing", says: "minor", plain: true, tell: func(s *scribe) []uint64 {
		return is(s.rereads(again, strings.Replace(s.served0(), `"description":"an agent",`, "", 1), 200))
	}},
	{rule: "card.fields", name: "null and members of another generation", says: "minor", plain: true, tell: func(s *scribe) []uint64 {
		return is(s.discover(func(k *card) { k.streaming = "null"; k.more = `,"provider":null` }))
	}},
	{rule: "history.removed", name: "declared in 1.0", gen: a2a.Gen10, says: "info", plain: true, tell: func(s *scribe) []uint64 { return is(s.discover(withHistory)) }},
	{rule: "history.removed", name: "declared in 0.3", gen: a2a.Gen03, card: withHistory, tell: func(s *scribe) []uint64 { return nil }},
	{rule: "history.removed", name: "not declared in 1.0", gen: a2a.Gen10, tell: func(s *scribe) []uint64 { return nil }},
	{rule: "card.fields", name: "as the schema has it", tell: func(s *scribe) []uint64 { return nil }},
	{rule: "card.fields", name: "members that nobody knows", tell: func(s *scribe) []uint64 {
		s.rereads(again, strings.Replace(s.served, `"version"`, `"x-vendor":{"a":1},"version"`, 1), 200)
		return nil
	}},
	{rule: "card.valid", name: "an object with an endpoint", says: "honoured", plain: true, tell: func(s *scribe) []uint64 { return is(s.discover(nil)) }},
	{rule: "card.valid", name: "without one", plain: true, also: []session.Claim{session.CardValid}, tell: func(s *scribe) []uint64 {
		return is(s.discover(func(k *card) { k.url = "" }))
	}},

	{rule: "card.changed", name: "streaming goes under the same version", says: "major", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(undeclared))
	}},
	{rule: "card.changed", name: "other modes", says: "major", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(func(k *card) { k.out = `["text/plain"]` }))
	}},
	{rule: "card.changed", name: "other modes of a skill", says: "major", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(func(k *card) { k.skills = strings.Replace(k.skills, `"tags"`, `"outputModes":["image/png"],"tags"`, 1) }))
	}},
	{rule: "card.changed", name: "another endpoint", says: "major", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(func(k *card) { k.url = s.server + "/other" }))
	}},
	{rule: "card.changed", name: "under a new version", tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) { k.version = "2.4.0"; k.streaming = "false" })
		return nil
	}},
	{rule: "card.changed", name: "the same modes in another order", tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) { k.in = `["application/json","text/plain"]` })
		return nil
	}},
	{rule: "card.changed", name: "asked for in another generation", tell: func(s *scribe) []uint64 {
		s.do("interface jsonrpc 0.3")
		s.discover(undeclared)
		return nil
	}},
	{rule: "card.changed", name: "read at another place", tell: func(s *scribe) []uint64 {
		x := s.ask("discover http://peer.example")
		s.card(x, "not found", 404)
		k := newCard(s.server)
		undeclared(&k)
		s.card(s.next(), k.json(s.gen), 200)
		return nil
	}},
	{rule: "card.edited", name: "another description", says: "minor", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(func(k *card) { k.skills = named("s")[:len(named("s"))-2] + `,"examples":["x"]}]` }))
	}},
	{rule: "card.edited", name: "a skill comes", says: "minor", tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) { k.skills = named("new") })
		return nil
	}},
	{rule: "card.edited", name: "the same bytes", tell: func(s *scribe) []uint64 {
		s.discover(nil)
		return nil
	}},
	{rule: "card.new-version", name: "another version", says: "info", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(func(k *card) { k.version = "2.4.0" }))
	}},
	{rule: "card.new-version", name: "the same version", tell: func(s *scribe) []uint64 {
		s.discover(func(k *card) { k.skills = named("new") })
		return nil
	}},
	{rule: "card.stable", name: "the same bytes", says: "honoured", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		return is(was, s.discover(nil))
	}},
	{rule: "card.stable", name: "unchanged, says the peer when the card is read again", says: "honoured", tell: func(s *scribe) []uint64 {
		was := s.state.Peer.CardSeq
		s.wait(299 * time.Second)
		return is(was, s.card(s.next(), "", 304))
	}},
	{rule: "card.stable", name: "the card is gone when it is read again", tell: func(s *scribe) []uint64 {
		s.card(s.next(), "not found", 404)
		return nil
	}},
}

// served0 is the usual card before it was read.
func (s *scribe) served0() string {
	k := newCard(s.server)
	return k.json(s.gen)
}

func at(url string) func(*card) { return func(k *card) { k.url = url } }

var endpointTales = []tale{
	{rule: "endpoint.address", name: "localhost on the card of a peer elsewhere", says: "minor", plain: true, tell: func(s *scribe) []uint64 {
		return is(s.discover(at("http://localhost:9999/rpc")))
	}},
	{rule: "endpoint.address", name: "another origin as such is news, and no fault", says: "info", plain: true, tell: func(s *scribe) []uint64 {
		return is(s.discover(at("http://gateway.example/rpc")))
	}},
	{rule: "endpoint.address", name: "the same origin", tell: func(s *scribe) []uint64 { return nil }},
	{rule: "endpoint.redirect", name: "it goes on there, with its body", says: "info", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		seq := s.redirects(x, 307, "/rpc/")
		s.answers(s.next(), "task completed")
		return is(s.request(x), seq)
	}},
	{rule: "endpoint.redirect", name: "a message is not sent on by 302", says: "info", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		return is(s.request(x), s.redirects(x, 302, "/rpc/"))
	}},
	{rule: "endpoint.redirect", name: "no place is named", tell: func(s *scribe) []uint64 {
		s.redirects(s.ask("send task x"), 307, "")
		return nil
	}},
	{rule: "endpoint.form", name: "the routes have another prefix", says: "info", tell: func(s *scribe) []uint64 {
		s.do("interface rest")
		x := s.ask("send task x")
		s.answers(x, "http=404 body:nothing")
		return is(s.request(x), s.answers(s.next(), "task completed"))
	}},
	{rule: "endpoint.form", name: "no form is served", tell: func(s *scribe) []uint64 {
		s.do("interface rest")
		s.answers(s.ask("send task x"), "http=404 body:nothing")
		for len(s.state.Due(s.now, true)) > 0 {
			s.answers(s.next(), "http=404 body:nothing")
		}
		return nil
	}},
	{rule: "endpoint.form", name: "the usual one is", tell: func(s *scribe) []uint64 {
		s.do("interface rest")
		s.answers(s.ask("send task x"), "task completed")
		return nil
	}},
	{rule: "endpoint.unusable", name: "404 there, and the typed one answers", says: "major", tell: func(s *scribe) []uint64 {
		seq := s.answers(s.ask("send task x"), "http=404 body:nothing")
		for len(s.state.Due(s.now, true)) > 0 {
			s.answers(s.next(), "http=404 body:nothing")
		}
		s.do("endpoint http://peer.example/works")
		return is(seq, s.answers(s.ask("send task x"), "task completed"))
	}},
	{rule: "endpoint.unusable", name: "both answer", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "task completed")
		s.do("endpoint http://peer.example/works")
		s.answers(s.ask("send task x"), "task completed #T2")
		return nil
	}},
	{rule: "endpoint.answers", name: "as declared", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		return is(s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "endpoint.answers", name: "an error of the agent is an answer too", says: "honoured", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "error -32603 out of memory")
		return nil
	}},
	{rule: "endpoint.answers", name: "as typed", tell: func(s *scribe) []uint64 {
		s.do("endpoint http://peer.example/works")
		s.answers(s.ask("send task x"), "task completed")
		return nil
	}},
	{rule: "version.refused", name: "the declared one is refused, another works", says: "major", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		s.answers(x, "error -32601 Method not found")
		return is(s.request(x), s.answers(s.next(), "task completed"))
	}},
	{rule: "version.refused", name: "every one is refused", tell: func(s *scribe) []uint64 {
		s.answers(s.ask("send task x"), "error -32601 Method not found")
		for len(s.state.Due(s.now, true)) > 0 {
			s.answers(s.next(), "error -32601 Method not found")
		}
		return nil
	}},
	{rule: "version.refused", name: "the operator asked for another", tell: func(s *scribe) []uint64 {
		s.do("interface jsonrpc 0.2")
		s.answers(s.ask("send task x"), "task completed")
		return nil
	}},
	{rule: "version.spoken", name: "as declared", says: "honoured", tell: func(s *scribe) []uint64 {
		x := s.ask("send task x")
		return is(s.request(x), s.answers(x, "task completed"))
	}},
	{rule: "version.spoken", name: "nobody answers", tell: func(s *scribe) []uint64 {
		s.fails(s.ask("send task x"))
		return nil
	}},
}

// crowded puts more values in front of the card's address than are looked into.
func crowded(k *card) {
	k.interfaces = `"x-index":[` + strings.Repeat("0,", 2<<20) + `0],"supportedInterfaces":[{"url":"` + k.url + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`
}
