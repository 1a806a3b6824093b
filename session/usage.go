package session

import "slices"

// Usage describes one command of the command language. The table behind
// Usages is the one place that says which commands and flags exist: the
// parser, completion and docs/commands.md all come from it.
type Usage struct {
	Name      string
	Synopsis  string // as in the documentation: "get [--history N]"
	Help      string // one line
	NeedsPeer bool   // means nothing before a peer was discovered
	NeedsTask bool   // acts on a task that must exist
	Flags     []FlagUsage
	Examples  []string

	read  func(*arguments) error // reads and checks what is not a flag
	words []wordKind             // what completion offers, by position; the last one repeats
}

// FlagUsage describes one flag of a command.
type FlagUsage struct {
	Name   string // with its dashes: "--data"
	Value  string // what it takes: "JSON|@FILE"; empty for a switch
	Help   string
	Repeat bool // may be given more than once

	kind wordKind // what completion offers for the value
}

// wordKind says what may stand at one place of a line.
type wordKind int

const (
	anyWord wordKind = iota
	noWord           // nothing more may follow
	claimWord
	claimOrAllWord
	stateWord
	untilWord
	formatWord
	taskWord
	interfaceWord
	generationWord
	schemeWord
	pushWord
	waitWord
	contextWord
	contextIDWord
	withoutWord
	peerWord
)

var (
	flagTask    = FlagUsage{Name: "--task", Value: "N|ID", Help: "act on this task: its number from 1, its correlation id or a server id", kind: taskWord}
	flagData    = FlagUsage{Name: "--data", Value: "JSON|@FILE", Help: "add a data part", Repeat: true}
	flagFile    = FlagUsage{Name: "--file", Value: "PATH[;type=MIME]", Help: "add a file part", Repeat: true}
	flagForce   = FlagUsage{Name: "--force", Help: "send although the console would withhold it"}
	flagFor     = FlagUsage{Name: "--for", Value: "D", Help: "how long to wait at most (2m)"}
	flagContext = FlagUsage{Name: "--context", Value: "current|ID", Help: "the conversation to send in", kind: contextWord}

	flagOn      = FlagUsage{Name: "--on", Value: "N", Help: "through the card's interface N, and judge nothing but what it says", kind: interfaceWord}
	flagWithout = FlagUsage{Name: "--without", Value: "credentials|extensions", Help: "leave this out of the request", Repeat: true, kind: withoutWord}

	sendFlags = []FlagUsage{
		flagData, flagFile,
		{Name: "--accept", Value: "MIME", Help: "an output mode that we accept", Repeat: true},
		{Name: "--immediate", Help: "do not ask the peer to wait for the end"},
		{Name: "--new", Help: "start a new task although the current one waits for input"},
		flagContext,
		{Name: "--plain", Help: "one blocking send of which nothing but the end is expected"},
		{Name: "--again", Help: "the task's last message once more, with a new message id"},
		flagWithout, flagForce, flagTask,
	}
)

// Usages returns every command in the order of the documentation. The inner
// slices are shared: they are for reading.
func Usages() []Usage { return slices.Clone(usages) }

// UsageOf returns the usage of one command.
func UsageOf(name string) (Usage, bool) {
	if u := usageOf(name); u != nil {
		return *u, true
	}
	return Usage{}, false
}

func usageOf(name string) *Usage {
	for i := range usages {
		if usages[i].Name == name {
			return &usages[i]
		}
	}
	return nil
}

// flag returns the flag of that name, or nil.
func (u *Usage) flag(name string) *FlagUsage {
	for i := range u.Flags {
		if u.Flags[i].Name == name {
			return &u.Flags[i]
		}
	}
	return nil
}

