package workspace

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newInvocation(a *command.App) *cobra.Command {
	return session.Group(a, "invocation", "Store function invocations",
		`A stored invocation is a function with its arguments. Links of the type Upsert
use it to transform their upstream, and unit do --invocation runs it.`,
		newInvocationCreate(a), newInvocationList(a), newInvocationGet(a), newInvocationDelete(a))
}

// invocationCreate holds the flags of invocation create.
type invocationCreate struct {
	session.Common
	session.Metadata
	session.Body
	session.Output
	toolchain, where string
}

func newInvocationCreate(a *command.App) *cobra.Command {
	o := &invocationCreate{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use: "create [flags] SLUG FUNCTION [ARG...]", Short: "Store an invocation",
		Long: `Store a function with its arguments. With --filename or --from-stdin the
invocation is in a text; SLUG, and FUNCTION with its arguments, override its fields.`,
		Example: `  fctl invocation create render-env --toolchain AppConfig/Env \
    render-configmap --as-key-value=true
  fctl invocation create --filename render.yaml`,
		Args: session.Words(0, -1),
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	o.AddSpace(flags)
	o.AddDryRun(flags)
	o.Metadata.Add(flags)
	o.AddAllowExists(flags)
	o.Body.Add(flags, "invocation")
	o.Output.Add(flags)
	flags.StringVar(&o.toolchain, "toolchain", "", "`TOOLCHAIN`, "+
		string(api.ToolchainKubernetesYAML)+" without it")
	flags.StringVar(&o.where, "where-resource", "", "select only resources matching `EXPR`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		// fctl invocation create SLUG --toolchain X FUNCTION is accepted as well
		if len(words) > 1 && strings.HasPrefix(words[1], "-") {
			if err := flags.Parse(words[1:]); err != nil {
				return err
			}
			words = append(words[:1:1], flags.Args()...)
		}
		if len(words) < 2 && !o.Body.IsSet() {
			return diag.UsageHint(cmd.UseLine(), "a name and a function are expected")
		}
		title := strings.Join(append([]string{"invocation create"}, words[:min(1, len(words))]...),
			" ")
		return o.Write(cmd, title, func(s *session.Session) error { return o.run(s, words) })
	}
	return cmd
}

func (o *invocationCreate) run(s *session.Session, words []string) error {
	space, err := s.InSpace()
	if err != nil {
		return err
	}
	i := &entity.Invocation{}
	text, given, err := o.Text(s)
	if err == nil && given {
		err = entity.Decode(text, i)
	}
	if err != nil {
		return err
	}
	if len(words) > 0 {
		i.Slug = words[0]
	}
	if existing, err := s.Invocation(space.Slug, i.Slug); err == nil && o.AllowExists {
		return s.PrintOne(&o.Output, existing.Slug, existing.Invocation, "", existing.InvocationID)
	}
	switch {
	case o.toolchain != "":
		i.ToolchainType = api.ToolchainType(o.toolchain)
	case i.ToolchainType == "":
		i.ToolchainType = api.ToolchainKubernetesYAML
	}
	if err := checkToolchain(i.ToolchainType); err != nil {
		return err
	}
	if o.where != "" {
		i.WhereResource = o.where
	}
	if err := o.call(s, i, words); err != nil {
		return err
	}
	if err := o.Metadata.Apply(&i.Common); err != nil {
		return err
	}
	i.SpaceSlug = space.Slug
	made := &workspace.Invocation{Invocation: i}
	if err := s.Tx.Create(s.Workspace, made); err != nil {
		return err
	}
	return s.PrintOne(&o.Output, made.Slug, made.Invocation,
		"Successfully created invocation "+made.Slug, made.InvocationID)
}

// call sets the function that words name after the slug, or checks that of a text.
func (o *invocationCreate) call(s *session.Session, i *entity.Invocation, words []string) error {
	if len(words) < 2 {
		executor, err := s.Functions()
		if err != nil || i.BridgeWorkerID != "" {
			return err
		}
		_, err = executor.ValidateInvocation(i.ToolchainType, callOf(i))
		return err
	}
	resolver, err := s.Resolver(i.ToolchainType)
	if err != nil {
		return err
	}
	p, err := resolver.Resolve(resolver.Split(words[1:]))
	if err != nil {
		return err
	}
	if len(p.Invocations) != 1 {
		return diag.Usage("one function is expected, not %d", len(p.Invocations))
	}
	i.FunctionName, i.Arguments = p.Invocations[0].FunctionName, p.Invocations[0].Arguments
	return nil
}

func callOf(i *entity.Invocation) api.FunctionInvocation {
	return api.FunctionInvocation{
		FunctionName: i.FunctionName, Arguments: i.Arguments, WhereResource: i.WhereResource,
	}
}

func newInvocationList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List stored invocations",
		Args: command.NoArguments,
	}
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

