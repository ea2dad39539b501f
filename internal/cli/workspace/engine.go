package workspace

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/link"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/wave"
)

// engine returns what resolves links and records changes. It is made with the transaction.
func (s *session) engine() (*wave.Runner, error) {
	if s.runner != nil {
		return s.runner, nil
	}
	executor, err := s.functions()
	if err != nil {
		return nil, err
	}
	s.runner = &wave.Runner{
		Workspace: s.Workspace, Tx: s.tx, Executor: executor, StrictWorktree: s.strictWorktree,
	}
	return s.runner, nil
}

// documents parses the data of a unit and checks all of it.
func documents(converter configkit.ConfigConverter, data []byte) (gaby.Container, error) {
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
func (s *session) context(u *workspace.Unit) api.FunctionContext {
	c := api.FunctionContext{
		ToolchainType: u.ToolchainType, UnitSlug: u.Slug, UnitID: u.UnitID,
		UnitLabels: u.Labels, UnitAnnotations: u.Annotations,
		SpaceID: u.SpaceID, SpaceSlug: u.SpaceSlug,
		OrganizationID: "00000000-0000-0000-0000-000000000000",
		RevisionNum:    u.HeadRevisionNum, PreviousDataHash: u.DataHash, NotLive: true,
	}
	if u.HeadRevisionNum > 0 {
		c.RevisionID = entity.RecordID(u.UnitID, "revision", u.HeadRevisionNum)
	}
	if space, err := s.Space(u.SpaceSlug); err == nil {
		c.SpaceLabels, c.SpaceAnnotations = space.Labels, space.Annotations
		c.TargetFacts = space.TargetFacts
	}
	return c
}

// run runs functions on data of a unit.
func (s *session) run(
	ctx context.Context, u *workspace.Unit, data []byte, chain api.FunctionInvocationList,
	where string,
) (*handler.Result, error) {
	executor, err := s.functions()
	if err != nil {
		return nil, err
	}
	r, err := executor.Run(ctx, &api.FunctionInvocationRequest{
		FunctionContext: s.context(u), ConfigData: data, FileName: u.DataFile(),
		WhereResource: where, RecordMutations: true, StopOnError: true,
		FunctionInvocations: chain,
	}, handler.Options{AllowExternal: s.settings.AllowExternal})
	if err != nil {
		return nil, err
	}
	if !r.Success {
		return nil, diag.In(diag.FileName(s.Store.Dir()+"/"+u.DataFile()), r.Failures)
	}
	return r, nil
}

// checkEngine returns the problems of links that only functions and expressions reveal.
func (s *session) checkEngine() (entity.Errors, error) {
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

// checkFunctions checks what a link says about functions, names and expressions. Problems have the
// positions of their fields if the link has a file.
func (s *session) checkFunctions(l *workspace.Link) (entity.Errors, []entity.Warning, error) {
	executor, err := s.functions()
	if err != nil {
		return nil, nil, err
	}
	var invocation *entity.Invocation
	if l.TransformInvocationID != "" {
		if i, err := s.Invocation("", l.TransformInvocationID); err == nil {
			invocation = i.Invocation
		}
	}
	findings, warnings := link.Check(executor, l.Link, l.From.Unit, l.To.Unit, invocation)
	fields, errs := make([]string, len(findings)), make(entity.Errors, len(findings))
	for i, f := range findings {
		fields[i], errs[i] = f.Field, f.Err
	}
	s.Locate(l, fields, errs)
	return errs, warnings, nil
}

// checkLink is checkFunctions for a link that is to be written: warnings are printed.
func (s *session) checkLink(l *workspace.Link) error {
	problems, warnings, err := s.checkFunctions(l)
	if err != nil {
		return err
	}
	s.warn(warnings)
	return problems.Err()
}

// withData returns the units that have a resource a stored filter asks for.
func (s *session) withData(units []*workspace.Unit, f *entity.Filter) ([]*workspace.Unit, error) {
	executor, err := s.functions()
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
