package kubernetes

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/kubernetes/namespaces"
	"github.com/fctl-dev/fctl/functions/unit"
)

// renaming is a resource and its new name.
type renaming struct {
	namespaces.Resource
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
				namespaces.NewResource(doc, info), string(info.ResourceNameWithoutScope),
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
				all = append(all, renaming{namespaces.NewResource(nil, info), name})
			}
		}
	default:
		for _, n := range r.resources(p.InputDocuments()) {
			if selected, err := excluded.Selects(n.Doc); err == nil && selected {
				n.Doc = nil
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
		renamed[r.all[i].Doc] = r.all[i].name
	}
	holders := map[key]*renaming{} // by name after renaming
	others := r.resources(r.unit)
	var problems []error
	for i := range others {
		n := &others[i]
		kind := unit.GroupKind(n.Info.ResourceType)
		if name, ok := renamed[n.Doc]; ok && name != n.name {
			n.name = name
			if err := unit.CheckResourceName(r.provider, n.Info.ResourceType, name); err != nil {
				problems = append(problems, n.Failure("", "%v", err))
				continue
			}
			for _, other := range namespaces.OtherInputs(r.fc, r.provider, kind, name) {
				if string(other.ResourceName) == n.Namespace+"/"+name {
					problems = append(problems, n.Failure("",
						"%s of %s:%d and %s would both be called %s", name, other.File,
						other.Line, n.Name(), name))
				}
			}
		}
		k := key{kind, n.Namespace, n.name}
		if other := holders[k]; other == nil {
			holders[k] = n
		} else if n.name != n.Name() || other.name != other.Name() {
			problems = append(problems, n.Failure("", "%s and %s would both be called %s",
				other.Name(), n.Name(), n.name))
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
		k := key{unit.GroupKind(n.Info.ResourceType), n.Name()}
		byName[k] = append(byName[k], n)
		if n.Doc != nil {
			named[n.Doc] = true
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
					if n.Namespace == "" || ref.Namespace == "" || n.Namespace == ref.Namespace {
						return n.name, true
					}
				}
			}
			return "", false
		})
	problems := []error{err}
	for _, n := range r.all {
		if n.Doc != nil && n.name != n.Name() {
			_, err := n.Doc.Set(n.name, "metadata", "name")
			problems = append(problems, err)
		}
	}
	r.noteHosts()
	return matches + references, errors.Join(problems...)
}
