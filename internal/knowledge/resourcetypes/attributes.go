package resourcetypes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// describe reads an entry of the attributes section. If the entry does not list parameters, they
// are taken from the paths.
func (r *Registry) describe(
	d document, entry gaby.Value,
) (configkit.AttributeDescription, error) {
	name := entry.Key()
	description := configkit.AttributeDescription{
		Name: api.AttributeName(name), Upsert: true, File: d.Name, Pos: entry.KeyPosition(),
	}
	if !isName(name) {
		return description, d.failKey(
			entry, "a name consists of small letters, digits and dashes and begins with a letter",
		)
	}
	if !d.BuiltIn {
		description.Functions.Name = name
	}
	value := api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeString,
	}
	var parameters []api.FunctionParameter
	var members []string
	readers := slices.Concat(
		[]reader{readTo("description", &description.Description, d.text)},
		d.constraints(&value, "dataType", "regexp", "enum", "min", "max", "example"),
		[]reader{
			readTo("upsert", &description.Upsert, d.boolean),
			readTo("parameters", &parameters, d.parameters),
			readTo("members", &members, d.texts),
		})
	if d.BuiltIn { // users' files have the name of the attribute and short forms instead
		readers = append(readers, readTo("functions", &description.Functions, d.functions),
			reader{"value", func(v gaby.Value) error { return d.parameter(&value, v, "value") }})
	}
	if err := d.read(entry, name, readers...); err != nil {
		return description, err
	}
	value.Description = cmp.Or(value.Description, description.Description)
	if description.Description == "" {
		return description, d.fail(entry, "description", "it is missing")
	}
	if len(members) > 0 {
		if !d.BuiltIn {
			return description,
				d.fail(entry.Get("members"), "members", "only attributes of the program are groups")
		}
		first, err := r.describe(d, d.entry("attributes", members[0]))
		description.Parameters = first.Parameters
		return description, err
	}
	if !d.BuiltIn && !entry.Get("dataType").Exists() && value.DataType == api.DataTypeString {
		value.DataType = r.pathsType(api.AttributeName(name))
	}
	if err := d.checkConstraints(&value, entry); err != nil {
		return description, err
	}
	if !entry.Get("parameters").Exists() {
		var err error
		most := r.pathWithMostArguments(name, d.BuiltIn)
		if parameters, err = d.parametersOf(most, entry); err != nil {
			return description, err
		}
	}
	if slices.ContainsFunc(parameters, func(p api.FunctionParameter) bool {
		return p.ParameterName == value.ParameterName
	}) {
		return description, d.fail(
			entry, "parameters", "%s is the parameter for the value; call this one otherwise",
			value.ParameterName,
		)
	}
	description.Parameters = append(parameters, value)
	return description, nil
}

// checkAttribute checks an entry of the attributes section and that its parameters fill the %s of
// the paths.
func (r *Registry) checkAttribute(d document, entry gaby.Value) error {
	description, err := r.describe(d, entry)
	if err != nil || entry.Get("members").Exists() {
		return err
	}
	most := r.pathWithMostArguments(entry.Key(), d.BuiltIn)
	if n := len(description.Parameters) - 1; most != nil && n != most.Arguments() {
		return d.fail(
			entry, "parameters", "%d are listed, but path %s has %d places for arguments (%%s)",
			n, most, most.Arguments(),
		)
	}
	return nil
}

// functions reads which functions a built-in attribute has.
func (d document) functions(v gaby.Value, name string) (configkit.AttributeFunctions, error) {
	functions, setter := configkit.AttributeFunctions{}, true
	err := d.read(v, name, readTo("name", &functions.Name, d.text),
		readTo("formerName", &functions.FormerName, d.text),
		readTo("setter", &setter, d.boolean),
		readTo("exampleValue", &functions.ExampleValue, d.text))
	functions.ReadOnly = !setter
	return functions, err
}

// isName reports whether s is a name in kebab case: lower-case letters, digits and single dashes,
// beginning with a letter.
func isName(s string) bool {
	for i, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || i > 0 && ('0' <= c && c <= '9' ||
			c == '-' && i < len(s)-1 && s[i-1] != '-')) {
			return false
		}
	}
	return s != ""
}

