package rule

import (
	"fmt"
	"strings"

	"a2ascope/session"
)

// signatureRules read what the runner found out about the card's signatures.
var signatureRules = []Rule{
	{
		ID: "signature.invalid", Claim: session.Signature, Severity: session.Critical, Peer: "bad-signature",
		Title:    "a signature of the card does not verify with the key that we hold for it",
		Source:   "A2A 1.0 §8.4",
		Advice:   "Do not act on this card: it was changed after it was signed, or signed by somebody else. Get card and key by another way.",
		Disproof: "The signature verifies over the canonical card, with or without its default values, by the key of that id.",
		On:       []session.Kind{session.KindCard},
		Judge: judgeSignatures(session.Contradicted, func(f session.SignatureFact) bool {
			return f.Result == session.SigInvalid
		}),
	},
	{
		ID: "signature.verified", Claim: session.Signature, Peer: "",
		Title:  "a signature of the card verifies with a key that we hold",
		Source: "A2A 1.0 §8.4",
		On:     []session.Kind{session.KindCard},
		Judge: judgeSignatures(session.Honoured, func(f session.SignatureFact) bool {
			return f.Result == session.SigVerified
		}),
	},
	{
		ID: "signature.unchecked", Claim: session.Signature, Peer: "bad-signature",
		Title:  "a signature of the card could not be checked",
		Source: "A2A 1.0 §8.4",
		On:     []session.Kind{session.KindCard},
		Judge: judgeSignatures(session.Inconclusive, func(f session.SignatureFact) bool {
			return f.Result != session.SigVerified && f.Result != session.SigInvalid
		}),
	},
}

// judgeSignatures makes the rule of one verdict over the card's signatures.
func judgeSignatures(verdict session.Verdict, is func(session.SignatureFact) bool) func(*session.State, *session.Change) []Saw {
	return func(s *session.State, c *session.Change) []Saw {
		if c.Err != nil || c.Record.Seq != s.Peer.CardSeq {
			return nil
		}
		var out []string
		for _, f := range s.Peer.Signatures {
			if is(f) {
				out = append(out, signatureText(f))
			}
		}
		if len(out) == 0 {
			return nil
		}
		return saw(verdict, listed(out), c.Record.Seq)
	}
}

// signatureText says in a few words what became of a signature.
func signatureText(f session.SignatureFact) string {
	words := []string{strings.TrimSpace("signature " + cut(f.Alg))}
	if f.KeyID != "" {
		words = append(words, fmt.Sprintf("by key %q", cut(f.KeyID)))
	}
	if f.Form != "" {
		words = append(words, "over the card "+f.Form)
	}
	if f.Detail != "" {
		words = append(words, f.Detail)
	}
	if f.Result == session.SigNoKey {
		words = append(words, "--card-key FILE (JWK, JWK set or PEM) would give it")
	}
	text := strings.Join(words, ", ")
	if f.KeyURL != "" && f.Result != session.SigVerified {
		text += fmt.Sprintf(" (the card says that its key is at %s; nothing was fetched from there)", cut(f.KeyURL))
	}
	return text
}
