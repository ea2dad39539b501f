package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

// endless is a stream without an end that counts the bytes read.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.read+i)%len(e.text)]
	}
	e.read += len(p)
	return len(p), nil
}

func TestEndlessStream(t *testing.T) {
	in := &endless{text: "y\n"}
	_, err := (&Reader{In: in, MaxSize: 1 << 20}).Unit(t.Context(), "-", "U")
	f, ok := errors.AsType[*api.Failure](err)
	if !ok || f.Error() != "<stdin>: the input is larger than 1 MiB" ||
		f.Class != api.FailureInput || !strings.Contains(f.Hint, "--max-size") {
		t.Errorf("got %v, %#v", err, f)
	}
	if in.read > 4<<20 {
		t.Errorf("%d bytes were read", in.read)
	}
	in = &endless{text: "\x00"}
	if _, err := (&Reader{In: in}).Unit(t.Context(), "-", "U"); !errors.Is(err, ErrBinary) ||
		in.read > 1<<20 {
		t.Errorf("got %v after %d bytes", err, in.read)
	}
}

func TestMaxSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, "a: 12345\n") // 9 bytes
	for _, regular := range []bool{false, true} {
		t.Run(fmt.Sprint(regular), func(t *testing.T) {
			for limit, want := range map[int64]string{
				8: "the input is larger than 8 bytes", 9: "",
				0: "",
			} {
				r := &Reader{MaxSize: limit, RegularOnly: regular}
				_, err := r.Bytes(t.Context(), path)
				if got := ""; err != nil {
					if _, got, _ = strings.Cut(err.Error(), ": "); got != want {
						t.Errorf("%d, regular %v: got %q, want %q", limit, regular, got, want)
					}
				} else if want != "" {
					t.Errorf("%d, regular %v: no error", limit, regular)
				}
			}
		})
	}
	// A sparse file is rejected before anything is read.
	if err := os.Truncate(path, 3<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	for _, regular := range []bool{false, true} {
		t.Run(fmt.Sprint(regular), func(t *testing.T) {
			if _, err := (&Reader{RegularOnly: regular}).Bytes(t.Context(), path); err == nil ||
				!strings.HasSuffix(err.Error(), "larger than 2 GiB") {
				t.Errorf("got %v", err)
			}
		})
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if _, err := (&Reader{In: f}).Bytes(t.Context(), "-"); err == nil ||
		!strings.HasSuffix(err.Error(), "larger than 2 GiB") {
		t.Errorf("got %v", err)
	}
}
