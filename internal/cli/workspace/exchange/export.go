// Package exchange implements fctl import and fctl export, which read and write entities as cub,
// the command line of ConfigHub, prints them.
//
// Layer: commands.
package exchange

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/exchange"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// exporter holds the flags of export.
type exporter struct {
	session.Common
	session.Selection
	form      *command.Choice
	originals bool
	ids       exchange.IDs
}

// kinds are the words for what is exported, in the order of the output.
func kinds() []string { return []string{"space", "unit", "invocation", "filter", "link"} }

// NewExport makes the command export.
func NewExport(a *command.App) *cobra.Command {
	o := &exporter{Common: session.Common{App: a}, ids: exchange.IDs{}}
	cmd := &cobra.Command{
		Use:   "export [flags] [KIND...]",
		Short: "Print spaces, units and links as cub prints them",
		Long: `Print the entities of a space, or of every space with --space "*", as a list in
the form of 'cub unit list -o json' and its siblings. KIND is space, unit,
invocation, filter or link; all of them without it. Units have their data in
base64. History is not exported. 'fctl import' reads the list.`,
		Example: `  fctl export --space '*' > shop.json
  fctl export unit --space prod --where "Slug = 'web'"`,
		ValidArgs: kinds(),
	}
	flags := cmd.Flags()
	o.AddSpace(flags)
	o.Selection.Add(flags)
	o.form = command.AddOutput(flags, "json or yaml", "json", "yaml")
	flags.BoolVar(&o.originals, "original-ids", false,
		"print the IDs that imported entities had before they were imported")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		for _, word := range words {
			if !slices.Contains(kinds(), word) {
				return diag.UsageHint(configkit.DidYouMean("", configkit.Suggest(word, kinds())),
					"%q is not one of space, unit, invocation, filter and link", word)
			}
		}
		if o.Selection.IsSet() && len(words) != 1 {
			return diag.UsageHint("fctl export unit --where \"Slug = 'web'\"",
				"--where, --filter and --contains are for one KIND")
		}
		if len(words) == 0 {
			words = kinds()
		}
		return o.Read(cmd, func(s *session.Session) error { return o.run(s, words) })
	}
	return cmd
}

func (o *exporter) run(s *session.Session, words []string) error {
	if o.originals {
		o.ids = origins(s)
	}
	all := []exchange.Element{}
	for _, kind := range kinds() {
		if !slices.Contains(words, kind) {
			continue
		}
		more, err := o.elements(s, kind)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	for i := range all {
		o.ids.Origin(&all[i])
	}
	return s.PrintValue(o.form.Value, all)
}

// origins maps the IDs of imported entities to those that they had before.
func origins(s *session.Session) exchange.IDs {
	ids := exchange.IDs{}
	add := func(id string, c *entity.Common) {
		if origin := c.Annotations[exchange.OriginAnnotation]; origin != "" {
			ids[id] = origin
		}
	}
	for _, p := range s.Spaces {
		add(p.SpaceID, &p.Common)
	}
	for _, u := range s.Units {
		add(u.UnitID, &u.Common)
	}
	for _, l := range s.Links {
		add(l.LinkID, &l.Common)
	}
	for _, i := range s.Invocations {
		add(i.InvocationID, &i.Common)
	}
	for _, f := range s.Filters {
		add(f.FilterID, &f.Common)
	}
	return ids
}

// elements returns the selected entities of a kind.
func (o *exporter) elements(s *session.Session, kind string) ([]exchange.Element, error) {
	var all []exchange.Element
	in := func(slug string) *entity.Space {
		if p, err := s.Space(slug); err == nil {
			return p.Space
		}
		return nil
	}
	switch kind {
	case "space":
		spaces, err := o.Selection.Spaces(s)
		for _, p := range spaces {
			if s.In(p.Slug) {
				all = append(all, exchange.Element{Space: p.Space})
			}
		}
		return all, err
	case "invocation":
		invocations, err := o.Selection.Invocations(s)
		for _, i := range invocations {
			all = append(all, exchange.Element{Space: in(i.SpaceSlug), Invocation: i.Invocation})
		}
		return all, err
	case "filter":
		filters, err := o.Selection.Filters(s)
		for _, f := range filters {
			e := exchange.Element{
				Space: in(f.SpaceSlug), Filter: &exchange.Filter{Filter: *f.Filter},
			}
			if from := in(f.FromSpace); from != nil {
				e.Filter.FromSpaceID = from.SpaceID
			}
			all = append(all, e)
		}
		return all, err
	case "link":
		return o.links(s, in)
	}
	units, err := o.Selection.Units(s)
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		unit, err := exported(s, u)
		if err != nil {
			return nil, err
		}
		all = append(all, exchange.Element{Space: in(u.SpaceSlug), Unit: unit})
	}
	return all, nil
}

// links returns the selected links with what they refer to.
func (o *exporter) links(
	s *session.Session, in func(string) *entity.Space,
) ([]exchange.Element, error) {
	s.StaleLinks()
	links, err := o.Selection.Links(s)
	if err != nil {
		return nil, err
	}
	var all []exchange.Element
	for _, l := range links {
		e := exchange.Element{Space: in(l.SpaceSlug), Link: exchange.LinkOf(l.Link)}
		if l.From != nil {
			e.FromUnit = reference(l.From)
		}
		if l.To != nil {
			e.ToUnit = reference(l.To)
			e.ToSpace = &exchange.Reference{SpaceID: l.To.SpaceID, Slug: l.To.SpaceSlug}
		}
		all = append(all, e)
	}
	return all, nil
}

func reference(u *workspace.Unit) *exchange.Reference {
	return &exchange.Reference{UnitID: u.UnitID, SpaceID: u.SpaceID, Slug: u.Slug}
}

// exported returns a unit with its data. An edit of the working copy counts as the next revision.
func exported(s *session.Session, u *workspace.Unit) (*exchange.Unit, error) {
	unit := &exchange.Unit{Unit: *u.Unit}
	edited, data, err := s.Store.Edited(u)
	if err != nil {
		return nil, err
	}
	if edited {
		unit.HeadRevisionNum++
		unit.DataHash = api.DataHash(data)
	} else if data, err = s.Store.Data(u, u.HeadRevisionNum); err != nil {
		return nil, err
	}
	unit.Data = data
	if u.HeadUnitActionNum > 0 {
		unit.LiveState, err = s.Store.Live(u, u.HeadUnitActionNum)
	}
	return unit, err
}
