package session

import (
	"time"

	"a2ascope/session/a2a"
)

// Document is the verdict document: what a session comes to, for machines
// (DESIGN.md §8). Lists are never null.
type Document struct {
	Tool      ToolDoc       `json:"tool"`
	Exit      ExitDoc       `json:"exit"`
	Error     string        `json:"error"`
	Session   string        `json:"session"`
	Started   string        `json:"started"`
	Ended     string        `json:"ended"`
	Log       LogDoc        `json:"log"`
	Policy    Policy        `json:"policy"`
	Peer      PeerDoc       `json:"peer"`
	Tasks     []TaskDoc     `json:"tasks"`
	Claims    []ClaimDoc    `json:"claims"`
	Findings  []FindingDoc  `json:"findings"`
	Decisions []DecisionDoc `json:"decisions"`
	Profile   ProfileDoc    `json:"profile"`
	Faults    int           `json:"faults"`
	FaultList []FaultDoc    `json:"faultList"`
}

// The parts of a Document. Times are RFC 3339, empty where there is none.
type (
	// ToolDoc names the program that wrote the document.
	ToolDoc struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	// ExitDoc is the exit status and why.
	ExitDoc struct {
		Status  int      `json:"status"`
		Reasons []string `json:"reasons"`
	}
	// LogDoc is the log's length and the hash of its head.
	LogDoc struct {
		Records uint64 `json:"records"`
		Head    string `json:"head"`
	}
	// PeerDoc is the peer as it was declared and as it was spoken to.
	PeerDoc struct {
		URL         string       `json:"url"`
		Origin      string       `json:"origin"`
		CardURL     string       `json:"cardUrl"`
		Endpoint    string       `json:"endpoint"`
		Name        string       `json:"name"`
		CardVersion string       `json:"cardVersion"`
		Generation  string       `json:"generation"`
		Binding     string       `json:"binding"`
		Declared    InterfaceDoc `json:"declared"`
	}
	// InterfaceDoc is an interface as declared.
	InterfaceDoc struct {
		Generation string `json:"generation"`
		Binding    string `json:"binding"`
		Endpoint   string `json:"endpoint"`
	}
	// TaskDoc is a logical task.
	TaskDoc struct {
		Correlation string        `json:"correlation"`
		TaskIDs     []string      `json:"taskIds"`
		ContextID   string        `json:"contextId"`
		State       string        `json:"state"`
		Outcome     Outcome       `json:"outcome"`
		Settled     bool          `json:"settled"`
		Attempts    int           `json:"attempts"`
		Artifacts   []ArtifactDoc `json:"artifacts"`
		States      []string      `json:"states"`
		Messages    []MessageDoc  `json:"messages"`
		LastMessage string        `json:"lastMessage"`
	}
	// ArtifactDoc is an artifact of a task.
	ArtifactDoc struct {
		ArtifactID string   `json:"artifactId"`
		MediaTypes []string `json:"mediaTypes"`
		Text       string   `json:"text"`
		Truncated  bool     `json:"truncated"`
		Digest     string   `json:"digest"`
	}
	// MessageDoc is a message of a task.
	MessageDoc struct {
		Role string `json:"role"`
		Text string `json:"text"`
	}
	// ClaimDoc is a claim, declared against observed.
	ClaimDoc struct {
		ID       Claim      `json:"id"`
		Declared string     `json:"declared"`
		Observed string     `json:"observed"`
		Verdict  Verdict    `json:"verdict"`
		Trust    Trust      `json:"trust"`
		Until    string     `json:"until"`
		Counts   ClaimCount `json:"counts"`
		Rules    []string   `json:"rules"`
		Evidence []uint64   `json:"evidence"`
	}
	// ClaimCount is how often a claim got each verdict.
	ClaimCount struct {
		Honoured     int `json:"honoured"`
		Contradicted int `json:"contradicted"`
		Inconclusive int `json:"inconclusive"`
	}
	// FindingDoc is a finding.
	FindingDoc struct {
		Rule     string   `json:"rule"`
		Claim    Claim    `json:"claim"`
		Severity Severity `json:"severity"`
		Task     string   `json:"task"`
		Count    int      `json:"count"`
		At       string   `json:"at"`
		Title    string   `json:"title"`
		Detail   string   `json:"detail"`
		Advice   string   `json:"advice"`
		Source   string   `json:"source"`
		Evidence []uint64 `json:"evidence"`
	}
	// DecisionDoc is a decision.
	DecisionDoc struct {
		ID         int      `json:"id"`
		Action     Action   `json:"action"`
		Claim      Claim    `json:"claim"`
		By         string   `json:"by"`
		Task       string   `json:"task"`
		At         string   `json:"at"`
		Reason     string   `json:"reason"`
		Until      string   `json:"until"`
		Carried    bool     `json:"carried"`
		Supersedes int      `json:"supersedes"`
		Evidence   []uint64 `json:"evidence"`
	}
	// ProfileDoc is a Profile with its unknowns spelt out.
	ProfileDoc struct {
		Resubscribe           string   `json:"resubscribe"`
		ResubscribeAfterInput string   `json:"resubscribeAfterInput"`
		Resume                string   `json:"resume"`
		CancelWorking         string   `json:"cancelWorking"`
		CancelInputRequired   string   `json:"cancelInputRequired"`
		Durable               string   `json:"durable"`
		VerifiedStates        []string `json:"verifiedStates"`
		VerifiedOutputModes   []string `json:"verifiedOutputModes"`
		AcceptedInputModes    []string `json:"acceptedInputModes"`
	}
	// FaultDoc is a transport fault.
	FaultDoc struct {
		Seq  uint64 `json:"seq"`
		What string `json:"what"`
	}
)

