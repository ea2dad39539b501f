package session

import (
	"cmp"
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// request returns the request that runs functions on data of a unit.
func (s *Session) request(
	u *workspace.Unit, data []byte, chain api.FunctionInvocationList,
	selected do.Selection,
) *api.FunctionInvocationRequest {
	of := resolve.HeadUnit{Unit: u.Unit}
	if space, err := s.Space(u.SpaceSlug); err == nil {
		of.Space = space.Space
	}
	return &api.FunctionInvocationRequest{
		FunctionContext: resolve.Context(&of, false), ConfigData: data, FileName: u.DataFile(),
		WhereResource: selected.Where, WhereCEL: selected.CEL,
		RecordMutations: true, StopOnError: true,
		FunctionInvocations: chain,
	}
}

// Survey returns the survey of several units for [Session.Run], or nil for a single unit, of which
// the executor makes it. It reads their working copies, so it is made before any of them is
// written. chain returns the functions for a unit; running them reports its errors.
func (s *Session) Survey(
	units []*workspace.Unit, selected do.Selection,
	chain func(*workspace.Unit) (api.FunctionInvocationList, error),
) (func() *handler.Survey, error) {
	if len(units) < 2 {
		return nil, nil
	}
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	all := &handler.Survey{}
	for _, u := range units {
		functions, err := chain(u)
		if err != nil || !executor.NeedsSurvey(u.ToolchainType, functions) {
			continue
		}
		data, err := s.Store.Working(u)
		if err != nil {
			all.Incomplete = true
			continue
		}
		if one := executor.Survey(s.Ctx, s.request(u, data, functions, selected)); one != nil {
			all.Add(one)
		}
	}
	return func() *handler.Survey { return all }, nil
}

// Run runs functions on data of a unit, on the resources that a resolved selection selects. Their
// messages do not have secret values. survey covers all units on which the caller runs them, or is
// nil.
func (s *Session) Run(
	ctx context.Context, u *workspace.Unit, data []byte, chain api.FunctionInvocationList,
	selected do.Selection, survey func() *handler.Survey,
) (*handler.Result, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	r, err := executor.Run(ctx, s.request(u, data, chain, selected), handler.Options{
		AllowExternal: s.Settings.AllowExternal, Survey: survey,
	})
	if err != nil {
		return nil, err
	}
	secrets, err := s.Secrets(u, data, r.ConfigData)
	if err != nil {
		return nil, err
	}
	r.Mask(secrets)
	if !r.Success {
		return nil, diag.In(diag.FileName(s.Store.Dir()+"/"+u.DataFile()), r.Failures)
	}
	return r, nil
}

// CheckFunctions returns the problems of links that only functions and expressions reveal.
func (s *Session) CheckFunctions() (entity.Errors, error) {
	var all entity.Errors
	for _, l := range s.Links {
		if l.From == nil || l.To == nil {
			continue
		}
		problems, _, err := s.checkFunctions(l)
		if err != nil {
			return nil, err
		}
		all = append(all, problems...)
	}
	return all, nil
}

// CheckData returns the problems of the units' data.
func (s *Session) CheckData() (entity.Errors, error) {
	if _, err := s.Functions(); err != nil {
		return nil, err // it is not about one unit
	}
	return s.Workspace.CheckData(func(u *workspace.Unit, data []byte) error {
		if _, err := s.Documents(u, data); err != nil {
			return yamlpath.Locate(err, nil)
		}
		return nil
	})
}

// Documents parses data of a unit and checks all of it.
func (s *Session) Documents(u *workspace.Unit, data []byte) (gaby.Container, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	converter, err := executor.Converter(u.ToolchainType)
	if err != nil {
		return nil, err
	}
	docs, err := converter.NativeToDocuments(data)
	for _, doc := range docs {
		err = cmp.Or(err, doc.Check())
	}
	return docs, err
}

// checkFunctions checks what a link says about functions, names and expressions. Problems have the
// positions of their fields if the link has a file.
func (s *Session) checkFunctions(l *workspace.Link) (entity.Errors, []entity.Warning, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, nil, err
	}
	var invocation *entity.Invocation
	if l.TransformInvocationID != "" {
		if i, err := s.Invocation("", l.TransformInvocationID); err == nil {
			invocation = i.Invocation
		}
	}
	findings, warnings := resolve.Check(executor, l.Link, l.From.Unit, l.To.Unit, invocation)
	return s.Locate(l, findings), warnings, nil
}

