package workspace

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func filters() *noun[*workspace.Filter] {
	return &noun[*workspace.Filter]{
		kind: entity.KindFilter, word: "SLUG",
		head: []string{"NAME", "SPACE", "FROM", "WHERE"},
		cells: func(_ *session.Session, f *workspace.Filter) []string {
			return []string{f.Slug, f.SpaceSlug, string(f.From), session.Dash(f.Where)}
		},
		rows: func(f *workspace.Filter) [][]string {
			return [][]string{
				{"ID", f.FilterID},
				{"Name", f.Slug},
				{"Space", f.SpaceSlug},
				{"From", string(f.From)},
				{"From Space", f.FromSpace},
				{"Where", f.Where},
				{"Where Data", f.WhereData},
				{"Resource Type", string(f.ResourceType)},
			}
		},
	}
}

func newFilter(a *command.App) *cobra.Command {
	n := filters()
	return session.Group(a, "filter", "Store filters",
		"A stored filter selects units, links, mutations or spaces, with --filter SLUG.",
		newFilterCreate(a), n.list(a, "List stored filters"), n.get(a, "Show a stored filter"),
		n.delete(a, "Delete a stored filter"))
}

func newFilterCreate(a *command.App) *cobra.Command {
	o, flag := &creation{}, &entity.Filter{}
	cmd := &cobra.Command{
		Use: "create [flags] [SLUG]", Short: "Store a filter",
		Long: `Store a filter. With --filename or --from-stdin the filter is in a text; SLUG and
flags override its fields.`,
		Example: `  fctl filter create fronts --from Unit --where "Labels.tier = 'front'"`,
	}
	o.add(a, cmd, entity.KindFilter)
	flags := cmd.Flags()
	flags.StringVar((*string)(&flag.From), "from", string(entity.FilterUnit),
		"select entities of `KIND`: Unit, Link, Mutation or Space")
	flags.StringVar(&flag.FromSpace, "from-space", "", "select only entities of `SPACE`")
	flags.StringVar(&flag.Where, "where", "", "select only entities matching `EXPR`")
	flags.StringVar(&flag.WhereData, "where-data", "", "select only units with a resource "+
		"matching `EXPR`")
	flags.StringVar((*string)(&flag.ResourceType), "resource-type", "",
		"select only units with a resource of `TYPE`")
	cmd.Args = o.words(1, 1)
	return o.Writes(cmd, func(s *session.Session, words []string) error {
		return filters().create(o, s, words, func(f *workspace.Filter) error {
			overrideFilter(flags, f.Filter, flag)
			return nil
		})
	})
}

// overrideFilter gives a filter the fields that flags name.
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
