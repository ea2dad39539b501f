package workspace

import (
	"maps"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// unitObject is a unit as unit get prints it in JSON and YAML: with what is computed from its head
// revision and recorded about its values.
type unitObject struct {
	*entity.Unit
	// NeededPaths and ProvidedPaths are what get-needed and get-provided return.
	NeededPaths     api.AttributeValueList
	ProvidedPaths   api.AttributeValueList
	MutationSources api.ResourceMutationList
	Conflicts       api.MutationConflictList
}

// wholeUnit returns a unit with its computed fields. Secret values are masked. A head revision that
// cannot be read as configuration has neither needs nor provisions.
func wholeUnit(
	s *session.Session, u *workspace.Unit, conflicts api.MutationConflictList,
) (*unitObject, error) {
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return nil, noRevision(err, u)
	}
	sources, err := s.Store.Sources(u, u.HeadRevisionNum)
	if err != nil {
		return nil, err
	}
	secrets, err := s.Secrets(u, data, nil)
	if err != nil {
		return nil, err
	}
	o := &unitObject{
		Unit: u.Unit, MutationSources: maskedSources(sources, secrets),
		Conflicts: api.MutationConflictList{},
	}
	for _, c := range conflicts {
		o.Conflicts = append(o.Conflicts, session.Masked(c, secrets))
	}
	if o.NeededPaths, err = listed(s, u, data, "get-needed"); err != nil {
		return nil, err
	}
	o.ProvidedPaths, err = listed(s, u, data, "get-provided")
	return o, err
}

// listed returns the values that a function lists, none if the toolchain has no such function.
func listed(
	s *session.Session, u *workspace.Unit, data []byte, function string,
) (api.AttributeValueList, error) {
	list := api.AttributeValueList{}
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	if _, known := executor.Signature(u.ToolchainType, function); !known {
		return list, nil
	}
	r, err := s.Run(s.Ctx, u, data, api.FunctionInvocationList{{FunctionName: function}}, "")
	if err != nil {
		s.Note("%s cannot list the values of %s: %v", function, u.Name(), err)
		return list, nil
	}
	for _, output := range r.Outputs {
		if values, ok := output.Value.(api.AttributeValueList); ok {
			list = append(list, values...)
		}
	}
	return list, nil
}

// maskedSources returns mutation sources without secret values.
func maskedSources(
	sources api.ResourceMutationList, secrets *sensitive.Values,
) api.ResourceMutationList {
	all := api.ResourceMutationList{}
	for _, m := range sources {
		masked := func(path api.ResolvedPath, info api.MutationInfo) api.MutationInfo {
			info.Value = secrets.Value(m.Resource, path, info.Value)
			info.Previous = secrets.Value(m.Resource, path, info.Previous)
			return info
		}
		m.ResourceMutationInfo = masked("", m.ResourceMutationInfo)
		m.PathMutationMap = maps.Clone(m.PathMutationMap)
		for path, info := range m.PathMutationMap {
			m.PathMutationMap[path] = masked(path, info)
		}
		all = append(all, m)
	}
	return all
}
