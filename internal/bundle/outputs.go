package bundle

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// OutputTable says which objects an object of a kind produces and needs.
type OutputTable []outputRow

type outputRow struct {
	group, kind        string
	outputs, auxiliary []objectPath
}

// objectPath is an object whose name is in a field.
type objectPath struct {
	gvk  plugin.GroupVersionKind
	path *jsonpath.Query
}

// DefaultOutputs returns the table that Smith has: a ServiceBinding produces a Secret and needs its
// ServiceInstance.
func DefaultOutputs() OutputTable {
	path := func(text string) *jsonpath.Query {
		p, err := jsonpath.Parse(text)
		if err != nil {
			panic(err) // a constant
		}
		return p
	}
	const group = "servicecatalog.k8s.io"
	return OutputTable{{
		group: group, kind: "ServiceBinding",
		outputs: []objectPath{
			{plugin.GroupVersionKind{Version: "v1", Kind: "Secret"}, path("spec.secretName")},
		},
		auxiliary: []objectPath{{
			plugin.GroupVersionKind{Group: group, Version: "v1beta1", Kind: "ServiceInstance"},
			path("spec.instanceRef.name"),
		}},
	}}
}

// ReadOutputs reads a table: a list of maps with group, kind, outputs and auxiliary, which are
// lists of apiVersion, kind and path. Its rows come before those of the default table.
func ReadOutputs(text []byte, file string) (OutputTable, error) {
	r := &strict.Reader{File: file}
	v := r.Document(text)
	v.Path = "a table of outputs"
	var table OutputTable
	for item := range v.List() {
		var row outputRow
		item.Path = ""
		item.Object("a row", strict.Text("group", &row.group),
			strict.Need(strict.Text("kind", &row.kind)),
			strict.List("outputs", &row.outputs, readObjectPath),
			strict.List("auxiliary", &row.auxiliary, readObjectPath))
		table = append(table, row)
	}
	return append(table, DefaultOutputs()...), diag.List(r.Failures()).Err()
}

func readObjectPath(v strict.Value) (o objectPath) {
	var apiVersion, kind string
	v.Object("an object", strict.Need(strict.Text("apiVersion", &apiVersion)),
		strict.Need(strict.Text("kind", &kind)),
		strict.Need(strict.Field{Name: "path", Read: func(v strict.Value) {
			var err error
			if o.path, err = jsonpath.Parse(v.Text()); err != nil {
				v.Fail("", "%w", err)
			}
		}}))
	o.gvk = plugin.NewGroupVersionKind(apiVersion, kind)
	return o
}

// row returns the row of a type, nil if it has no outputs.
func (t OutputTable) row(gvk plugin.GroupVersionKind) *outputRow {
	for i := range t {
		if t[i].group == gvk.Group && t[i].kind == gvk.Kind {
			return &t[i]
		}
	}
	return nil
}

// missingError reports that an output or auxiliary object was not observed.
type missingError struct{ what, kind, name string }

func (e *missingError) Error() string {
	return fmt.Sprintf("cannot find %s %s %s", e.what, e.kind, e.name)
}

// related returns the objects that fields of an object name.
func (p *run) related(actual gaby.Value, paths []objectPath, what string) ([]gaby.Value, error) {
	var found []gaby.Value
	var problems []error
	for _, o := range paths {
		names, err := o.path.Find(actual)
		if err == nil && (len(names) == 0 || names[0].Text() == "") {
			err = fmt.Errorf("%s is empty", o.path)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("cannot find %s %s: %w", what, o.gvk.Kind, err))
			continue
		}
		observed := p.Pool.find(o.gvk, p.bundle.Namespace, names[0].Text())
		if observed == nil {
			problems = append(problems, &missingError{what, o.gvk.Kind, names[0].Text()})
			continue
		}
		v, err := p.open(observed)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found = append(found, v)
	}
	return found, errors.Join(problems...)
}
