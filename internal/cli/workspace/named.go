package workspace

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func newInvocation(a *app.App) *cobra.Command {
	return session.Group(a, "invocation", "Store function invocations",
		`A stored invocation is a function with its arguments. Links of the type Upsert
use it to transform their upstream, and unit do --invocation runs it.`,
		newInvocationCreate(a), newInvocationList(a), newInvocationGet(a), newInvocationDelete(a))
}

func newInvocationCreate(a *app.App) *cobra.Command {
	c, meta, out := &session.Common{App: a}, &session.Metadata{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "create [flags] SLUG FUNCTION [ARG...]", Short: "Store an invocation",
		Example: `  fctl invocation create render-env --toolchain AppConfig/Env \
    render-configmap --as-key-value=true`,
		Args: session.Words(2, -1),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	c.AddSpace(flags)
	c.AddDryRun(flags)
	meta.Add(flags)
	meta.AddAllowExists(flags)
	out.Add(flags)
	toolchain := flags.String("toolchain", string(api.ToolchainKubernetesYAML), "the `TOOLCHAIN`")
	where := flags.String("where-resource", "", "only resources with `EXPR`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		// fctl invocation create SLUG --toolchain X FUNCTION is accepted as well
		slug, rest := words[0], words[1:]
		if strings.HasPrefix(rest[0], "-") {
			if err := flags.Parse(rest); err != nil {
				return err
			}
			if rest = flags.Args(); len(rest) == 0 {
				return diag.UsageHint(cmd.UseLine(), "a function is expected")
			}
		}
		return c.Write(cmd, "invocation create "+slug, func(s *session.Session) error {
			space, err := s.InSpace()
			if err != nil {
				return err
			}
			if existing, err := s.Invocation(space.Slug, slug); err == nil && meta.AllowExists {
				return s.PrintOne(out, existing.Slug, existing.Invocation, "", existing.InvocationID)
			}
			t := api.ToolchainType(*toolchain)
			if err := checkToolchain(t); err != nil {
				return err
			}
			resolver, err := s.Resolver(t)
			if err != nil {
				return err
			}
			p, err := resolver.Resolve(resolver.Split(rest))
			if err != nil {
				return err
			}
			if len(p.Invocations) != 1 {
				return diag.Usage("one function is expected, not %d", len(p.Invocations))
			}
			i := &entity.Invocation{
				Common: entity.Common{Slug: slug}, ToolchainType: t,
				FunctionName: p.Invocations[0].FunctionName, Arguments: p.Invocations[0].Arguments,
				WhereResource: *where,
			}
			if err := meta.Apply(&i.Common); err != nil {
				return err
			}
			made, err := s.Tx.CreateInvocation(s.Workspace, space, i)
			if err != nil {
				return err
			}
			return s.PrintOne(out, made.Slug, made.Invocation,
				"Successfully created invocation "+made.Slug, made.InvocationID)
		})
	}
	return cmd
}

func callOf(i *entity.Invocation) api.FunctionInvocation {
	return api.FunctionInvocation{
		FunctionName: i.FunctionName, Arguments: i.Arguments, WhereResource: i.WhereResource,
	}
}

func newInvocationList(a *app.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List stored invocations", Args: app.NoArguments}
	c.AddSpace(cmd.Flags())
	sel.AddWhere(cmd.Flags(), "name or labels")
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			all, err := sel.Invocations(s)
			if err != nil {
				return err
			}
			return session.PrintList(s, out, all, []session.Column[*workspace.Invocation]{
				session.Col("NAME", func(i *workspace.Invocation) string { return i.Slug }),
				session.Col("SPACE", func(i *workspace.Invocation) string { return i.SpaceSlug }),
				session.Col("TOOLCHAIN", func(i *workspace.Invocation) string {
					return string(i.ToolchainType)
				}),
				session.Col("FUNCTION", func(i *workspace.Invocation) string {
					return session.InvocationText(callOf(i.Invocation))
				}),
			}, func(i *workspace.Invocation) string { return i.SpaceSlug + "/" + i.Slug },
				func(i *workspace.Invocation) any { return i.Invocation })
		})
	}
	return cmd
}

func newInvocationGet(a *app.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{
		Use: "get [flags] SLUG", Short: "Show a stored invocation", Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			i, err := s.Invocation(s.SpaceSlug(), words[0])
			if err != nil {
				return err
			}
			return s.PrintGet(out, i.Slug, i.Invocation, [][]string{
				{"ID", i.InvocationID},
				{"Name", i.Slug},
				{"Space", i.SpaceSlug},
				{"Toolchain", string(i.ToolchainType)},
				{"Function", session.InvocationText(callOf(i.Invocation))},
			})
		})
	}
	return cmd
}

