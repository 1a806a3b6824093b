package export

import "a2ascope/session"

// expected says, for a reader who has never seen this program, what a claim
// promises.
var expected = map[session.Claim]string{
	session.Streaming:              "The card declares streaming: a streaming call is answered with an event stream that brings the task's events as they happen.",
	session.PushNotifications:      "The card declares push notifications: a push configuration is accepted, and the agent calls the address in it.",
	session.StateTransitionHistory: "The card declares a state transition history: a read of the task that asks for history gets it.",
	session.ExtendedCard:           "The card declares an extended card: a caller with valid credentials gets it.",
	session.InputModes:             "Content of a type that the card declares as an input mode is accepted.",
	session.OutputModes:            "What the agent produces is of a type that the card declares as an output mode.",
	session.Interfaces:             "Each interface on the card answers as the binding that it names.",
	session.Endpoint:               "The address on the card can be used as it stands there.",
	session.ProtocolVersion:        "The agent speaks the version of the protocol that its card declares.",
	session.Security:               "The agent asks for the credentials that its card declares: no others, and no fewer.",
	session.Extensions:             "An extension that the card calls required is required.",
	session.Signature:              "The signature on the card verifies.",
	session.CardStable:             "Under one version the card keeps its capabilities, modes and endpoints.",
	session.CardValid:              "The card is a JSON object with the members that the specification requires.",
	session.Blocking:               "A call that asks to wait for the end is answered when the task is at an end, or needs its user.",
	session.ArtifactsStreamed:      "Artifacts that are made while a stream is open come on that stream.",
	session.StreamCloses:           "A stream is closed soon after the task's last event, and not before it.",
	session.StatesForward:          "A task's states go forward: it is not submitted again once it was working.",
	session.TerminalFinal:          "A terminal state is the end: the task's state does not change again, and nothing follows it.",
	session.CancelFinal:            "Canceled is terminal: after the agent has said so, the task brings no more artifacts and takes no other state.",
	session.CompletedStable:        "A completed task keeps its content: every read of it gives the same.",
	session.ResumeSameTask:         "An answer to a task that waits for input goes on with that very task.",
	session.Resubscribe:            "A task that is under way can be subscribed to.",
	session.TaskDurable:            "A task that was accepted can be read again, also over another connection.",
	session.Liveness:               "A task that is under way gives signs of life, or says when to ask again.",
	session.PushDelivered:          "A change of the task's state is delivered to the address that was registered.",
	session.ErrorCodes:             "Errors carry the codes that the specification gives them.",
	session.BindingsAgree:          "All declared bindings tell the same of a task.",
	session.ViewsAgree:             "Stream, reads, lists and notifications tell the same of a task.",
	session.WireFormat:             "Messages are well formed, so that nothing in them is lost or can be read in two ways.",
}

// names of verdicts, with their marks: never a colour alone.
var marks = map[session.Verdict]string{
	session.Honoured: "✓", session.Contradicted: "✗", session.UnderDeclared: "+", session.Inconclusive: "?", session.Unproven: "·",
}
