package workspace

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
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
	texts := make([][]byte, 2)
	for i, recorded := range []any{sources, conflicts} {
		if texts[i], err = entity.JSON(recorded); err != nil {
			return nil, err
		}
	}
	secrets, err := s.Secrets(u, data, nil, texts...)
	if err != nil {
		return nil, err
	}
	o := &unitObject{
		Unit: u.Unit, MutationSources: secrets.Mutations(sources),
		Conflicts: api.MutationConflictList{},
	}
	for _, c := range conflicts {
		o.Conflicts = append(o.Conflicts, secrets.Conflict(c))
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
	r, err := s.Run(
		s.Ctx, u, data, api.FunctionInvocationList{{FunctionName: function}}, do.Selection{},
		nil,
	)
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
