package references

import (
	"errors"
	"fmt"
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

// The attributes of which the graph of selectors consists.
const (
	attributePodLabels       api.AttributeName = "pod-template-labels"
	attributePodSelector     api.AttributeName = "pod-label-selector"
	attributePeerSelector    api.AttributeName = "peer-label-selector"
	attributeServiceSelector api.AttributeName = "service-label-selector"
	attributePodPort         api.AttributeName = "pod-port"
	attributeServicePort     api.AttributeName = "service-port"
	attributeProbePort       api.AttributeName = "probe-port"
)

// SelectorSurvey finds what the selectors of a unit select.
type SelectorSurvey struct {
	provider configkit.ResourceProvider
	dir      string        // of the unit
	input    []*labelledOf // of the unit and of all input files
	matches  int
	reasons  map[string]string           // of selectors, by namespace and text
	selected map[string]*selected        // by namespace and text of the selector
	of       map[*gaby.YamlDoc]*selected // of the first selector of each document
}

// selected has the pods or Services that a selector selects.
type selected struct {
	all    []*labelled
	noun   string
	reason map[string]string // by port
}

// NewSelectorSurvey returns the selection of a unit that was read from a file, "" if it is not known.
func NewSelectorSurvey(
	provider configkit.ResourceProvider, unit gaby.Container, file string,
) *SelectorSurvey {
	s := &SelectorSurvey{
		provider: provider, dir: path.Dir(file), reasons: map[string]string{},
		selected: map[string]*selected{}, of: map[*gaby.YamlDoc]*selected{},
	}
	s.input = append(s.input, labelledIn(provider, unit, func(int) string { return file }))
	if others, ok := provider.(schemas.InputProvider); ok {
		type key struct{}
		elsewhere, _ := others.FromInputs(key{}, func() any {
			files := others.InputFiles()
			return labelledIn(provider, others.InputDocuments(),
				func(i int) string { return files[i] })
		}).(*labelledOf)
		s.input = append(s.input, elsewhere)
	}
	return s
}

// selectorAttributes returns the attributes of selectors, with a noun for the selected resources.
func selectorAttributes() []selectorAttribute {
	return []selectorAttribute{
		{attributePodSelector, "pod"},
		{attributePeerSelector, "pod"},
		{attributeServiceSelector, "Service"},
	}
}

type selectorAttribute struct {
	attribute api.AttributeName
	noun      string
}

// Check returns a row for each selector that selects nothing, and for each port that nothing
// selected has, and the number of selectors and ports that it compared.
func (s *SelectorSurvey) Check(docs gaby.Container) (rows api.AttributeValueList, matches int, err error) {
	nouns := map[api.AttributeName]string{}
	var attributes []api.AttributeName
	for _, of := range selectorAttributes() {
		nouns[of.attribute] = of.noun
		attributes = append(attributes, of.attribute)
	}
	rows, err = rowsOf(docs, s.provider, append(attributes,
		attributePodPort, attributeServicePort, attributeProbePort), // ports of the selected pods
		func(p *yamlkit.Match) string {
			switch name := p.Info().AttributeName; name {
			case attributePodPort, attributeServicePort:
				return s.port(p)
			case attributeProbePort:
				return s.probe(p)
			default:
				return s.selects(p, nouns[name])
			}
		})
	return rows, s.matches, err
}

// selects returns why a selector selects nothing, "" if it selects something or if that cannot be
// known.
func (s *SelectorSurvey) selects(p *yamlkit.Match, noun string) string {
	if !namespaces.IsCustom(p.Resource.ResourceType) &&
		len(s.provider.AttributePaths(attributePodLabels).PathsOf(p.Resource.ResourceType)) > 0 {
		return "" // vet-semantics compares it with the labels of its own template
	}
	sel, in := s.selector(p)
	if len(in) == 0 {
		return ""
	}
	s.matches++
	found, key := s.find(sel, in, noun)
	if _, known := s.reasons[key]; !known {
		s.reasons[key] = ""
		if len(found.all) == 0 && !s.made(sel, in, noun) {
			s.reasons[key] = s.reason(sel, in, noun)
		}
	}
	if s.of[p.Doc] == nil && len(found.all) > 0 && !s.made(sel, in, noun) {
		s.of[p.Doc] = found
	}
	return s.reasons[key]
}

// selector returns the selector at a match and the namespaces in which it selects. There are none if
// the selection cannot be known.
func (s *SelectorSurvey) selector(p *yamlkit.Match) (sel podSelector, in []string) {
	last := len(p.Segments) - 1
	if p.Value.Kind() != gaby.Map || last < 0 {
		return sel, nil
	}
	around := p.Doc.Search(p.Segments[:last]...).Value()
	if p.Segments[last] == "matchLabels" {
		sel.expressions = around.Get("matchExpressions")
		around = p.Doc.Search(p.Segments[:last-1]...).Value()
	}
	for _, l := range p.Value.All() {
		if !s.isAdded(l.Key()) {
			sel.labels = append(sel.labels, l)
		}
	}
	if len(sel.labels) == 0 || slices.ContainsFunc(sel.labels, isUnknown) {
		return sel, nil
	}
	return sel, s.selectedNamespaces(around.Get("namespaceSelector"), p.Resource)
}

// find returns the pods or Services that a selector selects in namespaces, and a text that identifies
// the selector.
func (s *SelectorSurvey) find(sel podSelector, in []string, noun string) (*selected, string) {
	var text strings.Builder
	text.WriteString(noun + " " + strings.Join(in, ","))
	for _, l := range sel.labels {
		fmt.Fprintf(&text, " %q=%q", l.Key(), l.Text())
	}
	if sel.expressions.Exists() {
		text.WriteString(sel.expressions.YAML())
	}
	key := text.String()
	found := s.selected[key]
	if found == nil {
		found = &selected{noun: noun, reason: map[string]string{}}
		for _, n := range in {
			for _, input := range s.input {
				found.all = append(found.all, input.index(noun).selected(sel, n)...)
			}
		}
		s.selected[key] = found
	}
	return found, key
}

// Rename changes the labels of selectors that select pods or Services which renamed resources make,
// and which the input does not have. It returns the number of the labels.
func (s *SelectorSurvey) Rename(docs gaby.Container, renamed Renamed) (int, error) {
	type edit struct {
		doc  *gaby.YamlDoc
		path []string
		to   string
	}
	var edits []edit
	for _, check := range selectorAttributes() {
		err := yamlkit.VisitMatches(docs, s.provider.AttributePaths(check.attribute), EveryKey(),
			s.provider, func(p *yamlkit.Match) {
				sel, in := s.selector(p)
				if found, _ := s.find(sel, in, check.noun); len(found.all) > 0 {
					return
				}
				for _, l := range sel.labels {
					if to, ok := s.renamedLabel(l, in, renamed); ok {
						path := append(slices.Clone(p.Segments), l.Key())
						edits = append(edits, edit{p.Doc, path, to})
					}
				}
			})
		if err != nil {
			return 0, err
		}
	}
	var problems []error
	for _, e := range edits {
		_, err := e.doc.Set(e.to, e.path...)
		problems = append(problems, err)
	}
	return len(edits), errors.Join(problems...)
}

// renamedLabel returns the value that a label has when the resources that give it to the pods they
// make are renamed.
func (s *SelectorSurvey) renamedLabel(
	l gaby.Value, in []string, renamed Renamed,
) (to string, ok bool) {
	for _, n := range in {
		var makers []maker
		for _, input := range s.input {
			makers = append(makers, input.makers(l, n)...)
		}
		if to, ok = madeName(makers, l.Text(), renamed); !ok {
			return "", false
		}
	}
	return to, ok
}

func (l *labelledOf) index(noun string) *labelIndex {
	if noun == "pod" {
		return l.pods
	}
	return l.services
}

// isUnknown reports whether a label of a selector says nothing about the input: its value is not
// known yet, or the network plugin reads its key.
func isUnknown(label gaby.Value) bool {
	return isOpen(label) || strings.Contains(label.Key(), ":")
}

// isOpen reports whether a value is not known yet: a placeholder or a variable.
func isOpen(v gaby.Value) bool {
	return v.Kind() != gaby.Scalar || configkit.IsPlaceholder(v.Text()) ||
		configkit.HasVariable(v.Text())
}

// isAdded reports whether pods get a label besides those of their templates.
func (s *SelectorSurvey) isAdded(key string) bool {
	switch key {
	case "pod-template-hash", "controller-revision-hash", "controller-uid", "job-name",
		"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index":
		return true
	}
	return strings.HasPrefix(key, "batch.kubernetes.io/") ||
		slices.ContainsFunc(s.input, func(l *labelledOf) bool { return l.added[key] })
}

// selectedNamespaces returns the namespaces in which a resource selects, none if labels select them
// that no Namespace of the input has.
func (s *SelectorSurvey) selectedNamespaces(
	namespaceSelector gaby.Value, resource *api.ResourceInfo,
) []string {
	namespace, _, _ := strings.Cut(string(resource.ResourceName), "/")
	if !namespaceSelector.Exists() {
		return []string{namespace}
	}
	var names []string
	if labels := namespaceSelector.Get("matchLabels"); labels.Len() > 0 {
		if name := labels.Get("kubernetes.io/metadata.name"); name.Exists() && labels.Len() == 1 {
			return []string{name.Text()}
		}
		sel := podSelector{expressions: namespaceSelector.Get("matchExpressions")}
		for _, l := range labels.All() {
			sel.labels = append(sel.labels, l)
		}
		for _, input := range s.input {
			for _, one := range input.namespaces.selected(sel, schemas.Anywhere) {
				names = append(names, one.resource)
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	for _, name := range namespaceSelector.Get("matchNames").All() {
		names = append(names, name.Text())
	}
	if len(names) == 0 && namespaceSelector.Get("any").Text() != "true" &&
		namespaceSelector.Len() == 0 {
		names = append(names, namespace)
	}
	if len(names) == 0 {
		names = append(names, schemas.Anywhere)
	}
	return names
}

// made reports whether custom resources may make what a selector selects.
func (s *SelectorSurvey) made(sel podSelector, in []string, noun string) bool {
	return slices.ContainsFunc(sel.labels, func(l gaby.Value) bool {
		return slices.ContainsFunc(in, func(n string) bool {
			return slices.ContainsFunc(s.input, func(input *labelledOf) bool {
				return input.isMade(l, n, noun)
			})
		})
	})
}

// reason returns the message about a selector that selects nothing in the namespaces, "" if what it
// selects may be elsewhere: the directory has nothing of that sort.
func (s *SelectorSurvey) reason(sel podSelector, in []string, noun string) string {
	here := false
	var near *labelled
	for _, n := range in {
		for i, input := range s.input {
			x := input.index(noun)
			one, slip := x.nearest(sel, n)
			if one != nil && (near == nil || slip) {
				near = one
			}
			// Operators make more Services than pods besides those of the input.
			here = here || slip || (noun == "pod" || i == 0) && x.dirs[labelKey{n, s.dir, ""}]
		}
	}
	if !here || slices.Equal(in, []string{"kube-system"}) && near == nil {
		return "" // the cluster itself has pods there
	}
	message := "selects no " + noun + " in the input"
	if near == nil {
		return message
	}
	var differs []string
	for _, l := range sel.lacking(near.labels) {
		if other := near.labels.Get(l.Key()); other.Exists() {
			differs = append(differs, fmt.Sprintf("%s=%s instead of %s", l.Key(), other.Text(), l.Text()))
		} else {
			differs = append(differs, "no "+l.Key())
		}
	}
	if len(differs) == 0 {
		return message
	}
	return message + "; nearest: " + near.resource + " has " + strings.Join(differs, ", ")
}

// isMade reports whether a custom resource may make pods or Services with a label: the value begins
// with its name or kind, or nothing that the input describes has the key, which is of another
// group than those of Kubernetes.
func (l *labelledOf) isMade(label gaby.Value, namespace, noun string) bool {
	if len(l.makers(label, namespace)) > 0 {
		return true
	}
	group, _, found := strings.Cut(label.Key(), "/")
	if !found || strings.HasSuffix(group, "kubernetes.io") || strings.HasSuffix(group, "k8s.io") {
		return false
	}
	return len(l.index(noun).withKey[labelKey{schemas.Anywhere, label.Key(), ""}]) == 0
}

// makers returns the custom resources that may make pods with a label: those with whose name or kind
// the value begins.
func (l *labelledOf) makers(label gaby.Value, namespace string) []maker {
	for value := strings.ToLower(label.Text()); value != ""; {
		for _, n := range lookedUp(namespace) {
			if makers := l.custom[[2]string{n, value}]; len(makers) > 0 {
				return makers
			}
		}
		value = value[:max(0, strings.LastIndexByte(value, '-'))]
	}
	return nil
}

// port returns why nothing that the first selector of a document selects has a port.
func (s *SelectorSurvey) port(p *yamlkit.Match) string {
	of, wanted := s.of[p.Doc], p.Value.Text()
	if of == nil || isOpen(p.Value) {
		return ""
	}
	s.matches++
	reason, known := of.reason[wanted]
	if !known {
		reason = portReason(of, wanted)
		of.reason[wanted] = reason
	}
	return reason
}

// portReason returns why nothing selected has a port, which is a name or a number.
func portReason(of *selected, wanted string) string {
	var names []string
	for _, one := range of.all {
		lists := []gaby.Value{one.spec}
		if of.noun == "pod" {
			lists = containers(one.spec)
		}
		for _, list := range lists {
			ports, has := portsOf(list, wanted)
			if has {
				return ""
			}
			names = append(names, ports...)
		}
	}
	if isNumber(wanted) { // containers need not list their ports
		return ""
	}
	if of.noun != "pod" {
		return of.all[0].resource + " has no port " + wanted + didYouMean(wanted, names)
	}
	return "no container of " + of.all[0].resource + " has port " + wanted +
		didYouMean(wanted, names)
}

// didYouMean returns a question about names that look like another one, after a semicolon.
func didYouMean(wanted string, names []string) string {
	slices.Sort(names)
	if meant := configkit.DidYouMean("", configkit.Suggest(wanted, slices.Compact(names))); meant != "" {
		return "; " + meant
	}
	return ""
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// containers returns the containers of a pod that can have ports.
func containers(pod gaby.Value) (all []gaby.Value) {
	for _, list := range []string{"containers", "initContainers"} {
		for _, c := range pod.Get(list).All() {
			all = append(all, c)
		}
	}
	return all
}

// portsOf returns the names of the ports of a container or a Service, and whether one of them has a
// name or number.
func portsOf(of gaby.Value, wanted string) (names []string, has bool) {
	for _, e := range of.Get("ports").All() {
		name := e.Get("name").Text()
		if name == wanted || e.Get("containerPort").EqualText(wanted) || e.Get("port").EqualText(wanted) {
			return nil, true
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names, false
}

// probe returns why the container that has a probe lacks the port that the probe names.
func (s *SelectorSurvey) probe(p *yamlkit.Match) string {
	wanted := p.Value.Text()
	if isOpen(p.Value) || isNumber(wanted) {
		return ""
	}
	s.matches++
	for n := len(p.Segments) - 3; n > 0; n-- {
		container := p.Doc.Search(p.Segments[:n]...).Value()
		if name := container.Get("name"); name.Exists() {
			names, has := portsOf(container, wanted)
			if has {
				return ""
			}
			return "container " + name.Text() + " has no port " + wanted + didYouMean(wanted, names)
		}
	}
	return ""
}
