package workspace

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/shellwords"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func newInvocation(a *app.App) *cobra.Command {
	return group(a, "invocation", "Store function invocations",
		`A stored invocation is a function with its arguments. Links of the type Upsert
use it to transform their upstream, and unit do --invocation runs it.`,
		newInvocationCreate(a), newInvocationList(a), newInvocationGet(a), newInvocationDelete(a))
}

func newInvocationCreate(a *app.App) *cobra.Command {
	c, meta, out := &common{app: a}, &metadata{}, &output{}
	cmd := &cobra.Command{
		Use: "create [flags] SLUG FUNCTION [ARG...]", Short: "Store an invocation",
		Example: `  fctl invocation create render-env --toolchain AppConfig/Env render-configmap --as-key-value=true`,
		Args:    words(2, -1),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	c.addSpace(flags)
	c.addDryRun(flags)
	meta.add(flags)
	meta.addAllowExists(flags)
	out.add(flags)
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
		return c.write(cmd, "invocation create "+slug, func(s *session) error {
			space, err := s.inSpace()
			if err != nil {
				return err
			}
			if existing, err := s.Invocation(space.Slug, slug); err == nil && meta.allowExists {
				return s.printOne(out, existing.Slug, existing.Invocation, "", existing.InvocationID)
			}
			t := api.ToolchainType(*toolchain)
			if err := checkToolchain(t); err != nil {
				return err
			}
			resolver, err := s.resolver(t)
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
			if err := meta.apply(&i.Common); err != nil {
				return err
			}
			made, err := s.tx.CreateInvocation(s.Workspace, space, i)
			if err != nil {
				return err
			}
			return s.printOne(out, made.Slug, made.Invocation,
				"Successfully created invocation "+made.Slug, made.InvocationID)
		})
	}
	return cmd
}

func invocationText(i api.FunctionInvocation) string {
	words := []string{i.FunctionName}
	for _, a := range i.Arguments {
		text := cell(a.Value, nil)
		if a.Evaluator != "" {
			text = a.Evaluator + ":" + text
		}
		if a.ParameterName != "" {
			text = "--" + a.ParameterName + "=" + text
		}
		words = append(words, text)
	}
	text := shellwords.Quote(words...)
	if i.WhereResource != "" {
		text += " where " + i.WhereResource
	}
	return text
}

func callOf(i *entity.Invocation) api.FunctionInvocation {
	return api.FunctionInvocation{
		FunctionName: i.FunctionName, Arguments: i.Arguments, WhereResource: i.WhereResource,
	}
}

func newInvocationList(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List stored invocations", Args: app.NoArguments}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.read(cmd, func(s *session) error {
			var all []*workspace.Invocation
			for _, i := range s.Invocations {
				if s.in(i.SpaceSlug) {
					all = append(all, i)
				}
			}
			return printList(s, out, all, []column[*workspace.Invocation]{
				{"NAME", false, func(i *workspace.Invocation) string { return i.Slug }},
				{"SPACE", false, func(i *workspace.Invocation) string { return i.SpaceSlug }},
				{"TOOLCHAIN", false, func(i *workspace.Invocation) string {
					return string(i.ToolchainType)
				}},
				{"FUNCTION", false, func(i *workspace.Invocation) string {
					return invocationText(callOf(i.Invocation))
				}},
			}, func(i *workspace.Invocation) string { return i.SpaceSlug + "/" + i.Slug },
				func(i *workspace.Invocation) any { return i.Invocation })
		})
	}
	return cmd
}

func newInvocationGet(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "get [flags] SLUG", Short: "Show a stored invocation", Args: words(1, 1)}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			i, err := s.Invocation(s.spaceSlug(), words[0])
			if err != nil {
				return err
			}
			return s.printGet(out, i.Slug, i.Invocation, [][]string{
				{"ID", i.InvocationID},
				{"Name", i.Slug},
				{"Space", i.SpaceSlug},
				{"Toolchain", string(i.ToolchainType)},
				{"Function", invocationText(callOf(i.Invocation))},
			})
		})
	}
	return cmd
}

