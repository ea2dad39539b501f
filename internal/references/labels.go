package references

import (
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/namespaces"
)

// labelled is something that label selectors select: a pod that a resource describes, or a Service.
type labelled struct {
	resource string
	labels   gaby.Value
	spec     gaby.Value // of the pod or the Service
}

// labelKey is a namespace with a label, or with a key or a directory only. The namespace
// [schemas.Anywhere] is that of everything.
type labelKey struct{ namespace, key, value string }

// labelIndex finds what has labels. No list of it grows without limit where only examples are
// wanted.
type labelIndex struct {
	by      map[labelKey][]*labelled
	withKey map[labelKey][]*labelled // at most mostExamples each
	dirs    map[labelKey]bool        // in which there is something with labels
}

const mostExamples = 32

func newLabelIndex() *labelIndex {
	return &labelIndex{
		map[labelKey][]*labelled{}, map[labelKey][]*labelled{}, map[labelKey]bool{},
	}
}

// add adds something of a namespace in a directory.
func (x *labelIndex) add(one *labelled, namespace, dir string) {
	x.dirs[labelKey{namespace, dir, ""}] = true
	for _, n := range []string{namespace, schemas.Anywhere} {
		for _, l := range one.labels.All() {
			key := labelKey{n, l.Key(), l.Text()}
			x.by[key] = append(x.by[key], one)
			key.value = ""
			if with := x.withKey[key]; len(with) < mostExamples {
				x.withKey[key] = append(with, one)
			}
		}
	}
}

// lookedUp returns the namespaces to look in for what may be in one: a namespace that is not known
// is like any other.
func lookedUp(namespace string) []string {
	if namespace == "" || namespace == schemas.Anywhere {
		return []string{schemas.Anywhere}
	}
	return []string{namespace, ""}
}

// selected returns what a selector selects in a namespace. The selector has labels.
func (x *labelIndex) selected(s podSelector, namespace string) (all []*labelled) {
	for _, n := range lookedUp(namespace) {
		var least []*labelled
		for i, l := range s.labels {
			if with := x.by[labelKey{n, l.Key(), l.Text()}]; i == 0 || len(with) < len(least) {
				least = with
			}
		}
		for _, one := range least {
			if s.selects(one.labels) {
				all = append(all, one)
			}
		}
	}
	return all
}

// nearest returns what has most of the labels of a selector, or a label that looks like one of them
// but for a slip. It compares few of many.
func (x *labelIndex) nearest(s podSelector, namespace string) (best *labelled, slip bool) {
	most := 0
	for _, n := range lookedUp(namespace) {
		for _, l := range s.labels {
			with := x.by[labelKey{n, l.Key(), l.Text()}]
			for _, one := range with[:min(len(with), mostExamples)] {
				if has := len(s.labels) - len(s.lacking(one.labels)); has > most {
					best, most = one, has
				}
			}
		}
	}
	for _, n := range lookedUp(namespace) {
		for _, l := range s.labels {
			for _, one := range x.withKey[labelKey{n, l.Key(), ""}] {
				lacks := s.lacking(one.labels)
				if len(lacks) == 1 && lacks[0].Key() == l.Key() &&
					len(configkit.LikelyTypos(l.Text(),
						[]string{one.labels.Get(l.Key()).Text()})) > 0 {
					return one, true
				}
			}
		}
	}
	return best, false
}

// labelledOf are the pods, Services and Namespaces of documents, and what else decides which labels pods have.
type labelledOf struct {
	pods, services, namespaces *labelIndex
	// custom resources that may make pods, by namespace and name or kind in small letters
	custom map[[2]string][]maker
	added  map[string]bool // labels that kustomizations add
}

// labelledIn surveys documents. file returns the file of the document at an index.
func labelledIn(
	provider configkit.ResourceProvider, docs gaby.Container, file func(i int) string,
) *labelledOf {
	all := &labelledOf{
		newLabelIndex(), newLabelIndex(), newLabelIndex(),
		map[[2]string][]maker{},
		map[string]bool{},
	}
	dirs := make(map[*gaby.YamlDoc]string, len(docs))
	for i, doc := range docs {
		h, err := doc.Header()
		if err != nil || doc.Check() != nil {
			continue
		}
		dirs[doc] = path.Dir(file(i))
		t := api.ResourceType(h.APIVersion + "/" + h.Kind)
		switch {
		case configkit.IsKustomization(h):
			all.addKustomization(doc.Value())
		case configkit.GroupKind(t) == "Namespace":
			all.namespaces.add(&labelled{
				h.Name, doc.Value().Get("metadata").Get("labels"), gaby.Value{},
			}, "", dirs[doc])
		case configkit.GroupKind(t) == "Service":
			all.services.add(&labelled{
				string(t) + " " + strings.TrimPrefix(h.Namespace+"/"+h.Name, "/"),
				doc.Value().Get("metadata").Get("labels"), doc.Value().Get("spec"),
			}, h.Namespace, dirs[doc])
		case namespaces.IsCustom(t) && makesPods(provider, t):
			by := maker{"", h.Namespace, h.Name, ""}
			if runsPods(provider, t) { // others are no more than possible
				by.kind = configkit.GroupKind(t)
			}
			for _, n := range []string{h.Namespace, schemas.Anywhere} {
				own, kind := [2]string{n, h.Name}, [2]string{n, strings.ToLower(h.Kind)}
				all.custom[own] = append(all.custom[own], by)
				all.custom[kind] = []maker{{}}
			}
		}
	}
	_ = yamlkit.VisitMatches(docs, provider.AttributePaths(attributePodLabels), nil, provider,
		func(p *yamlkit.Match) {
			n := len(p.Segments) - 2
			if p.Value.Kind() != gaby.Map || n < 0 || p.Segments[n] != "metadata" {
				return
			}
			spec := p.Doc.Search(append(slices.Clone(p.Segments[:n]), "spec")...).Value()
			if !spec.Get("containers").Exists() {
				return // an operator adds more labels and containers
			}
			namespace, _, _ := strings.Cut(string(p.Resource.ResourceName), "/")
			all.pods.add(&labelled{p.Resource.String(), p.Value, spec}, namespace, dirs[p.Doc])
		})
	return all
}

