package bundle

import (
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// maker is a resource of a run that makes an object.
type maker struct {
	bundle   *Bundle
	resource *Resource
}

// Distinct checks that a run has each Bundle once, and that no two resources make the same object,
// as far as the names of objects are known before references have values. The error is a diag.List
// of the class FailureUsage.
func Distinct(bundles []*Bundle, o *Options) error {
	var problems diag.List
	seen := map[[2]string]*Bundle{}
	made := map[Key]maker{}
	for _, b := range bundles {
		id := [2]string{b.Namespace, b.Name}
		if first := seen[id]; first != nil && b.Name != "" {
			problems = append(problems, &api.Failure{
				Class: api.FailureUsage, Pos: b.position(b.value),
				Message: fmt.Sprintf("the Bundle %s/%s is also at %s", b.Namespace, b.Name,
					first.position(first.value)),
			})
			continue // so are its objects
		}
		seen[id] = b
		p := newRun(b, o)
		for _, r := range b.Resources {
			gvk, name := r.Identity(o.Plugins)
			if gvk.Kind == "" || name == "" {
				continue
			}
			key, this := p.key(gvk, name), maker{b, r}
			first, ok := made[key.anyVersion()]
			if !ok {
				made[key.anyVersion()] = this
				continue
			}
			problems = append(problems, &api.Failure{
				Class: api.FailureUsage, Pos: b.position(r.value), Resource: string(r.Name),
				Message: first.clash(this, key).Error(),
			})
		}
	}
	problems.Sort()
	return problems.Err()
}

// Clashes adds errors to the resources of results that make an object that a resource of another
// Bundle makes, which is only known once references have values.
func Clashes(results []*Result) {
	made := map[Key]maker{}
	for _, result := range results {
		for _, res := range result.Resources {
			if res.key.Name == "" || !res.Rendered() || res.isNamedByExample() {
				continue
			}
			this := maker{result.Bundle, res.Resource}
			first, ok := made[res.key.anyVersion()]
			if !ok {
				made[res.key.anyVersion()] = this
				continue
			}
			res.fail(result.Bundle.position(res.Resource.value), "", first.clash(this, res.key))
			res.hideSecrets()
		}
	}
}

// isNamedByExample reports whether the object has another name or namespace in a cluster.
func (res *ResourceResult) isNamedByExample() bool {
	return slices.ContainsFunc(res.Origins, func(o Origin) bool {
		return (o.From == fromExample || o.reference.madeUp) && len(o.Path) == 2 &&
			o.Path[0] == "metadata" && (o.Path[1] == "name" || o.Path[1] == "namespace")
	})
}

// clash returns the error of another resource that makes the same object.
func (m maker) clash(other maker, key Key) error {
	e := &sameObjectError{
		first: m.resource.Name, key: key, at: m.bundle.position(m.resource.value),
	}
	if m.bundle != other.bundle {
		e.bundle = m.bundle.Namespace + "/" + m.bundle.Name
	}
	return e
}

// sameObjectError reports that two resources make one object.
type sameObjectError struct {
	first  smithv1.ResourceName
	bundle string // of the first one, "" if it is the same one
	key    Key
	at     api.Position
}

func (e *sameObjectError) Error() string {
	text := fmt.Sprintf("%q", e.first)
	if e.bundle != "" {
		text += " of the Bundle " + e.bundle
	}
	return fmt.Sprintf("%s makes the same object, %s, at %s", text, e.key, e.at)
}
