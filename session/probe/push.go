package probe

import (
	"a2ascope/session"
	"a2ascope/session/a2a"
)

// A declared push notification must be accepted, and delivered (field note
// 001). It goes to the console's own receiver, or to --push-url.
var pushProbes = []Probe{
	{
		Claim: session.PushNotifications, Name: "push", Capability: session.PushNotifications, Needs: []a2a.State{a2a.Working},
		Also:  []session.Claim{session.PushDelivered},
		Title: "a task whose changes are to be called in",
		What:  "a configuration that is refused, or a change that no call tells",
		Lines: func(f Facts) []Line {
			body := script(send(f, a2a.Working), lines("push on"), settled(f), pause(f.Policy.PushWindow.D()))
			if f.Use.Gen == a2a.Gen01 { // has neither
				return body
			}
			return script(body, lines("push list", "push delete"))
		},
	},
}
