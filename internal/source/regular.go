package source

import (
	"io/fs"
	"os"
)

// readRegular reads a regular file. admit and hold are those of a Reader.
func (l limit) readRegular(path string, admit func(int64),
	hold func(uintptr) (bool, error),
) ([]byte, fs.FileInfo, error) {
	// Opening a pipe would block until somebody writes to it.
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
	if hold != nil {
		if err := held(hold(f.Fd())); err != nil {
			return nil, nil, err
		}
		if info, err = f.Stat(); err != nil { // it may have changed while waiting for the lock
			return nil, nil, err
		}
	}
	data, err := l.readAll(f, info.Size(), false)
	return data, info, err
}