// parameters reads the list of parameters that fill the %s of paths.
func (d document) parameters(list gaby.Value, name string) ([]api.FunctionParameter, error) {
	var all []api.FunctionParameter
	err := d.items(list, name, func(e gaby.Value) error {
		p := api.FunctionParameter{Required: true, DataType: api.DataTypeString}
		if err := d.parameter(&p, e, name); err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(o api.FunctionParameter) bool {
			return o.ParameterName == p.ParameterName
		}) {
			return d.fail(e, "name", "there are two parameters %s", p.ParameterName)
		}
		all = append(all, p)
		return nil
	})
	return all, err
}

// parameter reads the description of a parameter.
func (d document) parameter(p *api.FunctionParameter, e gaby.Value, name string) error {
	err := d.read(e, name, append([]reader{
		readTo("name", &p.ParameterName, d.text), readTo("description", &p.Description, d.text),
	}, d.constraints(p, "regexp", "enum", "example")...)...)
	switch {
	case err != nil:
		return err
	case p.Description == "":
		return d.fail(e, "description", "it is missing")
	case !isName(p.ParameterName):
		return d.fail(
			e, "name",
			"a name consists of small letters, digits and dashes and begins with a letter",
		)
	}
	return d.checkConstraints(p, e)
}

// constraints returns the readers of fields that restrict the values of a parameter.
func (d document) constraints(p *api.FunctionParameter, keys ...string) []reader {
	var readers []reader
	for _, key := range keys {
		readers = append(readers, reader{key, func(v gaby.Value) error {
			return d.constraint(p, key, v)
		}})
	}
	return readers
}

// constraint reads a field that restricts the values of a parameter.
func (d document) constraint(
	p *api.FunctionParameter, key string, field gaby.Value,
) (err error) {
	switch key {
	case "dataType":
		var text string
		text, err = d.oneOf(field, key, []string{"string", "int", "bool"})
		if p.DataType != api.DataTypeEnum {
			p.DataType = api.DataType(text)
		}
	case "regexp":
		if p.Regexp, err = d.text(field, key); err == nil && !d.BuiltIn { // a test checks those
			if _, bad := pattern.Compile(p.Regexp); bad != nil {
				err = d.fail(field, key, "%v", bad)
			}
		}
	case "enum":
		p.DataType = api.DataTypeEnum
		p.EnumValues, err = d.texts(field, key)
	case "min", "max":
		var n int
		if n, err = d.integer(field, key); key == "min" {
			p.Min = &n
		} else {
			p.Max = &n
		}
	case "example":
		p.Example, err = d.text(field, key)
	}
	return err
}

// checkConstraints rejects inconsistent constraints.
func (d document) checkConstraints(p *api.FunctionParameter, e gaby.Value) error {
	switch {
	case p.Regexp != "" && p.DataType != api.DataTypeString:
		return d.fail(e.Get("regexp"), "regexp", "only a string can have a regular expression")
	case (p.Min != nil || p.Max != nil) && p.DataType != api.DataTypeInt:
		key := "min"
		if p.Min == nil {
			key = "max"
		}
		return d.fail(
			e.Get(key), key, "only a number (dataType: int) can have a minimum or maximum",
		)
	case p.Min != nil && p.Max != nil && *p.Min > *p.Max:
		return d.fail(
			e.Get("min"), "min", "the minimum %d is greater than the maximum %d", *p.Min, *p.Max,
		)
	case e.Get("enum").Exists() && len(p.EnumValues) == 0:
		return d.fail(e.Get("enum"), "enum", "it is empty")
	}
	return nil
}

// parametersOf returns the parameters of a path, named as the path binds them.
func (d document) parametersOf(
	path *yamlpath.Path, entry gaby.Value,
) ([]api.FunctionParameter, error) {
	if path == nil {
		return nil, nil
	}
	var all []api.FunctionParameter
	for i := range path.Segments() {
		s := &path.Segments()[i]
		if s.Holes == 0 {
			continue
		}
		if s.Holes > 1 || !isName(s.Param) {
			return nil, d.fail(
				entry, "parameters", "it is missing: path %s does not name its arguments", path,
			)
		}
		all = append(all, api.FunctionParameter{
			ParameterName: s.Param, Required: true, DataType: api.DataTypeString,
			Description: strings.ReplaceAll(s.Param, "-", " ") + ", or * for all",
		})
	}
	return all, nil
}

