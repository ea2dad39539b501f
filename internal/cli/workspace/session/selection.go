package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/where"
)

// SelectFlags holds the flags that select entities.
type SelectFlags struct {
	where, filter, contains string
}

// Add adds the flags.
func (o *SelectFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.where, "where", "",
		"select only entities for which `EXPR` is true, such as \"Labels.tier = 'web'\": "+
			"'fctl help filters'")
	flags.StringVar(&o.filter, "filter", "",
		"select only entities that the stored filter `[SPACE/]SLUG` selects")
	flags.StringVar(&o.contains, "contains", "", "select only entities with `TEXT` in their "+
		"name or labels")
}

// AddWhere adds the flags for what no stored filter selects. texts says where --contains searches.
func (o *SelectFlags) AddWhere(flags *pflag.FlagSet, texts string) {
	flags.StringVar(&o.where, "where", "",
		"select only entities with the attributes `EXPR`; see 'fctl help filters'")
	flags.StringVar(&o.contains, "contains", "", "select only entities with `TEXT` in their "+texts)
}

// IsSet reports whether one of the flags is given.
func (o *SelectFlags) IsSet() bool { return o.where != "" || o.filter != "" || o.contains != "" }

// Expr returns the filter of the flags for what is called a kind, and the stored filter.
func (o *SelectFlags) Expr(s *Session, kind entity.Kind) (*where.Expr, *entity.Filter, error) {
	expr, err := filter.Parse(o.where, kind)
	if err != nil || o.filter == "" {
		return expr, &entity.Filter{}, err
	}
	stored, err := s.Filter(s.SpaceSlug(), o.filter)
	if err != nil {
		return nil, nil, err
	}
	if stored.From.Kind() != kind {
		return nil, nil, diag.Usage("the filter %s selects a %s, not a %s", stored.Slug,
			stored.From.Kind(), kind)
	}
	more, err := filter.Parse(stored.Where, kind)
	return where.And(expr, more), stored.Filter, err
}

// In reports whether an entity is in the space that the command works in; * is every space.
func (s *Session) In(space string) bool { return s.SpaceFlag == "*" || space == s.SpaceSlug() }

// Matches reports whether a filter selects an entity. --timeout ends regular expressions in it.
func (s *Session) Matches(expr *where.Expr, of func(attribute string) where.Operand) (ok bool) {
	ctx := limit.Named(s.Ctx, func(err error) error { return fmt.Errorf("a filter: %w", err) })
	_ = limit.Timed(ctx, func(context.Context) { ok = expr.MatchAttributes(of) }) // ok is right
	return ok
}

// has reports whether the name or a label of an entity contains the text of --contains.
func (o *SelectFlags) has(c *entity.Common) bool {
	if o.contains == "" || strings.Contains(c.Slug, o.contains) ||
		strings.Contains(c.DisplayName, o.contains) {
		return true
	}
	for key, value := range c.Labels {
		if strings.Contains(key, o.contains) || strings.Contains(value, o.contains) {
			return true
		}
	}
	return false
}

// HasText reports whether one of the texts has the text of --contains.
func (o *SelectFlags) HasText(texts ...string) bool {
	return o.contains == "" || slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(text, o.contains)
	})
}

// Units returns the selected units.
func (o *SelectFlags) Units(s *Session) ([]*workspace.Unit, error) {
	units, stored, err := Selected[*workspace.Unit](s, o, entity.KindUnit)
	if err == nil && (stored.WhereData != "" || stored.ResourceType != "") {
		return s.withData(units, stored)
	}
	return units, err
}

// Links returns the selected links.
func (o *SelectFlags) Links(s *Session) ([]*workspace.Link, error) {
	links, _, err := Selected[*workspace.Link](s, o, entity.KindLink)
	return links, err
}

// Selected returns the entities of a kind that the flags select, and the stored filter.
func Selected[T workspace.Entity](
	s *Session, o *SelectFlags, kind entity.Kind,
) ([]T, *entity.Filter, error) {
	expr, stored, err := o.Expr(s, kind)
	if err != nil {
		return nil, nil, err
	}
	in := s.In
	switch {
	case kind == entity.KindSpace:
		in = func(string) bool { return true }
	case s.SpaceFlag != "*":
		if _, err := s.InSpace(); err != nil {
			return nil, nil, err
		}
	}
	s.Unread(s.BrokenIn(kind, in))
	var all []T
	for _, e := range workspace.List[T](s.Workspace) {
		c := e.Base()
		if in(c.SpaceSlug) && (stored.FromSpace == "" || stored.FromSpace == c.SpaceSlug) &&
			o.has(c) && s.Matches(expr, filter.Of(e.Self())) {
			all = append(all, e)
		}
	}
	return all, stored, nil
}

