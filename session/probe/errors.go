package probe

import (
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// What is asked for, and is nowhere.
const (
	noTask    = session.NoSuchTask
	noMethod  = session.NoSuchMethod
	noVersion = "9.9"
)

// The errors of the specification, each by what calls for it.
var errorProbes = []Probe{
	{
		Claim: session.ErrorCodes, Name: "unknown-task",
		Title:  "a get for a task that never was",
		What:   "an error other than TaskNotFound, or a task",
		Cannot: needsRaw,
		Lines:  func(f Facts) []Line { return lines(Raw(a2a.OpGet, f.Use, noTask)) },
	},
	{
		Claim: session.ErrorCodes, Name: "finished-task", Needs: []a2a.State{a2a.Completed},
		Also:  []session.Claim{session.TerminalFinal},
		Title: "a cancel of, and a message to, a finished task",
		What:  "an error other than the specification's, or a finished task that is rewritten",
		Lines: func(f Facts) []Line {
			return script(send(f, a2a.Completed), settled(f), lines("cancel", "resume --force one more thing"), settled(f))
		},
	},
	{
		Claim: session.ErrorCodes, Name: "unknown-method",
		Title:  "a method that no generation has",
		What:   "an error other than MethodNotFound",
		Cannot: needsRPC,
		Lines:  func(Facts) []Line { return lines("raw " + noMethod + " '{}'") },
	},
	{
		Claim: session.ErrorCodes, Name: "unknown-version",
		Title: "a call in a version that is none",
		What:  "an error other than VersionNotSupported, or an answer",
		Cannot: func(f Facts) string {
			if f.Use.Gen != a2a.Gen10 {
				return "generation " + string(f.Use.Gen) + " does not check the version"
			}
			return needsRaw(f)
		},
		Lines: func(f Facts) []Line {
			return lines(Raw(a2a.OpGet, f.Use, noTask) + " --version " + noVersion)
		},
	},
	{
		Claim: session.ErrorCodes, Name: "malformed-json",
		Title:  "a request whose JSON is cut off",
		What:   "an error other than ParseError",
		Cannot: needsRPC,
		Lines:  func(f Facts) []Line { return lines(Raw(a2a.OpGet, f.Use, noTask) + " --broken") },
	},
}

func needsRaw(f Facts) string {
	if Raw(a2a.OpGet, f.Use, noTask) == "" {
		return "there is no such call over " + strings.TrimSpace(string(f.Use.Binding)+" "+string(f.Use.Gen))
	}
	return ""
}

func needsRPC(f Facts) string {
	if f.Use.Binding != a2a.JSONRPC {
		return "this is an error of JSON-RPC alone"
	}
	return needsRaw(f)
}
