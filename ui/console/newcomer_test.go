package console

import (
	"testing"

	"a2ascope/session"

	tea "charm.land/bubbletea/v2"
)

func TestWhatWentWrongStaysInSight(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, settled(), 80, 24)
	b.wants("3 Claims ✗1", "task 1 orphaned (completed after canceled), settled")
	b, _ = onSession(t, working(), 80, 24)
	b.wants("3 Claims ").lacks("✗")
}

func TestTheFooterBeginsWithThePaneWhereNotAllFits(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, working(), 80, 24)
	b.keys("4").wants(" [ ] tabs  s send")
	b.keys("3").wants(" enter evidence  T probe claim")
	b.send(tea.WindowSizeMsg{Width: 160, Height: 45})
	b.wants(" s send")
}

func TestAnotherWayToSendSaysWhatItDoesToAWaitingTask(t *testing.T) {
	t.Parallel()
	b, _ := onSession(t, asking(), 120, 40)
	b.keys("r").wants("resume ▸ a message · --data JSON").keys("ctrl+t").wants("send ▸", "task 1 waits for input: a send answers it all the same")
	b, _ = onSession(t, asking(), 80, 24)
	b.wants("--data JSON and --file PATH in front add parts")
}

func TestAQuestionWhoseTaskHasEndedAsksNoMore(t *testing.T) {
	t.Parallel()
	f := working()
	b, _ := onSession(t, f, 80, 24)
	b.keys("c").wants("Cancel task 1", "Yes, cancel it")
	f.add(ms(2600), session.KindFrame, 1, 2, session.Framed{N: 9, Kind: "event"}, status("TASK_STATE_COMPLETED"))
	b.tell(f)
	b.wants("Task 1 has meanwhile ended: completed", "Close").lacks("Yes, cancel it").keys("y").lacks("meanwhile")
	if len(f.commands) > 0 {
		t.Errorf("commands %q", f.commands)
	}
}
