package bundle

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Validate checks what needs no observed objects, besides what Read checks: that the plugins exist,
// that their specs, with the examples of references, fit their schemas, and that bindsecret is for
// what makes a ServiceBinding. Of a Bundle that Read returned with problems it checks what can be
// known, and adds no problem that Read has reported. The error is a diag.List of the class
// FailureUsage.
func Validate(b *Bundle, plugins *Plugins) error {
	p := newRun(b, &Options{Plugins: plugins})
	var problems diag.List
	made := map[Key]*Resource{}
	for _, r := range b.Resources {
		res := &ResourceResult{Resource: r}
		res.GVK, res.Name = r.Identity(plugins)
		if r.plugin != nil && r.plugin.name.IsValid() {
			use, err := plugins.Find(r.plugin.name)
			if err != nil {
				res.fail(p.position(r.plugin.value.Get("name")), "'fctl bundle plugins' lists them",
					err)
			} else if !r.plugin.incomplete {
				p.early(res, use)
			}
		}
		key := Key{res.GVK, b.Namespace, res.Name}
		first := made[key]
		reported := first != nil && first.plugin == nil && r.plugin == nil // by Read
		if first != nil && !reported && res.GVK.Kind != "" && res.Name != "" {
			res.fail(p.position(r.value), "", &sameObjectError{first.Name, key})
		} else {
			made[key] = r
		}
		for _, reference := range r.References {
			if reference.Modifier != smithv1.BindSecret || reference.target == nil ||
				reference.target.plugin == nil {
				continue
			}
			if gvk, ok := plugins.gvk(reference.target.plugin.name); ok && !isServiceBinding(gvk) {
				res.fail(p.position(reference.value.Get("modifier")), "",
					&bindSecretError{reference.target.Name, gvk.Kind})
			}
		}
		for _, f := range res.Errors {
			f.Class = api.FailureUsage
			problems = append(problems, f)
		}
	}
	problems.Sort()
	return problems.Err()
}

// Unchecked returns notes about the specs of plugins that are not checked before the references
// have values, because one of them has no example.
func (b *Bundle) Unchecked() []api.Note {
	var notes []api.Note
	for _, r := range b.Resources {
		if r.plugin == nil {
			continue
		}
		for _, reference := range r.References {
			if reference.Name != "" && !reference.example.Exists() {
				notes = append(notes, api.Note{
					Pos: b.position(r.plugin.value),
					Message: fmt.Sprintf(
						"%s: the spec is not checked: no example value provided in reference %q",
						r.Name,
						reference.Name),
				})
			}
		}
	}
	return notes
}
