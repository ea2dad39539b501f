package iostreams_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// TestTextForPeople checks what of a text reaches a terminal and a pipe.
func TestTextForPeople(t *testing.T) {
	for _, c := range []struct{ name, text, people string }{
		{"text", "größe: 5\t✓\n", "größe: 5\t✓\n"},
		{"escape sequences", "\x1b]0;t\a\x1b[2J\n", `\x1b]0;t\a\x1b[2J` + "\n"},
		{"another encoding", "\x9b2J\n", "�2J\n"},
		{"C1", "\u009b2J\n", `\u009b2J` + "\n"},
		{"direction", "a\u202eb\u2066\n", `a\u202eb\u2066` + "\n"},
		{"invisible", "a\u200bb\u3164\U000e0141\n", `a\u200bb\u3164\U000e0141` + "\n"},
		{"carriage return", "good\rbad\n", `good\rbad` + "\n"},
		{"line end of Windows", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"GitHub", "  ::error file=x::pwn\n", `  \x3a:error file=x::pwn` + "\n"},
		{"IPv6", "::1\n::ffff:1.2.3.4\n", "::1\n::ffff:1.2.3.4\n"},
		{"Azure", "a ##vso[task.x]1\n##[error]x\n", `a #\x23vso[task.x]1` + "\n" +
			`#\x23[error]x` + "\n"},
		{"only a carriage return", "good\r", `good\r`},
		{"no line end", "a\x1b", `a\x1b`},
		{"long line", strings.Repeat("ä", 70_000) + "\x1b\n", strings.Repeat("ä", 70_000) +
			`\x1b` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, to := range []struct {
				name       string
				isTerminal bool
				stream     func(*iostreams.Streams) io.Writer
				want       string
			}{
				{"text", false, (*iostreams.Streams).Text, c.people},
				{"messages", false, func(s *iostreams.Streams) io.Writer { return s.ErrOut }, c.people},
				{"payload", false, func(s *iostreams.Streams) io.Writer { return s.Out }, c.text},
				{"lines", false, (*iostreams.Streams).Lines, c.text},
				{"lines in CI", false, func(s *iostreams.Streams) io.Writer {
					s.SetEnv(func(name string) string {
						return map[string]string{"TF_BUILD": "True"}[name]
					})
					return s.Lines()
				}, c.people},
				{
					"payload on a terminal", true,
					func(s *iostreams.Streams) io.Writer { return s.Out }, c.people,
				},
			} {
				for _, size := range []int{1, 7, len(c.text)} {
					var b bytes.Buffer
					s := iostreams.New(nil, &b, &b)
					s.SetTerminal(false, to.isTerminal, false, 80)
					for rest := c.text; rest != ""; {
						n := min(size, len(rest))
						if _, err := io.WriteString(to.stream(s), rest[:n]); err != nil {
							t.Fatal(err)
						}
						rest = rest[n:]
					}
					if err := s.Flush(); err != nil || b.String() != to.want {
						t.Errorf("%s in parts of %d: %.80q, want %.80q", to.name, size, b.String(),
							to.want)
					}
				}
			}
		})
	}
}

// TestStylesOfDataAreNoStyles checks that only the styles of fctl reach a stream.
func TestStylesOfDataAreNoStyles(t *testing.T) {
	var b bytes.Buffer
	s := iostreams.New(nil, &b, &b)
	s.SetTerminal(false, true, true, 80)
	text := "a " + s.OutStyle(color.FgRed)("b\x1b[32m") + " \x1b[1mc\x00\n"
	text += s.OutStyle(color.FgRed)("c\r") + "\n" + s.OutStyle(color.FgRed)("d\r") + "e\n"
	const want = "a \x1b[31mb\\x1b[32m\x1b[0m \\x1b[1mc\\x00\n" +
		"\x1b[31mc\r\x1b[0m\n\x1b[31md\\r\x1b[0me\n"
	for i := range text {
		_, _ = io.WriteString(s.Out, text[i:i+1])
	}
	_, _ = io.WriteString(s.ErrOut, text)
	_, _ = io.WriteString(s.Text(), text)
	if b.String() != want+want+want {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	s.SetTerminal(false, false, false, 80)
	if err := s.SetColor("always"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(s.Out, "\x1b[32m"+s.OutStyle(color.Bold)("d")+"\n")
	if b.String() != "\x1b[32m\x1b[1md\x1b[22m\n" {
		t.Errorf("a coloured payload in a pipe is %q", b.String())
	}
}

// TestHide checks that messages and text for people are masked, and a payload in a pipe is not.
func TestHide(t *testing.T) {
	var b bytes.Buffer
	s := iostreams.New(nil, &b, &b)
	s.Hide(func(text string) string { return strings.ReplaceAll(text, "hunter2", "(sensitive)") })
	for _, w := range []io.Writer{s.ErrOut, s.Text(), s.Out} {
		for _, part := range []string{"it is hun", "ter2\n"} {
			_, _ = io.WriteString(w, part)
		}
	}
	if b.String() != "it is (sensitive)\nit is (sensitive)\nit is hunter2\n" {
		t.Errorf("%q", b.String())
	}
}
