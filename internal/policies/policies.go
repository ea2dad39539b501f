// Package policies holds the policies that fctl has: the levels of the Pod Security Standards, and
// best practices. A policy is a chain of validations in the form of 'fctl help chains', which
// people can read, copy and change.
//
// Layer: base.
package policies

import (
	"embed"
	"slices"
)

//go:embed *.yaml
var files embed.FS

// Names returns the names of the policies.
func Names() []string { return []string{"baseline", "restricted", "best-practice"} }

// Text returns the text of a policy, and false if there is none of the name. The policy restricted
// includes baseline.
func Text(name string) ([]byte, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	parts := []string{name}
	if name == "restricted" {
		parts = []string{"baseline", "restricted"}
	}
	var all []byte
	for i, part := range parts {
		text, err := files.ReadFile(part + ".yaml")
		if err != nil {
			return nil, false
		}
		if i > 0 {
			all = append(all, '\n')
		}
		all = append(all, text...)
	}
	return all, true
}

// Description describes a policy in one line.
func Description(name string) string {
	return map[string]string{
		"baseline":      "the baseline level of the Pod Security Standards",
		"restricted":    "their restricted level, which includes baseline",
		"best-practice": "image tags, requests and limits, probes, disruption budgets",
	}[name]
}
