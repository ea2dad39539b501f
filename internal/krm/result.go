package krm

import "github.com/fctl-dev/fctl/internal/krm/fnresult"

type (
	// Severity is how bad a result is.
	Severity = fnresult.Severity
	// Result is one thing that a function reports about its work.
	Result = fnresult.Result
	// ResourceRef names the resource that a result is about.
	ResourceRef = fnresult.ResourceRef
	// ResultField is the field that a result is about.
	ResultField = fnresult.ResultField
	// FileRef is the file that a result is about.
	FileRef = fnresult.FileRef
)

// The severities, worst first.
const (
	SeverityError   = fnresult.SeverityError
	SeverityWarning = fnresult.SeverityWarning
	SeverityInfo    = fnresult.SeverityInfo
)

// Worst returns the worst severity of the results, "" without results.
func Worst(list []Result) Severity { return fnresult.Worst(list) }
