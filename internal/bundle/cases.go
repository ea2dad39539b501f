package bundle

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/contract"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// ReadCases reads the cases of a test of a plugin, one per document: name, namespace, spec, actual,
// dependencies by the name of the resource (spec, actual, outputs, auxiliary), and expect, with
// object, or with error and perhaps external and retriable. The error is a diag.List.
func ReadCases(text []byte, file string) ([]contract.Case, error) {
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return nil, diag.List{unreadable(file, text, err)}
	}
	var cases []contract.Case
	var problems diag.List
	for i, doc := range docs {
		if err := doc.Check(); err != nil {
			problems = append(problems, unreadable(file, text, err))
			continue
		}
		if doc.IsNull() {
			continue
		}
		d := &decoder{Bundle: &Bundle{File: file, value: doc.Value()}, text: text, doc: doc}
		c := d.testCase(doc.Value())
		if c.Name == "" {
			c.Name = fmt.Sprintf("%d", i+1)
		}
		cases = append(cases, c)
		problems = append(problems, d.problems...)
	}
	return cases, problems.Err()
}

// testCase reads one case.
func (d *decoder) testCase(v gaby.Value) contract.Case {
	var c contract.Case
	if !d.fields(v, "case", "name", "namespace", "spec", "actual", "dependencies", "expect") {
		return c
	}
	c.Name, c.Namespace = d.str(v, "name", false), d.str(v, "namespace", false)
	if spec := v.Get("spec"); spec.Exists() && d.isMap(spec, "spec") {
		c.Spec = objectOf(spec).Object
	}
	c.Actual = d.object(v, "actual")
	c.Dependencies = map[plugin.ResourceName]plugin.Dependency{}
	dependencies := v.Get("dependencies")
	if dependencies.Exists() && !d.isMap(dependencies, "dependencies") {
		return c
	}
	for one := dependencies.First(); one.Exists(); one = one.Next() {
		if !d.fields(one, "dependency", "actual", "outputs", "auxiliary") {
			continue
		}
		name := smithv1.ResourceName(one.Key())
		dependency := plugin.Dependency{
			Spec: smithv1.Resource{Name: name}, Actual: d.object(one, "actual"),
			Outputs: d.objects(one, "outputs"), Auxiliary: d.objects(one, "auxiliary"),
		}
		if dependency.Actual != nil {
			dependency.Spec.Spec.Object = dependency.Actual.DeepCopy().Object
		}
		c.Dependencies[name] = dependency
	}
	d.expect(v.Get("expect"), &c)
	return c
}

// expect reads what is expected of a case.
func (d *decoder) expect(v gaby.Value, c *contract.Case) {
	if !v.Exists() || !d.fields(v, "expect", "object", "error", "external", "retriable") {
		return
	}
	c.Want, c.WantError = d.object(v, "object"), d.str(v, "error", false)
	if c.Want != nil && c.WantError != "" {
		d.fail(v, "", "expect has an object or an error, not both")
	}
	flag := func(key string) *bool {
		f := v.Get(key)
		b, ok := f.Data().(bool)
		if f.Exists() && (!ok || c.WantError == "") {
			d.fail(f, "", "%s: true or false is expected, beside error", key)
		}
		if !ok {
			return nil
		}
		return &b
	}
	c.External, c.Retriable = flag("external"), flag("retriable")
}

func (d *decoder) isMap(v gaby.Value, what string) bool {
	if v.Kind() != gaby.Map {
		d.fail(v, "", "%s: a map is expected", what)
		return false
	}
	return true
}

// object reads a field that is an object, nil if it is missing.
func (d *decoder) object(v gaby.Value, key string) *plugin.Object {
	o := v.Get(key)
	if !o.Exists() || o.IsNull() || !d.isMap(o, key) {
		return nil
	}
	return objectOf(o)
}

func (d *decoder) objects(v gaby.Value, key string) []*plugin.Object {
	var list []*plugin.Object
	for _, o := range d.list(v, key) {
		if d.isMap(o, key) {
			list = append(list, objectOf(o))
		}
	}
	return list
}

// Test runs cases on a plugin, each the given number of times, and calls report with the outcome of
// each. It reports whether all passed.
func (p *Plugin) Test(cases []contract.Case, runs int, report func(name string, err error)) bool {
	passed := true
	external, isProgram := p.run.(*program)
	if !p.Undescribed {
		if err := contract.Description(p.run); err != nil {
			report("description", err)
			passed = false
		}
	}
	for _, c := range cases {
		err := contract.Check(p.run, c, runs, p.Undescribed)
		switch {
		case err != nil:
		case isProgram:
			err = external.elsewhere(c)
		default:
			err = contract.Environment(p.run, c)
		}
		report(c.Name, err)
		passed = passed && err == nil
	}
	return passed
}

// IsProgram reports whether the plugin is a program or an image, which takes time to start.
func (p *Plugin) IsProgram() bool {
	_, isProgram := p.run.(*program)
	return isProgram
}
