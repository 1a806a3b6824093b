package session

import (
	"slices"
	"strings"

	"a2ascope/session/a2a"
)

// The functions below read what a command takes beside its flags, and check
// what only holds for the whole line.

func readNothing(*arguments) error { return nil }

func readDiscover(a *arguments) error {
	w, err := a.next("the URL")
	if err != nil {
		return err
	}
	a.cmd.URL = w.text
	return a.check(w, checkPeer(w.text, true))
}

func readEndpoint(a *arguments) error {
	w, err := a.next("the URL")
	if err != nil {
		return err
	}
	a.cmd.URL = w.text
	if isHostPort(w.text) {
		return nil // how gRPC interfaces are written
	}
	return a.check(w, checkPeer(w.text, false))
}

var (
	interfaceNames = []string{"jsonrpc", "rest", "grpc"}
	generations    = []string{string(a2a.Gen01), string(a2a.Gen02), string(a2a.Gen03), string(a2a.Gen10)}
)

func readInterface(a *arguments) error {
	w, err := a.next("the interface")
	if err != nil {
		return err
	}
	name := strings.ToLower(w.text)
	if !slices.Contains(interfaceNames, name) {
		if _, err := number(w.text, 1); err != nil {
			return a.fail(w.col, "%s is no interface; write its number from 1, or jsonrpc, rest or grpc", quoteShort(w.text))
		}
	}
	a.cmd.Interface = name
	if len(a.words) == 0 {
		return nil
	}
	if w, err = a.next("the generation"); err != nil {
		return err
	}
	if !slices.Contains(generations, w.text) {
		return a.fail(w.col, "%s is no generation; write one of %s", quoteShort(w.text), strings.Join(generations, ", "))
	}
	a.cmd.Gen = w.text
	return nil
}

func readHeader(a *arguments) error {
	w, err := a.next("the header")
	if err != nil {
		return err
	}
	name, value, ok := strings.Cut(w.text, ":")
	value = strings.TrimSpace(value)
	switch {
	case !ok || value == "" && len(a.words) > 0:
		return a.fail(w.col, `write the header as one word in quotes: header "Name: value"`)
	case !isToken(name):
		return a.fail(w.col, "what stands before the colon is not a header's name; it has letters, digits and hyphens, and no blanks")
	case value == "":
		return a.fail(w.col, "the header %s has no value", quoteShort(name))
	case !printable(value):
		return a.fail(w.col, "the value of %s holds a control character, which no header may", quoteShort(name))
	case SecretName(name) && !IsVariable(value):
		return a.fail(w.col, "%s looks like a secret, and a literal value would be logged: put the whole value into the environment and write header \"%s: $NAME\"", quoteShort(name), name)
	}
	a.cmd.Header = name + ": " + value
	return nil
}

func readAuth(a *arguments) error {
	w, err := a.next("the scheme")
	if err != nil {
		return err
	}
	a.cmd.Scheme = strings.ToLower(w.text)
	switch a.cmd.Scheme {
	case "bearer", "basic":
		return a.variable()
	case "apikey":
		if len(a.words) > 1 {
			if err := a.apiKeyPlace(); err != nil {
				return err
			}
		}
		return a.variable()
	case "oauth":
		return readOAuthWords(a)
	}
	return a.fail(w.col, "unknown scheme%s; auth takes bearer, basic, apikey or oauth", didYouMean(w.text, schemes))
}

var (
	schemes = []string{"bearer", "basic", "apikey", "oauth"}
	places  = []string{"header", "query", "cookie"}
)

// apiKeyPlace reads where the key goes: header, query or cookie, and a name.
func (a *arguments) apiKeyPlace() error {
	place, err := a.next("the place")
	if err != nil {
		return err
	}
	if !slices.Contains(places, strings.ToLower(place.text)) {
		return a.fail(place.col, "write header, query or cookie before the key's name: auth apikey header X-Key $NAME")
	}
	name, err := a.next("the key's name")
	if err != nil {
		return err
	}
	if place.text != "query" && !isToken(name.text) {
		return a.fail(name.col, "this is not the name of a %s", strings.ToLower(place.text))
	}
	a.cmd.Args = append(a.cmd.Args, strings.ToLower(place.text), name.text)
	return nil
}

// variable reads the $NAME that ends every auth.
func (a *arguments) variable() error {
	w, err := a.next("$NAME")
	if err != nil {
		return err
	}
	if !IsVariable(w.text) {
		example := "$NAME"
		if a.cmd.Scheme == "basic" {
			example = "$NAME (it holds user:password)"
		}
		return a.fail(w.col, "a literal secret would be logged: write %s, and put the value into the environment", example)
	}
	a.cmd.Args = append(a.cmd.Args, w.text)
	return nil
}

func readSend(a *arguments) error {
	c := a.cmd
	col := a.end
	if len(a.words) > 0 {
		col = a.words[0].col
	}
	c.Text = a.rest()
	if c.Plain && c.Immediate {
		return a.fail(a.given["--immediate"], "--plain waits for the end and --immediate does not; give one of them")
	}
	if c.Again {
		if c.Text != "" || len(c.Data) > 0 || len(c.Files) > 0 {
			return a.fail(a.given["--again"], "--again repeats the task's last message and takes no text, --data or --file of its own")
		}
		return nil
	}
	return a.content(col)
}

func readResume(a *arguments) error {
	col := a.end
	if len(a.words) > 0 {
		col = a.words[0].col
	}
	a.cmd.Text = a.rest()
	return a.content(col)
}

// content checks that a message says something.
func (a *arguments) content(col int) error {
	if strings.TrimSpace(a.cmd.Text) != "" || len(a.cmd.Data) > 0 || len(a.cmd.Files) > 0 {
		return nil
	}
	return a.fail(col, "there is nothing to send; %s takes %s", a.usage.Name, a.usage.takes())
}