// makesPods reports whether resources of a custom type may make pods and their Services: they have
// images or replicas, or nothing is known that speaks against it. What selects, has host names or
// refers to Services is about pods that others make. The labels of the pods of a workload with a
// selector are known.
func makesPods(provider configkit.ResourceProvider, t api.ResourceType) bool {
	return runsPods(provider, t) &&
		!(isWorkload(provider, t) && hasPaths(provider, t, attributePodSelector)) ||
		!hasPaths(provider, t, attributePodSelector, attributeServiceSelector, "hostname") &&
			!slices.ContainsFunc(Paths(provider).PathsOf(t), func(info *api.PathVisitorInfo) bool {
				return slices.Contains(targetTypes(info.Details), "v1/Service")
			})
}

// runsPods reports whether resources of a type say which pods there are: they have images, replicas
// or labels of pods.
func runsPods(provider configkit.ResourceProvider, t api.ResourceType) bool {
	return hasPaths(provider, t, attributePodLabels, "replicas", "images")
}

// hasPaths reports whether resources of a type have one of the attributes.
func hasPaths(
	provider configkit.ResourceProvider, t api.ResourceType, attributes ...api.AttributeName,
) bool {
	return slices.ContainsFunc(attributes, func(name api.AttributeName) bool {
		return len(provider.AttributePaths(name).PathsOf(t)) > 0
	})
}

// isWorkload reports whether resources of a type are replicas of one pod and nothing else, as those
// of Deployments are.
func isWorkload(provider configkit.ResourceProvider, t api.ResourceType) bool {
	return slices.ContainsFunc(provider.AttributePaths(attributePodLabels).PathsOf(t),
		func(info *api.PathVisitorInfo) bool { return info.Path == "spec.template.metadata.labels" })
}

// addKustomization adds the keys of the labels that a kustomization adds to resources.
func (l *labelledOf) addKustomization(doc gaby.Value) {
	add := func(pairs gaby.Value) {
		for _, e := range pairs.All() {
			l.added[e.Key()] = true
		}
	}
	add(doc.Get("commonLabels"))
	for _, e := range doc.Get("labels").All() {
		add(e.Get("pairs"))
	}
}

// podSelector is a label selector of pods or Services: labels, and expressions of a LabelSelector.
type podSelector struct {
	labels      []gaby.Value
	expressions gaby.Value
}

// Selects reports whether a LabelSelector selects labels.
func Selects(labelSelector, labels gaby.Value) bool {
	s := podSelector{expressions: labelSelector.Get("matchExpressions")}
	for _, l := range labelSelector.Get("matchLabels").All() {
		s.labels = append(s.labels, l)
	}
	return s.selects(labels)
}

func (s podSelector) selects(labels gaby.Value) bool {
	if len(s.lacking(labels)) > 0 {
		return false
	}
	for _, e := range s.expressions.All() {
		if !satisfies(labels.Get(e.Get("key").Text()), e) {
			return false
		}
	}
	return true
}

// lacking returns the labels of the selector that labels lack.
func (s podSelector) lacking(labels gaby.Value) (lacks []gaby.Value) {
	for _, want := range s.labels {
		if !labels.Get(want.Key()).EqualText(want.Text()) {
			lacks = append(lacks, want)
		}
	}
	return lacks
}

// satisfies reports whether the value of a label, which may be missing, satisfies an expression of
// a label selector.
func satisfies(label, expression gaby.Value) bool {
	listed := false
	for _, v := range expression.Get("values").All() {
		listed = listed || label.Exists() && label.EqualText(v.Text())
	}
	switch expression.Get("operator").Text() {
	case "In":
		return listed
	case "NotIn":
		return !listed
	case "Exists":
		return label.Exists()
	case "DoesNotExist":
		return !label.Exists()
	}
	return false
}