// A table; it is long because there are many commands.
var usages = []Usage{
	{
		Name: "discover", Synopsis: "discover URL", Help: "read the Agent Card of a peer",
		Examples: []string{"discover https://agents.example/research", "discover demo:honest@0.3", "discover grpc://agents.example:50051"},
		read:     readDiscover,
	},
	{
		Name: "interface", Synopsis: "interface N|jsonrpc|rest|grpc [0.1|0.2|0.3|1.0]",
		Help: "speak through this interface, and in this generation", NeedsPeer: true,
		Examples: []string{"interface 2", "interface rest", "interface jsonrpc 0.3"},
		read:     readInterface, words: []wordKind{interfaceWord, generationWord, noWord},
	},
	{
		Name: "endpoint", Synopsis: "endpoint URL", Help: "call this address instead of the declared one", NeedsPeer: true,
		Examples: []string{"endpoint http://127.0.0.1:9001/a2a", "endpoint grpcs://agents.example:443"},
		read:     readEndpoint,
	},
	{
		Name: "header", Synopsis: `header "Name: value" [--secret]`, Help: "send this header with every call to the peer's origin",
		Flags:    []FlagUsage{{Name: "--secret", Help: "keep the value out of the log"}},
		Examples: []string{`header "X-Tenant: acme"`, `header "X-Api-Key: $ACME_KEY"`, `header "X-Room: blue door" --secret`},
		read:     readHeader,
	},
	{
		Name: "auth", Synopsis: "auth bearer $NAME | basic $NAME | apikey [header|query|cookie NAME] $NAME | oauth client-credentials [TOKENURL] ID $NAME [SCOPE…] | oauth device [TOKENURL CODEURL] ID [$NAME] [SCOPE…]",
		Help:     "credentials for the peer's origin, read from the environment when the command runs",
		Examples: []string{"auth bearer $TOKEN", "auth basic $LOGIN", "auth apikey $KEY", "auth apikey header X-Key $KEY", "auth oauth client-credentials my-client $CLIENT_SECRET", "auth oauth device https://login.example/token https://login.example/device my-client read"},
		read:     readAuth, words: []wordKind{schemeWord, anyWord},
	},
	{
		Name: "send", Synopsis: "send TEXT", Help: "send a message and wait for the answer", NeedsPeer: true, Flags: sendFlags,
		Examples: []string{"send summarise the report", `send --data '{"a":1}' --file "./my plan.pdf;type=application/pdf" see the plan`, "send --again", "send slow 5 --immediate &"},
		read:     readSend,
	},
	{
		Name: "stream", Synopsis: "stream TEXT", Help: "send a message and follow the task's events", NeedsPeer: true, Flags: sendFlags,
		Examples: []string{"stream slow 20", "stream --context current -- and --now with dashes"},
		read:     readSend,
	},
	{
		Name: "resume", Synopsis: "resume TEXT", Help: "answer a task that waits for input", NeedsPeer: true, NeedsTask: true,
		Flags: []FlagUsage{
			flagData, flagFile,
			{Name: "--stream", Help: "follow the task's events"},
			flagForce, flagTask,
		},
		Examples: []string{"resume yes, go on", `resume --data '{"approved":true}' --stream`},
		read:     readResume,
	},
	{
		Name: "resubscribe", Synopsis: "resubscribe", Help: "open the task's stream again", NeedsPeer: true, NeedsTask: true,
		Flags: []FlagUsage{flagTask}, Examples: []string{"resubscribe", "resubscribe --task 2"},
		read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "detach", Synopsis: "detach", Help: "drop the connection, not the task", NeedsPeer: true, NeedsTask: true,
		Flags: []FlagUsage{flagTask}, Examples: []string{"detach"},
		read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "get", Synopsis: "get", Help: "read the task once", NeedsPeer: true, NeedsTask: true,
		Flags: []FlagUsage{
			{Name: "--history", Value: "N", Help: "ask for the last N messages"},
			{Name: "--fresh", Help: "over a connection of its own, with nothing but the task's id"},
			flagOn, flagTask,
		},
		Examples: []string{"get", "get --history 10 --task 1", "get --fresh", "get --on 2"},
		read:     readNothing, words: []wordKind{noWord},
	},
	{
		Name: "poll", Synopsis: "poll", Help: "read the task again and again", NeedsPeer: true, NeedsTask: true,
		Flags: []FlagUsage{
			{Name: "--every", Value: "D", Help: "time between reads (1s)"},
			{Name: "--max", Value: "N", Help: "reads after the first terminal one (30)"},
			{Name: "--until", Value: "settled|STATE", Help: "when to stop (settled)", kind: untilWord},
			flagTask,
		},
		Examples: []string{"poll", "poll --every 500ms --max 5 --until completed"},
		read:     readNothing, words: []wordKind{noWord},
	},
	{
		Name: "cancel", Synopsis: "cancel", Help: "cancel the task and watch what happens then", NeedsPeer: true, NeedsTask: true,
		Flags: []FlagUsage{flagOn, flagTask}, Examples: []string{"cancel", "cancel --task 3 &", "cancel --on 2"},
		read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "list", Synopsis: "list", Help: "the tasks that the peer lists", NeedsPeer: true,
		Flags: []FlagUsage{
			{Name: "--context", Value: "ID", Help: "of this conversation only", kind: contextIDWord},
			{Name: "--state", Value: "S", Help: "in this state only", kind: stateWord},
			{Name: "--page", Value: "N", Help: "tasks a page"},
		},
		Examples: []string{"list", "list --context c-1 --state working --page 20"},
		read:     readNothing, words: []wordKind{noWord},
	},
	{
		Name: "redispatch", Synopsis: "redispatch", Help: "give a lost task to a peer as a new attempt", NeedsPeer: true, NeedsTask: true,
		Flags:    []FlagUsage{{Name: "--to", Value: "URL", Help: "another peer", kind: peerWord}, flagTask},
		Examples: []string{"redispatch", "redispatch --to https://other.example/agent"},
		read:     readNothing, words: []wordKind{noWord},
	},
	{
		Name: "push", Synopsis: "push on|off|set URL|get|list|delete", Help: "push notifications: our receiver, and the peer's configurations", NeedsPeer: true,
		Flags: []FlagUsage{flagTask}, Examples: []string{"push on", "push set https://hooks.example/a2a --task 1", "push list"},
		read: readPush, words: []wordKind{pushWord, anyWord},
	},
	{
		Name: "extended-card", Synopsis: "extended-card", Help: "read the card that needs credentials", NeedsPeer: true,
		Flags: []FlagUsage{flagWithout}, Examples: []string{"extended-card", "extended-card --without credentials"}, read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "use", Synopsis: "use N|ID", Help: "make this the current task", NeedsTask: true,
		Examples: []string{"use 2", "use 5f0c9a"}, read: readUse, words: []wordKind{taskWord, noWord},
	},
	{
		Name: "tasks", Synopsis: "tasks", Help: "the tasks of this session",
		Examples: []string{"tasks"}, read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "decisions", Synopsis: "decisions", Help: "the decisions that are in force",
		Examples: []string{"decisions"}, read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "wait", Synopsis: "wait D | wait state STATE | wait settled | wait closed", Help: "wait for a time or for the task",
		Flags:    []FlagUsage{flagFor, flagTask},
		Examples: []string{"wait 500ms", "wait state input-required --for 10s", "wait settled", "wait closed --task 2"},
		read:     readWait, words: []wordKind{waitWord, stateWord, noWord},
	},
	{
		Name: "probe", Synopsis: "probe [CLAIM…|all]", Help: "put claims to the test", NeedsPeer: true,
		Flags:    []FlagUsage{{Name: "--undeclared", Help: "also what the card does not declare"}},
		Examples: []string{"probe", "probe streaming cancel-final", "probe all --undeclared"},
		read:     readProbe, words: []wordKind{claimOrAllWord},
	},
	{
		Name: "prompt", Synopsis: "prompt STATE TEXT", Help: "what to send a peer so that its task reaches a state, for probes", NeedsPeer: true,
		Examples: []string{"prompt input-required book me a flight"}, read: readPrompt, words: []wordKind{stateWord, anyWord},
	},
	{
		Name: "raw", Synopsis: `raw METHOD JSON | raw "POST /path" JSON`, Help: "a call of your own making", NeedsPeer: true,
		Flags: []FlagUsage{
			{Name: "--version", Value: "V", Help: "what the A2A-Version header says"},
			{Name: "--broken", Help: "cut the body off, so that it is no JSON"},
			flagOn, flagWithout,
		},
		Examples: []string{`raw tasks/get '{"id":"t-1"}'`, `raw "POST /v1/message:send" '{"message":{}}'`, `raw "GET /v1/tasks"`, `raw GetTask '{"id":"t-1"}' --version 9.9`},
		read:     readRaw,
	},
	{
		Name: "demote", Synopsis: "demote CLAIM REASON", Help: "stop relying on a claim", NeedsPeer: true,
		Examples: []string{"demote streaming seen buffering twice"}, read: readTrust, words: []wordKind{claimWord, anyWord},
	},
	{
		Name: "restore", Synopsis: "restore CLAIM REASON", Help: "rely on a claim again", NeedsPeer: true,
		Examples: []string{"restore streaming fixed in 2.3.1"}, read: readTrust, words: []wordKind{claimWord, anyWord},
	},
	{
		Name: "confirm", Synopsis: "confirm N [REASON]", Help: "agree with a decision",
		Examples: []string{"confirm 1", "confirm 2 seen by hand too"}, read: readConfirm,
	},
	{
		Name: "overrule", Synopsis: "overrule N REASON", Help: "set a decision aside",
		Examples: []string{"overrule 1 the proxy buffered, not the peer"}, read: readOverrule,
	},
	{
		Name: "note", Synopsis: "note TEXT", Help: "write a remark into the log",
		Examples: []string{"note vendor restarted the agent"}, read: readNote,
	},
	{
		Name: "mark", Synopsis: "mark", Help: "mark this place in the log",
		Examples: []string{"mark"}, read: readNothing, words: []wordKind{noWord},
	},
	{
		Name: "save", Synopsis: "save N PATH", Help: "write file N of the task, as the peer sent it, to a new file", NeedsTask: true,
		Flags: []FlagUsage{flagTask}, Examples: []string{"save 1 report.pdf", "save 2 'my copy.png' --task 1"}, read: readSave,
	},
	{
		Name: "export", Synopsis: "export FORMAT [PATH]", Help: "write the session as md, html, jsonl, har, curl or script",
		Flags:    []FlagUsage{{Name: "--raw", Help: "leave in what looks like a secret: whoever reads the file can use it"}},
		Examples: []string{"export md", "export jsonl 'bug 12.jsonl'"}, read: readExport, words: []wordKind{formatWord, anyWord},
	},
}
