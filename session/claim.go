package session

// Claim is something that the card says or the protocol implies. The ids are
// stable: they appear on the screen, in JSON, in reports and in scripts.
type Claim string

// Claims on the card.
const (
	Streaming              Claim = "streaming"
	PushNotifications      Claim = "push-notifications"
	StateTransitionHistory Claim = "state-transition-history"
	ExtendedCard           Claim = "extended-card"
	InputModes             Claim = "input-modes"
	OutputModes            Claim = "output-modes"
	Interfaces             Claim = "interfaces"
	Endpoint               Claim = "endpoint"
	ProtocolVersion        Claim = "protocol-version"
	Security               Claim = "security"
	Extensions             Claim = "extensions"
	Signature              Claim = "signature"
	CardStable             Claim = "card-stable"
	CardValid              Claim = "card-valid"
)

// Claims that the protocol implies.
const (
	Blocking          Claim = "blocking"
	ArtifactsStreamed Claim = "artifacts-streamed"
	StreamCloses      Claim = "stream-closes"
	StatesForward     Claim = "states-forward"
	TerminalFinal     Claim = "terminal-final"
	CancelFinal       Claim = "cancel-final"
	CompletedStable   Claim = "completed-stable"
	ResumeSameTask    Claim = "resume-same-task"
	Resubscribe       Claim = "resubscribe"
	TaskDurable       Claim = "task-durable"
	Liveness          Claim = "liveness"
	PushDelivered     Claim = "push-delivered"
	ErrorCodes        Claim = "error-codes"
	BindingsAgree     Claim = "bindings-agree"
	ViewsAgree        Claim = "views-agree"
	WireFormat        Claim = "wire-format"
)

// Claims lists every claim in the order in which it is shown.
var Claims = []Claim{
	Streaming, PushNotifications, StateTransitionHistory, ExtendedCard, InputModes, OutputModes, Interfaces,
	Endpoint, ProtocolVersion, Security, Extensions, Signature, CardStable, CardValid,
	Blocking, ArtifactsStreamed, StreamCloses, StatesForward, TerminalFinal, CancelFinal, CompletedStable,
	ResumeSameTask, Resubscribe, TaskDurable, Liveness, PushDelivered, ErrorCodes, BindingsAgree, ViewsAgree, WireFormat,
}

// Known reports whether c is one of Claims.
func (c Claim) Known() bool {
	for _, k := range Claims {
		if k == c {
			return true
		}
	}
	return false
}

// Verdict is what the evidence says of a claim.
type Verdict string

// The verdicts, weakest first.
const (
	Unproven      Verdict = "unproven"
	Inconclusive  Verdict = "inconclusive"
	UnderDeclared Verdict = "under-declared"
	Honoured      Verdict = "honoured"
	Contradicted  Verdict = "contradicted"
)

// Trust is what the console acts on for a claim.
type Trust string

// The degrees of trust.
const (
	AsDeclared Trust = "as-declared"
	Verified   Trust = "verified"
	Demoted    Trust = "demoted"
)

// Severity says how much a finding weighs. Only critical and major
// contradict a claim, demote it, or count for the exit status.
type Severity string

// The severities, gravest first.
const (
	Critical Severity = "critical"
	Major    Severity = "major"
	Minor    Severity = "minor"
	Info     Severity = "info"
)

// Contradicts reports whether a finding of this severity contradicts its
// claim.
func (s Severity) Contradicts() bool { return s == Critical || s == Major }

// Outcome is our word on a logical task; its state is the peer's.
type Outcome string

// The outcomes of a logical task.
const (
	OutcomeOpen          Outcome = "open"
	OutcomeDone          Outcome = "done"
	OutcomeAnswered      Outcome = "answered" // a Message
	OutcomeFailed        Outcome = "failed"
	OutcomeCanceled      Outcome = "canceled"
	OutcomeRejected      Outcome = "rejected"
	OutcomeFalseFailure  Outcome = "false-failure"
	OutcomeOrphaned      Outcome = "orphaned"
	OutcomeRefused       Outcome = "refused" // by us, before its end
	OutcomeIndeterminate Outcome = "indeterminate"
)

// Action is what a decision does.
type Action string

// The actions of decisions.
const (
	ActDemote     Action = "demote"
	ActRestore    Action = "restore"
	ActConfirm    Action = "confirm"
	ActOverrule   Action = "overrule"
	ActRefuse     Action = "refuse"
	ActFallBack   Action = "fall-back"
	ActRedispatch Action = "redispatch"
	ActReconcile  Action = "reconcile"
)
