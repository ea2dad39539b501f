package do

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// FileOutcome is the outcome of a run for a file.
type FileOutcome struct {
	Path      string // as it was opened, or "-"
	Unit      string
	Toolchain api.ToolchainType
	// Changed says that the chain changed the configuration, from Before to After.
	Changed       bool
	Before, After []byte
	Mutations     api.ResourceMutationList
	Changes       []api.Change // the mutations one by one, with their positions
	Outputs       api.OutputList
	Findings      []api.Finding
	Failures      []*api.Failure
	Notes         []api.Note
}

// addValues sets the values of a unit on which the chain ran.
func (l *loop) addValues(o *outcome, unit *source.InputUnit, result report.Result) error {
	response := o.response
	v := &o.values
	v.Outputs, v.Findings, v.Notes = response.Outputs, result.Findings(), response.Notes
	v.Failures = o.problems
	if !response.Success || !response.Changed || o.withheld {
		return nil
	}
	v.Changed, v.Mutations = true, response.Mutations
	v.Before, v.After = unit.Data, response.Data()
	before, err := l.deps.Executor.Open(unit.Toolchain, v.Before)
	if err != nil {
		return err
	}
	after, err := l.deps.Executor.Open(unit.Toolchain, v.After)
	if err != nil {
		return err
	}
	v.Changes, err = after.Changes(before, v.Mutations)
	for i := range v.Changes {
		v.Changes[i].Position.File = unit.File
	}
	return err
}
