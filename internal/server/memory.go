package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fctl-dev/fctl/internal/server/frame"
)

// small is the number of bytes up to which a request or an answer is not counted.
const small = 64 << 10

// step is how much of a large request is read before its memory is counted again.
const step = 1 << 20

// sendTime is how long a client may take to read an answer.
const sendTime = 30 * time.Second

// memory bounds the bytes of the large requests and answers that the server holds at once.
type memory struct {
	free *semaphore.Weighted
	most int64
}

// errFull says that other requests have all of the memory.
var errFull = errors.New("other large requests have all memory; try again")

// newMemory returns the memory of a server whose requests have at most a number of bytes.
func newMemory(body int64) *memory {
	most := 4*body + 64<<20
	return &memory{semaphore.NewWeighted(most), most}
}

// read reads a request. release returns its memory; it is called in any case.
func (m *memory) read(
	w http.ResponseWriter, r *http.Request, most int64,
) (_ []byte, release func(), err error) {
	var taken int64
	release = func() { m.free.Release(taken) }
	if r.ContentLength > most { // a client that waits for 100 Continue need not send it
		return nil, release, &http.MaxBytesError{Limit: most}
	}
	var text bytes.Buffer
	if r.ContentLength > 0 {
		text.Grow(int(min(r.ContentLength, small)) + bytes.MinRead)
	}
	body := http.MaxBytesReader(w, r.Body, most)
	for next := int64(small); ; next = step {
		n, err := text.ReadFrom(io.LimitReader(body, next))
		if err != nil || n < next {
			return text.Bytes(), release, err
		}
		const grown = 2 * step // the buffer doubles
		if !m.free.TryAcquire(grown) {
			return nil, release, errFull
		}
		taken += grown
	}
}

// send sends an answer to a client that reads it in time. The memory of a large one is counted.
func (m *memory) send(ctx context.Context, w http.ResponseWriter, answer frame.Frame) {
	if size := min(int64(answer.Size()), m.most); size > small {
		ctx, cancel := context.WithTimeout(ctx, sendTime)
		defer cancel()
		if m.free.Acquire(ctx, size) != nil {
			answer = problem(http.StatusServiceUnavailable, errFull.Error())
		} else {
			defer m.free.Release(size)
		}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime)) // a test has none
	send(w, answer)
}