func newInvocationDelete(a *app.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SLUG", Short: "Delete a stored invocation", Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	c.AddDryRun(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, "invocation delete "+words[0], func(s *session.Session) error {
			i, err := s.Invocation(s.SpaceSlug(), words[0])
			if err != nil {
				return err
			}
			s.After(func() error {
				s.Note("deleted invocation %s", i.Slug)
				return nil
			})
			return s.Tx.DeleteInvocation(s.Workspace, i)
		})
	}
	return cmd
}

func newFilter(a *app.App) *cobra.Command {
	return session.Group(a, "filter", "Store filters",
		"A stored filter selects units, links, mutations or spaces, with --filter SLUG.",
		newFilterCreate(a), newFilterList(a), newFilterGet(a), newFilterDelete(a))
}

func newFilterCreate(a *app.App) *cobra.Command {
	c, meta, out := &session.Common{App: a}, &session.Metadata{}, &session.Output{}
	f := &entity.Filter{}
	cmd := &cobra.Command{
		Use: "create [flags] SLUG", Short: "Store a filter", Args: session.Words(1, 1),
		Example: `  fctl filter create fronts --from Unit --where "Labels.tier = 'front'"`,
	}
	flags := cmd.Flags()
	c.AddSpace(flags)
	c.AddDryRun(flags)
	meta.Add(flags)
	meta.AddAllowExists(flags)
	out.Add(flags)
	flags.StringVar((*string)(&f.From), "from", string(entity.FilterUnit),
		"what it selects: Unit, Link, Mutation or Space (`KIND`)")
	flags.StringVar(&f.FromSpace, "from-space", "", "only those of `SPACE`")
	flags.StringVar(&f.Where, "where", "", "those with the attributes `EXPR`")
	flags.StringVar(&f.WhereData, "where-data", "", "units with a resource with `EXPR`")
	flags.StringVar((*string)(&f.ResourceType), "resource-type", "", "units with a resource of `TYPE`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, "filter create "+words[0], func(s *session.Session) error {
			space, err := s.InSpace()
			if err != nil {
				return err
			}
			if existing, err := s.Filter(space.Slug, words[0]); err == nil && meta.AllowExists {
				return s.PrintOne(out, existing.Slug, existing.Filter, "", existing.FilterID)
			}
			f.Slug = words[0]
			if err := meta.Apply(&f.Common); err != nil {
				return err
			}
			made, err := s.Tx.CreateFilter(s.Workspace, space, f)
			if err != nil {
				return err
			}
			return s.PrintOne(out, made.Slug, made.Filter,
				"Successfully created filter "+made.Slug, made.FilterID)
		})
	}
	return cmd
}

func newFilterList(a *app.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List stored filters", Args: app.NoArguments}
	c.AddSpace(cmd.Flags())
	sel.AddWhere(cmd.Flags(), "name or labels")
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			all, err := sel.Filters(s)
			if err != nil {
				return err
			}
			return session.PrintList(s, out, all, []session.Column[*workspace.Filter]{
				session.Col("NAME", func(f *workspace.Filter) string { return f.Slug }),
				session.Col("SPACE", func(f *workspace.Filter) string { return f.SpaceSlug }),
				session.Col("FROM", func(f *workspace.Filter) string { return string(f.From) }),
				session.Col("WHERE", func(f *workspace.Filter) string {
					return session.Dash(f.Where)
				}),
			}, func(f *workspace.Filter) string { return f.SpaceSlug + "/" + f.Slug },
				func(f *workspace.Filter) any { return f.Filter })
		})
	}
	return cmd
}

func newFilterGet(a *app.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{
		Use: "get [flags] SLUG", Short: "Show a stored filter", Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			f, err := s.Filter(s.SpaceSlug(), words[0])
			if err != nil {
				return err
			}
			return s.PrintGet(out, f.Slug, f.Filter, [][]string{
				{"ID", f.FilterID},
				{"Name", f.Slug},
				{"Space", f.SpaceSlug},
				{"From", string(f.From)},
				{"From Space", f.FromSpace},
				{"Where", f.Where},
				{"Where Data", f.WhereData},
				{"Resource Type", string(f.ResourceType)},
			})
		})
	}
	return cmd
}

func newFilterDelete(a *app.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SLUG", Short: "Delete a stored filter", Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	c.AddDryRun(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, "filter delete "+words[0], func(s *session.Session) error {
			f, err := s.Filter(s.SpaceSlug(), words[0])
			if err != nil {
				return err
			}
			s.After(func() error {
				s.Note("deleted filter %s", f.Slug)
				return nil
			})
			return s.Tx.DeleteFilter(s.Workspace, f)
		})
	}
	return cmd
}
