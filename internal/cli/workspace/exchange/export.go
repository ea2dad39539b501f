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
	session.SelectFlags
	form      *command.Choice
	originals bool
	ids       exchange.IDs
}

// kinds are the words for what is exported, in the order of the output.
func kinds() []string {
	var words []string
	for _, kind := range exchange.Kinds() {
		words = append(words, string(kind))
	}
	return words
}

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
		Args:      o.check,
	}
	flags := session.Flags(cmd, o.AddSpace, o.SelectFlags.Add)
	o.form = command.AddOutput(flags, "json or yaml", "json", "yaml")
	flags.BoolVar(&o.originals, "original-ids", false,
		"print the IDs that imported entities had before they were imported")
	return o.Reads(cmd, o.run)
}

// check reports words that name none of the kinds.
func (o *exporter) check(_ *cobra.Command, words []string) error {
	for _, word := range words {
		if !slices.Contains(kinds(), word) {
			return diag.UsageHint(configkit.DidYouMean("", configkit.Suggest(word, kinds())),
				"%q is not one of space, unit, invocation, filter and link", word)
		}
	}
	if o.SelectFlags.IsSet() && len(words) != 1 {
		return diag.UsageHint("fctl export unit --where \"Slug = 'web'\"",
			"--where, --filter and --contains are for one KIND")
	}
	return nil
}

func (o *exporter) run(s *session.Session, words []string) error {
	if o.originals {
		o.ids = origins(s)
	}
	all := []exchange.Element{}
	for _, kind := range exchange.Kinds() {
		if len(words) > 0 && !slices.Contains(words, string(kind)) {
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
	for e := range s.All() {
		if origin := e.Base().Annotations[exchange.OriginAnnotation]; origin != "" {
			ids[*e.Ident()] = origin
		}
	}
	return ids
}

// elements returns the selected entities of a kind, with what they refer to.
func (o *exporter) elements(s *session.Session, kind entity.Kind) ([]exchange.Element, error) {
	switch kind {
	case entity.KindSpace:
		spaces, _, err := session.Selected[*workspace.Space](s, &o.SelectFlags, kind)
		return elements(s, spaces, err, func(e *exchange.Element, p *workspace.Space) error {
			e.Space = p.Space
			return nil
		})
	case entity.KindInvocation:
		invocations, _, err := session.Selected[*workspace.Invocation](s, &o.SelectFlags, kind)
		return elements(s, invocations, err,
			func(e *exchange.Element, i *workspace.Invocation) error {
				e.Invocation = i.Invocation
				return nil
			})
	case entity.KindFilter:
		filters, _, err := session.Selected[*workspace.Filter](s, &o.SelectFlags, kind)
		return elements(s, filters, err, func(e *exchange.Element, f *workspace.Filter) error {
			e.Filter = &exchange.FilterByID{Filter: *f.Filter}
			if from, err := s.Space(f.FromSpace); err == nil {
				e.Filter.FromSpaceID = from.Space.SpaceID
			}
			return nil
		})
	case entity.KindLink:
		s.StaleLinks()
		links, err := o.SelectFlags.Links(s)
		return elements(s, links, err, func(e *exchange.Element, l *workspace.Link) error {
			e.Link = &exchange.LinkByID{Link: *l.Link}
			if l.From != nil {
				e.FromUnit = reference(l.From)
			}
			if l.To != nil {
				e.ToUnit = reference(l.To)
				e.ToSpace = &exchange.ForeignReference{SpaceID: l.To.SpaceID, Slug: l.To.SpaceSlug}
			}
			return nil
		})
	}
	units, err := o.SelectFlags.Units(s)
	return elements(s, units, err, func(e *exchange.Element, u *workspace.Unit) (err error) {
		e.Unit, err = exported(s, u)
		return err
	})
}

// elements makes the elements of entities that are in the spaces of the command.
func elements[T workspace.Entity](
	s *session.Session, list []T, err error, fill func(*exchange.Element, T) error,
) ([]exchange.Element, error) {
	var all []exchange.Element
	for _, one := range list {
		if !s.In(one.Base().SpaceSlug) {
			continue
		}
		var e exchange.Element
		if p, err := s.Space(one.Base().SpaceSlug); err == nil {
			e.Space = p.Space
		}
		if err := fill(&e, one); err != nil {
			s.Unread(err) // the others are exported
			continue
		}
		all = append(all, e)
	}
	return all, err
}

func reference(u *workspace.Unit) *exchange.ForeignReference {
	return &exchange.ForeignReference{UnitID: u.UnitID, SpaceID: u.SpaceID, Slug: u.Slug}
}

// exported returns a unit with its data. An edit of the working copy counts as the next revision.
func exported(s *session.Session, u *workspace.Unit) (*exchange.UnitWithData, error) {
	unit := &exchange.UnitWithData{Unit: *u.Unit}
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
