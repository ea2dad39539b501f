package cli

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// identity is what a patch identifies a resource by.
type identity struct {
	category api.ResourceCategory
	kind     api.ResourceType
	name     api.ResourceName
}

// ambiguous returns a failure for each changed resource that shares its type and name with another
// resource of the unit.
func (p *pair) ambiguous(executor *functions.Executor,
	changes api.ResourceMutationList,
) ([]*api.Failure, error) {
	before, err := executor.Open(p.before.Toolchain, p.before.Data)
	if err != nil {
		return nil, err
	}
	second := map[identity]int{} // lines; 0 if it is the only one
	for _, l := range before.ResourceLines() {
		if l.Resource == nil {
			continue
		}
		id := identity{
			l.Resource.ResourceCategory, l.Resource.ResourceType,
			l.Resource.ResourceName,
		}
		if line, known := second[id]; !known {
			second[id] = 0
		} else if line == 0 {
			second[id] = l.Line
		}
	}
	var failures []*api.Failure
	for i := range changes {
		m := &changes[i]
		if m.ResourceMutationInfo.MutationType == api.MutationTypeAdd {
			continue
		}
		id := identity{
			m.Resource.ResourceCategory, m.Resource.ResourceType,
			m.Resource.ResourceName,
		}
		line := second[id]
		if line == 0 {
			continue
		}
		second[id] = 0 // report it once
		failures = append(failures, &api.Failure{
			Class:    api.FailureFunction,
			Pos:      api.Position{File: p.before.File, Line: line, Column: 1},
			Resource: m.Resource.String(),
			Message:  "another resource in the file has this type and name; a patch cannot distinguish them",
		})
	}
	return failures, nil
}
