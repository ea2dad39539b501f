package bundle

import (
	"context"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// readiness applies the first rule for a type: of --ready, of Smith, of the annotations of its
// CustomResourceDefinition, or, unless only Smith's rules count, of its status.
func (p *run) readiness(ctx context.Context, gvk plugin.GroupVersionKind, actual gaby.Value,
) ready.Readiness {
	for _, rule := range p.ReadyRules {
		if rule.Matches(gvk) {
			return rule.Check(ctx, actual)
		}
	}
	if check := ready.Smith(gvk); check != nil {
		return check(actual)
	}
	if r, ok := p.crdReady(ctx, gvk, actual); ok {
		return r
	}
	if !p.SmithRules {
		return ready.Status(gvk, actual)
	}
	return ready.Readiness{
		Message: fmt.Sprintf("no readiness rule for %s; use --ready %s", gvk.Kind,
			KindAndGroup(gvk)),
		NoRule: true,
	}
}

// KindAndGroup returns a type as --ready has it, such as StatefulSet.apps.
func KindAndGroup(gvk plugin.GroupVersionKind) string {
	if gvk.Group == "" {
		return gvk.Kind
	}
	return gvk.Kind + "." + gvk.Group
}

// crdReady applies the annotations of the CustomResourceDefinition of a type, if it was observed.
func (p *run) crdReady(ctx context.Context, gvk plugin.GroupVersionKind, actual gaby.Value,
) (ready.Readiness, bool) {
	o, crd, err := p.definition(gvk)
	if err != nil {
		return ready.Readiness{Err: err}, true
	}
	if o == nil {
		return ready.Readiness{}, false
	}
	annotations := crd.Get("metadata").Get("annotations")
	path := annotations.Get(smithv1.ReadyFieldPath)
	if !path.Exists() {
		return ready.Readiness{}, false
	}
	value := annotations.Get(smithv1.ReadyFieldValue)
	rule, err := ready.Field(path.Text(), value.Text())
	if err != nil {
		return ready.Readiness{Err: fmt.Errorf("%s: the annotation %s: %w", o.Key,
			smithv1.ReadyFieldPath, err)}, true
	}
	if !value.Exists() { // Smith needs both
		return ready.Readiness{Message: fmt.Sprintf("%s has no annotation %s", o.Key,
			smithv1.ReadyFieldValue), NoRule: true}, true
	}
	return rule.Check(ctx, actual), true
}

// ResolveReadyRules replaces the names that kubectl takes, such as sts or statefulsets.apps, by
// kinds. An unknown kind is an error; the notes are about rules for objects that no Bundle makes.
// A type that only a reference or a plugin without description says may be any.
func (o *Options) ResolveReadyRules(bundles []*Bundle) ([]api.Note, error) {
	if len(o.ReadyRules) == 0 {
		return nil, nil
	}
	made, open := o.types(bundles)
	table := o.typeNames(bundles, made)
	var notes []api.Note
	for i := range o.ReadyRules {
		r := &o.ReadyRules[i]
		word := r.Kind
		if !r.AnyGroup {
			word += "." + r.Group
		}
		t, ok := table.Find(word)
		switch {
		case ok:
			gvk := gvkOf(t)
			r.Kind = gvk.Kind
			if !r.AnyGroup {
				r.Group = gvk.Group
			}
		case open:
			continue
		default:
			return nil, diag.UsageHint(configkit.DidYouMean("", table.Suggest(word)),
				"--ready: no resource type is called %q", word)
		}
		if !open && !slices.ContainsFunc(made, r.Matches) {
			notes = append(notes, api.Note{
				Message: fmt.Sprintf("--ready %s has no effect: no Bundle makes a %s", word,
					r.Kind),
			})
		}
	}
	return notes, nil
}

// types returns the types of the objects that Bundles make, and whether some are not known yet.
func (o *Options) types(bundles []*Bundle) (made []plugin.GroupVersionKind, open bool) {
	seen := map[plugin.GroupVersionKind]bool{}
	for _, b := range bundles {
		for _, r := range b.Resources {
			gvk, _ := r.Identity(o.Plugins)
			open = open || gvk.Kind == ""
			if gvk.Kind != "" && !seen[gvk] {
				seen[gvk] = true
				made = append(made, gvk)
			}
		}
	}
	return made, open
}

// typeNames returns the names of the types that Bundles make, that CustomResourceDefinitions in
// them and among the observed objects define, and that Kubernetes has.
func (o *Options) typeNames(bundles []*Bundle, made []plugin.GroupVersionKind) *typenames.Table {
	table := typenames.BuiltIn()
	for _, b := range bundles {
		for _, r := range b.Resources {
			if v, ok := r.definition(); ok {
				table.AddDefinition(v)
			}
		}
	}
	if len(bundles) > 0 {
		p := newRun(bundles[0], o)
		for _, crd := range p.crds {
			if v, err := p.open(crd); err == nil {
				table.AddDefinition(v)
			}
		}
	}
	types := make([]api.ResourceType, len(made))
	for i, gvk := range made {
		types[i] = resourceType(gvk)
	}
	table.Add(types...)
	return table
}
