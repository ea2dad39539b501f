// Package starter holds files that a new workspace may begin with.
//
// Layer: systems.
package starter

import (
	"bytes"
	_ "embed" // the files
	"strings"
)

//go:embed attributes.yaml
var attributes string

// AttributesFile is where a workspace has the starter file for attributes.
const AttributesFile = "attributes/operators.yaml"

// Attributes returns a file for the folder attributes of a workspace. It says which paths of
// well-known custom resources refer to other resources, and which names they provide.
func Attributes() []byte { return []byte(attributes) }

// Ignore adds the lines to a .gitignore that it lacks, and returns which.
func Ignore(was []byte, lines []string) (text []byte, added []string) {
	end := "\n"
	if bytes.Contains(was, []byte("\r\n")) {
		end = "\r\n"
	}
	text = was
	if len(was) > 0 && was[len(was)-1] != '\n' {
		text = append(text, end...)
	}
	for _, line := range lines {
		if !Ignores(was, line) {
			text = append(text, line+end...)
			added = append(added, line)
		}
	}
	return text, added
}

// Ignores reports whether a .gitignore has a line, or the same with a slash before it or without
// the one at its end.
func Ignores(text []byte, line string) bool {
	for have := range strings.Lines(string(text)) {
		have = strings.TrimSpace(have)
		if have == line || have == "/"+line || have != "" && have+"/" == line ||
			have != "/" && have+"/" == "/"+line {
			return true
		}
	}
	return false
}
