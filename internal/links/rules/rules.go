// Package rules checks single definitions: which fields go together, and which formats there are.
//
// Layer: systems.
package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/where"
)

// legalField is a field of a link that not all update types allow.
type legalField struct {
	name  string
	set   bool
	types string // that allow it
}

// legalFields is the table of fields that not all update types allow.
func legalFields(l *entity.Link) []legalField {
	const merges, transform = "UpgradeUnit MergeUnits", "TransformPaths"
	return []legalField{
		{"UseLiveState", l.UseLiveState, "MergeUnits Insert Upsert TransformPaths NeedsProvides"},
		{"WhereMutation", l.WhereMutation != "", merges},
		{"MergeDisableSubtraction", l.MergeDisableSubtraction, merges},
		{"OriginOnly", l.OriginOnly, merges},
		{
			"WhereResource", l.WhereResource != "",
			merges + " Insert Upsert TransformPaths NeedsProvides",
		},
		{"TransformInvocation", l.TransformInvocation+l.TransformInvocationID != "", "Upsert"},
		{"UpstreamPaths", len(l.UpstreamPaths) > 0, transform},
		{"UpstreamGetters", len(l.UpstreamGetters) > 0, transform},
		{"DownstreamPaths", len(l.DownstreamPaths) > 0, transform},
		{"DownstreamSetters", len(l.DownstreamSetters) > 0, transform},
		{"InsertStripMetadata", l.InsertStripMetadata, "Insert"},
	}
}

// Common returns the problems of common fields.
func Common(at api.Position, c *entity.Common) entity.Errors {
	var errs entity.Errors
	report := func(format string, args ...any) {
		e := entity.Fail(entity.CodeFieldValue, format, args...)
		e.Pos = at
		errs = append(errs, e)
	}
	if len(c.DisplayName) > entity.MaxDisplayName {
		report("DisplayName has more than %d bytes", entity.MaxDisplayName)
	}
	pairs := func(name string, values map[string]string, most int) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if !entity.IsKey(key) {
				report("%s: invalid key %s", name, strconv.Quote(key))
			}
			if len(values[key]) > most {
				report("%s: the value of %s has more than %d bytes", name, key, most)
			}
		}
	}
	pairs("Labels", c.Labels, entity.MaxLabel)
	pairs("Annotations", c.Annotations, entity.MaxAnnotation)
	return errs
}

// Findings collects the problems of a definition. Their positions are found only if there are some.
type Findings []entity.FieldError

// Report adds a problem with a field.
func (c *Findings) Report(field string, e *entity.Error) {
	*c = append(*c, entity.FieldError{Field: field, Error: e})
}

// Add adds a problem with a field, with a text.
func (c *Findings) Add(code entity.Code, field, format string, args ...any) {
	c.Report(field, entity.Fail(code, format, args...))
}

// Legal checks which fields the update type allows.
func (c *Findings) Legal(l *entity.Link) {
	if l.Type() == entity.UpdateNone && l.AutoUpdate {
		c.Add(entity.CodeNoneAutoUpdate, "AutoUpdate",
			"a link of the type None is for order only and cannot have AutoUpdate")
	}
	for _, f := range legalFields(l) {
		if f.set && !strings.Contains(f.types, string(l.Type())) {
			e := entity.Fail(entity.CodeFieldNotAllowed, "%s is not allowed for the type %s", f.name,
				l.Type())
			e.Path = f.name
			c.Report(f.name, e)
		}
	}
}

// Bindings checks the bindings of a link's definition.
func (c *Findings) Bindings(l *entity.Link) {
	var stated []entity.Binding
	for _, b := range l.Bindings {
		if !b.AutoUpdate {
			stated = append(stated, b)
		}
	}
	switch l.Type() {
	case entity.UpdateInsert:
		if len(l.Bindings) != 1 {
			c.Add(entity.CodeBindingCount, "Bindings",
				"a link of the type Insert has exactly one binding, not %d", len(l.Bindings))
		}
		for i, b := range l.Bindings {
			c.insertBinding(b, i)
		}
	case entity.UpdateNeedsProvides:
		seen := map[string]bool{}
		for i, b := range stated {
			c.manualBinding(b, i)
			key := fmt.Sprint(b.NeededResource, "\x00", b.NeededPath)
			if b.NeededResource != nil {
				key = fmt.Sprint(*b.NeededResource, "\x00", b.NeededPath)
			}
			if seen[key] {
				c.Add(entity.CodeBindingDup, at("Bindings", i, "NeededPath"),
					"%s is bound twice", b.NeededPath)
			}
			seen[key] = true
		}
	default:
		if len(l.Bindings) > 0 {
			c.Add(entity.CodeBindingsForbidden, "Bindings",
				"a link of the type %s has no bindings", l.Type())
		}
	}
}

// at returns a field of an item of a list.
func at(list string, i int, field string) string { return fmt.Sprintf("%s[%d].%s", list, i, field) }

