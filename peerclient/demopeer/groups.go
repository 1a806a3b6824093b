package demopeer

import "slices"

// Group is a set of peers that are worth looking at together.
type Group struct {
	Name    string   // kebab-case
	Title   string   // one line: what it shows
	Members []string // names as ParseName takes them
}

// groups are the meshes of the field notes.
var groups = []Group{
	{
		Name:    "three-vendors",
		Title:   "an orchestrator's two workers: one asks, answers in JSON, restarts and answers in text; one completes in text only",
		Members: []string{"restarts", "text-only"},
	},
	{
		Name:  "eleven-peers",
		Title: "a batch of eleven, three of which declare more than they do: a history, streamed artifacts, a stream",
		Members: []string{
			"honest", "honest@0.3", "resumes", "resumes@0.3", "text-only", "text-only@0.3", "under-declared", "no-cancel",
			"empty-history@0.3", "hidden-artifact", "silent-stream",
		},
	},
}

// Groups lists the groups: first the three-vendor mesh (this program is the
// orchestrator, the group its two workers), then the batch of eleven.
func Groups() []Group {
	out := slices.Clone(groups)
	for i := range out {
		out[i].Members = slices.Clone(out[i].Members)
	}
	return out
}
