package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"a2ascope/session/a2a"
)

// IsVariable reports whether s is $NAME, and nothing else.
func IsVariable(s string) bool {
	name, ok := strings.CutPrefix(s, "$")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

func positiveDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%s is not a duration; write 500ms, 10s, 2m or 1h30m", quoteShort(s))
	}
	if d <= 0 {
		return 0, fmt.Errorf("%s is not longer than 0", quoteShort(s))
	}
	return d, nil
}

// checkVersion accepts what can stand in an A2A-Version header, known or not.
func checkVersion(v string) error {
	if len(v) > 32 || strings.ContainsFunc(v, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		return fmt.Errorf("%s is no version; write 1.0, or another number with points in it", quoteShort(v))
	}
	return nil
}

// maxNumber bounds counts: more reads, pages or messages are a slip.
const maxNumber = 1_000_000

func number(s string, least int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > maxNumber {
		return 0, fmt.Errorf("%s is not a number from %d to %d", quoteShort(s), least, maxNumber)
	}
	return n, nil
}

// states that a command may name; a peer may tell others.
var states = []string{
	string(a2a.Submitted), string(a2a.Working), string(a2a.InputRequired), string(a2a.AuthRequired),
	string(a2a.Completed), string(a2a.Failed), string(a2a.Canceled), string(a2a.Rejected),
}

// parseState reads a state in any generation's spelling.
func parseState(s string) (string, error) {
	state := string(a2a.ParseState(s))
	if slices.Contains(states, state) {
		return state, nil
	}
	return "", fmt.Errorf("unknown state %s%s; the states are %s", quoteShort(s), didYouMean(s, states), strings.Join(states, ", "))
}

// parseTask reads N or an id. Zero is a slip: numbers count from 1.
func parseTask(s string) (string, error) {
	if strings.Trim(s, "0") == "" {
		return "", errors.New("tasks are counted from 1")
	}
	return s, nil
}

func claimNames() []string {
	names := make([]string, len(Claims))
	for i, c := range Claims {
		names[i] = string(c)
	}
	return names
}

func checkClaim(s string) error {
	if Claim(s).Known() {
		return nil
	}
	names := claimNames()
	return fmt.Errorf("unknown claim %s%s; the claims are %s", quoteShort(s), didYouMean(s, names), strings.Join(names, ", "))
}

func checkJSON(s string) error {
	var v json.RawMessage
	err := json.Unmarshal([]byte(s), &v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %v, at byte %d of %d; write JSON in '…'", err, syntax.Offset, len(s))
	}
	return fmt.Errorf("not JSON: %v; write JSON in '…'", err)
}

func checkMediaType(s string) error {
	if _, _, err := mime.ParseMediaType(s); err != nil {
		return fmt.Errorf("%s is not a media type such as text/plain: %v", quoteShort(s), err)
	}
	return nil
}

// parseFilePart reads PATH[;type=MIME].
func parseFilePart(s string) (FilePart, error) {
	const mark = ";type="
	i := strings.LastIndex(s, mark)
	if i < 0 {
		return FilePart{Path: s}, nil
	}
	f := FilePart{Path: s[:i], Type: s[i+len(mark):]}
	if f.Path == "" {
		return f, errors.New("the path is missing before ;type=")
	}
	return f, checkMediaType(f.Type)
}

// checkURL wants http or https with a host; where demo says so, also an
// embedded peer (demo:SCENARIO). Its errors never repeat the address, which
// may hold a password.
func checkURL(s string, demo bool) error {
	if scenario, ok := strings.CutPrefix(s, "demo:"); ok && demo {
		if scenario == "" || strings.ContainsAny(scenario, " \t/") || !printable(scenario) {
			return errors.New("name the scenario: demo:honest or demo:honest@0.3")
		}
		return nil
	}
	want := "write http://HOST… or https://HOST…"
	if demo {
		want += " or demo:SCENARIO"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || !printable(s):
		return fmt.Errorf("this is not a URL; %s", want)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the URL does not start with http:// or https://; %s", want)
	case u.Hostname() == "":
		return fmt.Errorf("the URL names no host; %s", want)
	}
	return nil
}

// checkPeer is checkURL for where a peer may be: an address of gRPC, too.
func checkPeer(s string, demo bool) error {
	plain, rpc := overRPC(s)
	if !rpc {
		return checkURL(s, demo)
	}
	if err := checkURL(plain, false); err != nil {
		return errors.New("this is no address of gRPC; write grpc://HOST:PORT, or grpcs://HOST:PORT over TLS")
	}
	if a, err := readRPC(s); err != nil {
		return fmt.Errorf("an address of gRPC has no path; write %s", a.asRPC())
	}
	return nil
}

// isHostPort reports whether s is HOST:PORT and nothing else.
func isHostPort(s string) bool {
	u, err := url.Parse("//" + s)
	return err == nil && u.Host == s && u.Hostname() != "" && u.Port() != ""
}

// isToken reports whether s may be the name of a header, a cookie or an HTTP
// method (RFC 9110 §5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
			return false
		}
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
