package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/graph"
)

// Proposal is a link that a workspace seems to lack.
type Proposal struct {
	From, To         string // space/unit
	FromUnitID       string
	ToUnitID         string
	UpdateType       entity.UpdateType
	Reasons          []string
	bindsPlaceholder bool
}

// Unmatched is a reference to a resource that no unit of the space has.
type Unmatched struct {
	Unit     string // space/unit
	Resource api.ResourceInfo
	Path     string
	Value    string
	// Wants are the types of resources that it can mean. Candidates are the units that could
	// provide a placeholder, if several could.
	Wants      string
	Candidates []string `json:",omitempty"`
}

// Inferred is what Infer finds.
type Inferred struct {
	Proposals []Proposal
	Unmatched []Unmatched
}

// Infer proposes links between the units of each space: for values that exactly one other unit can
// provide, for references to resources of another unit, and, only for the order, between Services
// and the pods they select and between custom resources and their definitions. It proposes no link
// that exists, and none that would close a cycle.
func (g *Inspector) Infer() (*Inferred, error) {
	f := &inference{
		graph: g, found: map[[2]string]*Proposal{}, result: &Inferred{}, bases: g.bases(),
	}
	bySpace := map[string][]*facts{}
	var spaces []string
	for _, u := range g.Units {
		if u.ToolchainType != api.ToolchainKubernetesYAML {
			continue
		}
		facts, err := f.read(u.UnitID)
		if err != nil {
			return nil, err
		}
		if bySpace[u.SpaceSlug] == nil {
			spaces = append(spaces, u.SpaceSlug)
		}
		bySpace[u.SpaceSlug] = append(bySpace[u.SpaceSlug], facts)
	}
	slices.Sort(spaces)
	for _, space := range spaces {
		units := bySpace[space]
		index := indexOf(units)
		for _, u := range units {
			f.references(u, index)
			f.selectors(u, index)
			f.definitions(u, index)
		}
	}
	f.propose()
	return f.result, nil
}

// inference collects proposals.
type inference struct {
	graph  *Inspector
	found  map[[2]string]*Proposal // by IDs of the units
	bases  map[string]bool
	result *Inferred
}

// unitIndex finds the units of a space that may match, in the order of the units. The first text of a
// key is one of the constants below, which describe the other two.
type unitIndex map[[3]string][]*facts

const (
	byValue      = "value"      // the attribute and the text of a provision
	byType       = "type"       // the attribute and the resource type of a provision
	byLabel      = "label"      // the key and the value of a label of pods
	byDefinition = "definition" // the group and the kind that the unit defines
)

func (x unitIndex) add(u *facts, by, name, value string) {
	key := [3]string{by, name, value}
	if all := x[key]; len(all) == 0 || all[len(all)-1] != u {
		x[key] = append(all, u)
	}
}

// indexOf makes the index of units.
func indexOf(units []*facts) unitIndex {
	x := unitIndex{}
	for _, u := range units {
		for _, p := range u.provisions {
			if text, ok := p.value.(string); ok {
				x.add(u, byValue, string(p.name), text)
			}
			x.add(u, byType, string(p.name), p.properties[resourcetypes.PropertyResourceType])
		}
		for i := range u.resources {
			doc := u.resources[i].doc
			for _, l := range podLabels(doc).All() {
				x.add(u, byLabel, l.Key(), l.Text())
			}
			if group, kind, ok := definition(doc); ok {
				x.add(u, byDefinition, group, kind)
			}
		}
	}
	return x
}

