package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/strict"
)

// config is the functionConfig of a call.
type config struct {
	value gaby.Value
	list  *krm.ResourceList
	// data is the data of a ConfigMap, missing for other kinds.
	data gaby.Value
}

// configGroup is the group of the kinds of functionConfigs.
const configGroup = "fn.kpt.dev"

// configOf returns the functionConfig, which must be a ConfigMap or of the given kind and version.
// An empty kind allows only a ConfigMap.
func configOf(list *krm.ResourceList, kind string) (*config, error) {
	return configOfVersion(list, kind, "v1alpha1")
}

// dataOf returns the functionConfig with its data, of whatever kind it is; without data if it is
// missing.
func dataOf(list *krm.ResourceList) (*config, error) {
	c := &config{list: list}
	if list.FunctionConfig == nil {
		return c, nil
	}
	c.value = list.FunctionConfig.Value()
	return c, c.readData()
}

// readData finds the data, whose values must be scalars.
func (c *config) readData() error {
	c.data = c.value.Get("data")
	r := &strict.Reader{}
	pairsOf(r.Value(c.data, "data"), func(v strict.Value) string {
		if v.IsNull() {
			return "" // as in the published functions
		}
		return v.Scalar()
	})
	return problemsOf(r)
}

// configOfVersion is configOf for a version, "" for all.
func configOfVersion(list *krm.ResourceList, kind, version string) (*config, error) {
	expected := "`ConfigMap.v1`"
	if kind != "" {
		expected += fmt.Sprintf(" or `%s.v1alpha1.%s`", kind, configGroup)
	}
	if list.FunctionConfig == nil {
		return nil, fmt.Errorf("FunctionConfig is missing. Expect %s", expected)
	}
	c := &config{value: list.FunctionConfig.Value(), list: list}
	switch got := c.value.Get("kind").Text(); {
	case got == "ConfigMap" && c.value.Get("apiVersion").EqualText("v1"):
		return c, c.readData()
	case kind == "" || got != kind || !isConfigVersion(c.value, version):
		version := c.value.Get("apiVersion").Text()
		err := fmt.Errorf("unknown functionConfig %s %s. Expect %s", version, got, expected)
		list.Results = append(list.Results, fnresult.Result{
			Message: err.Error(), Severity: fnresult.SeverityError,
			ResourceRef: &fnresult.ResourceRef{
				APIVersion: version, Kind: got, Name: text(c.value.Get("metadata").Get("name")),
			},
		})
		return nil, err
	}
	return c, nil
}

// read reads the fields of a functionConfig of its own kind, or the data of a ConfigMap. Other keys
// of data are errors.
func (c *config) read(fields ...strict.Field) error {
	r := &strict.Reader{}
	if !c.isConfigMap() {
		fields = append(strict.Unread("apiVersion", "kind", "metadata"), fields...)
		r.Value(c.value, "").Object("the functionConfig", c.ignoring(c.value, fields)...)
	} else if v := r.Value(c.data, "data"); v.Exists() {
		v.Object("data", fields...)
	}
	return problemsOf(r)
}

// ignoring returns fields, and one for each unknown field of v. As the published programs ignore
// these, it only writes a line about each to the standard error, unless the functionConfig is checked.
func (c *config) ignoring(v gaby.Value, fields []strict.Field) []strict.Field {
	if c.list.Checked {
		return fields
	}
	all := fields
	for _, e := range v.All() {
		key := e.Key()
		if !slices.ContainsFunc(fields, func(f strict.Field) bool { return f.Name == key }) {
			all = append(all, strict.Unread(key)...)
			c.list.Stderr += fmt.Sprintf("functionConfig: the field %q is unknown and ignored\n", key)
		}
	}
	return all
}

// problemsOf returns the problems of a functionConfig. Its positions are not those of a file.
func problemsOf(r *strict.Reader) error {
	var problems []error
	for _, f := range r.Failures() {
		problems = append(problems, &api.Failure{
			Class: api.FailureFunction, Message: "functionConfig: " + f.Message, Hint: f.Hint,
			Err: f.Err,
		})
	}
	return errors.Join(problems...)
}

// pairsOf returns what read returns for the entries of a map, in order. The keys must not be empty.
func pairsOf(v strict.Value, read func(strict.Value) string) []pair {
	var all []pair
	for entry := range v.Map() {
		if entry.Key() == "" {
			entry.FailKey("", "%s has an empty key", v.Path)
		}
		all = append(all, pair{entry.Key(), read(entry)})
	}
	return all
}

// isConfigVersion reports whether a functionConfig is of a version of its group, "" for any.
func isConfigVersion(v gaby.Value, version string) bool {
	group, got, _ := strings.Cut(v.Get("apiVersion").Text(), "/")
	return group == configGroup && (version == "" || version == got)
}

// isResource reports whether a document is a resource that functions set fields of. A Kptfile is
// the pipeline itself.
func isResource(h *gaby.Header) bool {
	return h.APIVersion != "" && h.Kind != "" && h.Kind != "Kptfile"
}

// isObject is isResource for functions for which a kind or a version is enough.
func isObject(h *gaby.Header) bool { return h.Kind+h.APIVersion != "" && h.Kind != "Kptfile" }

// isConfigMap reports whether the functionConfig is a ConfigMap.
func (c *config) isConfigMap() bool { return c.value.Get("kind").EqualText("ConfigMap") }

// pairs returns the keys and texts of a map of strings, in order.
func pairs(v gaby.Value) []pair {
	var all []pair
	for _, c := range v.All() {
		all = append(all, pair{c.Key(), text(c)})
	}
	return all
}

type pair struct{ key, value string }

// text returns the text of a scalar, "" for null and anything else.
func text(v gaby.Value) string {
	if v.Kind() != gaby.Scalar || v.IsNull() {
		return ""
	}
	return v.Text()
}

// get returns the text of a key of a ConfigMap's data.
func (c *config) get(key string) string { return text(c.data.Get(key)) }

// fieldSpecs returns a field that stores a list such as additionalImageFields.
func fieldSpecs(name string, to *[]fieldSpec) strict.Field {
	return strict.List(name, to, func(v strict.Value) (s fieldSpec) {
		v.Object("an entry of "+name,
			strict.Text("group", &s.group), strict.Text("version", &s.version),
			strict.Text("kind", &s.kind), strict.Text("path", &s.path),
			strict.Bool("create", &s.create))
		return s
	})
}