// MakeDocument makes the verdict document of a state. Exit, and what is known
// only outside of the log, are the caller's to fill in.
func MakeDocument(s *State, tool ToolDoc) Document {
	d := Document{
		Tool: tool, Exit: ExitDoc{Reasons: []string{}}, Session: s.Opened.Session,
		Started: stamp(s.Started), Ended: stamp(s.Wall), Log: LogDoc{Records: s.Seq, Head: s.Head.String()},
		Policy: s.Opened.Policy, Peer: s.peerDoc(), Tasks: []TaskDoc{}, Claims: s.claimDocs(),
		Findings: []FindingDoc{}, Decisions: []DecisionDoc{}, Profile: s.profileDoc(),
		Faults: s.FaultCount, FaultList: []FaultDoc{},
	}
	for _, t := range s.Tasks {
		d.Tasks = append(d.Tasks, t.doc())
	}
	for _, f := range s.Findings {
		d.Findings = append(d.Findings, s.findingDoc(f))
	}
	for _, x := range s.Decisions {
		d.Decisions = append(d.Decisions, s.decisionDoc(x))
	}
	for _, f := range s.Faults {
		d.FaultList = append(d.FaultList, FaultDoc(f))
	}
	return d
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (s *State) peerDoc() PeerDoc {
	p := &s.Peer
	d := PeerDoc{
		URL: p.Key, Origin: OriginOf(s.Opened.URL), CardURL: p.CardURL, Endpoint: p.Use.URL,
		Generation: string(p.Use.Gen), Binding: string(p.Use.Binding),
		Declared: InterfaceDoc{Generation: "undeclared", Binding: "undeclared"},
	}
	if p.Card != nil {
		d.Name, d.CardVersion = p.Card.Name, p.Card.Version
		if len(p.Card.Interfaces) > 0 {
			i := p.Card.Interfaces[0]
			if i.Assumed {
				i.Generation = ""
			}
			d.Declared = InterfaceDoc{Generation: orUndeclared(string(i.Generation)), Binding: orUndeclared(string(i.Binding)), Endpoint: i.URL}
		}
		if p.Declared.URL != "" {
			d.Declared.Generation, d.Declared.Binding = orUndeclared(string(s.DeclaredGeneration())), string(p.Declared.Binding)
		}
	}
	return d
}

func orUndeclared(v string) string {
	if v == "" {
		return string(a2a.Undeclared)
	}
	return v
}

func (t *Task) doc() TaskDoc {
	d := TaskDoc{
		Correlation: t.Correlation, TaskIDs: []string{}, State: string(t.State()), Outcome: t.Outcome,
		Attempts: len(t.Attempts), Artifacts: []ArtifactDoc{}, States: []string{}, Messages: []MessageDoc{},
	}
	for _, a := range t.Attempts {
		if a.ServerID != "" {
			d.TaskIDs = append(d.TaskIDs, a.ServerID)
		}
		for i, seen := range a.States {
			if n := len(d.States); i == 0 && n > 0 && d.States[n-1] == string(seen.State) {
				continue // where another attempt begins in the state in which the last one was left
			}
			d.States = append(d.States, string(seen.State))
		}
	}
	for _, m := range t.Messages {
		d.Messages = append(d.Messages, MessageDoc{Role: m.Role, Text: m.Text})
		if m.Role != string(a2a.User) {
			d.LastMessage = m.Text
		}
	}
	a := t.Last()
	if a == nil {
		return d
	}
	d.ContextID, d.Settled = a.ContextID, a.Settled
	switch {
	case t.Lost:
		d.State = "indeterminate"
	case a.Message:
		d.State, d.TaskIDs = "message", []string{}
	}
	for _, x := range a.Shown() {
		d.Artifacts = append(d.Artifacts, ArtifactDoc{
			ArtifactID: x.ID, MediaTypes: append([]string{}, x.MediaTypes...), Text: x.Text, Truncated: x.Truncated, Digest: x.Digest,
		})
	}
	return d
}

// Shown returns the artifacts of the attempt as the fullest view has them:
// the last whole task that was told, unless streams brought more.
func (a *Attempt) Shown() []a2a.AssembledArtifact {
	told, streamed := a.Told.Artifacts(), a.Streamed.Artifacts()
	if len(told) == 0 || a.Terminal == nil && len(streamed) > 0 {
		return streamed
	}
	return told
}

func (s *State) findingDoc(f *FindingState) FindingDoc {
	return FindingDoc{
		Rule: f.Rule, Claim: f.Claim, Severity: f.Severity, Task: s.correlation(f.Task), Count: f.Count, At: stamp(f.At),
		Title: f.Title, Detail: f.Detail, Advice: f.Advice, Source: f.Source, Evidence: append([]uint64{}, f.Evidence...),
	}
}

func (s *State) decisionDoc(d *DecisionState) DecisionDoc {
	return DecisionDoc{
		ID: d.ID, Action: d.Action, Claim: d.Claim, By: d.By, Task: s.correlation(d.Task), At: stamp(d.At), Reason: d.Reason,
		Until: stamp(d.Until), Carried: d.Carried, Supersedes: d.Supersedes, Evidence: append([]uint64{}, d.Evidence...),
	}
}

func (s *State) correlation(task int) string {
	if t := s.TaskN(task); t != nil {
		return t.Correlation
	}
	return ""
}

func (s *State) profileDoc() ProfileDoc {
	p := s.Profile
	or := func(v string) string {
		if v == "" {
			return "unknown"
		}
		return v
	}
	return ProfileDoc{
		Resubscribe: or(p.Resubscribe), ResubscribeAfterInput: or(p.ResubscribeAfterInput), Resume: or(p.Resume),
		CancelWorking: or(p.CancelWorking), CancelInputRequired: or(p.CancelInputRequired), Durable: or(p.Durable),
		VerifiedStates: append([]string{}, p.VerifiedStates...), VerifiedOutputModes: append([]string{}, p.VerifiedOutputModes...),
		AcceptedInputModes: append([]string{}, p.AcceptedInputModes...),
	}
}