// providers returns the units with a provision that may satisfy a need.
func (x unitIndex) providers(n *need, text string) []*facts {
	if !n.open() {
		return x[[3]string{byValue, string(n.name), text}]
	}
	var all []*facts
	for t := range strings.SplitSeq(n.required[resourcetypes.PropertyResourceType], ",") {
		all = append(all, x[[3]string{byType, string(n.name), t}]...)
	}
	slices.SortFunc(all, func(a, b *facts) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(all)
}

// selected returns the units with pods that have the rarest label of a selector.
func (x unitIndex) selected(selector gaby.Value) []*facts {
	first := selector.First()
	rarest := x[[3]string{byLabel, first.Key(), first.Text()}]
	for l := first.Next(); l.Exists(); l = l.Next() {
		if units := x[[3]string{byLabel, l.Key(), l.Text()}]; len(units) < len(rarest) {
			rarest = units
		}
	}
	return rarest
}

// facts is what a unit needs and provides.
type facts struct {
	format
	unit       *Upstream
	name       string // space/unit
	needs      []*need
	provisions []*provision
	resources  []resource
}

func (f *inference) read(unitID string) (*facts, error) {
	unit, err := f.graph.Read(unitID)
	if err != nil {
		return nil, err
	}
	u := &facts{unit: unit, name: f.graph.Names(unitID)}
	var docs gaby.Container
	u.format, docs, u.resources, err = read(f.graph.Executor, unit.ToolchainType, unit.Data)
	if err == nil {
		u.needs, err = u.needsOf(docs)
	}
	if err == nil {
		u.provisions, err = u.provisionsOf(docs, &owner{})
	}
	if err != nil {
		return nil, fmt.Errorf("unit %s: %w", u.name, err)
	}
	return u, nil
}

// add notes a reason for a link.
func (f *inference) add(from, to *facts, t entity.UpdateType, open bool, reason string) {
	key := [2]string{from.unit.UnitID, to.unit.UnitID}
	p := f.found[key]
	if p == nil {
		p = &Proposal{
			From: from.name, To: to.name, FromUnitID: key[0], ToUnitID: key[1], UpdateType: t,
		}
		f.found[key] = p
	}
	if p.UpdateType == entity.UpdateNone {
		p.UpdateType = t // one link is enough for the order
	}
	p.bindsPlaceholder = p.bindsPlaceholder || open
	if !slices.Contains(p.Reasons, reason) {
		p.Reasons = append(p.Reasons, reason)
	}
}

// references finds who provides what a unit needs or refers to.
func (f *inference) references(u *facts, in unitIndex) {
	for _, n := range u.needs {
		text, isText := n.value.(string)
		wants := n.required[resourcetypes.PropertyResourceType]
		if !isText || wants == "" {
			continue
		}
		matches := func(of *facts) bool {
			return slices.ContainsFunc(of.provisions, func(p *provision) bool {
				return p.satisfies(n) && (n.open() || p.value == n.value)
			})
		}
		if matches(u) {
			continue // within the unit
		}
		var providers []*facts
		for _, other := range in.providers(n, text) {
			if other != u && matches(other) {
				providers = append(providers, other)
			}
		}
		if len(providers) == 1 {
			what := "refers to " + text
			if n.open() {
				what = "is a placeholder for a " + wants
			}
			f.add(u, providers[0], entity.UpdateNeedsProvides, n.open(),
				fmt.Sprintf("%s of %s %s", n.path, &n.info, what))
			continue
		}
		if n.open() && len(providers) == 0 && f.bases[u.unit.UnitID] {
			continue // the placeholder is for the units that this one is merged into
		}
		missing := Unmatched{
			Unit: u.name, Resource: n.info, Path: n.path, Value: text,
			Wants: wants,
		}
		for _, p := range providers {
			missing.Candidates = append(missing.Candidates, p.name)
		}
		f.result.Unmatched = append(f.result.Unmatched, missing)
	}
}

// selectors finds the pods that the Services of a unit select.
func (f *inference) selectors(u *facts, in unitIndex) {
	for i := range u.resources {
		if u.resources[i].info.ResourceType != "v1/Service" {
			continue
		}
		selector := u.resources[i].doc.Search("spec", "selector").Value()
		if selector.Len() == 0 {
			continue
		}
		for _, other := range in.selected(selector) {
			if other == u {
				continue
			}
			for j := range other.resources {
				if labels := podLabels(other.resources[j].doc); hasAll(labels, selector) {
					f.add(u, other, entity.UpdateNone, false, fmt.Sprintf(
						"%s selects the pods of %s", &u.resources[i].info,
						&other.resources[j].info,
					))
				}
			}
		}
	}
}

// podLabels returns the labels of the pods of a resource.
func podLabels(doc *gaby.YamlDoc) gaby.Value {
	if labels := doc.Search("spec", "template", "metadata", "labels").Value(); labels.Exists() {
		return labels
	}
	if h, _ := doc.Header(); h.Kind == "Pod" {
		return doc.Search("metadata", "labels").Value()
	}
	return gaby.Value{}
}

// hasAll reports whether labels has all entries of a selector.
func hasAll(labels, selector gaby.Value) bool {
	if !labels.Exists() {
		return false
	}
	for _, want := range selector.All() {
		if !labels.Get(want.Key()).Equal(want) {
			return false
		}
	}
	return true
}

// definitions finds the definitions of the custom resources of a unit.
func (f *inference) definitions(u *facts, in unitIndex) {
	for i := range u.resources {
		group, kind, ok := groupKind(u.resources[i].info.ResourceType)
		if !ok {
			continue
		}
		for _, other := range in[[3]string{byDefinition, group, kind}] {
			if other == u {
				continue
			}
			for j := range other.resources {
				if g, k, ok := definition(other.resources[j].doc); ok && g == group && k == kind {
					f.add(u, other, entity.UpdateNone, false, fmt.Sprintf(
						"%s is defined by %s", &u.resources[i].info, &other.resources[j].info,
					))
				}
			}
		}
	}
}

// definition returns the group and the kind that a CustomResourceDefinition defines.
func definition(doc *gaby.YamlDoc) (group, kind string, ok bool) {
	if h, _ := doc.Header(); h.Kind != "CustomResourceDefinition" {
		return "", "", false
	}
	return doc.Search("spec", "group").Value().Text(),
		doc.Search("spec", "names", "kind").Value().Text(), true
}

// groupKind splits a resource type. It reports false for types without a group.
func groupKind(t api.ResourceType) (group, kind string, ok bool) {
	parts := strings.Split(string(t), "/")
	if len(parts) != 3 {
		return "", "", false
	}
	return parts[0], parts[2], true
}

// propose keeps the proposals that are new and close no cycle, those that fill placeholders first.
func (f *inference) propose() {
	nodes := map[string]int{}
	for i, u := range f.graph.Units {
		nodes[u.UnitID] = i
	}
	to := map[string][]string{}
	exists := map[[2]string]bool{}
	var edges []graph.Edge
	for _, l := range f.graph.Links {
		edges = append(edges, graph.Edge{From: nodes[l.FromUnitID], To: nodes[l.ToUnitID]})
		to[l.FromUnitID] = append(to[l.FromUnitID], l.ToUnitID)
		exists[[2]string{l.FromUnitID, l.ToUnitID}] = true
	}
	list := slices.SortedFunc(maps.Values(f.found), func(a, b *Proposal) int {
		rank := func(p *Proposal) int {
			switch {
			case p.bindsPlaceholder:
				return 0
			case p.UpdateType == entity.UpdateNone:
				return 2
			}
			return 1
		}
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)), strings.Compare(a.From, b.From),
			strings.Compare(a.To, b.To),
		)
	})
	for _, p := range list {
		edges = append(edges, graph.Edge{From: nodes[p.FromUnitID], To: nodes[p.ToUnitID]})
	}
	levels, _ := graph.New(len(nodes), edges).Levels()
	for _, p := range list {
		mayBeOnCycle := levels[nodes[p.FromUnitID]] < 0
		if exists[[2]string{p.FromUnitID, p.ToUnitID}] ||
			mayBeOnCycle && reaches(to, p.ToUnitID, p.FromUnitID) {
			continue
		}
		to[p.FromUnitID] = append(to[p.FromUnitID], p.ToUnitID)
		f.result.Proposals = append(f.result.Proposals, *p)
	}
	slices.SortStableFunc(f.result.Proposals, func(a, b Proposal) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
}

// reaches reports whether a path leads from one unit to another.
func reaches(to map[string][]string, from, wanted string) bool {
	seen := map[string]bool{}
	queue := []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == wanted {
			return true
		}
		if !seen[at] {
			seen[at] = true
			queue = append(queue, to[at]...)
		}
	}
	return false
}