var pushVerbs = []string{"on", "off", "set", "get", "list", "delete"}

func readPush(a *arguments) error {
	w, err := a.next("what to do")
	if err != nil {
		return err
	}
	if !slices.Contains(pushVerbs, w.text) {
		return a.fail(w.col, "push cannot %s%s; it takes %s", quoteShort(w.text), didYouMean(w.text, pushVerbs), a.usage.takes())
	}
	a.cmd.Sub = w.text
	if w.text != "set" {
		return nil
	}
	if w, err = a.next("the URL"); err != nil {
		return err
	}
	a.cmd.URL, a.cmd.Args = w.text, []string{w.text}
	return a.check(w, checkURL(w.text, false))
}

func readUse(a *arguments) error {
	w, err := a.next("the task")
	if err != nil {
		return err
	}
	a.cmd.Task, err = parseTask(w.text)
	return a.check(w, err)
}

func readWait(a *arguments) error {
	w, err := a.next("what to wait for")
	if err != nil {
		return err
	}
	switch w.text {
	case "settled", "closed":
		a.cmd.Sub = w.text
		return nil
	case "state":
		a.cmd.Sub = w.text
		return a.state()
	}
	if strings.ContainsAny(w.text[:1], "0123456789.+-") {
		a.cmd.Sub = "for"
		for _, flag := range []string{"--for", "--task"} {
			if col, ok := a.given[flag]; ok {
				return a.fail(col, "wait D waits for a time alone and takes no %s", flag)
			}
		}
		a.cmd.For, err = positiveDuration(w.text)
		return a.check(w, err)
	}
	if _, err := parseState(w.text); err == nil {
		return a.fail(w.col, "write wait state %s", w.text)
	}
	return a.fail(w.col, "cannot wait for %s%s; wait takes %s", quoteShort(w.text), didYouMean(w.text, waits), a.usage.takes())
}

var waits = []string{"state", "settled", "closed"}

func (a *arguments) state() error {
	w, err := a.next("the state")
	if err != nil {
		return err
	}
	a.cmd.State, err = parseState(w.text)
	return a.check(w, err)
}

func readProbe(a *arguments) error {
	for len(a.words) > 0 {
		w, err := a.next("the claim")
		if err != nil {
			return err
		}
		if w.text == "all" {
			if len(a.cmd.Claims) > 0 || len(a.words) > 0 {
				return a.fail(w.col, "all stands alone: it names every claim")
			}
			a.cmd.Claims = claimNames()
			return nil
		}
		if err := checkClaim(w.text); err != nil {
			return a.check(w, err)
		}
		if !slices.Contains(a.cmd.Claims, w.text) {
			a.cmd.Claims = append(a.cmd.Claims, w.text)
		}
	}
	return nil
}

func readPrompt(a *arguments) error {
	if err := a.state(); err != nil {
		return err
	}
	var err error
	a.cmd.Text, err = a.text("the text")
	return err
}

func readRaw(a *arguments) error {
	w, err := a.next("the method")
	if err != nil {
		return err
	}
	a.cmd.Method = w.text
	verb, path, http := strings.Cut(w.text, " ")
	bodyless := false
	if http {
		if !isToken(verb) || verb != strings.ToUpper(verb) || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \t") || !printable(path) {
			return a.fail(w.col, `%s is no request; write a method in capitals, one blank and a path from /: raw "POST /v1/message:send" JSON`, quoteShort(w.text))
		}
		bodyless = verb == "GET" || verb == "DELETE" || verb == "HEAD"
	} else if !printable(w.text) {
		return a.fail(w.col, "the method's name holds a control character")
	}
	if bodyless && len(a.words) == 0 {
		return nil
	}
	if w, err = a.next("the JSON"); err != nil {
		return err
	}
	if len(a.words) > 0 {
		return a.fail(w.col, "write the JSON as one word: in '…'")
	}
	a.cmd.JSON = w.text
	return a.check(w, checkJSON(w.text))
}

func readTrust(a *arguments) error {
	w, err := a.next("the claim")
	if err != nil {
		return err
	}
	if err := checkClaim(w.text); err != nil {
		return a.check(w, err)
	}
	a.cmd.Claim = w.text
	a.cmd.Text, err = a.text("the reason")
	return err
}

func readConfirm(a *arguments) error {
	w, err := a.next("the decision's number")
	if err != nil {
		return err
	}
	if a.cmd.Number, err = number(w.text, 1); err != nil {
		return a.check(w, err)
	}
	a.cmd.Text = a.rest()
	return nil
}

func readOverrule(a *arguments) error {
	if err := readConfirm(a); err != nil {
		return err
	}
	if strings.TrimSpace(a.cmd.Text) == "" {
		return a.fail(a.end, "the reason is missing: say why the decision is set aside")
	}
	return nil
}

func readNote(a *arguments) (err error) {
	a.cmd.Text, err = a.text("the text")
	return err
}

var formats = []string{"md", "html", "jsonl", "har", "curl", "script"}

func readExport(a *arguments) error {
	w, err := a.next("the format")
	if err != nil {
		return err
	}
	if !slices.Contains(formats, w.text) {
		return a.fail(w.col, "unknown format %s%s; export takes %s", quoteShort(w.text), didYouMean(w.text, formats), strings.Join(formats, ", "))
	}
	a.cmd.Format = w.text
	if len(a.words) == 0 {
		return nil
	}
	if w, err = a.next("the path"); err != nil {
		return err
	}
	a.cmd.Path = w.text
	return nil
}

// check gives an error of a value the place where the value stands.
func (a *arguments) check(w word, err error) error {
	if err == nil {
		return nil
	}
	return a.fail(w.col, "%v", err)
}
