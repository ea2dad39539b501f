//go:build !linux

package source

import (
	"io/fs"
	"os"
)

// readRegular reads a regular file. admit is called with its size before it is read.
func readRegular(path string, admit func(int64)) ([]byte, fs.FileInfo, error) {
	// Opening a pipe would wait for somebody to write to it.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		return nil, nil, ErrDirectory
	case !info.Mode().IsRegular():
		return nil, nil, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	admit(info.Size())
	data, err := readAll(f, info.Size())
	return data, info, err
}
