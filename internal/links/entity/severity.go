package entity

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/strict"
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
func conflictRule(v strict.Value) ConflictRule {
	var rule ConflictRule
	v.Object("a rule",
		strict.Text("ResourceType", &rule.ResourceType),
		strict.Text("ResourceName", &rule.ResourceName),
		strict.Text("Path", &rule.Path),
		strict.OneOf("Reason", &rule.Reason, api.ConflictReasons()...),
		strict.Need(strict.OneOf("Severity", &rule.Severity, Severities()...)))
	return rule
}
