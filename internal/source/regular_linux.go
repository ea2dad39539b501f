package source

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// readRegular reads a regular file with as few system calls as there can be: package os would ask the system seven more
// questions about each file, which is more work than reading a small one. admit and hold are those of a Reader.
func (l limit) readRegular(path string, admit func(int64), hold func(uintptr) (bool, error)) ([]byte, fs.FileInfo, error) {
	failed := func(op string, err error) ([]byte, fs.FileInfo, error) {
		return nil, nil, &fs.PathError{Op: op, Path: path, Err: err}
	}
	// A pipe must not make us wait before we know that it is one.
	fd, err := retry(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return failed("open", err)
	}
	defer syscall.Close(fd) //nolint:errcheck // nothing was written
	info := &fileInfo{name: filepath.Base(path)}
	stat := func() (int, error) { return 0, syscall.Fstat(fd, &info.stat) }
	if _, err := retry(stat); err != nil {
		return failed("stat", err)
	}
	switch info.stat.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		return nil, nil, ErrDirectory
	default:
		return nil, nil, errNotRegular
	}
	admit(info.Size())
	if hold != nil {
		if err := held(hold(uintptr(fd))); err != nil {
			return nil, nil, err
		}
		if _, err := retry(stat); err != nil { // it may have changed while we waited
			return failed("stat", err)
		}
	}
	if err := l.check(info.Size()); err != nil {
		return nil, nil, err
	}
	size := int(info.Size())
	data := make([]byte, 0, size+1) // the last byte is for seeing the end
	for {
		space := data[len(data):cap(data)]
		n, err := retry(func() (int, error) { return syscall.Read(fd, space) })
		if err != nil {
			return failed("read", err)
		}
		data = data[:len(data)+n]
		// Less than there is space for is the end. It may have grown while we read.
		if n == 0 || len(data) == size && n < len(space) {
			return data, info, nil
		}
		if err := l.check(int64(len(data))); err != nil {
			return nil, nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR { //nolint:errorlint // system calls return nothing else
			return n, err
		}
	}
}

// fileInfo is the fs.FileInfo of a regular file.
type fileInfo struct {
	name string
	stat syscall.Stat_t
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.stat.Size }
func (i *fileInfo) ModTime() time.Time { return time.Unix(i.stat.Mtim.Unix()) }
func (i *fileInfo) IsDir() bool        { return false }
func (i *fileInfo) Sys() any           { return &i.stat }

func (i *fileInfo) Mode() fs.FileMode {
	mode := fs.FileMode(i.stat.Mode & 0o777)
	if i.stat.Mode&syscall.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if i.stat.Mode&syscall.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if i.stat.Mode&syscall.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
