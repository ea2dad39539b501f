package do

import (
	"bytes"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// changes counts what changed in one or more units.
type changes struct{ files, resources, values int }

func (c changes) any() bool { return c.files > 0 }

// countChanges counts what a chain changed in a unit. A unit that cannot be parsed again counts as
// a changed file only.
func countChanges(executor *functions.Executor, unit *source.Unit,
	response *handler.Result,
) changes {
	if !response.Changed {
		return changes{}
	}
	if c := response.Changes; c != nil {
		return changes{1, c.Resources, c.Values}
	}
	before, err := executor.Open(unit.Toolchain, unit.Data)
	if err != nil {
		return changes{files: 1}
	}
	after, err := executor.Open(unit.Toolchain, bytes.Join(report.Configuration(response), nil))
	if err != nil {
		return changes{files: 1}
	}
	resources, values, err := after.CountChanges(before)
	if err != nil {
		return changes{files: 1}
	}
	return changes{1, resources, values}
}

func resourcesOf(executor *functions.Executor, t api.ToolchainType,
	data []byte,
) (api.ResourceList, error) {
	unit, err := executor.Open(t, data)
	if err != nil {
		return nil, err
	}
	return unit.Resources()
}

// countResources returns the number of resources that the functions of a chain got.
func (l *loop) countResources(unit *source.Unit, response *handler.Result) (int, error) {
	n := 0
	for _, f := range response.Functions {
		n = max(n, f.Seen)
	}
	if l.where != "" { // documents that are not resources do not satisfy it
		return n, nil
	}
	opened, err := l.deps.Executor.Open(unit.Toolchain, unit.Data)
	if err != nil {
		return 0, err
	}
	n = 0
	for _, line := range opened.ResourceLines() {
		if line.Resource != nil {
			n++
		}
	}
	return n, nil
}

// changedResources returns the changed resources: first those that are new or have another text, in
// the order of the result, then those that were removed.
func changedResources(executor *functions.Executor, unit *source.Unit,
	response *handler.Result,
) ([]api.ResourceInfo, error) {
	before, err := resourcesOf(executor, unit.Toolchain, unit.Data)
	if err != nil {
		return nil, err
	}
	after, err := resourcesOf(executor, unit.Toolchain,
		bytes.Join(report.Configuration(response), nil))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	old := occurrences{}
	for _, r := range before {
		texts[old.key(r)] = r.ResourceBody
	}
	var changed []api.ResourceInfo
	now := occurrences{}
	for _, r := range after {
		key := now.key(r)
		if text, ok := texts[key]; !ok || text != r.ResourceBody {
			changed = append(changed, r.ResourceInfo)
		}
		delete(texts, key)
	}
	gone := occurrences{}
	for _, r := range before {
		if _, left := texts[gone.key(r)]; left {
			changed = append(changed, r.ResourceInfo)
		}
	}
	return changed, nil
}

// occurrences distinguishes resources of the same type and name by their order.
type occurrences map[string]int

func (o occurrences) key(r api.Resource) string {
	name := r.String()
	o[name]++
	return fmt.Sprint(name, "#", o[name])
}
