// Package iostreams is the only package that uses the process's standard streams. Commands get a
// *Streams and never touch os.Stdin, os.Stdout or os.Stderr, so every command runs in a test with
// buffers.
//
// Results go to Out, messages go to ErrOut, and results that only people read go to Text. What
// people read never contains data that a terminal or a CI system obeys, nor secret values that the
// command knows; writer says how. Whether a stream may carry colour is decided per stream by
// --color, then FORCE_COLOR, then NO_COLOR and TERM=dumb, then whether the stream itself is a
// terminal.
//
// Layer: base.
package iostreams

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/fctl-dev/fctl/internal/process"
)

// colorModes are the values of --color.
var colorModes = [...]string{"auto", "always", "never"}

// defaultWidth is the width in columns if Out is not a terminal.
const defaultWidth = 80

// Streams are the three standard streams of a run and their properties.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer

	// out and err are Out and ErrOut, unless those were replaced
	out, lines, text, err *writer
	styleMark             string
	mask                  atomic.Pointer[func(string) string] // of secret values

	inTTY, outTTY, errTTY bool
	width                 int
	getenv                func(string) string
	system                bool // the streams are those of this process
	// string; atomic, because a signal can end a command while it sets this
	mode atomic.Value
	lost atomic.Bool // writing to ErrOut failed
}

// System returns the streams of this process.
func System() *Streams {
	s := New(os.Stdin, os.Stdout, nil)
	s.err.to.w = checked{os.Stderr, &s.lost}
	width, out := 0, term.IsTerminal(int(os.Stdout.Fd()))
	// For programs that show people what they read from a pipe: it is as on a terminal, and masked.
	if columns, err := strconv.Atoi(os.Getenv("FCTL_FORCE_TTY")); err == nil && columns > 0 {
		width, out = columns, true
	}
	s.SetTerminal(term.IsTerminal(int(os.Stdin.Fd())), out, term.IsTerminal(int(os.Stderr.Fd())), width)
	s.getenv, s.system = os.Getenv, true
	return s
}

// New returns streams that are not terminals and have no environment. A nil writer discards.
func New(in io.Reader, out, errOut io.Writer) *Streams {
	s := &Streams{In: in, styleMark: newStyleMark(), getenv: func(string) string { return "" }}
	s.mode.Store(colorModes[0])
	stdout := &target{w: cmp.Or(out, io.Discard)}
	s.out = &writer{streams: s, payload: true, isTTY: &s.outTTY, to: stdout}
	s.lines = &writer{streams: s, payload: true, logged: true, isTTY: &s.outTTY, to: stdout}
	s.text = &writer{streams: s, isTTY: &s.outTTY, to: stdout}
	s.err = &writer{streams: s, isTTY: &s.errTTY, to: &target{w: cmp.Or(errOut, io.Discard)}}
	s.Out, s.ErrOut = s.out, s.err
	return s
}

// Test returns streams over buffers: no terminal, no colour, 80 columns and no environment.
func Test() (s *Streams, in, out, errOut *bytes.Buffer) {
	in, out, errOut = new(bytes.Buffer), new(bytes.Buffer), new(bytes.Buffer)
	return New(in, out, errOut), in, out, errOut
}

// SetTerminal makes test streams look like terminals.
func (s *Streams) SetTerminal(in, out, errOut bool, width int) {
	s.inTTY, s.outTTY, s.errTTY, s.width = in, out, errOut, width
}

// Getenv returns a variable of the environment.
func (s *Streams) Getenv(name string) string { return s.getenv(name) }

// LookupEnv returns a variable of the environment, and whether it is set.
func (s *Streams) LookupEnv(name string) (string, bool) {
	if value := s.getenv(name); value != "" {
		return value, true
	}
	if s.system {
		return os.LookupEnv(name)
	}
	return "", false
}

// SetEnv replaces the environment.
func (s *Streams) SetEnv(getenv func(string) string) { s.getenv = getenv }

// SetColor sets the value of --color or its setting: auto, always or never.
func (s *Streams) SetColor(mode string) error {
	for _, m := range colorModes {
		if m == mode {
			s.mode.Store(mode)
			return nil
		}
	}
	return fmt.Errorf("color %q is not one of auto, always, never", mode)
}

// Attach gives a program the streams themselves, as an editor needs them.
func (s *Streams) Attach(program *process.Tool) {
	program.Stdin, program.Stdout, program.Stderr = s.In, s.out.to.w, s.err.to.w
	if file, ok := s.err.to.w.(checked); ok {
		program.Stderr = file.w
	}
}

// InIsTerminal reports whether reading In would wait for a person.
func (s *Streams) InIsTerminal() bool { return s.inTTY }

// OutIsTerminal reports whether Out is a terminal.
func (s *Streams) OutIsTerminal() bool { return s.outTTY }

// OutFile returns the regular file that Out is redirected to, or nil.
func (s *Streams) OutFile() fs.FileInfo {
	f, ok := s.out.to.w.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// Width returns the number of columns of Out.
func (s *Streams) Width() int {
	if s.width > 0 {
		return s.width
	}
	if f, ok := s.out.to.w.(*os.File); ok && s.outTTY {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return defaultWidth
}

// ColorOut reports whether Out may carry colour.
func (s *Streams) ColorOut() bool { return s.colored(s.outTTY) }

// ErrIsTerminal reports whether a person reads ErrOut as it is written.
func (s *Streams) ErrIsTerminal() bool { return s.errTTY }

// ColorErr reports whether ErrOut may carry colour.
func (s *Streams) ColorErr() bool { return s.colored(s.errTTY) }

// OutStyle returns a function that colours text for Out, or returns it unchanged.
func (s *Streams) OutStyle(attributes ...color.Attribute) func(string) string {
	return s.style(s.ColorOut(), attributes)
}

// ErrStyle is OutStyle for ErrOut.
func (s *Streams) ErrStyle(attributes ...color.Attribute) func(string) string {
	return s.style(s.ColorErr(), attributes)
}

// style does not leave the decision to fatih/color, which would only check the standard output;
// here each stream has its own setting.
func (s *Streams) style(colored bool, attributes []color.Attribute) func(string) string {
	if !colored {
		return func(text string) string { return text }
	}
	c := color.New(attributes...)
	c.EnableColor()
	begin, end, _ := strings.Cut(c.Sprint(" "), " ")
	return func(text string) string { return s.styleMark + begin + text + s.styleMark + end }
}

func (s *Streams) colored(tty bool) bool {
	switch s.mode.Load() {
	case "always":
		return true
	case "never":
		return false
	}
	// CI systems turn colour off with FORCE_COLOR=0 or =false.
	switch v := s.getenv("FORCE_COLOR"); v {
	case "":
	case "0", "false":
		return false
	default:
		return true
	}
	if s.getenv("NO_COLOR") != "" || s.getenv("TERM") == "dumb" {
		return false
	}
	return tty
}
