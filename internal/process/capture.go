package process

import (
	"bytes"
	"context"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// capture keeps what a function writes to one stream. When that exceeds the limit, or when the run
// needs too much memory, it cancels the run and drops the rest.
type capture struct {
	ctx    context.Context //nolint:containedctx // an io.Writer has none
	parts  [][]byte        // of the text, each of partBytes but the last: growing one would copy it
	length int64
	limit  int64 // 0 for none
	stream string
	call   *Call
	cancel context.CancelCauseFunc
}

// Write implements io.Writer. It never fails, so that the function gets no EPIPE before it is
// killed.
func (c *capture) Write(p []byte) (int, error) {
	kept := int64(len(p))
	if c.limit > 0 && c.length+kept > c.limit {
		kept = c.limit - c.length
		c.cancel(&OutputError{Function: c.call.Function, Stream: c.stream, Limit: c.limit})
	}
	if err := limit.Grow(c.ctx, kept); err != nil {
		c.cancel(err)
		return len(p), nil
	}
	c.length += kept
	for text := p[:kept]; len(text) > 0; {
		last := len(c.parts) - 1
		if last < 0 || len(c.parts[last]) == cap(c.parts[last]) {
			c.parts = append(c.parts, make([]byte, 0, partBytes))
			continue
		}
		n := min(len(text), cap(c.parts[last])-len(c.parts[last]))
		c.parts[last] = append(c.parts[last], text[:n]...)
		text = text[n:]
	}
	return len(p), nil
}

// partBytes is as much as a program can write at once on most systems.
const partBytes = 64 << 10

// text returns the kept text. Of an output that is too large to be of use it returns the beginning.
func (c *capture) text() []byte {
	if c.length == c.limit && c.length > maxLog {
		return c.parts[0]
	}
	return bytes.Join(c.parts, nil)
}
