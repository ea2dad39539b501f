package workspace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
)

// legalField is a field of a link and the update types that allow it.
type legalField struct {
	name  string
	set   func(l *entity.Link) bool
	types []entity.UpdateType
}

// legalFields is the table of fields that not all update types allow.
func legalFields() []legalField {
	const (
		upgrade, merge  = entity.UpdateUpgradeUnit, entity.UpdateMergeUnits
		insert, upsert  = entity.UpdateInsert, entity.UpdateUpsert
		transform, need = entity.UpdateTransformPaths, entity.UpdateNeedsProvides
	)
	types := func(types ...entity.UpdateType) []entity.UpdateType { return types }
	return []legalField{
		{
			"UseLiveState", func(l *entity.Link) bool { return l.UseLiveState },
			types(merge, insert, upsert, transform, need),
		},
		{
			"WhereMutation", func(l *entity.Link) bool { return l.WhereMutation != "" },
			types(upgrade, merge),
		},
		{
			"MergeDisableSubtraction",
			func(l *entity.Link) bool { return l.MergeDisableSubtraction }, types(upgrade, merge),
		},
		{
			"WhereResource", func(l *entity.Link) bool { return l.WhereResource != "" },
			types(upgrade, merge, insert, upsert, transform, need),
		},
		{
			"TransformInvocation", func(l *entity.Link) bool {
				return l.TransformInvocation != "" || l.TransformInvocationID != ""
			}, types(upsert),
		},
		{
			"UpstreamPaths", func(l *entity.Link) bool { return len(l.UpstreamPaths) > 0 },
			types(transform),
		},
		{
			"UpstreamGetters", func(l *entity.Link) bool { return len(l.UpstreamGetters) > 0 },
			types(transform),
		},
		{
			"DownstreamPaths", func(l *entity.Link) bool { return len(l.DownstreamPaths) > 0 },
			types(transform),
		},
		{
			"DownstreamSetters", func(l *entity.Link) bool { return len(l.DownstreamSetters) > 0 },
			types(transform),
		},
		{
			"InsertStripMetadata", func(l *entity.Link) bool { return l.InsertStripMetadata },
			types(insert),
		},
	}
}

// checkLink returns what is wrong with a link, except for what needs functions or expressions.
func (w *Workspace) checkLink(l *Link) []finding {
	var c checker
	if !slices.Contains(entity.UpdateTypes(), l.Type()) {
		var names []string
		for _, t := range entity.UpdateTypes() {
			names = append(names, string(t))
		}
		hint := configkit.DidYouMean("", configkit.Suggest(string(l.UpdateType), names))
		if hint == "" {
			hint = "known are " + strings.Join(names, ", ")
		}
		c.add(entity.CodeUpdateType, []string{"UpdateType"}, "unknown UpdateType %s",
			quote(string(l.UpdateType))).Hint = hint
		return c.found
	}
	c.legal(l.Link)
	c.bindings(l.Link)
	c.ends(l)
	c.transform(l.Link)
	c.resources([]string{"WhereResource"}, l.WhereResource)
	c.entities([]string{"WhereMutation"}, l.WhereMutation, filter.MutationSchema())
	return c.found
}

// legal checks which fields the update type allows.
func (c *checker) legal(l *entity.Link) {
	if l.Type() == entity.UpdateNone && l.AutoUpdate {
		_ = c.add(entity.CodeNoneAutoUpdate, []string{"AutoUpdate"},
			"a link of the type None is for order only and cannot have AutoUpdate")
	}
	for _, f := range legalFields() {
		if f.set(l) && !slices.Contains(f.types, l.Type()) {
			c.add(entity.CodeFieldNotAllowed, []string{f.name}, "%s is not allowed for the type %s",
				f.name, l.Type()).Path = f.name
		}
	}
}

