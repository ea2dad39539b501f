package iostreams

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/internal/diag"
)

// writer writes to a standard stream that people may read: a terminal, a pipe or a log. In text for
// people
//
//   - secret values that the command knows are masked, see Streams.Hide,
//   - characters that a terminal obeys or does not show are escaped, except in styles,
//   - workflow commands are escaped, so that a CI system does not obey them.
//
// A payload is for people on a terminal, and if it is lines that a CI system may show, see
// Streams.Lines: there it is escaped, too. In any other pipe or file its bytes stay as they are.
//
// Text is written in complete lines; Flush writes an incomplete last one.
type writer struct {
	streams *Streams
	payload bool
	logged  bool // a payload that is escaped also in a pipe
	isTTY   *bool

	to   *target
	held []byte // the beginning of a line
}

// target is where the writers of one stream write.
type target struct {
	mu sync.Mutex
	w  io.Writer
}

// maxHeld is the number of bytes of a line that are held until the line is complete.
const maxHeld = 64 << 10

func (w *writer) Write(p []byte) (int, error) {
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	if w.isRaw() {
		return w.to.w.Write(p)
	}
	return w.print(string(p))
}

// WriteString implements io.StringWriter: a text may be large, and is not copied.
func (w *writer) WriteString(text string) (int, error) {
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	if w.isRaw() {
		return io.WriteString(w.to.w, text)
	}
	return w.print(text)
}

// isRaw reports whether no person reads what is written.
func (w *writer) isRaw() bool {
	return w.payload && !w.logged && !*w.isTTY && !w.streams.ColorOut()
}

// print writes the complete lines of the text and holds the rest. Its caller holds the lock.
func (w *writer) print(text string) (int, error) {
	size := len(text)
	if strings.IndexByte(text, '\n') < 0 && len(w.held)+size <= maxHeld {
		w.held = append(w.held, text...)
		return size, nil
	}
	if len(w.held) > 0 {
		text = string(w.held) + text
	}
	end := w.streams.end(text)
	w.held = append(w.held[:0], text[end:]...)
	if err := w.write(text[:end]); err != nil {
		return 0, err
	}
	return size, nil
}

// flush writes the held beginning of a line.
func (w *writer) flush() error {
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	text := string(w.held)
	w.held = nil
	return w.write(text)
}

// end returns where the complete lines of text end. A line that is too long to be held ends before
// its last bytes, which may be a part of a character or of a style.
func (s *Streams) end(text string) int {
	end := strings.LastIndexByte(text, '\n') + 1
	if len(text)-end <= maxHeld {
		return end
	}
	end = len(text) - utf8.UTFMax
	for !utf8.RuneStart(text[end]) && len(text)-end < 2*utf8.UTFMax {
		end--
	}
	longest := len(s.styleMark) + len("\x1b[38;5;255;1m")
	if at := strings.LastIndexByte(text, s.styleMark[0]); at >= len(text)-longest {
		end = at
	}
	return end
}

func (w *writer) write(text string) error {
	if text == "" {
		return nil
	}
	if mask := w.streams.mask.Load(); mask != nil && !w.payload {
		parts := strings.Split(text, w.streams.styleMark)
		for i, part := range parts {
			style := ""
			if i > 0 {
				style = styleSequence().FindString(part)
			}
			parts[i] = style + (*mask)(part[len(style):])
		}
		text = strings.Join(parts, w.streams.styleMark)
	}
	lines := bufio.NewWriterSize(w.to.w, min(len(text), maxHeld))
	for line := range strings.Lines(text) {
		_, _ = lines.WriteString(w.line(line)) // Flush returns the error
	}
	return lines.Flush()
}

// line returns a line with its styles, and without anything else that a reader would obey.
func (w *writer) line(line string) string {
	line, end := strings.CutSuffix(line, "\n")
	escapes := !w.payload || w.logged || *w.isTTY
	parts := strings.Split(line, w.streams.styleMark)
	isEnd := end // nothing but styles follows
	for i, part := range slices.Backward(parts) {
		style := ""
		if i > 0 {
			style = styleSequence().FindString(part)
		}
		text, lineEnd := part[len(style):], ""
		if isEnd && strings.HasSuffix(text, "\r") {
			text, lineEnd = text[:len(text)-1], "\r"
		}
		isEnd = isEnd && part == style
		if escapes {
			text = printable(text)
		}
		parts[i] = style + text + lineEnd
	}
	line = strings.Join(parts, "")
	if escapes {
		line = replaced(workflowCommand(), line, `$1\x3a$2`)
		line = replaced(loggingCommand(), line, `#\x23$1`)
	}
	if end {
		line += "\n"
	}
	return line
}

// replaced replaces what matches in a line. A line without a match, which may be long, is not copied.
func replaced(re *regexp.Regexp, line, by string) string {
	if !re.MatchString(line) {
		return line
	}
	return re.ReplaceAllString(line, by)
}

// printable is diag.Printable, except for tabs.
func printable(text string) string {
	cells := strings.Split(text, "\t")
	for i := range cells {
		cells[i] = diag.Printable(cells[i])
	}
	return strings.Join(cells, "\t")
}

var (
	// styleSequence matches what follows the mark of a style.
	styleSequence = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\x1b\[[0-9;]*m`)
	})
	// workflowCommand matches ::error file=a::text, which GitHub obeys at the beginning of a line.
	workflowCommand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:[ \t]|\x1b\[[0-9;]*m)*):(:[A-Za-z].*::)`)
	})
	// loggingCommand matches ##[error], ##vso[task.setvariable] and ##teamcity[, which GitHub,
	// Azure Pipelines and TeamCity obey anywhere in a line.
	loggingCommand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`#(?:#|\\x23)([A-Za-z]*\[)`)
	})
)

// newStyleMark returns what precedes the escape sequences of styles until they are written. Data
// cannot contain it, because nobody can guess it.
func newStyleMark() string { return "\x00" + rand.Text() }

// control writes text that moves the cursor of a terminal.
func (w *writer) control(text string) {
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	_, _ = io.WriteString(w.to.w, text) // a failed write is ignored: it shows only progress
}

// Hide makes all text for people pass through mask, which replaces secret values.
func (s *Streams) Hide(mask func(string) string) { s.mask.Store(&mask) }

// Text returns the standard output for text for people, which no program reads. The payload of a
// command is written to Out.
func (s *Streams) Text() io.Writer { return s.text }

// Lines returns the standard output for a payload that is lines of data and nothing else, such as
// -o value. A CI system whose log the standard output may be would obey such a line; there it is
// escaped like text for people, except in a regular file.
func (s *Streams) Lines() io.Writer {
	system := slices.ContainsFunc([]string{"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"},
		func(name string) bool { return s.getenv(name) != "" })
	if !system || s.OutFile() != nil {
		return s.Out
	}
	return s.lines
}

// Flush writes lines that have no end.
func (s *Streams) Flush() error {
	return errors.Join(s.out.flush(), s.lines.flush(), s.text.flush(), s.err.flush())
}
