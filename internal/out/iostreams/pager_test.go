package iostreams

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPager checks that the program gets the output, and messages that come after the output began.
func TestPager(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("sed is not available")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // a test
	errOut := &bytes.Buffer{}
	s := New(nil, file, errOut)
	s.SetTerminal(true, true, true, 80)
	pager := s.StartPager([]string{"sed", "s/^/> /"})
	for _, w := range []struct {
		text string
		err  bool
	}{{"early\n", true}, {"one\n", false}, {"two\n", true}} {
		t.Run(w.text, func(t *testing.T) {
			out := s.Out
			if w.err {
				out = s.ErrOut
			}
			if _, err := out.Write([]byte(w.text)); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := pager.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file.Name())
	if err != nil || string(text) != "> one\n> two\n" || errOut.String() != "early\n" {
		t.Errorf("%q, %q, %v", text, errOut, err)
	}
}

// TestNoPager checks that nothing is started without a terminal, output or program.
func TestNoPager(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // a test
	s := New(nil, file, file)
	if p := s.StartPager([]string{"sed"}); p != nil {
		t.Error("a pager for a pipe")
	}
	s.SetTerminal(true, true, true, 80)
	if p := s.StartPager([]string{"no-such-program"}); p != nil || p.Close() != nil {
		t.Error("a pager that does not exist")
	}
	if p := s.StartPager([]string{"false"}); p == nil || p.Close() != nil {
		t.Error("a pager was started without output")
	}
}
