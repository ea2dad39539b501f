package kubernetes

import (
	"cmp"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/namespaces"
	"github.com/fctl-dev/fctl/internal/references"
)

// renaming is a resource and its new name.
type renaming struct {
	namespaces.NamedResource
	name    string
	outside bool // the input does not have it
}

// renamer renames resources of a unit and the references to them.
type renamer struct {
	call     *handler.Call
	provider configkit.ResourceProvider
	unit     gaby.Container
	all      []renaming
	inputs   *schemas.ResourceIndex // the resources of all input files
	// affix returns the new name of resources in other input files; nil if they keep theirs.
	affix func(name string) string
}

func newRenamer(c *handler.Call, provider configkit.ResourceProvider) *renamer {
	r := &renamer{
		call: c, provider: provider, unit: c.Unit(), inputs: schemas.IndexResources(nil),
	}
	if p, ok := provider.(schemas.InputProvider); ok {
		r.inputs = p.Inputs()
	}
	return r
}

// resources returns a renaming for each resource in docs, with its current name.
func (r *renamer) resources(docs gaby.Container) []renaming {
	var all []renaming
	for _, doc := range docs {
		if info, err := r.provider.ResourceInfo(doc); err == nil && doc.ExistsP("metadata.name") {
			all = append(all, renaming{
				namespaces.NewResource(doc, info), string(info.ResourceNameWithoutScope), false,
			})
		}
	}
	return all
}

// elsewhere returns the name that the function gives to a resource in another input file, and
// reports whether there is one.
func (r *renamer) elsewhere(kind, namespace, name string) (string, bool) {
	if r.affix == nil {
		return "", false
	}
	for _, in := range r.inputs.In(kind, namespace, name) {
		if !keepsName(in.ResourceType) && r.selects(in) {
			return r.affix(name), true
		}
	}
	return "", false
}

// selects reports whether the where-expressions select a resource of an input file.
func (r *renamer) selects(in schemas.InputResource) bool {
	excluded := handler.ExcludedOf(r.call.FunctionContext)
	if excluded == nil {
		return true
	}
	p, ok := r.provider.(schemas.InputProvider)
	if !ok {
		return false
	}
	selected, err := excluded.Selects(p.InputDocument(in))
	return err == nil && selected
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
		kind := configkit.GroupKind(n.Info.ResourceType)
		if name, ok := renamed[n.Doc]; ok && name != n.name {
			n.name = name
			if err := references.CheckName(r.provider, n.Info.ResourceType, name); err != nil {
				problems = append(problems, n.Failure("", "%v", err))
				continue
			}
			for _, other := range namespaces.OtherInputs(
				r.call.FunctionContext, r.provider, kind, n.Namespace, name,
			) {
				problems = append(problems, n.Failure("",
					"%s of %s:%d and %s would both be called %s", name, other.File,
					other.Line, n.Name(), name))
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
	type key struct{ kind, namespace, name string }
	names := map[key]string{} // new names
	named := map[*gaby.YamlDoc]bool{}
	matches, outside := 0, false
	for i := range r.all {
		n := &r.all[i]
		outside = outside || n.outside
		kind := configkit.GroupKind(n.Info.ResourceType)
		names[key{kind, n.Namespace, n.Name()}] = n.name
		names[key{kind, schemas.Anywhere, n.Name()}] = n.name
		if n.Doc != nil {
			named[n.Doc] = true
			matches++
		}
	}
	renamed := func(kind, namespace, name string) (string, bool) {
		if to, ok := names[key{kind, namespace, name}]; ok {
			return to, true
		}
		return r.elsewhere(kind, namespace, name)
	}
	makers := r.makers()
	changed, err := references.Set(r.unit, r.provider,
		func(ref *references.Reference) (string, bool) {
			if named[ref.Match.Doc] &&
				slices.Equal(ref.Match.Segments, []string{"metadata", "name"}) {
				return "", false // the resource itself gets its name below
			}
			for _, t := range ref.Types {
				kind := configkit.GroupKind(t)
				// A namespace that is not known is like any other.
				namespaces := []string{cmp.Or(ref.Namespace, schemas.Anywhere), ""}
				if in, stated := ref.Match.Part("namespace"); stated && in != ref.Name && outside {
					// Only that one is meant: another run must not rename more.
					namespaces = namespaces[:1]
				}
				for _, namespace := range namespaces {
					if to, ok := renamed(kind, namespace, ref.Name); ok {
						return to, true
					}
				}
			}
			if makers == nil {
				return "", false
			}
			return makers.MadeName(ref, renamed)
		})
	hosts, hostsErr := namespaces.RenameHosts(r.unit, hostPaths(r.provider), r.provider,
		func(namespace, name string) (to string, ok bool) {
			for _, kind := range serviceKinds() {
				if to, ok = renamed(kind, namespace, name); ok {
					break
				}
			}
			return to, ok
		})
	changed += hosts
	problems := []error{err, hostsErr}
	if makers != nil {
		labels, err := references.NewSelectorSurvey(
			r.provider, r.unit, handler.InputFile(r.call.FunctionContext),
		).Rename(r.unit, renamed)
		changed += labels
		problems = append(problems, err)
	}
	for _, n := range r.all {
		if n.Doc != nil && n.name != n.Name() {
			_, err := n.Doc.Set(n.name, "metadata", "name")
			problems = append(problems, err)
		}
	}
	r.noteHosts(makers, renamed)
	return matches + changed, errors.Join(problems...)
}

// makers returns the survey of the resources that make others, nil if no renamed one does.
func (r *renamer) makers() *references.Survey {
	makes := func(t api.ResourceType) bool {
		return namespaces.IsCustom(t) || configkit.GroupKind(t) == "apps/StatefulSet"
	}
	if !slices.ContainsFunc(r.all, func(n renaming) bool {
		return n.name != n.Name() && makes(n.Info.ResourceType)
	}) && (r.affix == nil || !slices.ContainsFunc(r.inputs.Types(), makes)) {
		return nil
	}
	return references.NewSurvey(r.provider, r.unit, handler.InputFile(r.call.FunctionContext))
}
