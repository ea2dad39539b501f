package iostreams

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"
)

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
