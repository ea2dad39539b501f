package bundle

import (
	"cmp"
	"strconv"

	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// ReadCases reads the cases of a test of a plugin, one per document: name, namespace, spec, actual,
// dependencies by the name of the resource (spec, actual, outputs, auxiliary), and expect, with
// object, or with error and perhaps external and retriable. The error is a diag.List.
func ReadCases(text []byte, file string) ([]contract.PluginCase, error) {
	r := &strict.Reader{File: file}
	var cases []contract.PluginCase
	for i, v := range r.Documents(text) {
		cases = append(cases, testCase(v, i))
	}
	return cases, diag.List(r.Failures()).Err()
}

// testCase reads case i.
func testCase(v strict.Value, i int) contract.PluginCase {
	c := contract.PluginCase{Dependencies: map[plugin.ResourceName]plugin.Dependency{}}
	v.Object("a case", strict.Text("name", &c.Name), strict.Text("namespace", &c.Namespace),
		strict.Field{Name: "spec", Read: func(v strict.Value) {
			if o := object(v); o != nil {
				c.Spec = o.Object
			}
		}},
		strict.To("actual", &c.Actual, object),
		strict.Field{Name: "dependencies", Read: func(v strict.Value) {
			for one := range v.Map() {
				name := smithv1.ResourceName(one.Key())
				c.Dependencies[name] = dependency(one, name)
			}
		}},
		strict.Field{Name: "expect", Read: func(v strict.Value) { expect(v, &c) }})
	c.Name = cmp.Or(c.Name, strconv.Itoa(i+1))
	return c
}

func dependency(v strict.Value, name smithv1.ResourceName) plugin.Dependency {
	d := plugin.Dependency{Spec: smithv1.Resource{Name: name}}
	v.Object("a dependency", strict.To("actual", &d.Actual, object),
		strict.List("outputs", &d.Outputs, object), strict.List("auxiliary", &d.Auxiliary, object))
	if d.Actual != nil {
		d.Spec.Spec.Object = d.Actual.DeepCopy().Object
	}
	return d
}

// expect reads what is expected of a case.
func expect(v strict.Value, c *contract.PluginCase) {
	flag := func(name string, to **bool) strict.Field {
		return strict.Field{Name: name, Read: func(v strict.Value) {
			is := v.Bool()
			*to = &is
		}}
	}
	v.Object("an expectation", strict.To("object", &c.Want, object),
		strict.Text("error", &c.WantError), flag("external", &c.External),
		flag("retriable", &c.Retriable))
	switch {
	case c.WantError == "" && (c.External != nil || c.Retriable != nil):
		v.Fail("", "external and retriable are about an error")
	case c.WantError != "" && c.Want != nil:
		v.Fail("", "expect has an object or an error, not both")
	}
}

// object reads an object, nil if it is not one.
func object(v strict.Value) *plugin.Object {
	if !v.Part("an object") {
		return nil
	}
	return objectOf(v.Value)
}

// Test runs cases on a plugin, each the given number of times, and calls report with the outcome of
// each. It reports whether all passed.
func (p *Plugin) Test(
	cases []contract.PluginCase,
	runs int,
	report func(name string, err error),
) bool {
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
