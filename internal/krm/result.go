package krm

import "github.com/fctl-dev/fctl/internal/krm/fnresult"

// What functions report about their work.
type (
	Severity    = fnresult.Severity
	Result      = fnresult.Result
	ResourceRef = fnresult.ResourceRef
	ResultField = fnresult.ResultField
	FileRef     = fnresult.FileRef
)

// The severities, worst first.
const (
	SeverityError   = fnresult.SeverityError
	SeverityWarning = fnresult.SeverityWarning
	SeverityInfo    = fnresult.SeverityInfo
)

// Worst returns the worst severity of the results, "" without results.
func Worst(list []Result) Severity { return fnresult.Worst(list) }
