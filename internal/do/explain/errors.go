package explain

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/internal/out"
)

//go:embed errors.txt
var errorsText string

// KnownError is an error of fctl, as its page of errors explains it. Its comment in errors.txt defines
// the fields.
type KnownError struct {
	ID, Text, Meaning, WayOut string
	// Section is the title of its section.
	Section string
	// Case is a golden case that ends with the error. Example is its command line, and below it its
	// messages.
	Case, Example string
}

// KnownErrors returns all explained errors in the order of their sections.
var KnownErrors = sync.OnceValue(func() []KnownError { //nolint:gochecknoglobals // never changed
	var all []KnownError
	section := ""
	for line := range strings.Lines(errorsText) {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch mark {
		case "", "#":
		case "##":
			section = rest
		case "=":
			all[len(all)-1].Meaning = rest
		case ">":
			all[len(all)-1].WayOut = rest
		case "@":
			all[len(all)-1].Case = rest
		case "$":
			all[len(all)-1].Example = "$ " + rest + "\n"
		case "!":
			all[len(all)-1].Example += rest + "\n"
		default:
			all = append(all, KnownError{ID: mark, Text: rest, Section: section})
		}
	}
	return all
})

// FindError returns the error with an ID, or the one of which a message is an instance: it has most
// of the message's text. ok is false if there is none.
func FindError(idOrMessage string) (found KnownError, ok bool) {
	most := 0
	for _, p := range KnownErrors() {
		if p.ID == idOrMessage {
			return p, true
		}
		if n := p.matches(idOrMessage); n > most {
			found, most = p, n
		}
	}
	return found, most > 0
}

// matches returns how many bytes of a message are those of the text, 0 if not all of the text's fixed
// parts follow each other in it.
func (p KnownError) matches(message string) int {
	n := 0
	for part := range strings.SplitSeq(p.Text, "…") {
		_, rest, has := strings.Cut(message, part)
		if !has {
			return 0
		}
		message, n = rest, n+len(part)
	}
	return n
}

// String returns the explanation, as 'fctl explain' prints it.
func (p KnownError) String() string {
	const width = 79
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", p.ID, p.Text)
	b.WriteString(out.Wrap(p.Meaning, width, "") + "\n\n" + out.Wrap(p.WayOut, width, "") + "\n\nExample\n")
	for line := range strings.Lines(p.Example) {
		b.WriteString("  " + line)
	}
	return b.String()
}
