package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/uptodate"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/yamlpath"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// field returns the field in the schema of the object that a reference reads.
func (p *run) field(r *ResolvedReference, target *ResourceResult) (f yamlpath.Field, kind string) {
	f.Missing = -1
	gvk := target.GVK
	if r.Modifier == smithv1.BindSecret {
		gvk = plugin.GroupVersionKind{Version: "v1", Kind: "Secret"}
	}
	if p.Fields == nil || gvk.Kind == "" {
		return f, gvk.Kind
	}
	segments, whole := r.path.Segments()
	f = p.Fields.Field(resourceType(gvk), yamlpath.Exactly(segments))
	if !whole {
		f.Type, f.Values = "", nil
	}
	return f, gvk.Kind
}

// never returns why an object that does not exist yet will never have a value at the path of
// a reference, nil if a cluster may add one.
func (p *run) never(r *ResolvedReference, target *ResourceResult) error {
	segments, _ := r.path.Segments()
	f, kind := p.field(r, target)
	if f.Missing >= 0 {
		at := strings.Join(segments[:f.Missing+1], ".")
		return fmt.Errorf("%s: a %s has no field %s%s", r.path, kind, at,
			meant(segments[f.Missing], f.Keys))
	}
	if r.Modifier != smithv1.BindSecret && r.readsStringData(target) {
		return fmt.Errorf("%s: a cluster moves stringData of a Secret to data, in base64, so "+
			"nothing is ever at this path", r.path)
	}
	object := r.target.object
	if object == nil || r.Modifier == smithv1.BindSecret || len(segments) == 0 {
		return nil
	}
	declared := target.seen()
	fields := uptodate.DataFields(target.GVK)
	if !slices.Contains(fields, segments[0]) || r.example.Exists() ||
		declared.Get("type").EqualText(uptodate.TokenSecret) {
		return nil
	}
	var keys []string
	for _, field := range fields {
		for _, v := range declared.Get(field).All() {
			keys = append(keys, v.Key())
		}
	}
	at, hint := segments[0], ""
	if len(segments) > 1 {
		at, hint = strings.Join(segments[:2], "."), meant(segments[1], keys)
		keys = slices.DeleteFunc(keys, func(key string) bool { return key != segments[1] })
	}
	if len(keys) > 0 {
		return nil
	}
	return fmt.Errorf("%s: the Bundle gives %s no %s, and nothing else does%s", r.path,
		target.Describe(), at, hint)
}

// readsStringData reports whether a reference reads the field of a Secret that a cluster does not
// keep.
func (r *ResolvedReference) readsStringData(target *ResourceResult) bool {
	segments, _ := r.path.Segments()
	return IsSecret(target.GVK) && len(segments) > 0 && segments[0] == "stringData"
}

// meant returns the names that a word may be a misspelling of, as the end of a message.
func meant(word string, names []string) string {
	if hint := configkit.DidYouMean("", configkit.Suggest(word, names)); hint != "" {
		return " (" + hint + ")"
	}
	return ""
}

