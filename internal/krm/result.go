package krm

import (
	"slices"
	"strconv"
	"strings"
)

// Severity is how bad a result is.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// rank orders severities; unknown ones come last.
func (s Severity) rank() int {
	if i := slices.Index([]Severity{SeverityError, SeverityWarning, SeverityInfo}, s); i >= 0 {
		return i
	}
	return 3
}

// Result is one thing that a function reports about its work.
type Result struct {
	Message     string            `json:"message"`
	Severity    Severity          `json:"severity,omitempty"`
	ResourceRef *ResourceRef      `json:"resourceRef,omitempty"`
	Field       *ResultField      `json:"field,omitempty"`
	File        *FileRef          `json:"file,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

// ResourceRef names the resource that a result is about.
type ResourceRef struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Name       string `json:"name,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
}

// String returns the parts that are present, separated by slashes.
func (r *ResourceRef) String() string {
	if r == nil {
		return ""
	}
	parts := []string{r.APIVersion, r.Kind, r.Namespace, r.Name}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "/")
}

// ResultField is the field that a result is about. Values are Go data as gaby reads it; nil is
// a missing value.
type ResultField struct {
	Path          string `json:"path"`
	CurrentValue  any    `json:"currentValue,omitempty"`
	ProposedValue any    `json:"proposedValue,omitempty"`
}

// FileRef is the file that a result is about.
type FileRef struct {
	Path  string `json:"path"`
	Index int    `json:"index,omitempty"`
}

// String returns the result on one line: severity in brackets, resource, field, and the message.
func (r *Result) String() string {
	var b strings.Builder
	if r.Severity != "" {
		b.WriteString("[" + string(r.Severity) + "]")
	}
	word := func(s string) {
		if s != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
	}
	word(r.ResourceRef.String())
	if r.Field != nil {
		word(r.Field.Path)
	}
	if b.Len() > 0 {
		b.WriteByte(':')
	}
	word(r.Message)
	return b.String()
}

// Location returns the file and index of a result as "path" or "path[index]", "" without a file.
func (r *Result) Location() string {
	if r.File == nil || r.File.Path == "" {
		return ""
	}
	if r.File.Index == 0 {
		return r.File.Path
	}
	return r.File.Path + "[" + strconv.Itoa(r.File.Index) + "]"
}

// Worst returns the worst severity of the results, "" without results.
func Worst(results []Result) Severity {
	worst := Severity("")
	for i := range results {
		if s := results[i].Severity; worst == "" || s.rank() < worst.rank() {
			worst = s
		}
	}
	return worst
}
