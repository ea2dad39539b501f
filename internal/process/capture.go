package process

import (
	"bytes"
	"context"
)

// capture keeps what a function writes to one stream. When that exceeds the limit, it cancels the
// run and drops the rest.
type capture struct {
	// The buffer is not embedded: io.Copy would use its ReadFrom, which knows no limit.
	buffer bytes.Buffer
	limit  int64 // 0 for none
	stream string
	call   *Call
	cancel context.CancelCauseFunc
}

// Write implements io.Writer. It never fails, so that the function gets no EPIPE before it is
// killed.
func (c *capture) Write(p []byte) (int, error) {
	if c.limit > 0 && int64(c.buffer.Len()+len(p)) > c.limit {
		c.buffer.Write(p[:c.limit-int64(c.buffer.Len())])
		c.cancel(&OutputError{Function: c.call.Function, Stream: c.stream, Limit: c.limit})
		return len(p), nil
	}
	return c.buffer.Write(p)
}
