package quiet

import (
	"log"
	"os"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	var out strings.Builder
	f := &logFilter{&out}
	for _, text := range []string{"a line\n", "2026/11/23 16:16:27 " + line + ": no memory.\n"} {
		if n, err := f.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if out.String() != "a line\n" {
		t.Errorf("got %q", &out)
	}
}

// TestEnd gives the logger its output back, but not in place of one that came later.
func TestEnd(t *testing.T) {
	var later strings.Builder
	log.SetOutput(&later)
	if End(); log.Writer() != &later {
		t.Error("a later output was replaced")
	}
	log.SetOutput(installed)
	if End(); log.Writer() != os.Stderr {
		t.Error("output was not given back")
	}
}
