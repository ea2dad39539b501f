// Package exceptions knows which findings of validations are accepted: those that the annotation
// fctl.dev/ignore of a resource names, and those in a baseline file.
//
// A finding in a baseline is identified by its file, resource, rule, path and message, never by its
// position, so a baseline survives moved lines.
//
// Layer: systems.
package exceptions

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Annotation is the annotation of a resource with the rules whose findings are accepted there,
// separated by commas.
const Annotation = "fctl.dev/ignore"

// Rules returns the rules in the value of the annotation.
func Rules(value string) []string {
	rules := strings.FieldsFunc(value, func(r rune) bool {
		return strings.ContainsRune(", \t\n", r)
	})
	slices.Sort(rules)
	return slices.Compact(rules)
}

// Finding identifies a finding.
type Finding struct {
	File     string // relative to the directory of the baseline, with slashes
	Resource string // type and name; empty for a finding about the file
	Rule     string
	Path     string
	Message  string
}

// Key returns the finding without the positions in its message.
func (f Finding) Key() Finding {
	f.Message = positions().ReplaceAllString(f.Message, "$1$2")
	return f
}

// positions matches the positions of other values that messages name: "at 10:11", "at line 10",
// "(line 9)", "lines 3 to 7".
var positions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`\b(?:(at|in) \d+(?::\d+)?|(lines?) \d+(?::\d+)?(?:(?: to |-)\d+)?)\b`)
})
