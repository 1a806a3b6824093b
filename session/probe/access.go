package probe

import (
	"strconv"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// Who is let in, what callers must understand, and whether every door leads to
// the same room.
var accessProbes = []Probe{
	{
		Claim: session.Security, Name: "no-credentials", Needs: []a2a.State{a2a.Completed},
		Title: "a message without our credentials",
		What:  "a call that is served although the card asks for credentials, or refused although it asks for none",
		Lines: func(f Facts) []Line {
			return lines(Line("send --new --immediate --without credentials " + word(f.Prompt(a2a.Completed))))
		},
	},
	{
		Claim: session.Extensions, Name: "no-extensions", Needs: []a2a.State{a2a.Completed},
		Title: "a message that does not name the required extensions",
		What:  "a call that is served although an extension is required",
		Cannot: func(f Facts) string {
			if !f.Extensions {
				return "the card requires no extension"
			}
			return ""
		},
		Lines: func(f Facts) []Line {
			return lines(Line("send --new --immediate --without extensions " + word(f.Prompt(a2a.Completed))))
		},
	},
	{
		Claim: session.BindingsAgree, Name: "other-interfaces", Needs: []a2a.State{a2a.Completed}, Also: []session.Claim{session.Interfaces},
		Title: "one finished task, read and canceled through every interface",
		What:  "an interface that does not answer, tells the task differently, or refuses it with another error",
		Cannot: func(f Facts) string {
			if len(f.Others) == 0 {
				return "the card declares no second interface that could be called"
			}
			return ""
		},
		Lines: func(f Facts) []Line {
			out := script(send(f, a2a.Completed), settled(f))
			for _, n := range f.Others {
				out = append(out, Line("get --on "+strconv.Itoa(n)))
			}
			out = append(out, "cancel")
			for _, n := range f.Others {
				out = append(out, Line("cancel --on "+strconv.Itoa(n)))
			}
			return out
		},
	},
}
