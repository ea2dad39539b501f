package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/kubernetes/namespaces"
	"github.com/fctl-dev/fctl/functions/unit"
)

const (
	parameterName    = "name"
	parameterOldName = "old-name"
	parameterNewName = "new-name"
)

// nameParameter returns a parameter for anything that can be a name. What the type allows is
// checked once the type is known.
func nameParameter(
	provider configkit.ResourceProvider, name, example, description string,
) api.FunctionParameter {
	return textParameter(name, example, description,
		parameterOf(provider, "metadata-name", parameterName).Regexp)
}

func setNameFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return mutating(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-name",
			Parameters: []api.FunctionParameter{
				parameterOf(provider, "metadata-name", parameterName),
			},
			Description: "Set the name of a resource, and of what refers to it in the same file. " +
				"Several resources of a type cannot get one name: --kind and --name select one",
			AttributeName: "metadata-name",
			Examples:      []string{"set-name web"},
		},
		ValueParameter: parameterName,
	}, func(fc *api.FunctionContext, docs gaby.Container, a handler.Arguments) (int, error) {
		r := newRenamer(fc, provider, docs)
		name := a.String(parameterName)
		if err := r.refuseSeveral(name); err != nil {
			return 0, err
		}
		for _, n := range r.resources(docs) {
			n.name = name
			r.all = append(r.all, n)
		}
		return r.run()
	})
}

// refuseSeveral returns an error if several resources of a type would get the same name.
func (r *renamer) refuseSeveral(name string) error {
	own := r.resources(r.selected)
	names := map[string][]string{} // current names, by kind
	for _, n := range slices.Concat(own, r.elsewhere()) {
		if kind := unit.GroupKind(n.Info.ResourceType); !slices.Contains(names[kind], n.Name()) {
			names[kind] = append(names[kind], n.Name())
		}
	}
	for i := range own {
		n := &own[i]
		all := names[unit.GroupKind(n.Info.ResourceType)]
		if len(all) == 1 {
			continue
		}
		slices.Sort(all)
		other := n.Name()
		if other == name {
			other = all[slices.IndexFunc(all, func(old string) bool { return old != name })]
		}
		return n.Failure(
			fmt.Sprintf("--kind and --name select one; 'rename-resource %s %s %s' renames one "+
				"with its references",
				n.Info.ResourceType, other, name),
			"%d resources of type %s would all be called %s: %s", len(all), n.Info.ResourceType,
			name, shortList(all))
	}
	return nil
}

// shortList returns the first few names and the number of the others.
func shortList(names []string) string {
	const most = 5
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "/")
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func renameResourceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return mutating(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "rename-resource",
			Parameters: []api.FunctionParameter{
				textParameter("resource-type", "v1/ConfigMap",
					"type of the resource, of any version", ""),
				nameParameter(provider, parameterOldName, "settings",
					"name of the resource, without its namespace"),
				nameParameter(provider, parameterNewName, "settings-v2", "its new name"),
			},
			Description: "Rename a resource and all references to it. Of several files, those " +
				"without the resource have their references changed. Host names of a Service in " +
				"other values stay and are counted",
			Examples: []string{"rename-resource v1/ConfigMap settings settings-v2"},
		},
		ValueParameter: parameterNewName,
		CheckArguments: func(args []api.FunctionArgument) error {
			a := handler.Arguments(args)
			t := api.ResourceType(a.String("resource-type"))
			if !isTypeName(string(t)) {
				return notAType("resource-type", string(t))
			}
			return unit.CheckNewName(provider, t, parameterNewName, a.String(parameterNewName))
		},
	}, func(fc *api.FunctionContext, docs gaby.Container, a handler.Arguments) (int, error) {
		r := newRenamer(fc, provider, docs)
		t, to := api.ResourceType(a.String("resource-type")), a.String(parameterNewName)
		from := a.String(parameterOldName)
		isMeant := func(n renaming) bool {
			return unit.SameKind(n.Info.ResourceType, t) && n.Name() == from
		}
		var found []string
		for _, n := range r.resources(docs) {
			if isMeant(n) {
				n.name = to
				r.all = append(r.all, n)
				found = append(found, string(n.Info.ResourceName))
			}
		}
		switch {
		case len(found) > 1:
			return 0, r.all[1].Failure("--namespace selects one", "there are several: %s",
				shortList(found))
		case len(found) == 0 && !slices.ContainsFunc(r.resources(r.unit), isMeant):
			// It is not in the unit, not even among the resources that are not selected.
			r.all = r.inOtherFiles(t, from, to)
			r.noteSimilarType(t)
		}
		return r.run()
	})
}

