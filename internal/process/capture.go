package process

import (
	"context"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// capture keeps what a function writes to one stream. When that exceeds the limit, or when the run
// needs too much memory, it cancels the run and drops the rest.
type capture struct {
	ctx    context.Context //nolint:containedctx // an io.Writer has none
	text   []byte
	limit  int64 // 0 for none
	stream string
	call   *Call
	cancel context.CancelCauseFunc
}

// Write implements io.Writer. It never fails, so that the function gets no EPIPE before it is
// killed.
func (c *capture) Write(p []byte) (int, error) {
	kept := len(p)
	if c.limit > 0 && int64(len(c.text)+len(p)) > c.limit {
		kept = int(c.limit) - len(c.text)
		c.cancel(&OutputError{Function: c.call.Function, Stream: c.stream, Limit: c.limit})
	}
	if err := limit.Grow(c.ctx, int64(kept)); err != nil {
		c.cancel(err)
		return len(p), nil
	}
	c.text = append(c.text, p[:kept]...)
	return len(p), nil
}
