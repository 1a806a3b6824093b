package console

import (
	"fmt"
	"slices"
	"strings"

	"a2ascope/keymap"
	"a2ascope/session"
	"a2ascope/ui/clean"

	tea "charm.land/bubbletea/v2"
)

// announcement is a decision of a rule that has just fallen. It takes no keys
// but its own and goes when it is answered.
type announcement struct {
	d    session.DecisionView
	more int // others that fell and were not answered
}

// announce looks for decisions that fell since the last view.
func (m *model) announce(v *session.View) {
	s := m.session
	last := 0
	var carried []string
	for i := range v.Decisions {
		d := &v.Decisions[i]
		last = max(last, d.ID)
		if d.Carried && d.Action == session.ActDemote {
			carried = append(carried, string(d.Claim))
		}
		if s.announced >= 0 && d.ID > s.announced && !d.Carried && d.Action == session.ActOverrule {
			m.overruledNow(v, d)
		}
		if s.announced < 0 || d.ID <= s.announced || d.By != "rule" || d.Carried || s.review {
			continue
		}
		more := 0
		if s.banner != nil {
			more = s.banner.more + 1
		}
		s.banner = &announcement{*d, more}
	}
	if s.announced >= 0 && last > s.announced && len(carried) > 0 && s.banner == nil && v.Decisions[len(v.Decisions)-1].Carried {
		m.say(toastWarn, "demoted in earlier sessions, and not relied on: "+strings.Join(carried, ", "))
	}
	s.announced = last
	if s.banner != nil {
		for i := range v.Decisions {
			if v.Decisions[i].Supersedes == s.banner.d.ID { // somebody has answered
				s.banner = nil
				return
			}
		}
	}
}

// overruledNow says what an overrule comes to.
func (m *model) overruledNow(v *session.View, d *session.DecisionView) {
	root, lifted := rootOf(v, d)
	words, ok := overruledWords[root.Action]
	switch {
	case !ok:
		return
	case root.Action == session.ActDemote && lifted && standsOn(v, root.Claim).ID > 0:
		return // something else was decided on it meanwhile
	}
	word := words[1]
	if lifted {
		word = words[0]
	}
	subject := string(root.Claim)
	if !ofClaim(root.Action) {
		subject = fmt.Sprintf("task %d", root.Task)
	}
	m.say(toastInfo, subject+" "+word)
}

// overruledWords say what it comes to that a decision was overruled, and that
// the overruling was.
var overruledWords = map[session.Action][2]string{
	session.ActDemote:     {"is relied on again", "is demoted again"},
	session.ActRestore:    {"is demoted again", "is relied on again"},
	session.ActRefuse:     {"is not left any more: it takes further steps", "is left again: further steps on it are withheld"},
	session.ActFallBack:   {"is not polled beside its stream any more", "is polled beside its stream again"},
	session.ActReconcile:  {"is not looked for any more", "is looked for again"},
	session.ActRedispatch: {"stays here: what was not sent yet is not sent", "is offered to be given away again"},
}

// ofClaim reports whether a decision moves the trust in a claim.
func ofClaim(a session.Action) bool { return a == session.ActDemote || a == session.ActRestore }

// rootOf is the decision that an overruling comes down to, and whether it is
// lifted by it; one that was lifted before holds again. The root's ID is 0
// where the session does not hold it.
func rootOf(v *session.View, d *session.DecisionView) (root session.DecisionView, lifted bool) {
	root = *d
	for range v.Decisions {
		if root.Action != session.ActOverrule {
			return root, lifted
		}
		i := slices.IndexFunc(v.Decisions, func(x session.DecisionView) bool { return x.ID == root.Supersedes })
		if i < 0 {
			break
		}
		root, lifted = v.Decisions[i], !lifted
	}
	return session.DecisionView{}, false
}

var decided = map[session.Action]string{
	session.ActDemote: "demoted", session.ActRestore: "restored", session.ActRefuse: "task left", session.ActFallBack: "fell back to polling",
	session.ActRedispatch: "redispatch", session.ActReconcile: "reconciling", session.ActConfirm: "confirmed", session.ActOverrule: "overruled",
}

