package entity

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Severity says what a conflict means to the owner of a workspace.
type Severity string

// The severities, from the least.
const (
	SeverityIgnore  Severity = "ignore"  // not shown
	SeverityNote    Severity = "note"    // shown, but --fail-on-conflict accepts it
	SeverityWarning Severity = "warning" // the default
	SeverityError   Severity = "error"   // a resolve that a user asks for writes nothing
)

// Severities returns all severities, from the least.
func Severities() []Severity {
	return []Severity{SeverityIgnore, SeverityNote, SeverityWarning, SeverityError}
}

// ConflictRule gives conflicts a severity. An empty field matches all.
type ConflictRule struct {
	ResourceType api.ResourceType   `json:",omitempty"`
	ResourceName api.ResourceName   `json:",omitempty"` // with or without its scope
	Path         string             `json:",omitempty"` // * is any segment; what is below matches
	Reason       api.ConflictReason `json:",omitempty"`
	Severity     Severity
}

// conflictRule reads a rule.
func (r *reader) conflictRule(v gaby.Value, path string) ConflictRule {
	var rule ConflictRule
	r.object(v, path, "a rule", []field{
		texts(r, "ResourceType", &rule.ResourceType), texts(r, "ResourceName", &rule.ResourceName),
		texts(r, "Path", &rule.Path), texts(r, "Reason", &rule.Reason),
		texts(r, "Severity", &rule.Severity),
	})
	if !slices.Contains(Severities(), rule.Severity) {
		at := v.Position()
		if given := v.Get("Severity"); given.Exists() {
			at = given.Position()
		}
		r.fail(at, CodeFieldValue, join(path, "Severity"), "",
			"Severity is ignore, note, warning or error, not %q", rule.Severity)
	}
	if reasons := api.ConflictReasons(); rule.Reason != "" &&
		!slices.Contains(reasons, rule.Reason) {
		names := make([]string, len(reasons))
		for i, reason := range reasons {
			names[i] = string(reason)
		}
		r.fail(v.Get("Reason").Position(), CodeFieldValue, join(path, "Reason"),
			"known are "+strings.Join(names, ", "), "no conflict has the reason %q", rule.Reason)
	}
	return rule
}
