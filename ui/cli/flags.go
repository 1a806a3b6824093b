package cli

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"a2ascope/session"
)

// sessionFlags are the flags of every command that opens a session: which one,
// how the console is let in, how it reaches the peer, and the policy that it
// waits and judges by.
type sessionFlags struct {
	session    string
	resume     bool
	redispatch string // SESSION or SESSION/N
	headers    []string
	bearerEnv  string
	origins    []string
	insecure   bool
	ca         string
	cert       string
	key        string
	proxy      string
	cardKeys   []string

	secretFiles []string // NAME=PATH

	policy session.Policy
	set    *pflag.FlagSet
}

func newSessionFlags() *sessionFlags {
	return &sessionFlags{policy: session.DefaultPolicy()}
}

// add puts the flags into a command's set.
func (f *sessionFlags) add(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.session, "session", "", "go on with the session of this `ID` (or the beginning of one)")
	set.BoolVar(&f.resume, "continue", false, "go on with the last session, of URL where one is given")
	set.StringVar(&f.redispatch, "redispatch", "", "give the task N of another session, `SESSION/N`, to this peer: its first message again, under the same correlation id")
	set.StringArrayVarP(&f.headers, "header", "H", nil, "send this `'Name: $NAME'` to the peer's origin; a value of the environment where it is a secret (repeat)")
	set.StringVar(&f.bearerEnv, "bearer-env", "", "send the token in this environment `VAR` to the peer's origin")
	set.StringArrayVar(&f.origins, "allow-origin", nil, "`ORIGIN` that may see credentials beside the peer's own (repeat)")
	set.BoolVar(&f.insecure, "insecure", false, "take any TLS certificate")
	set.StringVar(&f.ca, "ca", "", "PEM `FILE` with the authorities to trust in place of the system's")
	set.StringVar(&f.cert, "cert", "", "PEM `FILE` of our own TLS certificate")
	set.StringVar(&f.key, "key", "", "PEM `FILE` of its key")
	set.StringArrayVar(&f.secretFiles, "secret-file", nil, "`NAME=PATH`: $NAME in credentials is what this file holds, which only you may read (repeat)")
	set.StringArrayVar(&f.cardKeys, "card-key", nil, "`FILE` with a public key that cards may be signed by: JWK, JWK set or PEM (repeat)")
	set.StringVar(&f.proxy, "proxy", "", "`URL` of a proxy (default: the usual environment)")
	set.StringVar(&f.policy.PushListen, "push-listen", f.policy.PushListen, "`ADDR` that our receiver for push notifications listens on")
	set.StringVar(&f.policy.PushURL, "push-url", "", "`URL` by which the peer reaches it, through a tunnel or proxy (default: where it listens)")
	f.addPolicy(set)
}

// addPolicy adds a flag for each time and count of the policy.
func (f *sessionFlags) addPolicy(set *pflag.FlagSet) {
	p := &f.policy
	for _, d := range []struct {
		to         *session.Duration
		name, help string
	}{
		{&p.TimeoutConnect, "timeout-connect", "wait this long for a connection"},
		{&p.TimeoutFirstByte, "timeout-first-byte", "wait this long for an answer's first byte"},
		{&p.ProbeWindow, "probe-window", "a stream without an event is silent after this"},
		{&p.IdlePoll, "idle-poll", "read a task beside its stream after this long in silence"},
		{&p.CloseWindow, "close-window", "a stream must close this soon after the task's end"},
		{&p.SettleEvery, "settle-every", "time between two reads that confirm an end"},
		{&p.CancelWatch, "cancel-watch", "watch streams this long after a cancel"},
		{&p.RaceMargin, "race-margin", "what a peer sent this soon after a cancel's answer was still on its way"},
		{&p.WorkingSilent, "working-silent", "working this long without a sign is a fault"},
		{&p.SubmittedDeadline, "submitted-deadline", "submitted for longer than this is a fault"},
		{&p.WorkingDeadline, "working-deadline", "working for longer than this is a fault"},
		{&p.PushWindow, "push-window", "a push notification must come this soon"},
		{&p.TrustTTL, "trust-ttl", "how long a demotion holds"},
	} {
		set.Var((*duration)(d.to), d.name, d.help)
	}
	set.IntVar(&p.SettleReads, "settle-reads", p.SettleReads, "equal reads that confirm an end")
	set.IntVar(&p.SettleMax, "settle-max", p.SettleMax, "reads after which confirming is given up")
	set.IntVar(&p.LogLimit, "log-limit", p.LogLimit, "drop streams once the session's log has this many `MIB`; 0 for no limit")
	set.BoolVar(&p.NoRedispatch, "no-redispatch", false, "never give a lost task to the peer again by itself")
}

