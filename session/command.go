package session

import "time"

// Command is one parsed line of the command language. Each command uses the
// fields that it knows; ParseCommand refuses flags that a command has not.
type Command struct {
	Name string // "discover", "send", "wait", …
	Line string // the line as given, without the trailing &

	URL    string   // discover, endpoint, redispatch --to, push set
	Text   string   // TEXT or REASON
	Data   []string // --data: JSON, in order
	Files  []FilePart
	Accept []string // --accept, in order

	Interface string   // interface: a number, or jsonrpc, rest, grpc
	Gen       string   // interface: 0.1, 0.2, 0.3 or 1.0
	Header    string   // header: "Name: value"
	Secret    bool     // header --secret
	Scheme    string   // auth: bearer, basic, apikey, oauth
	Args      []string // auth: what follows the scheme; push: what follows its verb
	Sub       string   // push: on, off, set, get, list, delete; wait: for, state, settled, closed

	Immediate bool   // --immediate
	New       bool   // --new
	Context   string // --context: "current" or an id
	Plain     bool   // --plain
	Again     bool   // --again
	Force     bool   // --force
	Stream    bool   // resume --stream

	History int           // get --history; -1 when not given
	Fresh   bool          // get --fresh
	Every   time.Duration // poll --every; 0 when not given
	Max     int           // poll --max; 0 when not given
	Until   string        // poll --until: settled or a state
	For     time.Duration // wait D, and --for; 0 when not given
	State   string        // list --state, wait state S, prompt STATE
	Page    int           // list --page; 0 when not given
	Task    string        // --task: number, correlation or server id; empty for the current one

	Claims     []string // probe
	Undeclared bool     // probe --undeclared
	Claim      string   // demote, restore
	Number     int      // confirm, overrule: the decision's number; save: the file's; use N is in Task
	Method     string   // raw: an RPC method, or "POST /path"
	JSON       string   // raw: the body
	Version    string   // raw --version: what A2A-Version says; empty for the generation in use
	Broken     bool     // raw --broken: the body is cut off, so that it is no JSON
	Without    []string // --without: credentials, extensions
	On         int      // get, cancel, raw --on: the number of a declared interface, from 1; 0 for the one in use
	Format     string   // export
	Path       string   // export
	Raw        bool     // export --raw: what looks like a secret is left in

	Background bool // the line ended in " &"
}

// Names that no peer has: what is asked for by them can be answered with one
// error only, and nobody's task is met by chance.
const (
	NoSuchTask   = "a2ascope-0b1d5c52-no-such-task"
	NoSuchMethod = "a2ascope/noSuchMethod"
)

// MaxFile is how long a file may be that is sent, in bytes.
const MaxFile = 32 << 20

// FilePart is a --file of send and resume.
type FilePart struct {
	Path string
	Type string // media type; empty to guess by the name
}
