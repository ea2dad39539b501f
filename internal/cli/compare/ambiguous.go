package compare

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// ambiguous returns a failure for each changed resource that shares its type and name with another
// resource of the unit: a patch identifies a resource by them.
func (p *pair) ambiguous(executor *functions.Executor,
	changes api.ResourceMutationList,
) ([]*api.Failure, error) {
	before, err := executor.Open(p.before.Toolchain, p.before.Data)
	if err != nil {
		return nil, err
	}
	identity := func(r *api.ResourceInfo) string {
		return fmt.Sprint(r.ResourceCategory, " ", r.ResourceType, " ", r.ResourceName)
	}
	lines := map[string][]int{}
	for _, l := range before.ResourceLines() {
		if l.Resource != nil {
			lines[identity(l.Resource)] = append(lines[identity(l.Resource)], l.Line)
		}
	}
	var failures []*api.Failure
	for i := range changes {
		m := &changes[i]
		at := lines[identity(&m.Resource)]
		if len(at) < 2 || m.ResourceMutationInfo.MutationType == api.MutationTypeAdd {
			continue
		}
		delete(lines, identity(&m.Resource)) // report it once
		failures = append(failures, &api.Failure{
			Class:    api.FailureFunction,
			Pos:      api.Position{File: p.before.File, Line: at[1], Column: 1},
			Resource: m.Resource.String(),
			Message: "another resource in the file has this type and name; " +
				"a patch cannot distinguish them",
		})
	}
	return failures, nil
}
