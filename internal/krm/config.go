package krm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
)

// ReadConfig reads a functionConfig from a text that has one resource and nothing else. name is the
// file in messages.
func ReadConfig(text []byte, name string) (*Item, error) {
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return nil, located(name, err)
	}
	docs = slices.DeleteFunc(docs, func(d *gaby.YamlDoc) bool {
		return d.Check() == nil && d.IsNull()
	})
	if len(docs) != 1 {
		return nil, diag.Input(name, "",
			fmt.Errorf("a functionConfig is one resource, not %d", len(docs)))
	}
	doc := docs[0]
	if err := doc.Check(); err != nil {
		return nil, located(name, err)
	}
	if err := checkConfig(doc); err != nil {
		return nil, located(name, at(doc.Position(), "%w", err))
	}
	return &Item{Doc: doc}, nil
}

// checkConfig returns an error for a functionConfig that is not a resource.
func checkConfig(doc *gaby.YamlDoc) error {
	h, err := doc.Header()
	if err != nil {
		return err
	}
	for _, field := range []struct{ name, value string }{
		{"apiVersion", h.APIVersion}, {"kind", h.Kind}, {"metadata.name", h.Name},
	} {
		if field.value == "" {
			return fmt.Errorf("the functionConfig has no %s", field.name)
		}
	}
	return nil
}

// InlineConfig makes a functionConfig of the arguments after "--": the first is the kind if it has
// no "=", all others are KEY=VALUE. Values are strings in a ConfigMap, else they are read as YAML.
func InlineConfig(args []string) (*gaby.YamlDoc, error) {
	kind := "ConfigMap"
	if len(args) > 0 && !strings.Contains(args[0], "=") {
		kind, args = args[0], args[1:]
	}
	if kind == "" {
		return nil, diag.Usage("the kind of the functionConfig is empty")
	}
	data := gaby.Entries{}
	seen := map[string]bool{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return nil, diag.UsageHint("-- [KIND] KEY=VALUE...",
				"the argument %q has no \"=\"; only the first may be a kind", arg)
		case key == "":
			return nil, diag.Usage("the argument %q has no key", arg)
		case seen[key]:
			return nil, diag.Usage("the key %q is given twice", key)
		}
		seen[key] = true
		data = append(data, gaby.Entry{Key: key, Value: inlineValue(kind, value)})
	}
	doc, err := ConfigMapOf(data)
	if err == nil && kind != "ConfigMap" {
		_, err = doc.Set(kind, "kind")
	}
	if err != nil {
		return nil, &api.Failure{Class: api.FailureUsage, Message: err.Error(), Err: err}
	}
	return doc, nil
}

// ConfigMapOf returns a ConfigMap with data, as the functionConfig.
func ConfigMapOf(data gaby.Entries) (*gaby.YamlDoc, error) {
	doc, err := gaby.ParseYAML([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n" +
		"  name: function-input\n"))
	if err != nil {
		return nil, err
	}
	doc.DropPositions()
	_, err = doc.Set(data, "data")
	return doc, err
}

// inlineValue returns the value of an argument.
func inlineValue(kind, value string) any {
	if kind == "ConfigMap" {
		return value
	}
	doc, err := gaby.ParseYAML([]byte(value + "\n"))
	if err != nil || doc.Value().Kind() != gaby.Scalar {
		return value
	}
	return doc.Data()
}
