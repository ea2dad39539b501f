package bundle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// ReadyRule is a rule for objects of a kind. It comes before the one that is built in.
type ReadyRule struct {
	Group, Kind string
	anyGroup    bool
	// path is the field that has the value when the object is ready; nil for always.
	path  *jsonpath.Query
	value string
}

// ParseReadyRule parses KIND[.GROUP][=PATH=VALUE]. The path may be in braces.
func ParseReadyRule(text string) (ReadyRule, error) {
	what, condition, has := strings.Cut(text, "=")
	var r ReadyRule
	r.Kind, r.Group, _ = strings.Cut(what, ".")
	r.anyGroup = r.Group == ""
	if r.Kind == "" {
		return r, fmt.Errorf("%q has no kind", text)
	}
	if !has {
		return r, nil
	}
	i := strings.LastIndex(condition, "=")
	if i < 0 {
		return r, fmt.Errorf("%q has a path and no value", text)
	}
	path, value := condition[:i], condition[i+1:]
	var err error
	if strings.HasPrefix(path, "{") {
		r.path, err = jsonpath.ParseTemplate(path)
	} else {
		r.path, err = jsonpath.Parse(path)
	}
	r.value = value
	return r, err
}

// matches reports whether the rule is for a type.
func (r ReadyRule) matches(gvk plugin.GroupVersionKind) bool {
	return r.Kind == gvk.Kind && (r.anyGroup || r.Group == gvk.Group)
}

// apply checks an object against the rule.
func (r ReadyRule) apply(actual gaby.Value) readiness {
	switch {
	case r.path == nil:
		return readiness{ready: true}
	case r.path.First() == "status" && isStale(actual):
		return unseen()
	}
	found, err := r.path.Find(actual)
	if err != nil || len(found) == 0 {
		return readiness{message: fmt.Sprintf("%s is missing; the object is ready when it is %q",
			r.path, r.value)}
	}
	if len(found) > 1 {
		return readiness{err: fmt.Errorf("%s: %w", r.path, errSeveral)}
	}
	if got := found[0].Text(); found[0].Kind() != gaby.Scalar || got != r.value {
		shown := strconv.Quote(got)
		switch found[0].Kind() {
		case gaby.Map:
			shown = "a map"
		case gaby.List:
			shown = "a list"
		}
		if IsSecret(plugin.NewGroupVersionKind(actual.Get("apiVersion").Text(), r.Kind)) {
			shown = sensitive.Mask
		}
		return readiness{message: fmt.Sprintf("%s is %s; the object is ready when it is %q",
			r.path, shown, r.value)}
	}
	return readiness{ready: true}
}

// ResolveReadyRules replaces the names that kubectl takes, such as sts or statefulsets.apps, by
// kinds. A kind that nobody knows is an error; the notes are about rules for what no Bundle makes.
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
		if !r.anyGroup {
			word += "." + r.Group
		}
		t, ok := table.Find(word)
		switch {
		case ok:
			gvk := gvkOf(t)
			r.Kind = gvk.Kind
			if !r.anyGroup {
				r.Group = gvk.Group
			}
		case open:
			continue
		default:
			return nil, diag.UsageHint(configkit.DidYouMean("", table.Suggest(word)),
				"--ready: no resource type is called %q", word)
		}
		if !open && !slices.ContainsFunc(made, r.matches) {
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
