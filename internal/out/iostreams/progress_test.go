package iostreams_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// locked is a buffer for concurrent writers.
type locked struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take returns what was written since the last call.
func (l *locked) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text.String()
	l.text.Reset()
	return text
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errOut := &locked{}
		s := iostreams.New(nil, nil, errOut)
		s.SetTerminal(false, false, true, 80)
		p := s.NewProgress("files", 120)
		p.Add(30)
		time.Sleep(490 * time.Millisecond)
		synctest.Wait()
		if got := errOut.take(); got != "" {
			t.Errorf("it shows %q too early", got)
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		p.Add(10)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := errOut.take(); got != "\r30 of 120 files\r40 of 120 files" {
			t.Errorf("it shows %q", got)
		}
		p.Hide(func() { _, _ = errOut.Write([]byte("a note\n")) })
		p.Hide(func() {})
		if got := errOut.take(); got != "\r\x1b[Ka note\n" {
			t.Errorf("it clears the line with %q", got)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		p.End()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := errOut.take(); !strings.HasSuffix(got, "40 of 120 files\r\x1b[K") {
			t.Errorf("it ends with %q", got)
		}
	})
}

// TestNoProgress checks that nothing is shown without a terminal, or for a single thing.
func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _, errOut := iostreams.Test()
		for _, p := range []*iostreams.Progress{
			nil, s.NewProgress("files", 120),
			func() *iostreams.Progress {
				s.SetTerminal(false, false, true, 80)
				return s.NewProgress("files", 1)
			}(),
		} {
			p.Add(1)
			time.Sleep(time.Minute)
			paused := false
			p.Hide(func() { paused = true })
			p.End()
			if !paused || errOut.Len() > 0 {
				t.Errorf("it shows %q", errOut)
			}
		}
	})
}
