package history

import (
	"time"

	"a2ascope/session"
)

// moved is a decision, and the one that it answers.
type moved struct {
	session.CarriedDecision
	action session.Action
	on     int
}

func (m *moved) key() decisionKey { return decisionKey{m.Session, m.ID} }

// standing is what holds for a claim.
type standing struct {
	demotion *moved      // nil for none
	by       decisionKey // the decision that made it so
}

// held works out which demotions hold, over the sessions with a peer, as the
// fold does it for one of them.
type held struct {
	known  map[decisionKey]*moved
	claims map[session.Claim]standing
	// aside is what a restoration set aside, or the overruling of a demotion
	// that was carried into its session and has no record there.
	aside map[decisionKey]*moved
}

func newHeld() *held {
	return &held{known: map[decisionKey]*moved{}, claims: map[session.Claim]standing{}, aside: map[decisionKey]*moved{}}
}

// take takes in the next decision.
func (h *held) take(m moved) {
	h.known[m.key()] = &m
	switch m.action {
	case session.ActDemote:
		h.claims[m.Claim] = standing{&m, m.key()}
	case session.ActRestore:
		h.aside[m.key()] = h.claims[m.Claim].demotion
		h.claims[m.Claim] = standing{nil, m.key()}
	case session.ActOverrule:
		h.overruled(&m)
	}
}

// overruled takes in an overruling. It comes to nothing where something else was
// decided on the claim since, and where what is overruled moved no trust.
func (h *held) overruled(m *moved) {
	key, root, lifted := h.rootOf(m)
	now := h.claims[m.Claim]
	switch {
	case root != nil && root.action != session.ActDemote && root.action != session.ActRestore:
	case !lifted && now.by != decisionKey{m.Session, m.on}:
	case !lifted && root == nil:
		h.claims[m.Claim] = standing{h.aside[key], key}
	case !lifted && root.action == session.ActDemote:
		h.claims[m.Claim] = standing{root, key}
	case !lifted:
		h.claims[m.Claim] = standing{nil, key}
	case root == nil && now.by.session == m.Session && now.by != key:
	case root == nil:
		h.aside[key] = now.demotion
		h.claims[m.Claim] = standing{nil, m.key()}
	case now.by != key:
	case root.action == session.ActDemote:
		h.claims[m.Claim] = standing{nil, m.key()}
	default:
		h.claims[m.Claim] = standing{h.aside[key], m.key()}
	}
}

// rootOf is the decision that an overruling comes down to, nil where the log
// does not hold it, and whether it is lifted: one that was lifted before holds
// again.
func (h *held) rootOf(m *moved) (key decisionKey, root *moved, lifted bool) {
	key, lifted = decisionKey{m.Session, m.on}, true
	for range h.known {
		if root = h.known[key]; root == nil || root.action != session.ActOverrule {
			break
		}
		key.id, lifted = root.on, !lifted
	}
	return key, root, lifted
}

// now are the demotions that hold and have not run out.
func (h *held) now(at time.Time) []session.CarriedDecision {
	var out []session.CarriedDecision
	for _, s := range h.claims {
		if d := s.demotion; d != nil && (d.Until.IsZero() || d.Until.After(at)) {
			out = append(out, d.CarriedDecision)
		}
	}
	return out
}
