package cli

import (
	"fmt"
	"io"
	"io/fs"
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
	return readSteady(f, path)
}

// steady is what a file is read from that must not change meanwhile.
type steady interface {
	io.Reader
	Stat() (fs.FileInfo, error)
}

// readSteady reads a file that somebody may be writing: half of what it was and
// half of what it became is nothing that the operator meant to send.
func readSteady(f steady, path string) ([]byte, error) {
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := readAll(f, path)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, err
	}
	now := after.Size()
	if n := int64(len(data)); now == before.Size() && now > 0 { // files that the system makes up have no size
		now = n
	}
	if now != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return nil, fmt.Errorf("%s changed while it was read (it had %d bytes, and has %d): nothing was sent; wait until it is complete, or send a copy", path, before.Size(), now)
	}
	return data, nil
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostRead+1))
	if err == nil && len(data) > mostRead {
		return nil, fmt.Errorf("%s is longer than %d MiB, which is the most that is read, or has no end", name, mostRead>>20)
	}
	return data, err
}
