package iostreams

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
)

func TestLost(t *testing.T) {
	s, _, _, _ := Test()
	for _, c := range []struct {
		err  error
		lost bool
	}{{nil, false}, {syscall.EPIPE, false}, {syscall.ENOSPC, true}, {nil, true}} {
		t.Run(fmt.Sprint(c.err), func(t *testing.T) {
			_, err := (checked{failing{c.err}, &s.lost}).Write([]byte("text"))
			if !errors.Is(err, c.err) || s.Lost() != c.lost {
				t.Errorf("%v: lost %v", err, s.Lost())
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Write(p []byte) (int, error) { return len(p), f.err }
