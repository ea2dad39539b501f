package iostreams_test

import (
	"io"
	"testing"

	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

func TestColorDecision(t *testing.T) {
	for _, c := range []struct {
		name           string
		mode           string
		env            map[string]string
		outTTY, errTTY bool
		out, err       bool
	}{
		{"pipes", "auto", nil, false, false, false, false},
		{"each stream for itself", "auto", nil, false, true, false, true},
		{"NO_COLOR", "auto", map[string]string{"NO_COLOR": "1"}, true, true, false, false},
		{
			"empty NO_COLOR does not count", "auto",
			map[string]string{"NO_COLOR": ""},
			true, true,
			true, true,
		},
		{"dumb terminal", "auto", map[string]string{"TERM": "dumb"}, true, true, false, false},
		{
			"FORCE_COLOR beats NO_COLOR", "auto",
			map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"},
			false, false, true, true,
		},
		{"FORCE_COLOR=0", "auto", map[string]string{"FORCE_COLOR": "0"}, true, true, false, false},
		{
			"--color=never beats FORCE_COLOR", "never",
			map[string]string{"FORCE_COLOR": "1"},
			true,
			true, false, false,
		},
		{
			"--color=always beats NO_COLOR", "always",
			map[string]string{"NO_COLOR": "1"},
			false,
			false, true, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, _, _ := iostreams.Test()
			s.SetTerminal(false, c.outTTY, c.errTTY, 100)
			s.SetEnv(func(key string) string { return c.env[key] })
			if err := s.SetColor(c.mode); err != nil {
				t.Fatal(err)
			}
			if s.ColorOut() != c.out || s.ColorErr() != c.err {
				t.Errorf("out %v, err %v; want %v, %v", s.ColorOut(), s.ColorErr(), c.out, c.err)
			}
		})
	}
}

func TestUnknownColorMode(t *testing.T) {
	s, _, _, _ := iostreams.Test()
	if err := s.SetColor("sometimes"); err == nil {
		t.Error("no error")
	}
}

func TestErrStyle(t *testing.T) {
	s, _, _, errOut := iostreams.Test()
	if got := s.ErrStyle(color.FgCyan)("x"); got != "x" {
		t.Errorf("plain stream got %q", got)
	}
	if err := s.SetColor("always"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(s.ErrOut, s.ErrStyle(color.FgCyan)("x")+"\n")
	if got := errOut.String(); got != "\x1b[36mx\x1b[0m\n" {
		t.Errorf("coloured stream got %q", got)
	}
}

func TestWidth(t *testing.T) {
	s, _, _, _ := iostreams.Test()
	if got := s.Width(); got != 80 {
		t.Errorf("width without a terminal is %d", got)
	}
	s.SetTerminal(true, true, true, 132)
	if got := s.Width(); got != 132 {
		t.Errorf("width is %d", got)
	}
}