func newInvocationGet(a *command.App) *cobra.Command {
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

func newInvocationDelete(a *command.App) *cobra.Command {
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
			return s.Tx.Delete(s.Workspace, i)
		})
	}
	return cmd
}

func newFilter(a *command.App) *cobra.Command {
	return session.Group(a, "filter", "Store filters",
		"A stored filter selects units, links, mutations or spaces, with --filter SLUG.",
		newFilterCreate(a), newFilterList(a), newFilterGet(a), newFilterDelete(a))
}

func newFilterCreate(a *command.App) *cobra.Command {
	c, meta, out := &session.Common{App: a}, &session.Metadata{}, &session.Output{}
	body := &session.Body{}
	flag := &entity.Filter{}
	cmd := &cobra.Command{
		Use: "create [flags] [SLUG]", Short: "Store a filter", Args: session.Words(0, 1),
		Long: `Store a filter. With --filename or --from-stdin the filter is in a text; SLUG and
flags override its fields.`,
		Example: `  fctl filter create fronts --from Unit --where "Labels.tier = 'front'"`,
	}
	flags := cmd.Flags()
	c.AddSpace(flags)
	c.AddDryRun(flags)
	meta.Add(flags)
	meta.AddAllowExists(flags)
	body.Add(flags, "filter")
	out.Add(flags)
	flags.StringVar((*string)(&flag.From), "from", string(entity.FilterUnit),
		"select entities of `KIND`: Unit, Link, Mutation or Space")
	flags.StringVar(&flag.FromSpace, "from-space", "", "select only entities of `SPACE`")
	flags.StringVar(&flag.Where, "where", "", "select only entities matching `EXPR`")
	flags.StringVar(&flag.WhereData, "where-data", "", "select only units with a resource "+
		"matching `EXPR`")
	flags.StringVar((*string)(&flag.ResourceType), "resource-type", "",
		"select only units with a resource of `TYPE`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if len(words) == 0 && !body.IsSet() {
			return diag.UsageHint(cmd.UseLine(), "a name is expected")
		}
		title := strings.Join(append([]string{"filter create"}, words...), " ")
		return c.Write(cmd, title, func(s *session.Session) error {
			space, err := s.InSpace()
			if err != nil {
				return err
			}
			f := flag
			text, given, err := body.Text(s)
			if err == nil && given {
				f = &entity.Filter{}
				if err = entity.Decode(text, f); err == nil {
					overrideFilter(flags, f, flag)
				}
			}
			if err != nil {
				return err
			}
			if len(words) == 1 {
				f.Slug = words[0]
			}
			if existing, err := s.Filter(space.Slug, f.Slug); err == nil && meta.AllowExists {
				return s.PrintOne(out, existing.Slug, existing.Filter, "", existing.FilterID)
			}
			if err := meta.Apply(&f.Common); err != nil {
				return err
			}
			f.SpaceSlug = space.Slug
			made := &workspace.Filter{Filter: f}
			if err := s.Tx.Create(s.Workspace, made); err != nil {
				return err
			}
			return s.PrintOne(out, made.Slug, made.Filter,
				"Successfully created filter "+made.Slug, made.FilterID)
		})
	}
	return cmd
}

// overrideFilter gives a filter of a text the fields that flags name.
func overrideFilter(flags *pflag.FlagSet, f, flag *entity.Filter) {
	if flags.Changed("from") || f.From == "" {
		f.From = flag.From
	}
	for name, to := range map[string]struct{ field, value *string }{
		"from-space": {&f.FromSpace, &flag.FromSpace}, "where": {&f.Where, &flag.Where},
		"where-data":    {&f.WhereData, &flag.WhereData},
		"resource-type": {(*string)(&f.ResourceType), (*string)(&flag.ResourceType)},
	} {
		if flags.Changed(name) {
			*to.field = *to.value
		}
	}
}

func newFilterList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{Use: "list [flags]", Short: "List stored filters", Args: command.NoArguments}
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

func newFilterGet(a *command.App) *cobra.Command {
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

func newFilterDelete(a *command.App) *cobra.Command {
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
			return s.Tx.Delete(s.Workspace, f)
		})
	}
	return cmd
}
