package keymap

// The actions of the console.
const (
	Quit    Action = "app.quit"
	Suspend Action = "app.suspend"
	Redraw  Action = "app.redraw"
	Palette Action = "app.palette"
	Help    Action = "app.help"
	Theme   Action = "app.theme"
	Errors  Action = "app.errors"
	Mouse   Action = "app.mouse"
	Times   Action = "app.times"
	Back    Action = "app.back"
	Dismiss Action = "app.dismiss"

	Up       Action = "move.up"
	Down     Action = "move.down"
	PageUp   Action = "move.page-up"
	PageDown Action = "move.page-down"
	HalfUp   Action = "move.half-up"
	HalfDown Action = "move.half-down"
	Top      Action = "move.top"
	Bottom   Action = "move.bottom"
	Left     Action = "move.left"
	Right    Action = "move.right"

	Open      Action = "list.open"
	OpenURL   Action = "peers.open-url"
	Refresh   Action = "list.refresh"
	Sort      Action = "list.sort"
	SortOrder Action = "list.sort-order"
	Filter    Action = "list.filter"
	ToHistory Action = "app.history"
	TabNext   Action = "tab.next"
	TabPrev   Action = "tab.previous"
	Continue  Action = "history.continue"
	Pick      Action = "history.pick"
	Compare   Action = "history.compare"
	Delete    Action = "history.delete"
	Prune     Action = "history.prune"
	Cards     Action = "peers.cards"
	NextMatch Action = "filter.next"
	PrevMatch Action = "filter.previous"

	Send        Action = "task.send"
	Stream      Action = "task.stream"
	Resume      Action = "task.resume"
	Cancel      Action = "task.cancel"
	Poll        Action = "task.poll"
	Resubscribe Action = "task.resubscribe"
	Detach      Action = "task.detach"
	Get         Action = "task.get"
	TaskNext    Action = "task.next"
	TaskPrev    Action = "task.previous"
	Probe       Action = "peer.probe"
	Command     Action = "app.command"
	FocusNext   Action = "focus.next"
	FocusPrev   Action = "focus.previous"
	Focus1      Action = "focus.task"
	Focus2      Action = "focus.wire"
	Focus3      Action = "focus.claims"
	Focus4      Action = "focus.detail"
	Focus5      Action = "focus.message"
	Zoom        Action = "view.zoom"
	Unzoom      Action = "view.unzoom"
	Pause       Action = "view.pause"
	Follow      Action = "view.follow"
	Copy        Action = "copy.short"
	CopyLong    Action = "copy.long"
	Undo        Action = "decision.undo"
	Confirm     Action = "decision.confirm"
	Overrule    Action = "decision.overrule"
	Note        Action = "log.note"
	Mark        Action = "log.mark"
	Export      Action = "session.export"
	Fallback    Action = "peer.fallback"
	StepBack    Action = "past.back"
	StepOn      Action = "past.on"
	FindingBack Action = "past.finding-back"
	FindingOn   Action = "past.finding-on"
	GoTo        Action = "past.go-to"
	Now         Action = "past.now"

	Evidence     Action = "claims.evidence"
	ProbeClaim   Action = "claims.probe"
	DemoteClaim  Action = "claims.demote"
	RestoreClaim Action = "claims.restore"

	MessageSend   Action = "message.send"
	MessageBreak  Action = "message.newline"
	MessageKind   Action = "message.kind"
	MessageLeave  Action = "message.leave"
	MessageEditor Action = "message.editor"
	HistoryPrev   Action = "field.previous"
	HistoryNext   Action = "field.next"
	LineAccept    Action = "line.accept"
	LineComplete  Action = "line.complete"
	LineBackwards Action = "line.complete-back"
	LineLeave     Action = "line.leave"

	Yes    Action = "dialog.yes"
	No     Action = "dialog.no"
	Choose Action = "dialog.choose"
	Switch Action = "dialog.switch"
)

