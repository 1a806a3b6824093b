package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSecretSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine, shared, empty := write("mine", "from-file\n", 0o600), write("shared", "x", 0o644), write("empty", "\n", 0o600)
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"FROM_ENV": "from-env", "BOTH": "from-env"}[name]
		return v, ok
	}
	asked := func(string) (string, error) { return "from-prompt", nil }
	for _, tc := range []struct {
		name  string
		flags sessionFlags
		ask   func(string) (string, error)
		look  string
		want  string
		wrong string
	}{
		{"the environment", sessionFlags{bearerEnv: "FROM_ENV"}, asked, "FROM_ENV", "from-env", ""},
		{"a file", sessionFlags{bearerEnv: "T", secretFiles: []string{"T=" + mine}}, nil, "T", "from-file", ""},
		{"a file before the environment", sessionFlags{secretFiles: []string{"BOTH=" + mine}}, nil, "BOTH", "from-file", ""},
		{"a prompt", sessionFlags{headers: []string{"X-Api-Key: $ASKED"}}, asked, "ASKED", "from-prompt", ""},
		{"nobody", sessionFlags{bearerEnv: "NONE"}, nil, "NONE", "", ""},
		{"a prompt that is given up", sessionFlags{bearerEnv: "NONE"}, func(string) (string, error) { return "", errors.New("given up") }, "", "", "given up"},
		{"a file that others may read", sessionFlags{secretFiles: []string{"T=" + shared}}, nil, "", "", "chmod 600"},
		{"an empty file", sessionFlags{secretFiles: []string{"T=" + empty}}, nil, "", "", "is empty"},
		{"no file", sessionFlags{secretFiles: []string{"T=" + dir + "/none"}}, nil, "", "", "no such file"},
		{"a folder", sessionFlags{secretFiles: []string{"T=" + dir}}, nil, "", "", "no regular file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := tc.flags.secrets(env, tc.ask)
			if tc.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wrong) {
					t.Fatalf("error %v, want %q", err, tc.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := s.lookup(tc.look); got != tc.want {
				t.Errorf("$%s is %q, want %q", tc.look, got, tc.want)
			}
		})
	}
	for _, pair := range []string{"", "T", "T=", "=p", "1A=p", "a b=p"} {
		if checkSecretFile(pair) == nil {
			t.Errorf("--secret-file %q was taken", pair)
		}
	}
}

func TestWriteNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := writeNew(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(path, []byte("two")); err == nil || !strings.Contains(err.Error(), "not overwritten") {
		t.Errorf("a second write: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "one" {
		t.Errorf("it holds %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
