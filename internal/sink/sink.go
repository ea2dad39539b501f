// Package sink is where results go. A sink takes a finished result, so that a
// run that failed has written nothing, and writes its parts, of which there may
// be many small ones, with few system calls.
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
	w := bufio.NewWriterSize(s.W, writeBytes)
	for _, part := range parts {
		_, _ = w.Write(part) // Flush tells
	}
	err := w.Flush()
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
