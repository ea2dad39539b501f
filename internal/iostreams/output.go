package iostreams

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// output returns the standard output or error of this process, whose file descriptor is fd.
func output(f *os.File, fd int) io.Writer {
	if closed(fd) {
		return closedOutput{}
	}
	return f
}

// input returns the standard input of this process.
func input(f *os.File) io.Reader {
	if closed(0) {
		return closedInput{}
	}
	return f
}

type closedInput struct{}

func (closedInput) Read([]byte) (int, error) {
	return 0,
		errors.New("the standard input is closed")
}

// errClosed is the error of writing to a closed stream. It names the standard output, because
// errors of the error stream are not shown.
var errClosed = errors.New("the standard output is closed")

type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) { return 0, errClosed }

// checked is an error stream that records in lost whether a write failed, because such an error
// cannot be reported.
type checked struct {
	w    io.Writer
	lost *atomic.Bool
}

func (c checked) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	// EPIPE: the reader is gone, which is not an error
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		c.lost.Store(true)
	}
	return n, err
}

// Lost reports whether a write to ErrOut failed, except because its reader is gone.
func (s *Streams) Lost() bool { return s.lost.Load() }
