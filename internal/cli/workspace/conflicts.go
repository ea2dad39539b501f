package workspace

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// unitConflicts holds the flags of unit conflicts.
type unitConflicts struct {
	common
	output
	apply, dismiss         bool
	reason, resource, path string
}

func newUnitConflicts(a *app.App) *cobra.Command {
	o := &unitConflicts{common: common{app: a}}
	cmd := &cobra.Command{
		Use:   "conflicts [flags] UNIT",
		Short: "List the conflicts of merges into a unit, and settle them",
		Long: `List what merges did not apply because the unit has changed the same, or lost
although the unit has changed it. --apply writes the value of the upstream unit,
--dismiss forgets the conflict. The next merge of the same link replaces the list.`,
		Args: words(1, 1),
	}
	flags := cmd.Flags()
	o.addWrite(flags)
	o.output.add(flags)
	flags.BoolVar(&o.apply, "apply", false, "write the values of the upstream unit")
	flags.BoolVar(&o.dismiss, "dismiss", false, "forget the conflicts")
	flags.StringVar(&o.reason, "reason", "", "only conflicts with the `REASON`")
	flags.StringVar(&o.resource, "resource", "", "only conflicts in the resource `TYPE:NAME`")
	flags.StringVar(&o.path, "path", "", "only conflicts at `PATH`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if o.apply && o.dismiss {
			return diag.Usage("--apply and --dismiss exclude each other")
		}
		if !o.apply && !o.dismiss {
			return o.read(cmd, func(s *session) error { return o.list(s, words[0]) })
		}
		return o.write(cmd, "unit conflicts "+words[0], func(s *session) error {
			return o.settle(s, words[0])
		})
	}
	return cmd
}

// matches reports whether the flags select a conflict.
func (o *unitConflicts) matches(c api.MutationConflict) bool {
	of, name, _ := strings.Cut(o.resource, ":")
	return (o.reason == "" || string(c.Reason) == o.reason) &&
		(o.resource == "" || string(c.Resource.ResourceType) == of &&
			slices.Contains([]string{
				string(c.Resource.ResourceName), string(c.Resource.ResourceNameWithoutScope),
			}, name)) &&
		(o.path == "" || o.path == string(c.Path) || o.path == plainPath(c.Path))
}

// severity returns what a conflict means for the unit.
func severity(r api.ConflictReason) string {
	switch r {
	case api.ConflictSubtracted, api.ConflictProtectedPath, api.ConflictBothAdded:
		return "kept local"
	case api.ConflictDeleteShadowed, api.ConflictExclusiveCleared:
		return "lost local"
	}
	return "not applied"
}

func (o *unitConflicts) list(s *session, name string) error {
	u, err := s.unit(name)
	if err != nil {
		return err
	}
	all, err := s.Store.Conflicts(u)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c api.MutationConflict) bool { return !o.matches(c) })
	return printList(s, &o.output, all, []column[api.MutationConflict]{
		{"RESOURCE", false, func(c api.MutationConflict) string { return resourceText(c.Resource) }},
		{"PATH", false, func(c api.MutationConflict) string { return dash(plainPath(c.Path)) }},
		{"REASON", false, func(c api.MutationConflict) string { return string(c.Reason) }},
		{"EFFECT", false, func(c api.MutationConflict) string { return severity(c.Reason) }},
		{"LINK", false, func(c api.MutationConflict) string { return dash(s.LinkSlug(c.LinkID)) }},
		{"CONFLICT", true, func(c api.MutationConflict) string { return c.Message() }},
	}, func(c api.MutationConflict) string { return resourceText(c.Resource) },
		func(c api.MutationConflict) any { return c })
}

// settle applies or dismisses conflicts.
func (o *unitConflicts) settle(s *session, name string) error {
	u, err := s.unit(name)
	if err != nil {
		return err
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	if _, err := s.tx.Edits(e, []*workspace.Unit{u}, s.strictWorktree); err != nil {
		return err
	}
	all, err := s.Store.Conflicts(u)
	if err != nil {
		return err
	}
	var settled, others api.MutationConflictList
	for _, c := range all {
		if o.matches(c) {
			settled = append(settled, c)
		} else {
			others = append(others, c)
		}
	}
	if o.apply && len(settled) > 0 {
		data, err := o.applied(s, u, settled)
		if err != nil {
			return err
		}
		if api.DataHash(data) != u.DataHash {
			description := o.changeDesc
			if description == "" {
				description = "applied " + count(len(settled), "conflict")
			}
			if _, err := s.tx.Record(e, u, data, entity.SourceMergeUnits, description,
				entity.Mutation{LinkID: settled[0].LinkID, MergeSourceID: o.source(s, settled[0])},
				false); err != nil {
				return err
			}
		}
	}
	if err := s.tx.WriteConflicts(u, others); err != nil {
		return err
	}
	verb := map[bool]string{true: "applied", false: "dismissed"}[o.apply]
	s.after(func() error {
		s.note("%s %s", verb, count(len(settled), "conflict"))
		return nil
	})
	return s.propagate()
}

// source returns the ID of the unit that a conflict's value comes from.
func (o *unitConflicts) source(s *session, c api.MutationConflict) string {
	if l, err := s.Link("", c.LinkID); err == nil {
		return l.ToUnitID
	}
	return ""
}

// applied returns the data of a unit with the values that conflicts withheld.
func (o *unitConflicts) applied(
	s *session, u *workspace.Unit, conflicts api.MutationConflictList,
) ([]byte, error) {
	executor, err := s.functions()
	if err != nil {
		return nil, err
	}
	converter, err := executor.Converter(u.ToolchainType)
	if err != nil {
		return nil, err
	}
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return nil, err
	}
	docs, err := documents(converter, data)
	if err != nil {
		return nil, s.Store.InUnit(u, err)
	}
	var patch api.ResourceMutationList
	for _, c := range conflicts {
		m := api.ResourceMutation{Resource: c.Resource, ResourceMutationInfo: c.Source}
		if c.Path != "" {
			m.ResourceMutationInfo = api.MutationInfo{MutationType: api.MutationTypeUpdate}
			m.PathMutationMap = api.MutationMap{c.Path: c.Source}
		}
		patch = append(patch, m)
	}
	docs, refused, err := mutation.Patch(docs, nil, patch, nil,
		executor.ResourceProvider(u.ToolchainType))
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		return nil, &entity.Error{
			Code: entity.CodePathNotFound, Space: u.SpaceSlug, Unit: u.Slug,
			Message: "not applied: " + refused[0].String(),
		}
	}
	return converter.DocumentsToNative(docs)
}
