package iostreams

import (
	"fmt"
	"sync"
	"time"
)

// Progress is shown after progressAfter, so that short runs show none, and updated every
// progressEvery, which is still readable.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Progress is a line on the error stream that shows how much of a long task is done. A nil Progress
// shows nothing.
type Progress struct {
	streams *Streams
	things  string
	total   int

	mu    sync.Mutex
	done  int
	shown bool
	timer *time.Timer
	ended bool
}

// NewProgress begins to show the progress of work on a number of things. It returns nil if the
// error stream is not a terminal, or if there are fewer than two things.
func (s *Streams) NewProgress(things string, total int) *Progress {
	if !s.errTTY || total < 2 {
		return nil
	}
	p := &Progress{streams: s, things: things, total: total}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(progressAfter, p.show)
	return p
}

func (p *Progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.streams.err.control(fmt.Sprintf("\r%d of %d %s", p.done, p.total, p.things))
	p.shown = true
	p.timer.Reset(progressEvery)
}

// Add counts n more things as done.
func (p *Progress) Add(n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
}

// Hide removes the line while write writes other text.
func (p *Progress) Hide(write func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.clear()
	}
	write()
}

func (p *Progress) clear() {
	if p.shown {
		p.streams.err.control("\r\x1b[K")
		p.shown = false
	}
}

// End removes the line.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.timer.Stop()
	p.clear()
}