// view draws the two rows of an announcement.
func (a *announcement) view(m *model, w int) []string {
	d := &a.d
	word := decided[d.Action]
	if d.Offer {
		word += " offered"
	}
	badge := m.st.Notice
	if d.Action == session.ActDemote || d.Action == session.ActRefuse {
		badge = m.st.Alarm
	}
	first := newLine(w).skip(1).put(badge, " "+strings.ToUpper(word)+" ").skip(1)
	if d.Claim != "" {
		first.put(m.st.Strong, string(d.Claim)).skip(2)
	}
	first.put(m.st.Text, clean.Line(d.Reason, 400))
	second := newLine(w).skip(1)
	key := func(k, what string) { second.put(m.st.Key, k).put(m.st.KeyName, " "+what).skip(3) }
	key("enter", "evidence")
	if d.Offer {
		key(m.keys.Key(keymap.Confirm), "carry it out")
	} else {
		key(m.keys.Key(keymap.Confirm), "confirm")
	}
	key(m.keys.Key(keymap.Overrule), "overrule")
	key("esc", "later")
	if a.more > 0 {
		second.put(m.st.Muted, fmt.Sprintf("and %d more in the log", a.more))
	}
	return []string{first.end(), second.end()}
}

// decisionAt is the decision that confirm and overrule speak of: the one that
// is announced, else that of the selected record, or the one that the selected
// claim's trust rests on. A confirmation stands for what it agrees with.
func (s *sessionScreen) decisionAt() (session.DecisionView, bool) {
	v := s.latest
	switch {
	case s.banner != nil:
		return s.banner.d, true
	case s.detail.about == aboutClaim:
		if claim, ok := s.claims.selected(); ok && standsOn(v, claim.ID).ID > 0 {
			return standsOn(v, claim.ID), true
		}
	case s.detail.about == aboutRecord && s.detail.rec != nil && s.detail.rec.Kind == session.KindDecision:
		for _, d := range v.Decisions {
			if d.Seq == s.detail.rec.Seq {
				return meant(v, d), true
			}
		}
	}
	return s.unanswered()
}

// meant is the decision that a confirmation agrees with; any other one itself.
func meant(v *session.View, d session.DecisionView) session.DecisionView {
	for range v.Decisions {
		i := slices.IndexFunc(v.Decisions, func(x session.DecisionView) bool { return x.ID == d.Supersedes })
		if d.Action != session.ActConfirm || i < 0 {
			break
		}
		d = v.Decisions[i]
	}
	return d
}

// standsOn is the decision in force on a claim: its last demotion or
// restoration that nothing but confirmations followed. Its ID is 0 where there
// is none.
func standsOn(v *session.View, claim session.Claim) (found session.DecisionView) {
	for i := range v.Decisions {
		d := &v.Decisions[i]
		switch {
		case d.Claim != claim:
		case ofClaim(d.Action):
			found = *d
		case d.Action == session.ActOverrule:
			root, lifted := rootOf(v, d)
			if lifted && root.ID == found.ID {
				found = session.DecisionView{}
			} else if !lifted && found.ID == 0 && ofClaim(root.Action) {
				found = root
			}
		}
	}
	return found
}

// unanswered is the last decision of a rule that nobody has answered: the one
// that was announced before its evidence was looked at.
func (s *sessionScreen) unanswered() (session.DecisionView, bool) {
	answered := map[int]bool{}
	for _, d := range slices.Backward(s.latest.Decisions) {
		answered[d.Supersedes] = true
		if d.By == "rule" && !d.Carried && !answered[d.ID] {
			return d, true
		}
	}
	return session.DecisionView{}, false
}

// confirmDecision agrees with it, or carries an offer out.
func (m *model) confirmDecision() tea.Cmd {
	d, _ := m.session.decisionAt()
	m.session.banner = nil
	if d.Offer && d.Action == session.ActRedispatch {
		line := "redispatch"
		if d.To != "" {
			line += " --to " + session.QuoteWord(d.To)
		}
		if d.Task > 0 {
			line += fmt.Sprintf(" --task %d", d.Task)
		}
		if c, err := session.ParseCommand(line); err == nil {
			if cmd, asks := m.redispatch(line, &c); asks {
				return cmd
			}
		}
		return m.run(line, nil)
	}
	m.say(toastInfo, fmt.Sprintf("confirmed: decision %d, %s", d.ID, strings.TrimSpace(string(d.Action)+" "+string(d.Claim))))
	return m.run(fmt.Sprintf("confirm %d", d.ID), nil)
}

