package files_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/fctl-dev/fctl/internal/files"
)

// counter counts the writes it gets.
type counter struct {
	strings.Builder
	writes int
}

func (c *counter) Write(p []byte) (int, error) {
	c.writes++
	return c.Builder.Write(p)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestStdoutWritesOnce(t *testing.T) {
	var w counter
	if err := (files.Stdout{W: &w}).Write([]byte("a: 1\nb: 2\n")); err != nil {
		t.Fatal(err)
	}
	if w.writes != 1 || w.String() != "a: 1\nb: 2\n" {
		t.Errorf("%d writes, %q", w.writes, w.String())
	}
	if err := (files.Stdout{W: &w}).Write(nil); err != nil || w.writes != 1 {
		t.Errorf("an empty result was written (%d writes), error %v", w.writes, err)
	}
}

func TestStdoutErrors(t *testing.T) {
	gone := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	if err := (files.Stdout{W: failing{gone}}).Write([]byte("x")); err != nil {
		t.Errorf("a closed pipe is an error: %v", err)
	}
	if err := (files.Stdout{W: failing{io.ErrShortWrite}}).Write([]byte("x")); !errors.Is(err,
		io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
}
