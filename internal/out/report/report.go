// Package report renders an executor's response for the standard output. It decides what is printed
// (-o, --report), never where.
//
// JSON is indented by two, ends in a newline and does not escape <, > and &. YAML outputs and
// configuration are printed as they are, byte for byte. Only output to a terminal depends on the
// terminal; output to a pipe is the same everywhere.
//
// Layer: systems.
package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/out/diff"
)

// Chunks is a text in consecutive chunks: large configuration is never joined into one.
type Chunks [][]byte

func (p Chunks) size() int {
	n := 0
	for _, part := range p {
		n += len(part)
	}
	return n
}

// Result is the result of a unit.
type Result struct {
	Unit       string                  // its name
	File       string                  // its name in messages
	Toolchain  api.ToolchainType       // of its configuration
	Signatures []api.FunctionSignature // of the chain's functions
	// Invocations are the steps of the chain; their names are the rules of findings.
	Invocations api.FunctionInvocationList
	Response    *handler.Result
	Before      []byte // the configuration as it was read, for Diff
	// Starts returns the lines at which documents begin in a text, for Diff.
	Starts func(text []byte) []handler.ResourceLine
	// Secrets are the secret values in the configuration, before and after the chain. They are nil
	// if secrets may be shown or if Printer.MasksValues returns false.
	Secrets *sensitive.Values
	// Changed are the changed resources, for Name.
	Changed []api.ResourceInfo
	// Accepted are the findings that are no longer in the results, for SARIF.
	Accepted Exceptions
	// Resources is the number of resources that the chain was run on, for Text.
	Resources int

	joined map[lack]*places // of the missing resources, once findings about them are joined
}

// Terminal describes the reader of the text.
type Terminal struct {
	Interactive bool                // a terminal, not a pipe
	Width       int                 // the number of columns of a terminal; 0 if it is not known
	Columns     []string            // of tables; nil chooses those with content
	Head        func(string) string // styles headings and positions; nil leaves them plain
	Diff        diff.Colors
}

func (s Terminal) head(text string) string { return styled(s.Head, text) }

// mutates reports whether a function of the chain may change configuration.
func mutates(chain []api.FunctionSignature) bool {
	return slices.ContainsFunc(chain, func(s api.FunctionSignature) bool { return s.Mutating })
}

// safeJSON escapes the characters that are valid in JSON but could control a terminal or garble a
// log.
func safeJSON(text Chunks) Chunks {
	for i := range text {
		if mayHaveControls(text[i]) {
			text[i] = controls().ReplaceAllFunc(text[i], func(c []byte) []byte {
				r, _ := utf8.DecodeRune(c)
				return fmt.Appendf(nil, "\\u%04x", r)
			})
		}
	}
	return text
}

// controls matches DEL, the C1 control characters and the marks that change the direction of text.
var controls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`[\x{7f}-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
})

// mayHaveControls reports whether the text has a byte with which controls begin in UTF-8. Most text
// has none, which saves the slower regular expression.
func mayHaveControls(text []byte) bool {
	for _, c := range []byte{0x7f, 0xc2, 0xd8, 0xe2} {
		if bytes.IndexByte(text, c) >= 0 {
			return true
		}
	}
	return false
}