// overruleDecision asks for the reason on the command line.
func (m *model) overruleDecision() tea.Cmd {
	d, _ := m.session.decisionAt()
	if line := takenBack(m.session.latest, d); line != "" {
		return m.openField(fieldCommand, line)
	}
	return m.openField(fieldCommand, fmt.Sprintf("overrule %d ", d.ID))
}

// undoable is the operator's last decision that still stands.
func (s *sessionScreen) undoable() (session.DecisionView, bool) {
	v := s.latest
	gone := map[int]bool{}
	for i := len(v.Decisions) - 1; i >= 0; i-- {
		d := v.Decisions[i]
		if d.Supersedes > 0 {
			gone[d.Supersedes] = true
		}
		if d.By == "operator" && !d.Carried && !gone[d.ID] && (d.Action == session.ActDemote || d.Action == session.ActRestore) {
			return d, true
		}
	}
	return session.DecisionView{}, false
}

// reinstating is the beginning of the command that brings back what an overrule
// set aside: the same decision once more, with a reason of its own. It is empty
// where that is no matter of a claim.
func reinstating(action session.Action, claim session.Claim) string {
	if claim == "" || !ofClaim(action) {
		return ""
	}
	return string(action) + " " + string(claim) + " "
}

// takenBack is the beginning of the command that reverses an overrule; empty
// where it is none, or where it was answered, or something decided on its claim,
// since.
func takenBack(v *session.View, d session.DecisionView) string {
	if d.Action != session.ActOverrule {
		return ""
	}
	for _, x := range v.Decisions {
		if x.Supersedes == d.ID && x.ID > d.ID {
			return ""
		}
	}
	root, lifted := rootOf(v, &d)
	switch {
	case root.ID == 0:
		return ""
	case ofClaim(root.Action) && lifted && standsOn(v, root.Claim).ID > 0:
		return ""
	case ofClaim(root.Action) && lifted:
		return reinstating(root.Action, root.Claim)
	}
	return fmt.Sprintf("overrule %d ", d.ID)
}

// lastOwn is the operator's last decision that was more than a yes; its ID is 0
// where there is none.
func (s *sessionScreen) lastOwn() session.DecisionView {
	for _, d := range slices.Backward(s.latest.Decisions) {
		if d.By == "operator" && !d.Carried && d.Action != session.ActConfirm {
			return d
		}
	}
	return session.DecisionView{}
}

// lastOverrule is the command that reverses the operator's last decision where
// that is an overrule which can be reversed.
func (s *sessionScreen) lastOverrule() string { return takenBack(s.latest, s.lastOwn()) }

// undoWhyNot says why there is nothing that can be undone; empty where there
// is.
func (s *sessionScreen) undoWhyNot() string {
	last := s.lastOwn()
	if last.Action == session.ActRedispatch {
		return fmt.Sprintf("your last decision, %d, gave task %d out again: what was sent cannot be taken back", last.ID, last.Task)
	}
	if _, ok := s.undoable(); ok || s.lastOverrule() != "" {
		return ""
	}
	if last.Action == session.ActOverrule {
		return fmt.Sprintf("your last decision, %d, was answered since: a newer one holds", last.ID)
	}
	return "you have made no decision that still stands"
}

// undo reverses it by another decision; an overrule by what it set aside, for
// which a reason is asked.
func (m *model) undo() tea.Cmd {
	if line := m.session.lastOverrule(); line != "" {
		return m.openField(fieldCommand, line)
	}
	d, _ := m.session.undoable()
	m.say(toastInfo, fmt.Sprintf("undone: decision %d, %s %s", d.ID, d.Action, d.Claim))
	return m.run(fmt.Sprintf("overrule %d undone by the operator", d.ID), nil)
}
