package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/process"
)

// builtOperator is an operator in operators.json.
type builtOperator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Module  string `json:"module"`
}

// customKind is a CustomResourceDefinition in the archive, in the file GROUP/KIND.json.
type customKind struct {
	Operator int            `json:"operator"` // its index in operators.json
	Name     string         `json:"name"`
	Scope    string         `json:"scope"`
	Versions map[string]any `json:"versions"` // a schema, or the version that has the same one
}

// customResources makes operators.zip.
func customResources() ([]byte, error) {
	var built []builtOperator
	kinds := map[string]customKind{}
	generated, err := generate(operators())
	if err != nil {
		return nil, err
	}
	for i, o := range operators() {
		built = append(built, builtOperator{o.name, o.version, o.module})
		texts, err := o.definitions(generated)
		if err != nil {
			return nil, fmt.Errorf("%s@%s: %w", o.module, o.version, err)
		}
		before := len(kinds)
		for _, text := range texts {
			docs, err := gaby.ParseAll(text)
			if err != nil {
				return nil, fmt.Errorf("%s@%s: %w", o.module, o.version, err)
			}
			for _, doc := range docs {
				v := doc.Value()
				if !v.Get("kind").EqualText("CustomResourceDefinition") {
					continue
				}
				spec := v.Get("spec")
				name := spec.Get("group").Text() + "/" + spec.Get("names").Get("kind").Text()
				if _, twice := kinds[name]; twice {
					return nil, fmt.Errorf("%s@%s: %s is defined twice", o.module, o.version, name)
				}
				if k := kindOf(v); len(k.Versions) > 0 {
					for _, schema := range k.Versions {
						for _, property := range relaxed(o.name) {
							relax(schema, "", property)
						}
					}
					k.Operator = i
					kinds[name] = k
				}
			}
		}
		if len(kinds) == before {
			return nil, fmt.Errorf("%s@%s: no CustomResourceDefinition in %s", o.module, o.version,
				cmp.Or(o.files, "its Go types"))
		}
	}
	all := []packedFile{{"operators", built}}
	for name, k := range kinds {
		all = append(all, packedFile{name, k})
	}
	slices.SortFunc(all[1:], func(a, b packedFile) int { return cmp.Compare(a.name, b.name) })
	return pack(all)
}

