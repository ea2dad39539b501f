package iostreams

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// output is the standard output or error of this process, fd.
func output(f *os.File, fd int) io.Writer {
	if closed(fd) {
		return closedOutput{}
	}
	return f
}

// input is the standard input of this process.
func input(f *os.File) io.Reader {
	if closed(0) {
		return closedInput{}
	}
	return f
}

type closedInput struct{}

func (closedInput) Read([]byte) (int, error) { return 0, errors.New("the standard input is closed") }

// errClosed is the error of writing to a closed stream. Of the error stream nobody sees it.
var errClosed = errors.New("the standard output is closed")

type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) { return 0, errClosed }

// checked is an error stream that knows whether something could not be written
// to it. Nobody can be notified then.
type checked struct {
	w    io.Writer
	lost *atomic.Bool
}

func (c checked) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && !errors.Is(err, syscall.EPIPE) { // a reader that went away had what it wanted
		c.lost.Store(true)
	}
	return n, err
}

// Lost reports whether something could not be written to ErrOut, other than
// because nobody reads it any more.
func (s *Streams) Lost() bool { return s.lost.Load() }
