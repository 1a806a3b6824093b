package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"a2ascope/session"
)

// maxSecretFile bounds a file that holds one secret, in bytes.
const maxSecretFile = 64 << 10

// secretSource answers for the variables that credentials name: from files
// first, then from the environment, then from what was asked for.
type secretSource struct {
	env   func(string) (string, bool)
	given map[string]string
}

// lookup is os.LookupEnv with more behind it.
func (s *secretSource) lookup(name string) (string, bool) {
	if v, ok := s.given[name]; ok {
		return v, true
	}
	return s.env(name)
}

// secrets reads the files of --secret-file, and asks on a terminal for what
// the flags name and nothing answers for.
func (f *sessionFlags) secrets(env func(string) (string, bool), ask func(name string) (string, error)) (*secretSource, error) {
	s := &secretSource{env: env, given: map[string]string{}}
	for _, pair := range f.secretFiles {
		name, path, _ := strings.Cut(pair, "=")
		value, err := readSecret(path)
		if err != nil {
			return nil, err
		}
		s.given[name] = value
	}
	for _, line := range f.credentials() {
		for _, name := range variablesOf(line) {
			if v, ok := s.lookup(name); ok && v != "" || ask == nil {
				continue
			}
			value, err := ask(name)
			if err != nil {
				return nil, fmt.Errorf("asking for $%s: %w", name, err)
			}
			s.given[name] = value
		}
	}
	return s, nil
}

// variablesOf lists the variables that a credential command names.
func variablesOf(line string) []string {
	cmd, err := session.ParseCommand(line)
	if err != nil {
		return nil
	}
	_, value, _ := strings.Cut(cmd.Header, ":")
	var out []string
	for _, w := range append([]string{strings.TrimSpace(value)}, cmd.Args...) {
		if session.IsVariable(w) {
			out = append(out, w[1:])
		}
	}
	return out
}

// readSecret reads a secret from a file that nobody else may read.
func readSecret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("read the secret: %s is no regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("read the secret: others may read %s (mode %04o); chmod 600 makes it yours alone", path, info.Mode().Perm())
	case info.Size() > maxSecretFile:
		return "", fmt.Errorf("read the secret: %s has %d bytes, and a secret has at most %d", path, info.Size(), maxSecretFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	value := strings.TrimRight(string(text), "\r\n")
	if value == "" {
		return "", fmt.Errorf("read the secret: %s is empty", path)
	}
	return value, nil
}

// checkSecretFile accepts NAME=PATH.
func checkSecretFile(pair string) error {
	name, path, ok := strings.Cut(pair, "=")
	if !ok || path == "" || !session.IsVariable("$"+name) {
		return usage("--secret-file: it is written NAME=PATH, where $NAME is what credentials say")
	}
	return nil
}

// asker asks for a secret on the terminal, without showing it; nil where there
// is no terminal.
func (a *app) asker() func(string) (string, error) {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
		return nil
	}
	return func(name string) (string, error) {
		fmt.Fprintf(os.Stderr, "$%s is not set. Its value (not shown): ", name)
		text, err := term.ReadPassword(os.Stdin.Fd())
		fmt.Fprintln(os.Stderr)
		return string(text), err
	}
}

// writeNew writes a file that is not there yet, for its owner alone.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is not overwritten", path)
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		_ = file.Close()
		return fmt.Errorf("%s is not whole: %w", path, err)
	}
	return file.Close()
}
