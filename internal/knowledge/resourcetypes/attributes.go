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
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// describe reads an entry of the attributes section. If the entry does not list parameters, they
// are taken from the paths. It reports false if something is wrong with the entry.
func (r *Registry) describe(
	d document, entry gaby.Value,
) (description configkit.AttributeDescription, ok bool) {
	name := entry.Key()
	description = configkit.AttributeDescription{
		Name: api.AttributeName(name), Upsert: true, File: d.Name, Pos: entry.KeyPosition(),
	}
	if !isName(name) {
		d.failKey(entry, "", notAName)
		return description, false
	}
	if !d.BuiltIn {
		description.Functions.Name = name
	}
	value := api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeString,
	}
	var parameters []api.FunctionParameter
	var members []string
	fields := slices.Concat([]strict.Field{
		text("description", &description.Description),
		{Name: "dataType", Read: func(v strict.Value) {
			t := v.OneOf([]string{"string", "int", "bool"})
			if value.DataType != api.DataTypeEnum {
				value.DataType = api.DataType(t)
			}
		}},
		{Name: "min", Read: func(v strict.Value) { value.Min = new(v.Int()) }},
		{Name: "max", Read: func(v strict.Value) { value.Max = new(v.Int()) }},
	}, d.constraints(&value), []strict.Field{
		strict.Bool("upsert", &description.Upsert),
		{Name: "parameters", Read: func(v strict.Value) { parameters = d.parameters(v) }},
		texts("members", &members),
	})
	if d.BuiltIn { // users' files have the name of the attribute and short forms instead
		functions, setter := &description.Functions, true
		fields = append(fields,
			strict.Field{Name: "functions", Read: func(v strict.Value) {
				reads(v, "functions", text("name", &functions.Name),
					text("formerName", &functions.FormerName), strict.Bool("setter", &setter),
					text("exampleValue", &functions.ExampleValue))
				functions.ReadOnly = !setter
			}},
			strict.Field{Name: "value", Read: func(v strict.Value) { d.parameter(&value, v) }},
			strict.Field{Name: "rank"})
	}
	v := d.at(entry)
	if !reads(v, "an entry of "+name, fields...) {
		return description, false
	}
	value.Description = cmp.Or(value.Description, description.Description)
	if lacks(v, "description", description.Description == "") {
		return description, false
	}
	if len(members) > 0 {
		if !d.BuiltIn {
			v.Get("members").Fail("", "members: only attributes of the program are groups")
			return description, false
		}
		first, ok := r.describe(d, d.entry("attributes", members[0]))
		description.Parameters = first.Parameters
		return description, ok
	}
	if !d.BuiltIn && !v.Get("dataType").Exists() && value.DataType == api.DataTypeString {
		value.DataType = r.pathsType(api.AttributeName(name))
	}
	if !isConsistent(&value, v) {
		return description, false
	}
	description.Parameters, ok = r.completed(v, name, d.BuiltIn, parameters, value)
	return description, ok
}

// completed returns the parameters of the functions of an attribute: those that its entry v lists,
// or else those that its paths name, and then the value.
func (r *Registry) completed(
	v strict.Value, name string, builtIn bool, parameters []api.FunctionParameter,
	value api.FunctionParameter,
) ([]api.FunctionParameter, bool) {
	if !v.Get("parameters").Exists() {
		most, ok := r.pathWithMostArguments(name, builtIn), false
		if parameters, ok = parametersOf(most); !ok {
			v.Fail("", "parameters: it is missing: path %s does not name its arguments", most)
			return nil, false
		}
	}
	if slices.ContainsFunc(parameters, func(p api.FunctionParameter) bool {
		return p.ParameterName == value.ParameterName
	}) {
		v.Fail("", "parameters: %s is the parameter for the value; call this one otherwise",
			value.ParameterName)
		return nil, false
	}
	return append(parameters, value), true
}

// checkAttribute checks an entry of the attributes section and that its parameters fill the %s of
// the paths.
func (r *Registry) checkAttribute(d document, entry gaby.Value) {
	description, ok := r.describe(d, entry)
	if !ok || entry.Get("members").Exists() {
		return
	}
	most := r.pathWithMostArguments(entry.Key(), d.BuiltIn)
	if n := len(description.Parameters) - 1; most != nil && n != most.Arguments() {
		d.at(entry).Fail("",
			"parameters: %d are listed, but path %s has %d places for arguments (%%s)", n, most,
			most.Arguments())
	}
}

const notAName = "a name consists of small letters, digits and dashes and begins with a letter"

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
func (d document) parameters(list strict.Value) []api.FunctionParameter {
	var all []api.FunctionParameter
	for e := range list.List() {
		p := api.FunctionParameter{Required: true, DataType: api.DataTypeString}
		d.parameter(&p, e)
		if slices.ContainsFunc(all, func(o api.FunctionParameter) bool {
			return o.ParameterName == p.ParameterName
		}) {
			e.Fail("", "name: there are two parameters %s", p.ParameterName)
		}
		all = append(all, p)
	}
	return all
}