// inOtherFiles returns the renamings of resources in other files. If there is no such resource, it
// returns one for a resource outside the input, so that references to it are renamed.
func (r *renamer) inOtherFiles(t api.ResourceType, from, to string) []renaming {
	var all []renaming
	for _, n := range r.elsewhere() {
		if unit.SameKind(n.Info.ResourceType, t) && n.Name() == from {
			n.name = to
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		info := api.ResourceInfo{ResourceType: t, ResourceNameWithoutScope: api.ResourceName(from)}
		all = append(all, renaming{namespaces.NewResource(nil, info), to})
	}
	return all
}

// noteSimilarType reports a type of the input that may be meant if the given one is neither in the
// input nor known to Kubernetes.
func (r *renamer) noteSimilarType(t api.ResourceType) {
	if p, ok := r.provider.(interface {
		Scope(t api.ResourceType) configkit.Scope
	}); ok && p.Scope(t) != configkit.ScopeUnknown {
		return
	}
	var types []string
	for _, n := range slices.Concat(r.resources(r.unit), r.elsewhere()) {
		if unit.SameKind(n.Info.ResourceType, t) {
			return
		}
		types = append(types, string(n.Info.ResourceType))
	}
	slices.Sort(types)
	if hint := configkit.DidYouMean("",
		configkit.Suggest(string(t), slices.Compact(types))); hint != "" {
		r.fc.NoteOnce(fmt.Sprintf("no resource is of type %s; %s", configkit.Abbreviate(string(t)),
			hint))
	}
}

// keepsName reports whether resources of a type keep their names when all others get a prefix or
// suffix, because their names have a meaning.
func keepsName(t api.ResourceType) bool {
	switch unit.GroupKind(t) {
	case "Namespace", "apiextensions.k8s.io/CustomResourceDefinition",
		"apiregistration.k8s.io/APIService":
		return true
	}
	return false
}

func setNamePrefixFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return affixFunction(provider, "prefix", "staging-", func(affix, name string) string {
		return affix + strings.TrimPrefix(name, affix)
	})
}

func setNameSuffixFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return affixFunction(provider, "suffix", "-staging", func(affix, name string) string {
		return strings.TrimSuffix(name, affix) + affix
	})
}

func affixFunction(
	provider configkit.ResourceProvider, affix, example string, add func(affix, name string) string,
) handler.FunctionRegistration {
	return mutating(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-name-" + affix,
			Parameters: []api.FunctionParameter{
				nameParameter(provider, affix, example,
					"what the names get; those that have it already stay"),
			},
			Description: "Give the names of resources, and of what refers to them, a " + affix +
				". Namespaces, CustomResourceDefinitions and APIServices keep theirs",
			Examples: []string{"set-name-" + affix + " --" + affix + "=" + example},
		},
	}, func(fc *api.FunctionContext, docs gaby.Container, a handler.Arguments) (int, error) {
		r := newRenamer(fc, provider, docs)
		for _, n := range slices.Concat(r.resources(docs), r.elsewhere()) {
			if !keepsName(n.Info.ResourceType) {
				n.name = add(a.String(affix), n.name)
				r.all = append(r.all, n)
			}
		}
		return r.run()
	})
}