// check finds what is wrong with the flags taken together.
func (f *sessionFlags) check() error {
	if f.session != "" && f.resume {
		return usage("--session and --continue both say which session to go on with; give one of them")
	}
	if f.policy.SettleReads < 1 || f.policy.SettleMax < f.policy.SettleReads {
		return usage("--settle-reads must be 1 or more, and --settle-max no less than it")
	}
	if f.policy.LogLimit < 0 || f.policy.LogLimit > 1<<20 {
		return usage("--log-limit is 0 or more MiB, and no more than 1048576")
	}
	for _, pair := range f.secretFiles {
		if err := checkSecretFile(pair); err != nil {
			return err
		}
	}
	for _, o := range f.origins {
		if session.OriginOf(o) == "" {
			return usage("--allow-origin %s: an origin is written like https://host:8443", shown(o))
		}
	}
	if f.proxy != "" {
		u, err := url.Parse(f.proxy)
		if err != nil || u.Host == "" {
			return usage("--proxy %s: a proxy is written like http://proxy.example:3128", shown(f.proxy))
		}
	}
	if _, _, err := net.SplitHostPort(f.policy.PushListen); err != nil {
		return usage("--push-listen %s: an address is written like 127.0.0.1:8090", f.policy.PushListen)
	}
	if f.policy.PushURL != "" && (session.OriginOf(f.policy.PushURL) == "" || !strings.HasPrefix(strings.ToLower(f.policy.PushURL), "http")) {
		return usage("--push-url %s: it is written like https://tunnel.example/a2a", shown(f.policy.PushURL))
	}
	for _, line := range f.credentials() {
		if _, err := session.ParseCommand(line); err != nil {
			return usage("%s: %w", shown(line), err)
		}
	}
	f.policy.ProbeWindowGiven = f.set.Changed("probe-window")
	return nil
}

// credentials are the commands that -H and --bearer-env stand for.
func (f *sessionFlags) credentials() []string {
	var lines []string
	for _, h := range f.headers {
		lines = append(lines, "header "+session.QuoteWord(h))
	}
	if f.bearerEnv != "" {
		lines = append(lines, "auth bearer "+session.QuoteWord("$"+strings.TrimPrefix(f.bearerEnv, "$")))
	}
	return lines
}

// allowed are the origins beside the peer's that may see credentials.
func (f *sessionFlags) allowed() []string {
	var out []string
	for _, o := range f.origins {
		out = append(out, session.OriginOf(o))
	}
	return out
}

// duration is a session.Duration as a flag. It refuses times below 0.
type duration session.Duration

func (d *duration) String() string { return short(time.Duration(*d)) }
func (d *duration) Type() string   { return "duration" }

func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is no duration such as 15s or 1m30s", s)
	}
	if v < 0 {
		return fmt.Errorf("%s is below 0", s)
	}
	*d = duration(v)
	return nil
}

// short writes a duration without the zeros that Go puts behind it: "24h".
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// outputFlag is --output with the forms that a command can print.
type outputFlag struct {
	value string
	forms []string
}

func newOutput(cmd *cobra.Command, forms ...string) *outputFlag {
	o := &outputFlag{value: forms[0], forms: forms}
	cmd.Flags().Var(o, "output", "what to print: "+strings.Join(forms, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return o
}

func (o *outputFlag) String() string { return o.value }
func (o *outputFlag) Type() string   { return "form" }

func (o *outputFlag) Set(s string) error {
	for _, form := range o.forms {
		if s == form {
			o.value = s
			return nil
		}
	}
	return fmt.Errorf("it is one of %s", strings.Join(o.forms, ", "))
}
