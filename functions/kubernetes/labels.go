package kubernetes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	attributeWorkloadLabels    api.AttributeName = "workload-labels"
	attributePodTemplateLabels api.AttributeName = "pod-template-labels"
	attributePodLabelSelector  api.AttributeName = "pod-label-selector"
)

func getWorkloadLabelsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{FunctionSignature: api.FunctionSignature{
		FunctionName: "get-workload-labels",
		Description: "Get the labels of the pods of workloads and the labels by which " +
			"resources select pods",
		FunctionType:  api.FunctionTypePathVisitor,
		AttributeName: attributeWorkloadLabels,
		Examples:      []string{"get-workload-labels"},
	}}, "labels", "the labels of pods and the selectors of pods, each a map",
		func(c *handler.Call) (api.AttributeValueList, error) {
			return yamlkit.GetPathsAnyType(c.Docs, provider.AttributePaths(attributeWorkloadLabels),
				nil, provider, api.DataTypeYAML)
		})
}

func setWorkloadLabelsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	pattern := func(parameter string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp {
			declared := generic.ParameterOf(provider, "label-value", parameter)
			return regexp.MustCompile(declared.Regexp)
		})
	}
	key, value := pattern("label-key"), pattern("label-value")
	read := func(args []api.FunctionArgument) ([]assignment, error) {
		return assignments(args, func(a *assignment) string {
			switch {
			case a.name == "*" || !key().MatchString(a.name):
				return "has a key that no label can have"
			case !value().MatchString(a.value):
				return "has a value that no label can have"
			}
			return ""
		})
	}
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-workload-labels",
			Parameters: []api.FunctionParameter{
				assignmentParameter("a label", "app.kubernetes.io/part-of=shop", "label-key-value"),
			},
			VarArgs: true,
			Description: "Set and remove labels of the pods of workloads, also in selectors " +
				"that find pods of the unit. A selector gets no new labels if the unit has no pods",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeWorkloadLabels,
			Examples: []string{
				"set-workload-labels tier=front app.kubernetes.io/part-of=shop",
				"set-workload-labels tier-",
			},
		},
		CheckArguments: handler.Parses(read),
	}, func(c *handler.Call) (int, error) {
		labels, err := read(c.Args)
		if err != nil {
			return 0, err
		}
		return editLabels(c, provider, labels)
	})
}

// editLabels edits the label maps of pods and of what selects pods, and returns their number.
// Missing maps are created, except selectors of resources that are not workloads: a Service without
// a selector, or with one that selects all pods, is so for a reason.
func editLabels(
	c *handler.Call, provider configkit.ResourceProvider, labels []assignment,
) (int, error) {
	templates := provider.AttributePaths(attributePodTemplateLabels)
	pods, err := podLabels(c.Docs, templates, provider)
	if err != nil {
		return 0, err
	}
	immutable := provider.AttributePaths("immutable")
	matches, refused := 0, 0
	onlyRemoves := !slices.ContainsFunc(labels, func(a assignment) bool { return !a.remove })
	options := yamlkit.EditOptions{Upsert: true, InOrder: true}
	_, err = yamlkit.EditPaths(c.Docs, provider.AttributePaths(attributeWorkloadLabels), nil,
		provider, options, func(p *yamlkit.Match) error {
			foreign := p.Info().AttributeName == attributePodLabelSelector &&
				len(templates.PathsOf(p.Resource.ResourceType)) == 0
			switch {
			case isMissing(p) && (onlyRemoves || foreign), foreign && !p.Value.First().Exists():
				return nil
			case foreign && len(pods) == 0:
				known := slices.DeleteFunc(slices.Clone(labels), func(a assignment) bool {
					return !p.Value.Get(a.name).Exists()
				})
				noteSelector(c, p,
					"selects pods that are not here, so it gets none of the labels that it does "+
						"not have already")
				if len(known) == 0 {
					return nil
				}
				matches++
				return setLabels(c, p, known)
			case foreign && !pods.selectedBy(p.Value):
				noteSelector(c, p, "selects none of the pods here, so it is left alone")
				return nil
			}
			matches++
			if isBelow(p, immutable) && changesLabels(p.Value, labels) {
				refused++
			}
			return setLabels(c, p, labels)
		})
	if refused > 0 {
		c.NoteSum("changed immutable labels of ", refused, "resource",
			": a cluster refuses that for a resource that exists")
	}
	return matches, err
}

// isBelow reports whether a match is below one of the paths of its resource type.
func isBelow(p *yamlkit.Match, paths configkit.PathSource) bool {
	return slices.ContainsFunc(paths.PathsOf(p.Resource.ResourceType),
		func(above *api.PathVisitorInfo) bool {
			return strings.HasPrefix(string(p.Path()), string(above.Path)+".")
		})
}

// changesLabels reports whether setting and removing labels changes a map.
func changesLabels(present gaby.Value, labels []assignment) bool {
	return slices.ContainsFunc(labels, func(a assignment) bool {
		old := present.Get(a.name)
		return old.Exists() == a.remove || !a.remove && old.Text() != a.value
	})
}

// noteSelector reports what a selector selects and what was done about it.
func noteSelector(c *handler.Call, p *yamlkit.Match, text string) {
	pos := p.Value.Position()
	c.Note(pos, fmt.Sprintf("%s: %s %s", p.Resource, p.Path(), text))
}

// setLabels sets and removes labels in a map.
func setLabels(c *handler.Call, p *yamlkit.Match, labels []assignment) error {
	for i := range labels {
		labels[i].noteEmptied(c, p.Value.Get(labels[i].name).Text() != "")
		at := append(p.Segments[:len(p.Segments):len(p.Segments)], labels[i].name)
		var err error
		switch {
		case !labels[i].remove:
			_, err = p.Doc.Set(labels[i].value, at...)
		case p.Doc.Exists(at...):
			err = p.Doc.Delete(at...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// labelSets holds the labels of pods under each label of theirs and, under no label, of all pods.
type labelSets map[label][]map[string]string

type label struct{ key, value string }

// podLabels returns the labels of the pods that resources create.
func podLabels(
	docs gaby.Container, templates configkit.PathSource, provider configkit.ResourceProvider,
) (labelSets, error) {
	sets := labelSets{}
	_, err := yamlkit.VisitPathsDoc(docs, templates, nil, nil, provider,
		func(_ *gaby.YamlDoc, _ any, _ yamlkit.VisitorContext, labels *gaby.YamlDoc) (any, error) {
			set := map[string]string{}
			for _, e := range labels.Value().All() {
				set[e.Key()] = e.Text()
			}
			sets[label{}] = append(sets[label{}], set)
			for key, value := range set {
				sets[label{key, value}] = append(sets[label{key, value}], set)
			}
			return nil, nil
		}, false)
	return sets, err
}

// selectedBy reports whether a selector selects any of the pods.
func (s labelSets) selectedBy(selector gaby.Value) bool {
	pods := s[label{}]
	for _, e := range selector.All() {
		if with := s[label{e.Key(), e.Text()}]; len(with) < len(pods) {
			pods = with
		}
	}
	return slices.ContainsFunc(pods, func(pod map[string]string) bool {
		for _, e := range selector.All() {
			if value, ok := pod[e.Key()]; !ok || value != e.Text() {
				return false
			}
		}
		return true
	})
}
