package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/namespaces"
	"github.com/fctl-dev/fctl/internal/references"
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
		generic.ParameterOf(provider, "metadata-name", parameterName).Regexp)
}

func setNameFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-name",
			Parameters: []api.FunctionParameter{
				generic.ParameterOf(provider, "metadata-name", parameterName),
			},
			Description: "Set the name of a resource, and of what refers to it in the same file. " +
				"Several resources of a type cannot get one name: --kind and --name select one",
			AttributeName: "metadata-name",
			Examples:      []string{"set-name web"},
		},
		ValueParameter: parameterName,
	}, func(c *handler.Call) (int, error) {
		r := newRenamer(c, provider)
		name := c.Args.String(parameterName)
		if err := r.refuseSeveral(name); err != nil {
			return 0, err
		}
		for _, n := range r.resources(c.Docs) {
			n.name = name
			r.all = append(r.all, n)
		}
		return r.run()
	})
}

// refuseSeveral returns an error if several resources of a type would get the same name.
func (r *renamer) refuseSeveral(name string) error {
	own := r.resources(r.call.Docs)
	names := map[string]map[string]bool{} // current names in the unit, by kind
	for i := range own {
		kind := configkit.GroupKind(own[i].Info.ResourceType)
		if names[kind] == nil {
			names[kind] = map[string]bool{}
		}
		names[kind][own[i].Name()] = true
	}
	for i := range own {
		n := &own[i]
		kind := configkit.GroupKind(n.Info.ResourceType)
		all := slices.Sorted(maps.Keys(names[kind]))
		count := len(all)
		first, others := r.otherNames(kind, names[kind])
		if count += others; count == 1 {
			continue
		}
		all = slices.Sorted(slices.Values(append(all, first...)))
		other := n.Name()
		if other == name {
			other = all[slices.IndexFunc(all, func(old string) bool { return old != name })]
		}
		return n.Failure(
			fmt.Sprintf("--kind and --name select one; 'rename-resource %s %s %s' renames one "+
				"with its references",
				n.Info.ResourceType, other, name),
			"%d resources of type %s would all be called %s: %s", count, n.Info.ResourceType,
			name, namespaces.ShortList(all, count))
	}
	return nil
}

// otherNames returns the first names of the resources of a kind that the where-expressions select
// in the input files, and the number of all, without those in own.
func (r *renamer) otherNames(kind string, own map[string]bool) (first []string, count int) {
	all := r.inputs.Names(kind)
	if excluded := handler.ExcludedOf(r.call.FunctionContext); excluded != nil && len(all) > 0 {
		type key struct{ kind, where string }
		p, _ := r.provider.(schemas.InputProvider)
		all, _ = p.FromInputs(key{kind, excluded.Where}, func() any {
			return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return !slices.ContainsFunc(r.inputs.In(kind, schemas.Anywhere, name),
					r.selects)
			})
		}).([]string)
	}
	count = len(all)
	for name := range own {
		if _, found := slices.BinarySearch(all, name); found {
			count--
		}
	}
	for _, name := range all {
		if len(first) > namespaces.ShownNames {
			break
		}
		if !own[name] {
			first = append(first, name)
		}
	}
	return first, count
}

func renameResourceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
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
				"other values stay, and a note names each",
			Examples: []string{"rename-resource v1/ConfigMap settings settings-v2"},
		},
		ValueParameter: parameterNewName,
		AllFiles:       true,
		CheckArguments: func(args []api.FunctionArgument) error {
			a := handler.Arguments(args)
			t := api.ResourceType(a.String("resource-type"))
			if !isTypeName(string(t)) {
				return notAType("resource-type", string(t))
			}
			return references.CheckNewName(provider, t, parameterNewName, a.String(parameterNewName))
		},
	}, func(c *handler.Call) (int, error) {
		r := newRenamer(c, provider)
		t, to := api.ResourceType(c.Args.String("resource-type")), c.Args.String(parameterNewName)
		from := c.Args.String(parameterOldName)
		isMeant := func(n renaming) bool {
			return configkit.SameKind(n.Info.ResourceType, t) && n.Name() == from
		}
		var found []string
		for _, n := range r.resources(c.Docs) {
			if isMeant(n) {
				n.name = to
				r.all = append(r.all, n)
				found = append(found, string(n.Info.ResourceName))
			}
		}
		switch {
		case len(found) > 1:
			return 0, r.all[1].Failure("--namespace selects one", "there are several: %s",
				namespaces.ShortList(found, len(found)))
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
	for _, in := range r.inputs.In(configkit.GroupKind(t), schemas.Anywhere, from) {
		if r.selects(in) {
			all = append(all, renaming{namespaces.NewResource(nil, in.ResourceInfo), to, false})
		}
	}
	if len(all) == 0 {
		info := api.ResourceInfo{ResourceType: t, ResourceNameWithoutScope: api.ResourceName(from)}
		all = append(all, renaming{namespaces.NewResource(nil, info), to, true})
	}
	return all
}

// noteSimilarType reports a type of the input that may be meant if the given one is neither in the
// input nor known to Kubernetes.
func (r *renamer) noteSimilarType(t api.ResourceType) {
	if p, ok := r.provider.(schemas.InputProvider); ok && p.Scope(t) != configkit.ScopeUnknown {
		return
	}
	types := map[string]bool{}
	for _, n := range r.resources(r.unit) {
		types[string(n.Info.ResourceType)] = true
	}
	for _, other := range r.inputs.Types() {
		types[string(other)] = true
	}
	for other := range types {
		if configkit.SameKind(api.ResourceType(other), t) {
			return
		}
	}
	if hint := configkit.DidYouMean("",
		configkit.Suggest(string(t), slices.Sorted(maps.Keys(types)))); hint != "" {
		r.call.NoteOnce(fmt.Sprintf("no resource is of type %s; %s",
			configkit.Abbreviate(string(t)), hint))
	}
}

// keepsName reports whether resources of a type keep their names when all others get a prefix or
// suffix, because their names have a meaning.
func keepsName(t api.ResourceType) bool {
	switch configkit.GroupKind(t) {
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
	return handler.Editing(handler.FunctionRegistration{
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
		AllFiles: true,
	}, func(c *handler.Call) (int, error) {
		r := newRenamer(c, provider)
		r.affix = func(name string) string { return add(c.Args.String(affix), name) }
		for _, n := range r.resources(c.Docs) {
			if !keepsName(n.Info.ResourceType) {
				n.name = r.affix(n.name)
				r.all = append(r.all, n)
			}
		}
		return r.run()
	})
}