// parameter reads the description of a parameter.
func (d document) parameter(p *api.FunctionParameter, e strict.Value) {
	fields := append([]strict.Field{
		text("name", &p.ParameterName), text("description", &p.Description),
	}, d.constraints(p)...)
	if !reads(e, "an entry of parameters", fields...) ||
		lacks(e, "description", p.Description == "") {
		return
	}
	if !isName(p.ParameterName) {
		e.Fail("", "name: %s", notAName)
		return
	}
	isConsistent(p, e)
}

// constraints returns the fields that restrict the values of a parameter.
func (d document) constraints(p *api.FunctionParameter) []strict.Field {
	return []strict.Field{
		{Name: "regexp", Read: func(v strict.Value) {
			p.Regexp = v.Scalar()
			if d.BuiltIn {
				return // a test checks those
			}
			if _, err := pattern.Compile(p.Regexp); err != nil {
				v.Fail("", "regexp: %v", err)
			}
		}},
		{Name: "enum", Read: func(v strict.Value) {
			p.DataType = api.DataTypeEnum
			for item := range v.List() {
				p.EnumValues = append(p.EnumValues, item.Scalar())
			}
		}},
		text("example", &p.Example),
	}
}

// isConsistent reports constraints of a parameter that contradict each other.
func isConsistent(p *api.FunctionParameter, e strict.Value) bool {
	before := e.Reader().Count()
	switch {
	case p.Regexp != "" && p.DataType != api.DataTypeString:
		e.Get("regexp").Fail("", "regexp: only a string can have a regular expression")
	case (p.Min != nil || p.Max != nil) && p.DataType != api.DataTypeInt:
		key := "min"
		if p.Min == nil {
			key = "max"
		}
		e.Get(key).Fail("",
			"%s: only a number (dataType: int) can have a minimum or maximum", key)
	case p.Min != nil && p.Max != nil && *p.Min > *p.Max:
		e.Get("min").Fail("", "min: the minimum %d is greater than the maximum %d", *p.Min, *p.Max)
	case e.Get("enum").Exists() && len(p.EnumValues) == 0:
		e.Get("enum").Fail("", "enum: it is empty")
	}
	return e.Reader().Count() == before
}

// parametersOf returns the parameters of a path, named as the path binds them. It reports false if
// the path does not name all of them.
func parametersOf(path *yamlpath.Path) (all []api.FunctionParameter, ok bool) {
	if path == nil {
		return nil, true
	}
	for i := range path.Segments() {
		s := &path.Segments()[i]
		if s.Holes == 0 {
			continue
		}
		if s.Holes > 1 || !isName(s.Param) {
			return nil, false
		}
		all = append(all, api.FunctionParameter{
			ParameterName: s.Param, Required: true, DataType: api.DataTypeString,
			Description: strings.ReplaceAll(s.Param, "-", " ") + ", or * for all",
		})
	}
	return all, true
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
			for _, f := range d.entry(section).All() {
				for _, e := range f.Get("attributes").Get(string(name)).All() {
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
	r.parse()
	byName := map[api.AttributeName]configkit.AttributeDescription{}
	for _, d := range r.documents {
		for _, e := range d.entry("attributes").All() {
			if d.BuiltIn && !e.Get("functions").Exists() {
				continue
			}
			if description, ok := r.describe(d, e); ok {
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
	r.parse()
	for _, d := range slices.Backward(r.documents) {
		if e := d.entry("attributes", string(name)); e.Exists() {
			return r.describe(d, e)
		}
	}
	path := r.pathWithMostArguments(string(name), false)
	if path == nil {
		return configkit.AttributeDescription{}, false
	}
	description := configkit.AttributeDescription{
		Name: name, Description: fmt.Sprintf("the values of attribute %s", name), Upsert: true,
	}
	parameters, named := parametersOf(path)
	if !named { // only their number is known
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

// readAttributes reads which attributes mean several others, and the ranks of attributes.
func (r *Registry) readAttributes() {
	r.groups = map[api.AttributeName][]api.AttributeName{}
	r.ranks = map[api.AttributeName]int{}
	for _, d := range r.documents {
		for _, e := range d.entry("attributes").All() {
			name := api.AttributeName(e.Key())
			for _, member := range e.Get("members").All() {
				r.groups[name] = append(r.groups[name], api.AttributeName(member.Text()))
			}
			if rank, ok := e.Get("rank").Data().(int); ok && d.BuiltIn {
				r.ranks[name] = rank
			}
		}
	}
}