// rawPaths visits the paths of an attribute as they are written in files and registered, without
// prefixes, and the data types stated for them. Of a built-in attribute it does not visit the paths
// in users' files, which cannot have more %s than the built-in ones.
func (r *Registry) rawPaths(
	name api.AttributeName, builtIn bool, visit func(string, api.DataType),
) {
	for _, d := range r.documents {
		if builtIn && !d.BuiltIn {
			continue
		}
		for _, section := range []string{"resourceTypes", "shapes"} {
			for f := d.entry(section).First(); f.Exists(); f = f.Next() {
				for e := f.Get("attributes").Get(string(name)).First(); e.Exists(); e = e.Next() {
					path := e.Get("path")
					if e.Kind() == gaby.Scalar {
						path = e
					}
					visit(path.Text(), api.DataType(e.Get("dataType").Text()))
				}
			}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(r.added)) {
		paths := r.added[t][name]
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			visit(string(path), paths[path].DataType)
		}
	}
}

// pathWithMostArguments returns the path of an attribute that has the most %s, or nil if it has no
// paths. Invalid paths are ignored here; they are reported where they are read.
func (r *Registry) pathWithMostArguments(name string, builtIn bool) (most *yamlpath.Path) {
	r.rawPaths(api.AttributeName(name), builtIn, func(text string, _ api.DataType) {
		// "" and "#sub" are valid only below a prefix.
		path, err := yamlpath.Parse(strings.TrimPrefix(joinPrefix("x", text), "x."))
		if err == nil && (most == nil || path.Arguments() > most.Arguments()) {
			most = path
		}
	})
	return most
}

// Attributes returns the descriptions of the attributes that have functions, sorted by name. The
// files must have been checked.
func (r *Registry) Attributes() []configkit.AttributeDescription {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parse() != nil {
		return nil
	}
	byName := map[api.AttributeName]configkit.AttributeDescription{}
	for _, d := range r.documents {
		for e := d.entry("attributes").First(); e.Exists(); e = e.Next() {
			if d.BuiltIn && !e.Get("functions").Exists() {
				continue
			}
			if description, err := r.describe(d, e); err == nil {
				byName[description.Name] = description
			}
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b configkit.AttributeDescription) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// AttributeInfo describes an attribute. It reports false if no file describes the attribute and
// none of its paths is registered.
func (r *Registry) AttributeInfo(name api.AttributeName) (configkit.AttributeDescription, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parse() != nil {
		return configkit.AttributeDescription{}, false
	}
	for _, d := range slices.Backward(r.documents) {
		if e := d.entry("attributes", string(name)); e.Exists() {
			description, err := r.describe(d, e)
			return description, err == nil
		}
	}
	path := r.pathWithMostArguments(string(name), false)
	if path == nil {
		return configkit.AttributeDescription{}, false
	}
	description := configkit.AttributeDescription{
		Name: name, Description: fmt.Sprintf("the values of attribute %s", name), Upsert: true,
	}
	parameters, err := document{File: &File{}}.parametersOf(path, gaby.Value{})
	if err != nil { // unnamed arguments: only their number is known
		for i := range path.Arguments() {
			parameters = append(parameters, api.FunctionParameter{
				ParameterName: fmt.Sprintf("key-%d", i+1), Required: true,
				DataType: api.DataTypeString, Description: "a key, or * for all",
			})
		}
	}
	description.Parameters = append(parameters, api.FunctionParameter{
		ParameterName: string(name), Required: true, DataType: api.DataTypeString,
		Description: description.Description,
	})
	return description, true
}

// RegisteredPaths returns the whole registry: for each attribute, the resource types (or *) that
// have it and their paths in registered form.
func (r *Registry) RegisteredPaths() api.AttributeNameToResourceTypeToPathToVisitorInfoType {
	all := api.AttributeNameToResourceTypeToPathToVisitorInfoType{}
	for _, t := range r.ResourceTypes() {
		for name, paths := range r.typeInfo(t).own {
			if all[name] == nil {
				all[name] = api.ResourceTypeToPathToVisitorInfoType{}
			}
			all[name][t] = paths
		}
	}
	return all
}

// attributeGroups returns the attributes that mean several others.
func (r *Registry) attributeGroups() map[api.AttributeName][]api.AttributeName {
	groups := map[api.AttributeName][]api.AttributeName{}
	for _, d := range r.documents {
		for e := d.entry("attributes").First(); e.Exists(); e = e.Next() {
			for member := e.Get("members").First(); member.Exists(); member = member.Next() {
				name := api.AttributeName(e.Key())
				groups[name] = append(groups[name], api.AttributeName(member.Text()))
			}
		}
	}
	return groups
}