// ends checks the units of a link.
func (c *checker) ends(l *Link) {
	if l.From == nil || l.To == nil {
		return
	}
	if l.From == l.To {
		_ = c.add(entity.CodeLinkSelf, []string{"ToUnit"}, "a unit cannot be linked with itself")
	}
	from, to := l.From.ToolchainType, l.To.ToolchainType
	switch {
	case l.Merges() && from != to:
		_ = c.add(entity.CodeToolchain, []string{"UpdateType"},
			"a link of the type %s needs units of one toolchain; %s is %s, %s is %s", l.Type(),
			l.From.Name(), from, l.To.Name(), to)
	case l.UpdateType != entity.UpdateUpsert:
	case from != api.ToolchainKubernetesYAML:
		_ = c.add(entity.CodeToolchain, []string{"FromUnit"},
			"a link of the type Upsert writes Kubernetes/YAML; %s is %s", l.From.Name(), from)
	case l.TransformInvocationID == "" && to != api.ToolchainKubernetesYAML:
		_ = c.add(entity.CodeToolchain, []string{"ToUnit"},
			"without TransformInvocation the upstream must be Kubernetes/YAML; %s is %s",
			l.To.Name(), to)
	}
}

// bindings checks the bindings of a link's definition.
func (c *checker) bindings(l *entity.Link) {
	var stated []entity.Binding
	for _, b := range l.Bindings {
		if !b.AutoUpdate {
			stated = append(stated, b)
		}
	}
	switch l.Type() {
	case entity.UpdateInsert:
		if len(l.Bindings) != 1 {
			_ = c.add(entity.CodeBindingCount, []string{"Bindings"},
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
				_ = c.add(entity.CodeBindingDup, at("Bindings", i, "NeededPath"),
					"%s is bound twice", b.NeededPath)
			}
			seen[key] = true
		}
	default:
		if len(l.Bindings) > 0 {
			_ = c.add(entity.CodeBindingsForbidden, []string{"Bindings"},
				"a link of the type %s has no bindings", l.Type())
		}
	}
}

func at(list string, i int, field string) []string {
	return []string{list, strconv.Itoa(i), field}
}

func (c *checker) insertBinding(b entity.Binding, i int) {
	report := func(field, text string) {
		_ = c.add(entity.CodeBindingInvalid, at("Bindings", i, field), "%s", text)
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

func (c *checker) manualBinding(b entity.Binding, i int) {
	complete := b.NeededResource != nil && b.ProvidedResource != nil && b.NeededPath != "" &&
		b.ProvidedPath != ""
	if !complete {
		_ = c.add(entity.CodeBindingInvalid, at("Bindings", i, "NeededResource"),
			"a binding needs NeededResource, NeededPath, ProvidedResource and ProvidedPath")
	}
	c.dataType(b.DataType, at("Bindings", i, "DataType"))
}

func (c *checker) dataType(t api.DataType, field []string) {
	switch t {
	case "", api.DataTypeString, api.DataTypeInt, api.DataTypeBool:
	default:
		_ = c.add(entity.CodeDataType, field, "DataType is string, int or bool, not %s",
			quote(string(t)))
	}
}

// transform checks what a link of the type TransformPaths writes.
func (c *checker) transform(l *entity.Link) {
	if l.Type() == entity.UpdateTransformPaths &&
		len(l.DownstreamPaths)+len(l.DownstreamSetters) == 0 {
		_ = c.add(entity.CodeEmptyTransform, []string{"UpdateType"},
			"a link of the type TransformPaths needs DownstreamPaths or DownstreamSetters")
	}
	for i, g := range l.UpstreamGetters {
		c.resources([]string{
			"UpstreamGetters", strconv.Itoa(i), "FunctionInvocation", "WhereResource",
		}, g.FunctionInvocation.WhereResource)
	}
	for i, s := range l.DownstreamSetters {
		c.resources([]string{
			"DownstreamSetters", strconv.Itoa(i), "FunctionInvocation", "WhereResource",
		}, s.FunctionInvocation.WhereResource)
	}
	for i, p := range l.DownstreamPaths {
		c.dataType(p.DataType, at("DownstreamPaths", i, "DataType"))
		if !slices.Contains([]string{"", "template", "cel"}, p.Evaluator) {
			_ = c.add(entity.CodeEvaluator, at("DownstreamPaths", i, "Evaluator"),
				"Evaluator is template or cel, not %s", quote(p.Evaluator))
		}
	}
}