// madeUp returns a value of the right type for a reference whose value only a cluster has. A text
// says where it comes from, and can be a name.
func (p *run) madeUp(r *ResolvedReference) resolved {
	v := resolved{from: "a cluster", madeUp: true}
	if r.path == nil || p.results[r.target] == nil { // which Read reports
		v.value = "unknown"
		return v
	}
	f, _ := p.field(r, p.results[r.target])
	if v.kind = f.Type; r.Modifier == smithv1.BindSecret {
		v.kind = "string"
	}
	switch {
	case f.Type == "integer" || f.Type == "number":
		v.value = 1
	case f.Type == "boolean":
		v.value = true
	case f.Type == "object":
		v.value = gaby.Entries{}
	case f.Type == "array":
		v.value = []any{}
	case len(f.Values) > 0:
		v.value = f.Values[0]
	default:
		const longest = 63
		words := strings.FieldsFunc(strings.ToLower(string(r.Resource)+"-"+r.path.String()),
			func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
		text := strings.Join(words, "-")
		v.value = strings.Trim(text[:min(len(text), longest)], "-")
	}
	return v
}

// passOn marks a value that was read at a path of the object as made up if it is, if it is in
// a value that is, or if it has one that is.
func (res *ResourceResult) passOn(path []string, read gaby.Value, v *resolved) {
	key := func(path []string) string { return strings.Join(path, "\x00") }
	if res.madeUp == nil {
		res.madeUp = map[string]string{}
		for _, o := range res.Origins {
			if o.reference.madeUp {
				res.madeUp[key(o.Path)] = o.reference.kind
			}
		}
	}
	for i := range len(path) + 1 {
		if kind, ok := res.madeUp[key(path[:i])]; ok {
			v.madeUp, v.kind = true, ""
			if i == len(path) {
				v.kind = kind
			}
		}
	}
	if len(res.madeUp) > 0 && read.Kind() != gaby.Scalar {
		v.madeUp = v.madeUp || slices.ContainsFunc(res.Origins, func(o Origin) bool {
			return o.reference.madeUp && hasPrefix(o.Path, path)
		})
	}
}

// typed checks the objects of the Bundle as they will be, with the schemas of their types: values
// that only a cluster has are examples, or any value of the same type. Plugins do not run.
func (p *run) typed(ctx context.Context) ([]*ResourceResult, error) {
	var problems []error
	for _, r := range p.bundle.Order() {
		res := &ResourceResult{Resource: r}
		res.GVK, res.Name = r.Identity(p.Plugins)
		res.Assumed = true
		p.results[r] = res
		if r.object == nil {
			var err error
			res.doc, err = gaby.ParseYAML(fmt.Appendf(nil,
				"apiVersion: %q\nkind: %q\nmetadata: {name: %q, namespace: %q}\n",
				res.GVK.APIVersion(), res.GVK.Kind, res.Name, p.bundle.Namespace))
			problems = append(problems, err)
			continue
		}
		res.doc = p.substitute(res, r.object, p.imagined)
		if res.doc == nil {
			continue
		}
		res.GVK, res.Name = identityOf(res)
		p.finish(res)
		if p.Schemas == nil || res.GVK.Kind == "" {
			continue
		}
		if definition, ok := r.definition(); ok {
			p.checkDefinition(res, definition)
		}
		problems = append(problems, p.checkSchema(ctx, res))
	}
	for _, r := range p.bundle.Resources {
		for _, reference := range r.References {
			p.checkExample(p.results[r], reference)
		}
	}
	results := make([]*ResourceResult, len(p.bundle.Resources))
	for i, r := range p.bundle.Resources {
		results[i] = p.results[r]
	}
	return results, errors.Join(problems...)
}

// imagined returns the value of a reference in a cluster as far as it is known: the value in the
// Bundle, the example, or one that is made up.
func (p *run) imagined(reference *ResolvedReference) (resolved, error) {
	target := p.results[reference.target]
	if reference.path == nil || target == nil ||
		reference.Modifier == smithv1.BindSecret && !isServiceBinding(target.GVK) {
		return p.madeUp(reference), nil
	}
	return p.value(reference)
}

// checkDefinition checks the schemas in a CustomResourceDefinition.
func (p *run) checkDefinition(res *ResourceResult, definition gaby.Value) {
	for _, err := range configkit.Unjoin(p.Schemas.AddDefinition(definition)) {
		if e, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
			res.fail(p.bundle.located(e.Pos), e.Hint, errors.New(e.Msg))
		}
	}
}

// checkSchema checks an object with the schema of its type. The position of a problem is that of
// the value in the Bundle, which may be a reference.
func (p *run) checkSchema(ctx context.Context, res *ResourceResult) error {
	violations, _, err := p.Schemas.Check(ctx, resourceType(res.GVK), res.doc.Value())
	switch {
	case errors.Is(err, schemas.ErrWrongDefinition): // which checkDefinition reports
		return nil
	case errors.Is(err, schemas.ErrSeveralDefinitions):
		res.Notes = append(res.Notes, api.Note{
			Pos: p.position(res.Resource.object.value),
			Message: fmt.Sprintf("%s: unchecked: CustomResourceDefinitions define %s in several ways; "+
				"--schema FILE says which of them counts", res.Resource.Name, resourceType(res.GVK)),
		})
		return nil
	}
	for _, v := range violations {
		path := v.FullPath()
		message := v.Message
		if len(v.Path) > 0 {
			message = string(yamlpath.Join(v.Path)) + ": " + message
		}
		at := res.Resource.object.nearest(path)
		pos := p.position(at)
		if v.Keyword == "additionalProperties" && at == res.Resource.object.at(path...) {
			pos = p.bundle.located(at.KeyPosition())
		}
		i := res.originOf(path)
		switch {
		case i < 0 && res.Resource.object.hasReference(path): // without a value, because of another problem
		case i >= 0 && isOpen(v, res.Origins[i].reference):
		case i >= 0:
			res.fail(res.Origins[i].Pos, "", res.misfit(res.Origins[i], message))
		case !res.dependsOnMadeUp(v):
			res.fail(pos, v.Hint, errors.New(message))
		}
	}
	return err
}

