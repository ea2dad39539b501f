package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/unit"
)

// renaming is the new name of a resource. doc is nil if the resource is not in this unit.
type renaming struct {
	doc       *gaby.YamlDoc
	info      api.ResourceInfo
	namespace string
	name      string
}

// old returns the current name of the resource.
func (r *renaming) old() string { return string(r.info.ResourceNameWithoutScope) }

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
		info, err := r.provider.ResourceInfo(doc)
		if err != nil || !doc.ExistsP("metadata.name") {
			continue
		}
		namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
		all = append(all, renaming{doc, info, namespace, string(info.ResourceNameWithoutScope)})
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
	switch selection := handler.ExcludedOf(r.fc); {
	case !ok:
	case selection == nil:
		for _, info := range p.InputResources() {
			if info.ResourceNameWithoutScope == "" {
				continue
			}
			namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
			all = append(all, renaming{nil, info, namespace, string(info.ResourceNameWithoutScope)})
		}
	default:
		for _, n := range r.resources(p.InputDocuments()) {
			if selected, err := selection.Selects(n.doc); err == nil && selected {
				n.doc = nil
				all = append(all, n)
			}
		}
	}
	return all
}

// position returns the position of the resource's name.
func (r *renaming) position() api.Position {
	return r.doc.Value().Get("metadata").Get("name").Position()
}

// check returns errors for new names that are invalid or taken.
func (r *renamer) check() error {
	type place struct{ kind, namespace, name string }
	renamed := make(map[*gaby.YamlDoc]string, len(r.all))
	for i := range r.all {
		renamed[r.all[i].doc] = r.all[i].name
	}
	holders := map[place]*renaming{} // by name after renaming
	others := r.resources(r.unit)
	var problems []error
	fail := func(n *renaming, message, hint string) {
		problems = append(problems, &api.Failure{
			Class: api.FailureFunction, Resource: n.info.String(), Path: "metadata.name",
			Pos: n.position(), Message: message, Hint: hint,
		})
	}
	for i := range others {
		n := &others[i]
		kind := unit.GroupKind(n.info.ResourceType)
		if name, ok := renamed[n.doc]; ok && name != n.name {
			n.name = name
			if err := unit.CheckResourceName(r.provider, n.info.ResourceType, name); err != nil {
				fail(n, err.Error(), "")
				continue
			}
			for _, other := range otherInputs(r.fc, r.provider, kind, name) {
				if string(other.ResourceName) == n.namespace+"/"+name {
					fail(n,
						fmt.Sprintf("%s of %s:%d and %s would both be called %s", name, other.File,
							other.Line, n.old(), name), "")
				}
			}
		}
		k := place{kind, n.namespace, n.name}
		if other := holders[k]; other == nil {
			holders[k] = n
		} else if n.name != n.old() || other.name != other.old() {
			fail(n, fmt.Sprintf("%s and %s would both be called %s", other.old(), n.old(), n.name),
				"")
		}
	}
	return errors.Join(problems...)
}

// run checks and makes all renamings.
func (r *renamer) run() error {
	if err := r.check(); err != nil {
		return err
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
	r.fc.Matched(matches + references)
	r.noteHosts()
	return errors.Join(problems...)
}
