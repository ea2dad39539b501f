package bundle

import (
	"context"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Validate checks what needs no observed objects, besides what Read checks: that the plugins exist,
// that their specs, with the examples of references, fit their schemas, that objects fit the
// schemas of their types, that the paths of references lead to fields and that their values fit,
// that names are those of the types, and that bindsecret is for what makes a ServiceBinding. Of
// a Bundle that Read returned with problems it checks what can be known, and may add problems that
// Read has reported. The notes are about references without effect, and, if later is set, about
// those whose values only a cluster has. The error is a diag.List of the class FailureUsage.
func Validate(ctx context.Context, b *Bundle, o *Options, later bool) ([]api.Note, error) {
	imagined := *o
	imagined.Examples, imagined.simulated, imagined.Pool = true, true, nil
	p := newRun(b, &imagined)
	results, err := p.typed(ctx)
	if err != nil {
		return nil, diag.Failures(err, api.FailureUsage)
	}
	var problems diag.List
	var notes []api.Note
	for _, res := range results {
		notes = append(notes, res.Notes...)
		notes = append(notes, p.notesOf(res, later)...)
		p.checkPlugin(res)
		p.checkModifiers(res)
		res.hideSecrets()
		for _, f := range res.Errors {
			f.Class = api.FailureUsage
			problems = append(problems, f)
		}
	}
	problems.Sort()
	return notes, problems.Err()
}

// checkPlugin checks the use of a plugin.
func (p *run) checkPlugin(res *ResourceResult) {
	r := res.Resource
	if r.plugin == nil || !r.plugin.name.IsValid() {
		return
	}
	use, err := p.Plugins.Find(r.plugin.name)
	if err != nil {
		res.fail(p.position(r.plugin.value.Get("name")), "'fctl bundle plugins' lists them", err)
		return
	}
	p.checkObjectName(res)
	switch {
	case r.plugin.incomplete:
	case r.hasExamples():
		p.early(res, use)
	default:
		p.checkEarly(res, use, p.imagined)
	}
}

// checkModifiers checks that bindsecret is for what makes a ServiceBinding.
func (p *run) checkModifiers(res *ResourceResult) {
	for _, reference := range res.Resource.References {
		if reference.Modifier != smithv1.BindSecret || reference.target == nil ||
			reference.target.plugin == nil {
			continue
		}
		gvk, ok := p.Plugins.gvk(reference.target.plugin.name)
		if ok && !isServiceBinding(gvk) {
			res.fail(p.position(reference.value.Get("modifier")), "",
				&bindSecretError{reference.target.Name, gvk.Kind})
		}
	}
}

// Unready returns notes about resources that others refer to and that no rule can find ready.
func (b *Bundle) Unready(o *Options) []api.Note {
	if !o.SmithRules {
		return nil
	}
	p := newRun(b, o)
	needed := map[*Resource]bool{}
	for _, r := range b.Resources {
		for _, reference := range r.References {
			needed[reference.target] = true
		}
	}
	var notes []api.Note
	for _, r := range b.Resources {
		gvk, _ := r.Identity(o.Plugins)
		isMatched := func(rule ready.Rule) bool { return rule.Matches(gvk) }
		if !needed[r] || gvk.Kind == "" || ready.Smith(gvk) != nil || p.AssumeAll ||
			p.AssumeReady[r.Name] || slices.ContainsFunc(p.ReadyRules, isMatched) ||
			p.isReadyByDefinition(gvk) {
			continue
		}
		notes = append(notes, api.Note{Pos: b.position(r.value), Message: fmt.Sprintf(
			"%s: Smith has no readiness rule for %s, so what refers to it waits; "+
				"--ready %s of 'fctl bundle render' says that it is ready", r.Name, gvk.Kind,
			KindAndGroup(gvk))})
	}
	return notes
}

// isReadyByDefinition reports whether a CustomResourceDefinition, observed or in the Bundle, says
// when objects of a type are ready.
func (p *run) isReadyByDefinition(gvk plugin.GroupVersionKind) bool {
	_, observed, err := p.definition(gvk)
	definitions := []gaby.Value{observed}
	for _, r := range p.bundle.Resources {
		if v, ok := r.definition(); ok && typeDefinedBy(v) == [2]string{gvk.Group, gvk.Kind} {
			definitions = append(definitions, v)
		}
	}
	return err == nil && slices.ContainsFunc(definitions, func(v gaby.Value) bool {
		return v.Get("metadata").Get("annotations").Get(smithv1.ReadyFieldPath).Exists()
	})
}
