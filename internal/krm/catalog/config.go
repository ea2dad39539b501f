package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
)

// config is the functionConfig of a call.
type config struct {
	value gaby.Value
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

// configOfVersion is configOf for a version, "" for all.
func configOfVersion(list *krm.ResourceList, kind, version string) (*config, error) {
	expected := "`ConfigMap.v1`"
	if kind != "" {
		expected += fmt.Sprintf(" or `%s.v1alpha1.%s`", kind, configGroup)
	}
	if list.FunctionConfig == nil {
		return nil, fmt.Errorf("FunctionConfig is missing. Expect %s", expected)
	}
	c := &config{value: list.FunctionConfig.Value()}
	switch got := c.value.Get("kind").Text(); {
	case got == "ConfigMap" && c.value.Get("apiVersion").EqualText("v1"):
		c.data = c.value.Get("data")
		if c.data.Exists() && !c.data.IsNull() && c.data.Kind() != gaby.Map {
			return nil, errors.New("functionConfig: data must be a map")
		}
		for v := c.data.First(); v.Exists(); v = v.Next() {
			if v.Kind() != gaby.Scalar {
				return nil, fmt.Errorf("functionConfig: data.%s must be a string", v.Key())
			}
		}
		return c, nil
	case kind == "" || got != kind || !isConfigVersion(c.value, version):
		return nil, fmt.Errorf("unknown functionConfig %s %s. Expect %s",
			c.value.Get("apiVersion").Text(), got, expected)
	}
	return c, nil
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

// isConfigMap reports whether the functionConfig is a ConfigMap.
func (c *config) isConfigMap() bool { return c.value.Get("kind").EqualText("ConfigMap") }

// pairs returns the keys and texts of a map of strings, in order.
func pairs(v gaby.Value) []pair {
	var all []pair
	for c := v.First(); c.Exists(); c = c.Next() {
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

// fieldSpecs reads a list such as additionalImageFields.
func (c *config) fieldSpecs(key string) ([]fieldSpec, error) {
	var specs []fieldSpec
	for v := c.value.Get(key).First(); v.Exists(); v = v.Next() {
		s := fieldSpec{
			group: text(v.Get("group")), version: text(v.Get("version")), kind: text(v.Get("kind")),
			path: text(v.Get("path")), create: v.Get("create").EqualText("true"),
		}
		if strings.Trim(s.path, "/") == "" {
			return nil, fmt.Errorf("functionConfig: an entry of %s has no path", key)
		}
		specs = append(specs, s)
	}
	return specs, nil
}