func newInvocationDelete(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SLUG", Short: "Delete a stored invocation", Args: words(1, 1),
	}
	c.addSpace(cmd.Flags())
	c.addDryRun(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "invocation delete "+words[0], func(s *session) error {
			i, err := s.Invocation(s.spaceSlug(), words[0])
			if err != nil {
				return err
			}
			s.after(func() error {
				s.note("deleted invocation %s", i.Slug)
				return nil
			})
			return s.tx.DeleteInvocation(s.Workspace, i)
		})
	}
	return cmd
}

func newFilter(a *app.App) *cobra.Command {
	return group(a, "filter", "Store filters",
		"A stored filter selects units, links, mutations or spaces, with --filter SLUG.",
		newFilterCreate(a), newFilterList(a), newFilterGet(a), newFilterDelete(a))
}

func newFilterCreate(a *app.App) *cobra.Command {
	c, meta, out, f := &common{app: a}, &metadata{}, &output{}, &entity.Filter{}
	cmd := &cobra.Command{
		Use: "create [flags] SLUG", Short: "Store a filter", Args: words(1, 1),
		Example: `  fctl filter create fronts --from Unit --where "Labels.tier = 'front'"`,
	}
	flags := cmd.Flags()
	c.addSpace(flags)
	c.addDryRun(flags)
	meta.add(flags)
	meta.addAllowExists(flags)
	out.add(flags)
	flags.StringVar((*string)(&f.From), "from", string(entity.FilterUnit),
		"what it selects: Unit, Link, Mutation or Space (`KIND`)")
	flags.StringVar(&f.FromSpace, "from-space", "", "only those of `SPACE`")
	flags.StringVar(&f.Where, "where", "", "those with the attributes `EXPR`")
	flags.StringVar(&f.WhereData, "where-data", "", "units with a resource with `EXPR`")
	flags.StringVar((*string)(&f.ResourceType), "resource-type", "", "units with a resource of `TYPE`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "filter create "+words[0], func(s *session) error {
			space, err := s.inSpace()
			if err != nil {
				return err
			}
			if existing, err := s.Filter(space.Slug, words[0]); err == nil && meta.allowExists {
				return s.printOne(out, existing.Slug, existing.Filter, "", existing.FilterID)
			}
			f.Slug = words[0]
			if err := meta.apply(&f.Common); err != nil {
				return err
			}
			made, err := s.tx.CreateFilter(s.Workspace, space, f)
			if err != nil {
				return err
			}
			return s.printOne(out, made.Slug, made.Filter,
				"Successfully created filter "+made.Slug, made.FilterID)
		})
	}
	return cmd
}

func newFilterList(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List stored filters", Args: app.NoArguments}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.read(cmd, func(s *session) error {
			var all []*workspace.Filter
			for _, f := range s.Filters {
				if s.in(f.SpaceSlug) {
					all = append(all, f)
				}
			}
			return printList(s, out, all, []column[*workspace.Filter]{
				{"NAME", false, func(f *workspace.Filter) string { return f.Slug }},
				{"SPACE", false, func(f *workspace.Filter) string { return f.SpaceSlug }},
				{"FROM", false, func(f *workspace.Filter) string { return string(f.From) }},
				{"WHERE", false, func(f *workspace.Filter) string { return dash(f.Where) }},
			}, func(f *workspace.Filter) string { return f.SpaceSlug + "/" + f.Slug },
				func(f *workspace.Filter) any { return f.Filter })
		})
	}
	return cmd
}

func newFilterGet(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "get [flags] SLUG", Short: "Show a stored filter", Args: words(1, 1)}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			f, err := s.Filter(s.spaceSlug(), words[0])
			if err != nil {
				return err
			}
			return s.printGet(out, f.Slug, f.Filter, [][]string{
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
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "delete [flags] SLUG", Short: "Delete a stored filter", Args: words(1, 1),
	}
	c.addSpace(cmd.Flags())
	c.addDryRun(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "filter delete "+words[0], func(s *session) error {
			f, err := s.Filter(s.spaceSlug(), words[0])
			if err != nil {
				return err
			}
			s.after(func() error {
				s.note("deleted filter %s", f.Slug)
				return nil
			})
			return s.tx.DeleteFilter(s.Workspace, f)
		})
	}
	return cmd
}
