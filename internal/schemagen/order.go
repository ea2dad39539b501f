package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// order is the order in which a definition's fields are written: that of the Go type, in which
// reviewers of Kubernetes put what matters first.
type order struct {
	definition string
	fields     []string
}

// firstFields returns the order of the fields in the first Properties of a literal.
func firstFields(n ast.Node) (fields []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if !ok || fields != nil {
			return fields == nil
		}
		key, _ := entry.Key.(*ast.Ident)
		properties, ok := entry.Value.(*ast.CompositeLit)
		if key == nil || key.Name != "Properties" || !ok {
			return true
		}
		for _, e := range properties.Elts {
			if name, ok := e.(*ast.KeyValueExpr).Key.(*ast.BasicLit); ok {
				text, _ := strconv.Unquote(name.Value)
				fields = append(fields, text)
			}
		}
		return false
	})
	return fields
}

// last returns fields that people write after the others, because they are long, although they are
// among the first of the Go type.
func last() map[string][]string {
	return map[string][]string{
		"io.k8s.api.core.v1.PodSpec":              {"volumes"},
		"io.k8s.api.core.v1.ServiceSpec":          {"selector", "ports"},
		"io.k8s.api.core.v1.ResourceRequirements": {"limits", "claims"},
		"io.k8s.api.apps.v1.DaemonSetSpec":        {"template"},
		"io.k8s.api.apps.v1.DeploymentSpec":       {"template"},
		"io.k8s.api.apps.v1.ReplicaSetSpec":       {"template"},
		"io.k8s.api.apps.v1.StatefulSetSpec": {
			"template", "volumeClaimTemplates",
		},
		"io.k8s.api.batch.v1.JobSpec": {"template"},
	}
}

// apply sets the order of a definition's properties.
func (o order) apply(definitions map[string]*schema) {
	s := definitions[o.definition]
	if s == nil {
		return // a type that is not used in requests
	}
	fields := slices.Clone(o.fields)
	move := func(field string, to int) {
		if i := slices.Index(fields, field); i >= 0 {
			fields = slices.Insert(slices.Delete(fields, i, i+1), min(to, len(fields)-1), field)
		}
	}
	if slices.Contains(fields, "metadata") {
		move("apiVersion", 0)
	}
	if i := slices.Index(fields, "image"); i >= 0 {
		move("imagePullPolicy", i+1)
	}
	if strings.HasSuffix(o.definition, "SecurityContext") {
		slices.Sort(fields) // the Go type begins with rarely used fields
	}
	for _, field := range last()[o.definition] {
		move(field, len(fields))
	}
	s.order = fields
}

// MarshalJSON prints the properties in their order, and those without one after them.
func (s *schema) MarshalJSON() ([]byte, error) {
	type plain schema
	var p properties
	for _, name := range s.order {
		if of := s.Properties[name]; of != nil {
			p = append(p, property{name, of})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.order, name) {
			p = append(p, property{name, s.Properties[name]})
		}
	}
	return json.Marshal(struct {
		*plain
		Properties properties `json:"properties,omitempty"`
	}{(*plain)(s), p})
}

// properties is an object that is printed in the order of its fields.
type properties []property

type property struct {
	name string
	of   *schema
}

// MarshalJSON prints the object.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(field.of)
		if err != nil {
			return nil, err
		}
		b.WriteString(strconv.Quote(field.name) + ":")
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
