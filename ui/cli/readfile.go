package cli

import (
	"fmt"
	"io"
	"os"
	"syscall"

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

// readPart reads a file that is sent to a peer. What is no regular file is
// refused, without waiting for it: a pipe may never have an end.
func readPart(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file: write what it brings to one, and send that", path)
	}
	return readAll(f, path)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostRead+1))
	if err == nil && len(data) > mostRead {
		return nil, fmt.Errorf("%s is longer than %d MiB, which is the most that is read, or has no end", name, mostRead>>20)
	}
	return data, err
}
