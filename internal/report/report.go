// Package report makes the text of the standard output from an executor's
// response. It decides what is printed (-o, --report), never where.
//
// JSON is indented by two, ends in a newline and does not escape <, > and &.
// YAML payloads and configuration are printed as they are, byte for byte. Only
// what a person reads on a terminal depends on the terminal; what is piped is
// the same everywhere.
package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diff"
)

// Payload is a text in parts that follow each other: large configuration is
// never put together in one piece.
type Payload [][]byte

func (p Payload) size() int {
	n := 0
	for _, part := range p {
		n += len(part)
	}
	return n
}

// Result is what there is to print about a unit.
type Result struct {
	Unit       string                  // its name
	File       string                  // as messages call it
	Toolchain  api.ToolchainType       // of its configuration
	Signatures []api.FunctionSignature // of the chain's functions
	// Invocations are the steps of the chain: their names are the rules of findings.
	Invocations api.FunctionInvocationList
	Response    *handler.Result
	Before      []byte // the configuration as it was read, for Diff
	// BeforePlaces and AfterPlaces are where resources begin in the configuration, for Diff.
	BeforePlaces, AfterPlaces []diff.Place
	// Secrets finds the secret values in the configuration, before and after. It is asked for what people read only, and is nil when
	// these may be shown.
	Secrets func() *sensitive.Values
	// Changed are the resources that are not what they were, for Name.
	Changed []api.ResourceInfo
}

// Screen is who reads the text.
type Screen struct {
	Terminal bool                // a person, not a program
	Head     func(string) string // colours headings and places; nil leaves them plain
	Diff     diff.Style
}

func (s Screen) head(text string) string {
	if s.Head == nil {
		return text
	}
	return s.Head(text)
}

// Locate writes the file into the positions of the outputs, which the executor
// does not know.
func Locate(outputs api.OutputList, file string) {
	in := func(rows api.AttributeValueList) {
		for i := range rows {
			if rows[i].Position != nil {
				rows[i].Position.File = file
			}
		}
	}
	for _, o := range outputs {
		switch list := o.Value.(type) {
		case api.AttributeValueList:
			in(list)
		case api.ValidationResultList:
			for _, result := range list {
				in(result.FailedAttributes)
				for _, u := range result.Unchecked {
					if u.Position != nil {
						u.Position.File = file
					}
				}
				for i := range result.Places {
					result.Places[i].Position.File = file
				}
			}
		}
	}
}

// mutates tells whether a function of the chain may change something.
func mutates(chain []api.FunctionSignature) bool {
	return slices.ContainsFunc(chain, func(s api.FunctionSignature) bool { return s.Mutating })
}

// safeJSON is JSON in which the characters that would do something to a terminal or a log, and that JSON lets stand, are escaped.
func safeJSON(text Payload) Payload {
	for i := range text {
		if mayHaveControls(text[i]) {
			text[i] = controls.ReplaceAllFunc(text[i], func(c []byte) []byte {
				r, _ := utf8.DecodeRune(c)
				return fmt.Appendf(nil, "\\u%04x", r)
			})
		}
	}
	return text
}

// controls are DEL, C1 and the marks that change the direction of text.
var controls = regexp.MustCompile(`[\x{7f}-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// mayHaveControls looks for the bytes with which controls begin. Most text has none, and then nothing slower is asked.
func mayHaveControls(text []byte) bool {
	for _, c := range []byte{0x7f, 0xc2, 0xd8, 0xe2} {
		if bytes.IndexByte(text, c) >= 0 {
			return true
		}
	}
	return false
}

// secrets are the values that people do not see, nil when there are none.
func (r Result) secrets() *sensitive.Values {
	if r.Secrets == nil {
		return nil
	}
	return r.Secrets()
}
