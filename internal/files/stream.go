// Package files is the one package that locks, replaces and creates files, and that writes results
// to the standard output.
//
// A file is replaced atomically by a new one: nobody ever sees a part of it, whatever happens to
// the process. A file that is written in place is locked from before it is read, and compared with
// what was read before it is replaced, so that no update is lost. Results may come in many small
// parts; they are written with few system calls.
//
// Layer: base.
package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// writeBytes is the size in bytes of a write: small enough to stay in the cache of a core.
const writeBytes = 128 << 10

// Stdout writes output to the standard output.
type Stdout struct{ W io.Writer }

// Write writes the parts of a output one after the other. It is not an error if the reader is gone
// (`fctl ... | head`).
func (s Stdout) Write(parts ...[]byte) error {
	w := NewStream(s.W)
	_ = w.Write(parts...) // Flush returns the error
	if err := w.Flush(); !errors.Is(err, ErrGone) {
		return err
	}
	return nil
}

// Append adds text to the end of a file that several programs share. It creates the file if there
// is something to add.
func Append(ctx context.Context, path string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if err := Check(ctx, path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // shared
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// ErrGone means that the reader of the output is gone.
var ErrGone = errors.New("the reader of the result is gone")

// Stream writes output to the standard output as they come. After an error, which is ErrGone or
// one of the output, it writes nothing more.
type Stream struct{ w *bufio.Writer }

// NewStream makes a Stream.
func NewStream(w io.Writer) *Stream { return &Stream{bufio.NewWriterSize(w, writeBytes)} }

// Write writes the parts of a output to the buffer.
func (s *Stream) Write(parts ...[]byte) error {
	for _, part := range parts {
		if _, err := s.w.Write(part); err != nil {
			return wrapWrite(err)
		}
	}
	return nil
}

// Flush writes the buffered data.
func (s *Stream) Flush() error { return wrapWrite(s.w.Flush()) }

func wrapWrite(err error) error {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return ErrGone
	case err != nil:
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
