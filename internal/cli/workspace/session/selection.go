package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/where"
)

// LinksNamed returns the links with the names, or those of the selection if there are none.
func (o *Selection) LinksNamed(s *Session, names []string) ([]*workspace.Link, error) {
	if len(names) == 0 {
		return o.Links(s)
	}
	var all []*workspace.Link
	for _, name := range names {
		l, err := s.LinkNamed(name)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Selection holds the flags that select entities.
type Selection struct {
	where, filter, contains string
}

// Add adds the flags.
func (o *Selection) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.where, "where", "",
		"select only entities with these attributes, such as `\"Labels.tier = 'web'\"`; see "+
			"'fctl help filters'")
	flags.StringVar(&o.filter, "filter", "",
		"select only entities that the stored filter `[SPACE/]SLUG` selects")
	flags.StringVar(&o.contains, "contains", "", "select only entities with `TEXT` in their "+
		"name or labels")
}

// AddWhere adds the flags for what no stored filter selects. texts says where --contains searches.
func (o *Selection) AddWhere(flags *pflag.FlagSet, texts string) {
	flags.StringVar(&o.where, "where", "",
		"select only entities with the attributes `EXPR`; see 'fctl help filters'")
	flags.StringVar(&o.contains, "contains", "", "select only entities with `TEXT` in their "+texts)
}

// IsSet reports whether one of the flags is given.
func (o *Selection) IsSet() bool { return o.where != "" || o.filter != "" || o.contains != "" }

// Expr returns the filter of the flags.
func (o *Selection) Expr(s *Session, from entity.FilterFrom) (*where.Expr, *entity.Filter, error) {
	schema := workspace.Schemas()[from]
	expr, err := filter.Parse(o.where, schema)
	if err != nil || o.filter == "" {
		return expr, nil, err
	}
	stored, err := s.Filter(s.SpaceSlug(), o.filter)
	if err != nil {
		return nil, nil, err
	}
	if stored.From != from {
		return nil, nil, diag.Usage("the filter %s selects a %s, not a %s", stored.Slug,
			strings.ToLower(string(stored.From)), strings.ToLower(string(from)))
	}
	more, err := filter.Parse(stored.Where, schema)
	return where.And(expr, more), stored.Filter, err
}

// In reports whether an entity is in the space that the command works in; * is every space.
func (s *Session) In(space string) bool { return s.SpaceFlag == "*" || space == s.SpaceSlug() }

// Matches reports whether a filter selects an entity. --timeout ends regular expressions in it.
func (s *Session) Matches(expr *where.Expr, of func(attribute string) where.Value) (ok bool) {
	ctx := limit.Named(s.Ctx, func(err error) error { return fmt.Errorf("a filter: %w", err) })
	limit.Timed(ctx, func() { ok = expr.MatchAttributes(of) })
	return ok
}

// Has reports whether the name or a label of an entity contains the text of --contains.
func (o *Selection) Has(c *entity.Common) bool {
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
func (o *Selection) HasText(texts ...string) bool {
	return o.contains == "" || slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(text, o.contains)
	})
}

// Units returns the selected units.
func (o *Selection) Units(s *Session) ([]*workspace.Unit, error) {
	expr, stored, err := o.Expr(s, entity.FilterUnit)
	if err != nil {
		return nil, err
	}
	if s.SpaceFlag != "*" {
		if _, err := s.InSpace(); err != nil {
			return nil, err
		}
	}
	s.Unread(s.BrokenIn(entity.KindUnit, s.In))
	var all []*workspace.Unit
	for _, u := range s.Units {
		if s.In(u.SpaceSlug) && o.Has(&u.Common) && s.Matches(expr, filter.OfUnit(u.Unit)) &&
			(stored == nil || stored.FromSpace == "" || stored.FromSpace == u.SpaceSlug) {
			all = append(all, u)
		}
	}
	if stored != nil && (stored.WhereData != "" || stored.ResourceType != "") {
		return s.WithData(all, stored)
	}
	return all, nil
}

// Links returns the selected links.
func (o *Selection) Links(s *Session) ([]*workspace.Link, error) {
	expr, stored, err := o.Expr(s, entity.FilterLink)
	if err != nil {
		return nil, err
	}
	if s.SpaceFlag != "*" {
		if _, err := s.InSpace(); err != nil {
			return nil, err
		}
	}
	s.Unread(s.BrokenIn(entity.KindLink, s.In))
	var all []*workspace.Link
	for _, l := range s.Links {
		if s.In(l.SpaceSlug) && o.Has(&l.Common) && s.Matches(expr, filter.OfLink(l.Link)) &&
			(stored == nil || stored.FromSpace == "" || stored.FromSpace == l.SpaceSlug) {
			all = append(all, l)
		}
	}
	return all, nil
}