// Revisions returns those of the revisions that the flags select.
func (o *SelectFlags) Revisions(all []*entity.Revision) ([]*entity.Revision, error) {
	expr, err := filter.Parse(o.where, filter.Revision)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *entity.Revision) bool {
		return !expr.MatchAttributes(filter.Of(r)) || !o.HasText(r.Description)
	}), nil
}

// UnitsNamed returns the units with the names, or those of the selection if there are none.
func (o *SelectFlags) UnitsNamed(s *Session, names []string) ([]*workspace.Unit, error) {
	if len(names) == 0 {
		return o.Units(s)
	}
	return named(names, s.UnitNamed)
}

// LinksNamed returns the links with the names, or those of the selection if there are none.
func (o *SelectFlags) LinksNamed(s *Session, names []string) ([]*workspace.Link, error) {
	if len(names) == 0 {
		return o.Links(s)
	}
	return named(names, s.LinkNamed)
}

// named returns the entities with the names, each once.
func named[T comparable](names []string, find func(string) (T, error)) ([]T, error) {
	var all []T
	for _, name := range names {
		e, err := find(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all, nil
}

// NamesOrWhere reports names together with a selection, and neither. noun is what a name is of.
func NamesOrWhere(cmd *cobra.Command, names []string, sel *SelectFlags, noun string) error {
	switch {
	case len(names) > 0 && sel.IsSet():
		return diag.UsageHint(cmd.UseLine(), "either names or --where is expected, not both")
	case len(names) == 0 && !sel.IsSet():
		return command.Missing(cmd, noun+" or --where")
	}
	return nil
}

// Metadata holds the flags for the fields that all entities have.
type Metadata struct {
	displayName         string
	labels, annotations []string
	gates               []string
	AllowExists         bool
}

// Add adds the flags.
func (o *Metadata) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.displayName, "display-name", "", "human-readable `NAME`")
	flags.StringArrayVar(&o.labels, "label", nil, "set a label `KEY=VALUE`; KEY=- removes it")
	flags.StringArrayVar(&o.annotations, "annotation", nil,
		"set an annotation `KEY=VALUE`; KEY=- removes it")
	flags.StringArrayVar(&o.gates, "delete-gate", nil,
		"prevent deletion by the gate `NAME`; NAME=- opens it")
}

// AddAllowExists adds the flag --allow-exists.
func (o *Metadata) AddAllowExists(flags *pflag.FlagSet) {
	flags.BoolVar(&o.AllowExists, "allow-exists", false, "do nothing if it exists already")
}

// IsSet reports whether one of the flags is given.
func (o *Metadata) IsSet() bool {
	return o.displayName != "" || len(o.labels)+len(o.annotations)+len(o.gates) > 0
}

// Apply sets the fields.
func (o *Metadata) Apply(c *entity.Common) error {
	c.DisplayName = cmp.Or(o.displayName, c.DisplayName)
	if err := setPairs("--label", o.labels, &c.Labels); err != nil {
		return err
	}
	if err := setPairs("--annotation", o.annotations, &c.Annotations); err != nil {
		return err
	}
	for _, gate := range o.gates {
		name, value, _ := strings.Cut(gate, "=")
		set(&c.DeleteGates, name, true, value == "-")
	}
	return nil
}

func setPairs(flag string, pairs []string, to *map[string]string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || !entity.IsKey(key) {
			return diag.Usage("%s: KEY=VALUE is expected, not %q", flag, pair)
		}
		set(to, key, value, value == "-")
	}
	return nil
}

// set sets an entry of a map, which may be nil, or deletes it.
func set[V any](to *map[string]V, key string, value V, remove bool) {
	if *to == nil {
		*to = map[string]V{}
	}
	if remove {
		delete(*to, key)
	} else {
		(*to)[key] = value
	}
}
