// Package fnresult has the results of KRM functions: how they are read in the forms that functions
// write, and written in the form of the specification.
//
// Layer: systems.
package fnresult

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Severity is how bad a result is.
type Severity string

// The severities, worst first.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Rank orders severities; unknown ones come last.
func (s Severity) Rank() int {
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

	implied bool // the function gave no severity
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
		if s := results[i].Severity; worst == "" || s.Rank() < worst.Rank() {
			worst = s
		}
	}
	return worst
}

// Data returns results as data for a document, with the fields in their usual order.
func Data(results []Result) []any {
	list := make([]any, len(results))
	for i, r := range results {
		entry := gaby.Entries{{Key: "message", Value: r.Message}}
		add := func(key string, value any) {
			entry = append(entry, gaby.Entry{Key: key, Value: value})
		}
		if r.Severity != "" {
			add("severity", string(r.Severity))
		}
		if ref := r.ResourceRef; ref != nil {
			add("resourceRef", Present("apiVersion", ref.APIVersion, "kind", ref.Kind,
				"name", ref.Name, "namespace", ref.Namespace))
		}
		if f := r.Field; f != nil {
			field := gaby.Entries{{Key: "path", Value: f.Path}}
			if f.CurrentValue != nil {
				field = append(field, gaby.Entry{Key: "currentValue", Value: f.CurrentValue})
			}
			if f.ProposedValue != nil {
				field = append(field, gaby.Entry{Key: "proposedValue", Value: f.ProposedValue})
			}
			add("field", field)
		}
		if f := r.File; f != nil {
			file := gaby.Entries{{Key: "path", Value: f.Path}}
			if f.Index > 0 {
				file = append(file, gaby.Entry{Key: "index", Value: f.Index})
			}
			add("file", file)
		}
		if len(r.Tags) > 0 {
			tags := make(map[string]any, len(r.Tags))
			for k, v := range r.Tags {
				tags[k] = v
			}
			add("tags", tags)
		}
		list[i] = entry
	}
	return list
}

// Present returns the pairs whose value is not empty.
func Present(pairs ...string) gaby.Entries {
	var entries gaby.Entries
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			entries = append(entries, gaby.Entry{Key: pairs[i], Value: pairs[i+1]})
		}
	}
	return entries
}
