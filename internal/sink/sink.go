// Package sink is where results go: to the standard output, to the files that
// configuration was read from, or to files in a directory.
//
// A sink takes the finished result of a unit, so that a unit that failed writes
// nothing. It writes a file in one step, in which a new file takes the place of
// the old one: nobody ever sees a part of it, whatever happens to the process.
// A file that is written in place is locked from before it is read, and compared
// with what was read before it is replaced: no update is lost. Results may come
// in many small parts; they are written with few system calls.
package sink

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// writeBytes is how much is written at once: small enough to stay in the cache
// of a core.
const writeBytes = 128 << 10

// Stdout writes payloads to the standard output.
type Stdout struct{ W io.Writer }

// Write writes the parts of a payload one after the other. A reader that went
// away (`fctl ... | head`) had what it wanted: that is no error.
func (s Stdout) Write(parts ...[]byte) error {
	w := NewStream(s.W)
	_ = w.Write(parts...) // Flush tells
	if err := w.Flush(); !errors.Is(err, ErrGone) {
		return err
	}
	return nil
}

// ErrGone tells that nobody reads any more.
var ErrGone = errors.New("nobody reads the result")

// Stream writes payloads to the standard output that come bit by bit. After an
// error, which is ErrGone or one of the output, it writes nothing more.
type Stream struct{ w *bufio.Writer }

// NewStream makes a Stream.
func NewStream(w io.Writer) *Stream { return &Stream{bufio.NewWriterSize(w, writeBytes)} }

// Write takes the parts of a payload.
func (s *Stream) Write(parts ...[]byte) error {
	for _, part := range parts {
		if _, err := s.w.Write(part); err != nil {
			return told(err)
		}
	}
	return nil
}

// Flush has everything written that was taken.
func (s *Stream) Flush() error { return told(s.w.Flush()) }

func told(err error) error {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return ErrGone
	case err != nil:
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