func (c *Findings) insertBinding(b entity.Binding, i int) {
	report := func(field, text string) {
		c.Add(entity.CodeBindingInvalid, at("Bindings", i, field), "%s", text)
	}
	switch {
	case b.NeededResource == nil || b.NeededResource.ResourceType == "" ||
		b.NeededResource.ResourceName == "":
		report("NeededResource", "NeededResource needs ResourceType and ResourceName")
	case b.NeededPath == "":
		report("NeededPath", "NeededPath is missing")
	}
	if b.ProvidedResource != nil || b.ProvidedPath != "" {
		report("ProvidedPath", "an Insert takes the whole upstream text, not a ProvidedPath")
	}
	if b.AutoUpdate {
		report("AutoUpdate", "AutoUpdate is for bindings that resolving makes")
	}
}

func (c *Findings) manualBinding(b entity.Binding, i int) {
	complete := b.NeededResource != nil && b.ProvidedResource != nil && b.NeededPath != "" &&
		b.ProvidedPath != ""
	if !complete {
		c.Add(entity.CodeBindingInvalid, at("Bindings", i, "NeededResource"),
			"a binding needs NeededResource, NeededPath, ProvidedResource and ProvidedPath")
	}
	c.dataType(b.DataType, at("Bindings", i, "DataType"))
}

func (c *Findings) dataType(t api.DataType, field string) {
	switch t {
	case "", api.DataTypeString, api.DataTypeInt, api.DataTypeBool:
	default:
		c.Add(entity.CodeDataType, field, "DataType is string, int or bool, not %s",
			strconv.Quote(string(t)))
	}
}

// Transform checks what a link of the type TransformPaths writes.
func (c *Findings) Transform(l *entity.Link) {
	if l.Type() == entity.UpdateTransformPaths &&
		len(l.DownstreamPaths)+len(l.DownstreamSetters) == 0 {
		c.Add(entity.CodeEmptyTransform, "UpdateType",
			"a link of the type TransformPaths needs DownstreamPaths or DownstreamSetters")
	}
	for i, g := range l.UpstreamGetters {
		c.Resources(at("UpstreamGetters", i, "FunctionInvocation.WhereResource"),
			g.FunctionInvocation.WhereResource)
	}
	for i, s := range l.DownstreamSetters {
		c.Resources(at("DownstreamSetters", i, "FunctionInvocation.WhereResource"),
			s.FunctionInvocation.WhereResource)
	}
	for i, p := range l.DownstreamPaths {
		c.dataType(p.DataType, at("DownstreamPaths", i, "DataType"))
		if !slices.Contains([]string{"", "template", "cel"}, p.Evaluator) {
			c.Add(entity.CodeEvaluator, at("DownstreamPaths", i, "Evaluator"),
				"Evaluator is template or cel, not %s", strconv.Quote(p.Evaluator))
		}
	}
}

// Toolchain checks that a toolchain is known.
func (c *Findings) Toolchain(t api.ToolchainType) {
	if HasToolchain(t) {
		return
	}
	var names []string
	for _, known := range Toolchains() {
		names = append(names, string(known))
	}
	c.Report("ToolchainType", entity.Fail(entity.CodeToolchain, "unknown ToolchainType %s",
		strconv.Quote(string(t))).
		WithHint(configkit.DidYouMean("", configkit.Suggest(string(t), names))))
}

// Resources checks a filter of resources.
func (c *Findings) Resources(field, text string) {
	if len(text) > api.MaxWhereLength {
		c.Add(entity.CodeWhereParse, field, "the filter has more than %d bytes", api.MaxWhereLength)
		return
	}
	_, err := where.Parse(text)
	if problem, ok := errors.AsType[*where.Error](err); ok {
		c.Report(field, entity.Fail(entity.WhereCode(problem), "%w", err).WithHint(problem.Hint))
	} else if err != nil {
		c.Add(entity.CodeWhereParse, field, "%w", err)
	}
}

// Entities checks a filter of entities.
func (c *Findings) Entities(field, text string, kind entity.Kind) {
	_, err := filter.Parse(text, kind)
	if e, ok := err.(*entity.Error); ok {
		c.Report(field, e)
	}
}

// Filter checks a stored filter.
func (c *Findings) Filter(f *entity.Filter) {
	switch f.From {
	case entity.FilterUnit, entity.FilterLink, entity.FilterMutation, entity.FilterSpace:
	default:
		c.Add(entity.CodeFieldValue, "From", "From is Unit, Link, Mutation or Space, not %s",
			strconv.Quote(string(f.From)))
		return
	}
	c.Entities("Where", f.Where, f.From.Kind())
	if f.From != entity.FilterUnit && (f.WhereData != "" || f.ResourceType != "") {
		c.Add(entity.CodeFieldNotAllowed, "WhereData",
			"WhereData and ResourceType are for units only")
	}
	c.Resources("WhereData", f.WhereData)
}