// Invocations returns the selected stored invocations.
func (o *Selection) Invocations(s *Session) ([]*workspace.Invocation, error) {
	return stored(o, s, entity.KindInvocation, s.Invocations, filter.InvocationSchema(),
		func(i *workspace.Invocation) (*entity.Common, func(string) where.Value) {
			return &i.Common, filter.OfInvocation(i.Invocation)
		})
}

// Filters returns the selected stored filters.
func (o *Selection) Filters(s *Session) ([]*workspace.Filter, error) {
	return stored(o, s, entity.KindFilter, s.Workspace.Filters, filter.FilterSchema(),
		func(f *workspace.Filter) (*entity.Common, func(string) where.Value) {
			return &f.Common, filter.OfFilter(f.Filter)
		})
}

// stored returns those of the entities that the flags select.
func stored[T any](
	o *Selection, s *Session, kind entity.Kind, all []T, schema where.Attributes,
	attributes func(T) (*entity.Common, func(string) where.Value),
) ([]T, error) {
	expr, err := filter.Parse(o.where, schema)
	if err != nil {
		return nil, err
	}
	if s.SpaceFlag != "*" {
		if _, err := s.InSpace(); err != nil {
			return nil, err
		}
	}
	s.Unread(s.BrokenIn(kind, s.In))
	var selected []T
	for _, one := range all {
		c, of := attributes(one)
		if s.In(c.SpaceSlug) && o.Has(c) && s.Matches(expr, of) {
			selected = append(selected, one)
		}
	}
	return selected, nil
}

// Revisions returns those of the revisions that the flags select.
func (o *Selection) Revisions(all []*entity.Revision) ([]*entity.Revision, error) {
	expr, err := filter.Parse(o.where, filter.RevisionSchema())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *entity.Revision) bool {
		return !expr.MatchAttributes(filter.OfRevision(r)) || !o.HasText(r.Description)
	}), nil
}

// Spaces returns the selected spaces.
func (o *Selection) Spaces(s *Session) ([]*workspace.Space, error) {
	expr, _, err := o.Expr(s, entity.FilterSpace)
	if err != nil {
		return nil, err
	}
	s.Unread(s.BrokenIn(entity.KindSpace, func(string) bool { return true }))
	var all []*workspace.Space
	for _, p := range s.Workspace.Spaces {
		if o.Has(&p.Common) && s.Matches(expr, filter.OfSpace(p.Space)) {
			all = append(all, p)
		}
	}
	return all, nil
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
	if o.displayName != "" {
		c.DisplayName = o.displayName
	}
	if err := setPairs("--label", o.labels, &c.Labels); err != nil {
		return err
	}
	if err := setPairs("--annotation", o.annotations, &c.Annotations); err != nil {
		return err
	}
	for _, gate := range o.gates {
		name, value, _ := strings.Cut(gate, "=")
		if c.DeleteGates == nil {
			c.DeleteGates = map[string]bool{}
		}
		if value == "-" {
			delete(c.DeleteGates, name)
		} else {
			c.DeleteGates[name] = true
		}
	}
	return nil
}

func setPairs(flag string, pairs []string, to *map[string]string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || !entity.IsKey(key) {
			return diag.Usage("%s: KEY=VALUE is expected, not %q", flag, pair)
		}
		if *to == nil {
			*to = map[string]string{}
		}
		if value == "-" {
			delete(*to, key)
		} else {
			(*to)[key] = value
		}
	}
	return nil
}

// UnitsNamed returns the units with the names, or those of the selection if there are none.
func (o *Selection) UnitsNamed(s *Session, names []string) ([]*workspace.Unit, error) {
	if len(names) == 0 {
		return o.Units(s)
	}
	var all []*workspace.Unit
	for _, name := range names {
		u, err := s.UnitNamed(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(all, u) {
			all = append(all, u)
		}
	}
	return all, nil
}

// NamesOrWhere reports names together with a selection, and neither.
func NamesOrWhere(cmd *cobra.Command, names []string, sel *Selection) error {
	switch {
	case len(names) > 0 && sel.IsSet():
		return diag.UsageHint(cmd.UseLine(), "either names or --where is expected, not both")
	case len(names) == 0 && !sel.IsSet():
		return diag.UsageHint(cmd.UseLine(), "a name or --where is expected")
	}
	return nil
}
