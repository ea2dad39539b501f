package kubernetes

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/unit"
)

// renaming is a resource and its new name.
type renaming struct {
	resource
	name string
}

// renamer renames resources of a unit and the references to them.
type renamer struct {
	fc       *api.FunctionContext
	provider configkit.ResourceProvider
	selected gaby.Container
	unit     gaby.Container
	all      []renaming
}

func newRenamer(
	fc *api.FunctionContext, provider configkit.ResourceProvider, docs gaby.Container,
) *renamer {
	return &renamer{fc: fc, provider: provider, selected: docs, unit: unit.WholeUnit(fc, docs)}
}

// resources returns a renaming for each resource in docs, with its current name.
func (r *renamer) resources(docs gaby.Container) []renaming {
	var all []renaming
	for _, doc := range docs {
		if info, err := r.provider.ResourceInfo(doc); err == nil && doc.ExistsP("metadata.name") {
			all = append(all, renaming{
				newResource(doc, info), string(info.ResourceNameWithoutScope),
			})
		}
	}
	return all
}

// elsewhere returns a renaming for each resource of all input files that the where-expressions
// select, with its current name.
func (r *renamer) elsewhere() []renaming {
	p, ok := r.provider.(interface {
		InputResources() []api.ResourceInfo
		InputDocuments() gaby.Container
	})
	var all []renaming
	switch excluded := handler.ExcludedOf(r.fc); {
	case !ok:
	case excluded == nil:
		for _, info := range p.InputResources() {
			if name := string(info.ResourceNameWithoutScope); name != "" {
				all = append(all, renaming{newResource(nil, info), name})
			}
		}
	default:
		for _, n := range r.resources(p.InputDocuments()) {
			if selected, err := excluded.Selects(n.doc); err == nil && selected {
				n.doc = nil
				all = append(all, n)
			}
		}
	}
	return all
}

// check returns errors for new names that are invalid or taken.
func (r *renamer) check() error {
	type key struct{ kind, namespace, name string }
	renamed := make(map[*gaby.YamlDoc]string, len(r.all))
	for i := range r.all {
		renamed[r.all[i].doc] = r.all[i].name
	}
	holders := map[key]*renaming{} // by name after renaming
	others := r.resources(r.unit)
	var problems []error
	for i := range others {
		n := &others[i]
		kind := unit.GroupKind(n.info.ResourceType)
		if name, ok := renamed[n.doc]; ok && name != n.name {
			n.name = name
			if err := unit.CheckResourceName(r.provider, n.info.ResourceType, name); err != nil {
				problems = append(problems, n.failure("", "%v", err))
				continue
			}
			for _, other := range otherInputs(r.fc, r.provider, kind, name) {
				if string(other.ResourceName) == n.namespace+"/"+name {
					problems = append(problems, n.failure("",
						"%s of %s:%d and %s would both be called %s", name, other.File,
						other.Line, n.old(), name))
				}
			}
		}
		k := key{kind, n.namespace, n.name}
		if other := holders[k]; other == nil {
			holders[k] = n
		} else if n.name != n.old() || other.name != other.old() {
			problems = append(problems, n.failure("", "%s and %s would both be called %s",
				other.old(), n.old(), n.name))
		}
	}
	return errors.Join(problems...)
}

// run checks and makes all renamings. It returns the number of resources and references.
func (r *renamer) run() (int, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	type key struct{ kind, name string }
	byName := map[key][]*renaming{}
	named := map[*gaby.YamlDoc]bool{}
	matches := 0
	for i := range r.all {
		n := &r.all[i]
		k := key{unit.GroupKind(n.info.ResourceType), n.old()}
		byName[k] = append(byName[k], n)
		if n.doc != nil {
			named[n.doc] = true
			matches++
		}
	}
	references, err := unit.SetReferences(r.unit, r.provider,
		func(ref *unit.Reference) (string, bool) {
			if named[ref.Match.Doc] &&
				slices.Equal(ref.Match.Segments, []string{"metadata", "name"}) {
				return "", false // the resource itself gets its name below
			}
			for _, t := range ref.Types {
				for _, n := range byName[key{unit.GroupKind(t), ref.Name}] {
					if n.namespace == "" || ref.Namespace == "" || n.namespace == ref.Namespace {
						return n.name, true
					}
				}
			}
			return "", false
		})
	problems := []error{err}
	for _, n := range r.all {
		if n.doc != nil && n.name != n.old() {
			_, err := n.doc.Set(n.name, "metadata", "name")
			problems = append(problems, err)
		}
	}
	r.noteHosts()
	return matches + references, errors.Join(problems...)
}
