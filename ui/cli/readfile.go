package cli

import (
	"fmt"
	"io"
	"os"

	"a2ascope/session"
)

// mostRead is how many bytes of a file that the operator names are read: a
// device or a log that has no end must not fill the memory.
const mostRead = session.MaxFile

// readFile is os.ReadFile with a bound.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostRead+1))
	if err == nil && len(data) > mostRead {
		return nil, fmt.Errorf("%s is longer than %d MiB, which is the most that is read, or has no end", name, mostRead>>20)
	}
	return data, err
}