// definitions returns the texts with the CustomResourceDefinitions of an operator.
func (o operator) definitions(generated map[string][][]byte) ([][]byte, error) {
	m, err := download(o.module, o.version)
	if err != nil {
		return nil, err
	}
	defer m.close()
	licence, err := fs.ReadFile(m, "LICENSE")
	if err != nil {
		return nil, err
	}
	// The table in docs/guide/schemas.md says so.
	if !bytes.Contains(licence, []byte("Apache License")) {
		return nil, errors.New("its licence is not the Apache License")
	}
	if o.files == "" {
		return generated[o.module], nil
	}
	if strings.HasSuffix(o.files, ".go") {
		return kustomizations(m)
	}
	names, err := fs.Glob(m, o.files)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, name := range names {
		text, err := fs.ReadFile(m, name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// kindOf returns the versions of a CustomResourceDefinition that servers serve.
func kindOf(definition gaby.Value) customKind {
	spec := definition.Get("spec")
	k := customKind{
		Name: definition.Get("metadata").Get("name").Text(), Scope: spec.Get("scope").Text(),
		Versions: map[string]any{},
	}
	first := map[string]string{} // schemas -> the version that has it
	for _, v := range spec.Get("versions").All() {
		schema := v.Get("schema").Get("openAPIV3Schema")
		if v.Get("served").Data() != true || !schema.Exists() {
			continue
		}
		reduced := reduce(schema.Data(), true)
		text, err := json.Marshal(reduced)
		if err != nil {
			panic(err) // every value of a document can be marshalled
		}
		name := v.Get("name").Text()
		if same, ok := first[string(text)]; ok {
			k.Versions[name] = same
			continue
		}
		first[string(text)], k.Versions[name] = name, reduced
	}
	return k
}

// kept returns the keywords that decide about validity, and those that tell which element of a list
// is which.
func kept() []string {
	return []string{
		"type", "format", "enum", "required", "properties", "items", "additionalProperties",
		"pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties",
		"maxProperties", "allOf", "anyOf", "oneOf", "not", "nullable", "default",
		"x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
		"x-kubernetes-embedded-resource", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
	}
}

// reduce leaves out the other keywords of a schema, and the fields of the status: controllers write
// it, and servers ignore what users write there.
func reduce(schema any, root bool) any {
	from, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	to := map[string]any{}
	for _, keyword := range kept() {
		v, ok := from[keyword]
		if !ok {
			continue
		}
		switch keyword {
		case "properties":
			fields := map[string]any{}
			for name, of := range v.(map[string]any) {
				switch {
				case root && (name == "apiVersion" || name == "kind" || name == "metadata"):
				case root && name == "status":
					fields[name] = map[string]any{
						"type": "object", "x-kubernetes-preserve-unknown-fields": true,
					}
				default:
					fields[name] = reduce(of, false)
				}
			}
			v = fields
		case "allOf", "anyOf", "oneOf":
			list := slices.Clone(v.([]any))
			for i := range list {
				list[i] = reduce(list[i], false)
			}
			v = list
		case "items", "additionalProperties", "not":
			v = reduce(v, false)
		}
		to[keyword] = v
	}
	return to
}

// relax removes the list of values of a property, or the requirement if it has no list, from the
// schema of the property around it. The name of the property follows the one around and a dot.
func relax(schema any, around, property string) {
	s, ok := schema.(map[string]any)
	if !ok {
		return // the version that has the same schema
	}
	fields, _ := s["properties"].(map[string]any)
	for name, field := range fields {
		if f := field.(map[string]any); around+"."+name == property && f["enum"] != nil {
			delete(f, "enum")
		} else if around+"."+name == property {
			s["required"] = slices.DeleteFunc(slices.Clone(s["required"].([]any)),
				func(of any) bool { return of == name })
		}
		relax(field, name, property)
	}
	relax(s["items"], around, property)
}

// generate lets controller-gen make the CustomResourceDefinitions of the operators whose modules
// have none, by module.
func generate(all []operator) (map[string][][]byte, error) {
	dir, err := os.MkdirTemp("", "schemagen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if err := os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module schemagen\n\ngo 1.27.0\n"), 0o666); err != nil {
		return nil, err
	}
	run := func(args ...string) error {
		var out bytes.Buffer
		tool := process.Tool{
			Words: append([]string{"go"}, args...), Dir: dir, Stdout: &out, Stderr: &out,
			// The modules need that version, which the go command fetches as a module.
			Env: []string{"GOTOOLCHAIN=go1.27.3", "GOFLAGS=-mod=mod", "GOWORK=off"},
		}
		err := tool.Run(context.Background())
		if err != nil {
			err = fmt.Errorf("%w: %s", err, &out)
		}
		return err
	}
	const tool = "sigs.k8s.io/controller-tools/cmd/controller-gen"
	get := []string{"get", tool + "@v0.23.0"}
	for _, o := range all {
		if o.files == "" {
			get = append(get, o.module+"@"+o.version)
		}
	}
	if err := run(get...); err != nil {
		return nil, fmt.Errorf("go get: %w", err)
	}
	texts := map[string][][]byte{}
	for i, o := range all {
		if o.files != "" {
			continue
		}
		out := filepath.Join(dir, fmt.Sprint(i))
		if err := run("run", tool, "crd", "paths="+o.module+"/...",
			"output:crd:dir="+out); err != nil {
			return nil, fmt.Errorf("controller-gen of %s: %w", o.module, err)
		}
		names, err := filepath.Glob(filepath.Join(out, "*.yaml"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			texts[o.module] = append(texts[o.module], text)
		}
	}
	return texts, nil
}