// CheckLink checks a link that is to be written, cycles excluded. Warnings are printed.
func (s *Session) CheckLink(l *workspace.Link) error {
	if err := cmp.Or(s.ValidateLink(l).Err(), s.Ends(l)); err != nil {
		return err
	}
	problems, warnings, err := s.checkFunctions(l)
	if err != nil {
		return err
	}
	s.Warn(warnings...)
	return problems.Err()
}

// CheckEdge checks a link that is to be written, cycles included.
func (s *Session) CheckEdge(l *workspace.Link) error {
	if err := s.CheckLink(l); err != nil {
		return err
	}
	return s.LinkCycle(l).Err()
}

// withData returns the units that have a resource a stored filter asks for.
func (s *Session) withData(units []*workspace.Unit, f *entity.Filter) ([]*workspace.Unit, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	expr, err := where.Parse(f.WhereData)
	if err != nil {
		return nil, err
	}
	of := cmp.Or(f.ResourceType, api.ResourceTypeAny)
	var all []*workspace.Unit
	for _, u := range units {
		data, err := s.Store.Working(u)
		if err != nil {
			return nil, err
		}
		docs, err := s.Documents(u, data)
		if err == nil {
			docs, _, err = expr.Filter(executor.ResourceProvider(u.ToolchainType), docs, of)
		}
		if err != nil {
			return nil, s.Store.InUnit(u, err)
		}
		if len(docs) > 0 {
			all = append(all, u)
		}
	}
	return all, nil
}

// LinkGraph returns the workspace as package resolve sees it. Edits of working copies count.
func (s *Session) LinkGraph() (*resolve.Inspector, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	problems, err := s.RecordEdits()
	if err != nil {
		return nil, err
	}
	s.Problems = append(s.Problems, problems...)
	read := map[string]*resolve.Upstream{}
	g := &resolve.Inspector{
		Executor: executor, Names: s.UnitName,
		Read: func(id string) (*resolve.Upstream, error) {
			if read[id] != nil {
				return read[id], nil
			}
			u, err := s.Unit("", id)
			if err == nil {
				read[id], err = s.Propagator.Upstream(u)
			}
			return read[id], err
		},
		Revision: func(id string, num int64) *entity.Revision {
			u, err := s.Unit("", id)
			if err != nil {
				return nil
			}
			r, err := s.Store.Revision(u, num)
			if err != nil {
				return nil
			}
			return r
		},
		Input: func(l *entity.Link, options resolve.Options) (*resolve.Input, error) {
			u, err := s.Unit("", l.FromUnitID)
			if err != nil {
				return nil, err
			}
			known, err := s.Link("", l.LinkID)
			if err != nil {
				return nil, err
			}
			return s.Propagator.Input(u, []*workspace.Link{known}, options)
		},
	}
	for _, u := range s.Units {
		g.Units = append(g.Units, u.Unit)
	}
	for _, l := range s.Links {
		g.Links = append(g.Links, l.Link)
	}
	return g, nil
}

// flagsBefore are the flags of a command, which are not among the words of its functions.
type flagsBefore struct{ command.FlagWords }

// Recognize implements plan.CommandFlags.
func (flagsBefore) Recognize([]string) int { return 0 }

// Resolver returns what resolves words against the functions of a toolchain.
func (s *Session) Resolver(t api.ToolchainType) (*plan.Resolver, error) {
	executor, err := s.Functions()
	return &plan.Resolver{
		Toolchain: t, Functions: executor, Flags: flagsBefore{command.FlagWords{Flags: s.Flags}}, ReadFile: s.Input,
		ResourceType: do.NewTypeNames(executor).Resolve,
	}, err
}
