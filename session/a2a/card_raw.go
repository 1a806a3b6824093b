package a2a

import "bytes"

// CardOf returns the card's own bytes in an answer: what stands around it, an
// envelope or another object, is no part of the card, and was not signed with
// it. An answer that is the card, or holds none, is returned as it is.
func CardOf(body []byte) []byte {
	d := decoder{in: Input{Raw: body, Op: OpCard}}
	if d.run(); d.out.Card == nil || d.inner == nil {
		return body
	}
	return bytes.Clone(d.inner)
}

// unwrapped is the card that object i holds in a member, where i is no card
// itself; else i. An object that holds several is a list of them, and no card.
func (d *decoder) unwrapped(i int) int {
	for _, k := range []key{kName, kURL, kVersion, kSupportedInterfaces, kSkills, kCapabilities, kProtocolVersion} {
		if d.member(i, k) >= 0 {
			return i
		}
	}
	found, name := -1, ""
	for c := d.first(i); c >= 0; c = d.next(i, c) {
		at := c
		if d.kind(c) == '{' {
			at = d.expand(c)
		}
		if !d.isCard(at) {
			continue
		}
		if found >= 0 {
			return i
		}
		found, name = at, d.name(c)
	}
	if found < 0 {
		return i
	}
	d.note("card-wrapped", false, "the card stands in a member %q of another object", clip(name))
	return found
}

// around keeps the card's bytes where something else stands around them. The
// answer to a call has an envelope; where a card is got by GET there is none.
func (d *decoder) around(i int) {
	if i == 0 {
		return
	}
	d.inner = d.bytes(i)
	if d.in.Op == OpCard && d.out.Envelope {
		d.note("card-wrapped", false, "the card stands in a JSON-RPC envelope, and no call was made")
	}
}
