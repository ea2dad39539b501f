package session

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Engine returns what resolves links and records changes. It is made with the transaction.
func (s *Session) Engine() (*propagate.Propagator, error) {
	if s.runner != nil {
		return s.runner, nil
	}
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	s.runner = &propagate.Propagator{
		Workspace: s.Workspace, Tx: s.Tx, Executor: executor, StrictWorktree: s.StrictWorktree,
	}
	return s.runner, nil
}

// Documents parses the data of a unit and checks all of it.
func Documents(converter configkit.ConfigConverter, data []byte) (gaby.Container, error) {
	docs, err := converter.NativeToDocuments(data)
	for _, doc := range docs {
		if err != nil {
			break
		}
		err = doc.Check()
	}
	return docs, err
}

// context returns what functions know about a unit.
func (s *Session) context(u *workspace.Unit) api.FunctionContext {
	unit := resolve.Unit{Unit: u.Unit}
	if space, err := s.Space(u.SpaceSlug); err == nil {
		unit.Space = space.Space
	}
	return resolve.Context(&unit, false)
}

// request returns the request that runs functions on data of a unit.
func (s *Session) request(
	u *workspace.Unit, data []byte, chain api.FunctionInvocationList, where string,
) *api.FunctionInvocationRequest {
	return &api.FunctionInvocationRequest{
		FunctionContext: s.context(u), ConfigData: data, FileName: u.DataFile(),
		WhereResource: where, RecordMutations: true, StopOnError: true,
		FunctionInvocations: chain,
	}
}

// Survey returns the survey of several units for [Session.Run], or nil for a single unit, of which
// the executor makes it. It reads their working copies, so it is made before any of them is
// written. chain returns the functions for a unit; running them reports its errors.
func (s *Session) Survey(
	units []*workspace.Unit, where string,
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
		if one := executor.Survey(s.Ctx, s.request(u, data, functions, where)); one != nil {
			all.Add(one)
		}
	}
	return func() *handler.Survey { return all }, nil
}

// Run runs functions on data of a unit. Their messages do not have secret values. survey covers
// all units on which the caller runs them, or is nil.
func (s *Session) Run(
	ctx context.Context, u *workspace.Unit, data []byte, chain api.FunctionInvocationList,
	where string, survey func() *handler.Survey,
) (*handler.Result, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	r, err := executor.Run(ctx, s.request(u, data, chain, where), handler.Options{
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

// CheckEngine returns the problems of links that only functions and expressions reveal.
func (s *Session) CheckEngine() (entity.Errors, error) {
	var all entity.Errors
	for _, l := range s.Links {
		if l.From == nil || l.To == nil {
			continue
		}
		problems, _, err := s.CheckFunctions(l)
		if err != nil {
			return nil, err
		}
		all = append(all, problems...)
	}
	return all, nil
}

// CheckData returns the problems of the units' data.
func (s *Session) CheckData() (entity.Errors, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	return s.Workspace.CheckData(func(u *workspace.Unit, data []byte) error {
		converter, err := executor.Converter(u.ToolchainType)
		if err == nil {
			_, err = Documents(converter, data)
		}
		if err != nil {
			return yamlpath.Locate(err, nil)
		}
		return nil
	})
}

// CheckFunctions checks what a link says about functions, names and expressions. Problems have the
// positions of their fields if the link has a file.
func (s *Session) CheckFunctions(l *workspace.Link) (entity.Errors, []entity.Warning, error) {
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

// CheckLink is checkFunctions for a link that is to be written: warnings are printed.
func (s *Session) CheckLink(l *workspace.Link) error {
	problems, warnings, err := s.CheckFunctions(l)
	if err != nil {
		return err
	}
	s.Warn(warnings)
	return problems.Err()
}

// WithData returns the units that have a resource a stored filter asks for.
func (s *Session) WithData(units []*workspace.Unit, f *entity.Filter) ([]*workspace.Unit, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	var all []*workspace.Unit
	for _, u := range units {
		data, err := s.Store.Working(u)
		if err != nil {
			return nil, err
		}
		has, err := hasResource(executor, u.ToolchainType, data, f)
		if err != nil {
			return nil, s.Store.InUnit(u, err)
		}
		if has {
			all = append(all, u)
		}
	}
	return all, nil
}

// LinkGraph returns the workspace as package link sees it. Edits of working copies count.
func (s *Session) LinkGraph() (*resolve.Graph, error) {
	runner, err := s.Engine()
	if err != nil {
		return nil, err
	}
	problems, err := s.RecordEdits()
	if err != nil {
		return nil, err
	}
	s.Problems = append(s.Problems, problems...)
	read := map[string]*resolve.Upstream{}
	g := &resolve.Graph{
		Executor: runner.Executor, Names: s.UnitName,
		Read: func(id string) (*resolve.Upstream, error) {
			if read[id] != nil {
				return read[id], nil
			}
			u, err := s.Unit("", id)
			if err == nil {
				read[id], err = runner.Upstream(u)
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
		Input: func(
			id string, links []*entity.Link, options resolve.Options,
		) (*resolve.Input, error) {
			u, err := s.Unit("", id)
			if err != nil {
				return nil, err
			}
			var selected []*workspace.Link
			for _, l := range links {
				for _, known := range s.Links {
					if known.Link == l {
						selected = append(selected, known)
					}
				}
			}
			return runner.Input(u, selected, options)
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

// noFlags says that the words after a function are only arguments.
type noFlags struct{}

func (noFlags) Recognize([]string) int { return 0 }

func (noFlags) Names() []string { return nil }

// Resolver returns what resolves words against the functions of a toolchain.
func (s *Session) Resolver(t api.ToolchainType) (*plan.Resolver, error) {
	executor, err := s.Functions()
	return &plan.Resolver{
		Toolchain: t, Functions: executor, Flags: noFlags{}, ReadFile: s.Input,
		ResourceType: do.NewTypeNames(executor).Resolve,
	}, err
}