// originOf returns the index of the reference that the value at a path comes from, or is in, -1 for
// none.
func (res *ResourceResult) originOf(path []string) int {
	return slices.IndexFunc(res.Origins, func(o Origin) bool {
		return o.Reference != "" && hasPrefix(path, o.Path)
	})
}

// misfit returns the error that the value of a reference does not fit.
func (res *ResourceResult) misfit(o Origin, message string) error {
	if o.reference.madeUp {
		expected, _, _ := strings.Cut(message, ", got ")
		message = expected + ", and it has the type " + o.reference.kind
	}
	return fmt.Errorf("%s (!{%s} is %s)", message, o.Reference, res.Resource.path(o.Reference))
}

// isOpen reports whether the value that a cluster has instead of a value may be right.
func isOpen(v jsonschema.Violation, value resolved) bool {
	return value.madeUp && (value.kind == "" || v.Keyword != "type")
}

// dependsOnMadeUp reports whether a problem of a map or list may be none with the values that a
// cluster has below it.
func (res *ResourceResult) dependsOnMadeUp(v jsonschema.Violation) bool {
	switch v.Keyword {
	case "type", "required", "additionalProperties", "key", "minItems", "maxItems":
		return false
	}
	return slices.ContainsFunc(res.Origins, func(o Origin) bool {
		return o.reference.madeUp && hasPrefix(o.Path, v.Path)
	})
}

// checkExample checks that the example of a reference has the type of the field that it is for.
func (p *run) checkExample(res *ResourceResult, r *ResolvedReference) {
	if !r.example.Exists() || r.example.IsNull() || r.path == nil || p.results[r.target] == nil {
		return
	}
	f, kind := p.field(r, p.results[r.target])
	is := jsonschema.TypeName(r.example)
	if f.Type == "" || f.Type == is || f.Type == "number" && is == "integer" {
		return
	}
	res.fail(p.position(r.example), "", fmt.Errorf(
		"the example has the type %s; %s of a %s has the type %s", is, r.path, kind, f.Type))
}

// unused returns the named references of a resource that nothing in it has.
func (r *Resource) unused() []*ResolvedReference {
	used := map[smithv1.ReferenceName]bool{}
	if t := r.template(); t != nil {
		for _, m := range t.markers {
			used[m.name] = true
		}
	}
	var unused []*ResolvedReference
	for _, reference := range r.References {
		if reference.Name != "" && !used[reference.Name] {
			unused = append(unused, reference)
		}
	}
	return unused
}

// notesOf returns notes about references that have no effect, and, if later is set, about those
// whose values only a cluster has.
func (p *run) notesOf(res *ResourceResult, later bool) []api.Note {
	var notes []api.Note
	add := func(r *ResolvedReference, format string, args ...any) {
		notes = append(notes, api.Note{
			Pos:     p.position(r.value),
			Message: fmt.Sprintf("%s: !{%s} ", res.Resource.Name, r.Name) + fmt.Sprintf(format, args...),
		})
	}
	unused := res.Resource.unused()
	for _, r := range unused {
		add(r, "is not used; without a name and a path, a reference only orders resources")
	}
	if !later {
		return notes
	}
	for _, r := range res.Resource.References {
		if r.Name == "" || slices.Contains(unused, r) {
			continue
		}
		if v, err := p.imagined(r); err == nil && v.madeUp {
			add(r, "is known only later: %s gets %s in a cluster; an example would be checked",
				r.Resource, r.path)
		}
	}
	return notes
}
