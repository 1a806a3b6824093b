package runner

import (
	"fmt"
	"mime"
	"path/filepath"
	"strings"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// credential is what an auth or header command came to.
type credential struct {
	auth   *session.Credential
	header [2]string
	oauth  *client
}

type file struct {
	data []byte
	mime string
}

// load reads what a command needs from outside before it is logged: files and
// variables. What cannot be read makes a command that cannot be carried out.
func (r *Runner) load(in *commandIn) {
	fail := func(err error) { in.err = err.Error() }
	for _, d := range in.cmd.Data {
		if path, ok := strings.CutPrefix(d, "@"); ok {
			if err := r.loadFile(in, session.FilePart{Path: path}); err != nil {
				fail(err)
			}
		}
	}
	for _, f := range in.cmd.Files {
		if err := r.loadFile(in, f); err != nil {
			fail(err)
		}
	}
	if err := r.withoutUser(in); err != nil {
		fail(err)
	}
	if in.cmd.Name == "auth" || in.cmd.Name == "header" {
		if err := r.credential(in.cmd); err != nil {
			fail(err)
		}
	}
}

// loadFile reads a file for a command; all files of one have room together.
func (r *Runner) loadFile(in *commandIn, f session.FilePart) error {
	got, err := r.readFile(f)
	if err != nil {
		return err
	}
	if in.size += len(got.data); in.size > 2*session.MaxFile {
		return fmt.Errorf("the files of one message have at most %d MiB together; send the address of a large one instead", 2*session.MaxFile>>20)
	}
	if in.files == nil {
		in.files = map[string]file{}
	}
	in.files[f.Path] = got
	return nil
}

// readFile reads a file to send, and finds its media type.
func (r *Runner) readFile(f session.FilePart) (file, error) {
	if r.cfg.ReadFile == nil {
		return file{}, fmt.Errorf("reading %s: files cannot be read here", f.Path)
	}
	data, err := r.cfg.ReadFile(f.Path)
	if err != nil {
		return file{}, fmt.Errorf("reading the file to send: %w", err)
	}
	if len(data) > session.MaxFile {
		return file{}, fmt.Errorf("reading the file to send: %s is longer than %d MiB; send its address instead, or a part of it", f.Path, session.MaxFile>>20)
	}
	kind := f.Type
	if kind == "" {
		kind, _, _ = mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(f.Path)))
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	return file{data: data, mime: kind}, nil
}

// file returns a file as it was read when its command was given; after a
// continue it is read again.
func (r *Runner) file(command int, f session.FilePart) ([]byte, string, error) {
	got, ok := r.files[command][f.Path]
	if !ok {
		var err error
		if got, err = r.readFile(f); err != nil {
			return nil, "", err
		}
	}
	if f.Type != "" {
		got.mime = f.Type
	}
	return got.data, got.mime, nil
}

// dropFiles lets go of what was read for commands that are over.
func (r *Runner) dropFiles() {
	for n := range r.files {
		if r.state.Commands[n-1].Over {
			delete(r.files, n)
		}
	}
}

// credential resolves an auth or header command. Its value becomes a known
// secret before anything is sent.
func (r *Runner) credential(cmd session.Command) error {
	c := credential{}
	value := ""
	if cmd.Name == "header" {
		name, v, _ := strings.Cut(cmd.Header, ":")
		v, err := r.resolve(strings.TrimSpace(v))
		if err != nil {
			return err
		}
		c.header, value = [2]string{strings.TrimSpace(name), v}, v
		if !cmd.Secret && !session.SecretName(c.header[0]) {
			value = ""
		}
	} else if cmd.Scheme == "oauth" {
		flow, err := r.client(cmd)
		if err != nil {
			return err
		}
		c.oauth = flow
	} else {
		last := cmd.Args[len(cmd.Args)-1]
		v, err := r.resolve(last)
		if err != nil {
			return err
		}
		c.auth, value = &session.Credential{Kind: cmd.Scheme, Value: v, From: last}, v
		if len(cmd.Args) == 3 {
			c.auth.In, c.auth.Name = cmd.Args[0], cmd.Args[1]
		}
	}
	if value != "" {
		parts := session.SecretParts(value)
		if cmd.Scheme == "basic" {
			parts = session.SecretParts("Basic " + value)
		}
		if _, err := r.cfg.Secrets.Add(value, parts...); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[cmd.Line] = c
	return nil
}

func (r *Runner) resolve(v string) (string, error) {
	if !session.IsVariable(v) {
		return v, nil
	}
	if r.cfg.Env != nil {
		if out, ok := r.cfg.Env(v[1:]); ok && out != "" {
			return out, nil
		}
	}
	return "", fmt.Errorf("the variable %s is not set; export it before a2ascope is started, or name a file that holds its value: --secret-file %s=PATH", v, v[1:])
}

// authorise adds the operator's headers and credentials to a call, and says
// whether they stay behind: they belong to the origins that the operator
// typed.
func (r *Runner) authorise(c *session.Call) {
	if c.Bare || c.Op == a2a.OpToken {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ref := range r.state.Peer.Credentials {
		cred, ok := r.secrets[ref.Line]
		switch {
		case !ok:
		case cred.oauth != nil:
			if cred.oauth.access != "" {
				c.Auth = append(c.Auth, session.Credential{Kind: "bearer", Value: cred.oauth.access, From: session.OAuthLabel(cred.oauth.flow)})
			}
		case cred.auth != nil:
			a := *cred.auth
			if a.Kind == "apikey" && a.Name == "" {
				a.In, a.Name = r.declaredKey()
			}
			c.Auth = append(c.Auth, a)
		default:
			c.Header = append(c.Header, cred.header)
		}
	}
	if user, ok := r.users[session.OriginOf(c.URL)]; ok {
		c.Auth = append(c.Auth, user)
	}
	c.Withhold = !r.allowed(c.URL)
}

// checked puts into the draft of a card what became of its signatures.
func (r *Runner) checked(d session.Draft) session.Draft {
	if card, ok := d.Body.(session.CardRead); ok && r.cfg.Verify != nil {
		card.Signatures = r.cfg.Verify(a2a.CardOf(d.Raw))
		d.Body = card
	}
	return d
}

// declaredKey is where the card's first apiKey scheme wants the key.
func (r *Runner) declaredKey() (in, name string) {
	if card := r.state.Peer.Card; card != nil {
		for _, s := range card.Schemes {
			if s.Kind == "apiKey" && s.Param != "" {
				return s.In, s.Param
			}
		}
	}
	return "header", "X-API-Key"
}

// allowed reports whether credentials may go to a URL.
func (r *Runner) allowed(to string) bool { return r.state.MayHaveSecrets(to) }
