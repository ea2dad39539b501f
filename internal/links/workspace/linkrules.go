package workspace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
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

// checkLink checks a link, except for what needs functions or expressions.
func (w *Workspace) checkLink(c *definitionChecker, l *Link) {
	if !slices.Contains(entity.UpdateTypes(), l.Type()) {
		var names []string
		for _, t := range entity.UpdateTypes() {
			names = append(names, string(t))
		}
		hint := configkit.DidYouMean("", configkit.Suggest(string(l.UpdateType), names))
		if hint == "" {
			hint = "known are " + strings.Join(names, ", ")
		}
		c.report("UpdateType", entity.Fail(entity.CodeUpdateType, "unknown UpdateType %s",
			quote(string(l.UpdateType))).WithHint(hint))
		return
	}
	c.legal(l.Link)
	c.bindings(l.Link)
	c.ends(l)
	c.transform(l.Link)
	c.resources("WhereResource", l.WhereResource)
	c.entities("WhereMutation", l.WhereMutation, filter.Mutation)
}

// legal checks which fields the update type allows.
func (c *definitionChecker) legal(l *entity.Link) {
	if l.Type() == entity.UpdateNone && l.AutoUpdate {
		c.add(entity.CodeNoneAutoUpdate, "AutoUpdate",
			"a link of the type None is for order only and cannot have AutoUpdate")
	}
	for _, f := range legalFields(l) {
		if f.set && !strings.Contains(f.types, string(l.Type())) {
			e := entity.Fail(entity.CodeFieldNotAllowed, "%s is not allowed for the type %s", f.name,
				l.Type())
			e.Path = f.name
			c.report(f.name, e)
		}
	}
}

// ends checks the units of a link.
func (c *definitionChecker) ends(l *Link) {
	if l.From == nil || l.To == nil {
		return
	}
	if l.From == l.To {
		c.add(entity.CodeLinkSelf, "ToUnit", "a unit cannot be linked with itself")
	}
	from, to := l.From.ToolchainType, l.To.ToolchainType
	switch {
	case l.Merges() && from != to:
		c.add(entity.CodeToolchain, "UpdateType",
			"a link of the type %s needs units of one toolchain; %s is %s, %s is %s", l.Type(),
			l.From.Name(), from, l.To.Name(), to)
	case l.UpdateType != entity.UpdateUpsert:
	case from != api.ToolchainKubernetesYAML:
		c.add(entity.CodeToolchain, "FromUnit",
			"a link of the type Upsert writes Kubernetes/YAML; %s is %s", l.From.Name(), from)
	case l.TransformInvocationID == "" && to != api.ToolchainKubernetesYAML:
		c.add(entity.CodeToolchain, "ToUnit",
			"without TransformInvocation the upstream must be Kubernetes/YAML; %s is %s",
			l.To.Name(), to)
	}
}

// bindings checks the bindings of a link's definition.
func (c *definitionChecker) bindings(l *entity.Link) {
	var stated []entity.Binding
	for _, b := range l.Bindings {
		if !b.AutoUpdate {
			stated = append(stated, b)
		}
	}
	switch l.Type() {
	case entity.UpdateInsert:
		if len(l.Bindings) != 1 {
			c.add(entity.CodeBindingCount, "Bindings",
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
				c.add(entity.CodeBindingDup, at("Bindings", i, "NeededPath"),
					"%s is bound twice", b.NeededPath)
			}
			seen[key] = true
		}
	default:
		if len(l.Bindings) > 0 {
			c.add(entity.CodeBindingsForbidden, "Bindings",
				"a link of the type %s has no bindings", l.Type())
		}
	}
}

// at returns a field of an item of a list.
func at(list string, i int, field string) string { return fmt.Sprintf("%s[%d].%s", list, i, field) }

func (c *definitionChecker) insertBinding(b entity.Binding, i int) {
	report := func(field, text string) {
		c.add(entity.CodeBindingInvalid, at("Bindings", i, field), "%s", text)
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

func (c *definitionChecker) manualBinding(b entity.Binding, i int) {
	complete := b.NeededResource != nil && b.ProvidedResource != nil && b.NeededPath != "" &&
		b.ProvidedPath != ""
	if !complete {
		c.add(entity.CodeBindingInvalid, at("Bindings", i, "NeededResource"),
			"a binding needs NeededResource, NeededPath, ProvidedResource and ProvidedPath")
	}
	c.dataType(b.DataType, at("Bindings", i, "DataType"))
}

func (c *definitionChecker) dataType(t api.DataType, field string) {
	switch t {
	case "", api.DataTypeString, api.DataTypeInt, api.DataTypeBool:
	default:
		c.add(entity.CodeDataType, field, "DataType is string, int or bool, not %s",
			quote(string(t)))
	}
}

// transform checks what a link of the type TransformPaths writes.
func (c *definitionChecker) transform(l *entity.Link) {
	if l.Type() == entity.UpdateTransformPaths &&
		len(l.DownstreamPaths)+len(l.DownstreamSetters) == 0 {
		c.add(entity.CodeEmptyTransform, "UpdateType",
			"a link of the type TransformPaths needs DownstreamPaths or DownstreamSetters")
	}
	for i, g := range l.UpstreamGetters {
		c.resources(at("UpstreamGetters", i, "FunctionInvocation.WhereResource"),
			g.FunctionInvocation.WhereResource)
	}
	for i, s := range l.DownstreamSetters {
		c.resources(at("DownstreamSetters", i, "FunctionInvocation.WhereResource"),
			s.FunctionInvocation.WhereResource)
	}
	for i, p := range l.DownstreamPaths {
		c.dataType(p.DataType, at("DownstreamPaths", i, "DataType"))
		if !slices.Contains([]string{"", "template", "cel"}, p.Evaluator) {
			c.add(entity.CodeEvaluator, at("DownstreamPaths", i, "Evaluator"),
				"Evaluator is template or cel, not %s", quote(p.Evaluator))
		}
	}
}