// table is long because there is much to do; it is read as a document.
func table() []Binding {
	return []Binding{
		{Action: Send, Context: Session, Keys: []string{"s"}, Name: "send", Help: "write a message and send it, waiting for the answer", Footer: true, Writes: true},
		{Action: Stream, Context: Session, Keys: []string{"S"}, Name: "stream", Help: "write a message and follow the task's events", Footer: true, Writes: true},
		{Action: Resume, Context: Session, Keys: []string{"r"}, Name: "resume", Help: "answer a task that waits for input", Footer: true, Writes: true},
		{Action: Cancel, Context: Session, Keys: []string{"c"}, Name: "cancel", Help: "cancel the task, after asking, and watch what still arrives", Footer: true, Dangerous: true, Writes: true},
		{Action: Poll, Context: Session, Keys: []string{"p"}, Name: "poll", Help: "read the task again and again until it is settled", Footer: true, Writes: true},
		{Action: Detach, Context: Session, Keys: []string{"d"}, Name: "detach", Help: "drop the connection and let the task go on", Writes: true},
		{Action: Get, Context: Session, Keys: []string{"."}, Name: "get", Help: "read the task once", Writes: true},
		{Action: Probe, Context: Session, Keys: []string{"P"}, Name: "probe", Help: "put claims to the test: all of them, or those that you name", Footer: true, Writes: true},
		{Action: Command, Context: Session, Keys: []string{":"}, Name: "command", Help: "type any command, with completion", Footer: true, Writes: true},
		{Action: Resubscribe, Context: Session, Keys: []string{"b"}, Name: "resubscribe", Help: "open the task's stream again", Footer: true, Writes: true},
		{Action: TaskPrev, Context: Session, Keys: []string{"["}, Name: "previous task", Help: "make the task before this one the current task"},
		{Action: TaskNext, Context: Session, Keys: []string{"]"}, Name: "next task", Help: "make the task after this one the current task"},
		{Action: Confirm, Context: Session, Keys: []string{"C"}, Name: "confirm", Help: "agree with the decision that is announced or selected", Writes: true},
		{Action: Overrule, Context: Session, Keys: []string{"O"}, Name: "overrule", Help: "set the decision aside that is announced or selected, with a reason", Writes: true},
		{Action: Undo, Context: Session, Keys: []string{"u"}, Name: "undo decision", Help: "reverse your own last decision; the log keeps both", Writes: true},
		{Action: Note, Context: Session, Keys: []string{"n"}, Name: "note", Help: "write a remark into the log", Writes: true},
		{Action: Mark, Context: Session, Keys: []string{"m"}, Name: "mark", Help: "mark this place in the log", Writes: true},
		{Action: Export, Context: Session, Keys: []string{"x"}, Name: "export", Help: "write the session as a report or a recording"},
		{Action: Fallback, Context: Session, Keys: []string{"E"}, Name: "what may help", Help: "use another address, interface or credential, where the peer cannot be reached or does not let you in", Writes: true},
		{Action: StepBack, Context: Session, Keys: []string{"<", ","}, Name: "step back", Help: "show everything as of the record before; again for the one before that"},
		{Action: StepOn, Context: Session, Keys: []string{">"}, Name: "step on", Help: "show everything as of the record after"},
		{Action: FindingBack, Context: Session, Keys: []string{"{"}, Name: "finding before", Help: "show everything as of the finding before"},
		{Action: FindingOn, Context: Session, Keys: []string{"}"}, Name: "next finding", Help: "show everything as of the next finding"},
		{Action: GoTo, Context: Session, Keys: []string{"@"}, Name: "go to a time", Help: "show everything as of a time of the session, a time of day or a record"},
		{Action: FocusNext, Context: Session, Keys: []string{"tab"}, Name: "next pane", Help: "go to the next pane"},
		{Action: FocusPrev, Context: Session, Keys: []string{"shift+tab"}, Name: "previous pane", Help: "go to the pane before"},
		{Action: Focus1, Context: Session, Keys: []string{"1"}, Name: "task pane", Help: "go to the task and its states"},
		{Action: Focus2, Context: Session, Keys: []string{"2"}, Name: "wire pane", Help: "go to the wire log"},
		{Action: Focus3, Context: Session, Keys: []string{"3"}, Name: "claims pane", Help: "go to declared against observed"},
		{Action: Focus4, Context: Session, Keys: []string{"4"}, Name: "detail pane", Help: "go to the detail of what is selected"},
		{Action: Focus5, Context: Session, Keys: []string{"5"}, Name: "message pane", Help: "go to the message that is being written"},
		{Action: Zoom, Context: Session, Keys: []string{"+", "="}, Name: "zoom", Help: "give the pane the whole screen, and back"},
		{Action: Unzoom, Context: Session, Keys: []string{"_"}, Name: "unzoom", Help: "show all panes again"},
		{Action: Pause, Context: Session, Keys: []string{"space"}, Name: "pause", Help: "hold the picture still; recording goes on"},
		{Action: Follow, Context: Session, Keys: []string{"F"}, Name: "follow", Help: "stay at the end of the wire log"},
		{Action: Filter, Context: Session, Keys: []string{"/"}, Name: "filter", Help: "show only the records that match; a leading ! inverts"},
		{Action: Copy, Context: Session, Keys: []string{"y"}, Name: "copy", Help: "copy the selected line"},
		{Action: CopyLong, Context: Session, Keys: []string{"Y"}, Name: "copy all", Help: "copy the whole of what is selected: wire bytes, a finding, a task"},
		{Action: ToHistory, Context: Session, Keys: []string{"H"}, Name: "history", Help: "leave for the sessions and decisions of before"},
		{Action: Continue, Context: Session, Keys: []string{"ctrl+r"}, Name: "continue", Help: "go on with the session that is under review", Writes: true},

		{Action: Open, Context: Wire, Keys: []string{"enter"}, Name: "detail", Help: "read the selected record; on a finding or a verdict, go to the record that it rests on", Footer: true},
		{Action: Open, Context: Task, Keys: []string{"enter"}, Name: "show record", Help: "go to the record that showed this state", Footer: true},
		{Action: Evidence, Context: Claims, Keys: []string{"enter"}, Name: "evidence", Help: "go to the record that proves it; again for the next one", Footer: true},
		{Action: ProbeClaim, Context: Claims, Keys: []string{"T"}, Name: "probe claim", Help: "put this claim to the test", Footer: true, Writes: true},
		{Action: DemoteClaim, Context: Claims, Keys: []string{"D"}, Name: "demote", Help: "stop relying on this claim, with a reason", Footer: true, Writes: true},
		{Action: RestoreClaim, Context: Claims, Keys: []string{"R"}, Name: "restore", Help: "rely on this claim again, with a reason", Footer: true, Writes: true},
		{Action: TabPrev, Context: Detail, Keys: []string{"["}, Name: "tab before", Help: "pretty, raw, headers, timing, why"},
		{Action: TabNext, Context: Detail, Keys: []string{"]", "enter"}, Name: "next tab", Help: "pretty, raw, headers, timing, why", Footer: true},

		{Action: MessageSend, Context: Message, Keys: []string{"enter"}, Name: "send it", Help: "send the message", Footer: true, Writes: true},
		{Action: MessageLeave, Context: Message, Keys: []string{"esc"}, Name: "leave", Help: "go back to the pane; the text stays", Footer: true},
		{Action: MessageBreak, Context: Message, Keys: []string{"alt+enter", "ctrl+j", "shift+enter"}, Name: "new line", Help: "begin a new line", Footer: true},
		{Action: MessageKind, Context: Message, Keys: []string{"ctrl+t"}, Name: "send/stream/resume", Help: "choose how it is sent", Footer: true},
		{Action: MessageEditor, Context: Message, Keys: []string{"ctrl+o"}, Name: "editor", Help: "write it in $VISUAL or $EDITOR", Footer: true},
		{Action: HistoryPrev, Context: Message, Keys: []string{"up"}, Name: "message before", Help: "the message before"},
		{Action: HistoryNext, Context: Message, Keys: []string{"down"}, Name: "message after", Help: "the message after"},
		{Action: FocusNext, Context: Message, Keys: []string{"tab"}, Name: "next pane", Help: "go to the next pane"},
		{Action: FocusPrev, Context: Message, Keys: []string{"shift+tab"}, Name: "previous pane", Help: "go to the pane before"},

		{Action: Open, Context: Peers, Keys: []string{"enter"}, Name: "open", Help: "open a session on this peer", Footer: true},
		{Action: OpenURL, Context: Peers, Keys: []string{"o", ":"}, Name: "open a URL", Help: "open a session on a peer by its address", Footer: true},
		{Action: Filter, Context: Peers, Keys: []string{"/"}, Name: "filter", Help: "show only what matches; a leading ! inverts", Footer: true},
		{Action: Sort, Context: Peers, Keys: []string{"s"}, Name: "sort", Help: "sort by the next column", Footer: true},
		{Action: SortOrder, Context: Peers, Keys: []string{"S"}, Name: "turn order", Help: "turn the order round"},
		{Action: Refresh, Context: Peers, Keys: []string{"r"}, Name: "refresh", Help: "read the list again"},
		{Action: ToHistory, Context: Peers, Keys: []string{"H"}, Name: "history", Help: "sessions and decisions of before", Footer: true},
		{Action: Cards, Context: Peers, Keys: []string{"v"}, Name: "cards", Help: "the cards of this peer that sessions have read, and what changed from one to the next", Footer: true},
		{Action: Copy, Context: Peers, Keys: []string{"y"}, Name: "copy", Help: "copy the address"},

		{Action: Open, Context: History, Keys: []string{"enter"}, Name: "review", Help: "open this session to read it", Footer: true},
		{Action: Continue, Context: History, Keys: []string{"c", "ctrl+r"}, Name: "continue", Help: "go on with this session", Footer: true, Writes: true},
		{Action: TabNext, Context: History, Keys: []string{"]", "tab"}, Name: "sessions/decisions", Help: "the other list", Footer: true},
		{Action: TabPrev, Context: History, Keys: []string{"[", "shift+tab"}, Name: "list before", Help: "the other list"},
		{Action: Filter, Context: History, Keys: []string{"/"}, Name: "filter", Help: "show only what matches as you type; enter looks in the wire text of all sessions too", Footer: true},
		{Action: Export, Context: History, Keys: []string{"x"}, Name: "export", Help: "write this session as a report or a recording", Footer: true},
		{Action: Pick, Context: History, Keys: []string{"space"}, Name: "pick", Help: "pick this session, to compare or delete it with others", Footer: true},
		{Action: Compare, Context: History, Keys: []string{"="}, Name: "compare", Help: "set two picked sessions side by side; with one picked, it and this one", Footer: true},
		{Action: Confirm, Context: History, Keys: []string{"C"}, Name: "confirm", Help: "go on with the decision's session and agree with it", Footer: true, Writes: true},
		{Action: Overrule, Context: History, Keys: []string{"O"}, Name: "overrule", Help: "go on with the decision's session and set it aside, with a reason", Footer: true, Writes: true},
		{Action: Delete, Context: History, Keys: []string{"D"}, Name: "delete", Help: "delete the picked sessions, or this one; that they were there stays noted", Dangerous: true},
		{Action: Prune, Context: History, Keys: []string{"P"}, Name: "prune", Help: "delete all sessions older than so many days", Dangerous: true},
		{Action: Sort, Context: History, Keys: []string{"s"}, Name: "sort", Help: "sort by the next column", Footer: true},
		{Action: SortOrder, Context: History, Keys: []string{"S"}, Name: "turn order", Help: "turn the order round"},
		{Action: Refresh, Context: History, Keys: []string{"r"}, Name: "refresh", Help: "read the list again"},
		{Action: Cards, Context: History, Keys: []string{"v"}, Name: "cards", Help: "the cards of this session's peer that sessions have read, and what changed from one to the next", Footer: true},
		{Action: Copy, Context: History, Keys: []string{"y"}, Name: "copy", Help: "copy the session's id"},

		{Action: Now, Context: Past, Keys: []string{"esc"}, Name: "back to now", Help: "show the session as it is now", Footer: true},
		{Action: NextMatch, Context: Found, Keys: []string{"n"}, Name: "next match", Help: "to the next line that matches; after the last the first"},
		{Action: PrevMatch, Context: Found, Keys: []string{"N"}, Name: "match before", Help: "to the line before that matches"},

		{Action: LineAccept, Context: Line, Keys: []string{"enter"}, Name: "run", Help: "carry out the command; keep the filter", Footer: true},
		{Action: LineComplete, Context: Line, Keys: []string{"tab"}, Name: "complete", Help: "complete the word; again for the next choice", Footer: true},
		{Action: LineBackwards, Context: Line, Keys: []string{"shift+tab"}, Name: "choice before", Help: "the choice before"},
		{Action: HistoryPrev, Context: Line, Keys: []string{"up", "ctrl+p"}, Name: "line before", Help: "the line before", Footer: true},
		{Action: HistoryNext, Context: Line, Keys: []string{"down", "ctrl+n"}, Name: "line after", Help: "the line after"},
		{Action: LineLeave, Context: Line, Keys: []string{"esc"}, Name: "leave", Help: "leave it; a filter is dropped", Footer: true},

		{Action: Yes, Context: Dialog, Keys: []string{"y"}, Name: "yes", Help: "do it", Footer: true},
		{Action: No, Context: Dialog, Keys: []string{"n", "q", "esc"}, Name: "no", Help: "do not", Footer: true},
		{Action: Switch, Context: Dialog, Keys: []string{"tab", "shift+tab", "left", "right", "h", "l"}, Name: "other answer", Help: "point at the other answer", Footer: true},
		{Action: Choose, Context: Dialog, Keys: []string{"enter"}, Name: "choose", Help: "the answer that is pointed at; No at first", Footer: true},

		{Action: Down, Context: Move, Keys: []string{"j", "down"}, Name: "down", Help: "one line down"},
		{Action: Up, Context: Move, Keys: []string{"k", "up"}, Name: "up", Help: "one line up"},
		{Action: PageDown, Context: Move, Keys: []string{"ctrl+f", "pgdown"}, Name: "page down", Help: "one page down"},
		{Action: PageUp, Context: Move, Keys: []string{"ctrl+b", "pgup"}, Name: "page up", Help: "one page up"},
		{Action: HalfDown, Context: Move, Keys: []string{"ctrl+d"}, Name: "half a page down", Help: "half a page down"},
		{Action: HalfUp, Context: Move, Keys: []string{"ctrl+u"}, Name: "half a page up", Help: "half a page up"},
		{Action: Top, Context: Move, Keys: []string{"g", "home"}, Name: "first", Help: "to the first line"},
		{Action: Bottom, Context: Move, Keys: []string{"G", "end"}, Name: "last", Help: "to the last line; in the wire log this follows again"},
		{Action: Left, Context: Move, Keys: []string{"h", "left"}, Name: "left", Help: "scroll left"},
		{Action: Right, Context: Move, Keys: []string{"l", "right"}, Name: "right", Help: "scroll right"},

		{Action: Palette, Context: Everywhere, Keys: []string{"ctrl+p"}, Name: "palette", Help: "every action by name, with its key"},
		{Action: Help, Context: Everywhere, Keys: []string{"?"}, Name: "help", Help: "the keys that hold here", Footer: true},
		{Action: Errors, Context: Everywhere, Keys: []string{"e"}, Name: "errors", Help: "what went wrong, in full"},
		{Action: Theme, Context: Everywhere, Keys: []string{"t"}, Name: "theme", Help: "the next theme"},
		{Action: Times, Context: Everywhere, Keys: []string{"w"}, Name: "times", Help: "session time, or time of day"},
		{Action: Mouse, Context: Everywhere, Keys: []string{"M"}, Name: "free mouse", Help: "give the mouse to the terminal, to select text, and back"},
		{Action: Dismiss, Context: Everywhere, Keys: []string{"esc", "backspace"}, Name: "close", Help: "close the topmost thing: announcement, filter, zoom, pane"},
		{Action: Back, Context: Everywhere, Keys: []string{"q"}, Name: "back", Help: "leave this screen; asks when something is open", Footer: true},
		{Action: Redraw, Context: Everywhere, Keys: []string{"ctrl+l"}, Name: "redraw", Help: "draw the screen anew"},
		{Action: Suspend, Context: Everywhere, Keys: []string{"ctrl+z"}, Name: "suspend", Help: "stop the program; fg brings it back"},
		{Action: Quit, Context: Everywhere, Keys: []string{"ctrl+c"}, Name: "quit", Help: "end the session in order and leave; a second time leaves at once"},
	}
}
