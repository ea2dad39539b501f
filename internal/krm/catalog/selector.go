package catalog

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/where"
)

// selector selects resources as kustomize does: names are compared exactly, and labels and
// annotations by label selectors. What it does not say selects all.
type selector struct {
	group, version, kind, namespace, name string
	labels, annotations                   string
	where                                 *where.Expr // nil without labels and annotations
}

// fields returns the fields of the selector.
func (s *selector) fields() []strict.Field {
	return []strict.Field{
		strict.Text("group", &s.group), strict.Text("version", &s.version),
		strict.Text("kind", &s.kind), strict.Text("namespace", &s.namespace),
		strict.Text("name", &s.name), strict.Text("labelSelector", &s.labels),
		strict.Text("annotationSelector", &s.annotations),
	}
}

// compile compiles the label selectors of the selector.
func (s *selector) compile() (err error) {
	s.where, err = where.SelectorWhere{Labels: s.labels, Annotations: s.annotations}.Where()
	if err != nil {
		return fmt.Errorf("selector %s: %w", s, err)
	}
	return nil
}

// matches reports whether the selector selects an item.
func (s *selector) matches(item *krm.Item) (bool, error) {
	h, err := item.Doc.Header()
	if err != nil {
		return false, err
	}
	types := fieldSpec{group: s.group, version: s.version, kind: s.kind}
	if !types.matches(&h) || s.namespace != "" && s.namespace != h.Namespace ||
		s.name != "" && s.name != h.Name {
		return false, nil
	}
	if s.where == nil {
		return true, nil
	}
	return s.where.MatchResource(k8skit.K8sResourceProvider, item.Doc)
}

// String returns what the selector compares.
func (s *selector) String() string {
	var parts []string
	for _, part := range [][2]string{
		{"group", s.group},
		{"version", s.version},
		{"kind", s.kind},
		{"namespace", s.namespace},
		{"name", s.name},
		{"labelSelector", s.labels},
		{"annotationSelector", s.annotations},
	} {
		if part[1] != "" {
			parts = append(parts, part[0]+"="+part[1])
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
