package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/strict"
)

// Parameter is a parameter that a chain in a file declares.
type Parameter struct {
	Name        string
	Type        string // string, int or bool
	Default     string `json:",omitempty"`
	Required    bool   // it has no default
	Description string `json:",omitempty"`
}

func parameterTypes() []string { return []string{"string", "int", "bool"} }

// parameters reads the declarations of a chain, and returns the values of the parameters.
func (r *listReader) parameters(v strict.Value) map[string]string {
	if !v.Exists() {
		return nil
	}
	values := map[string]string{}
	for item := range v.List() {
		p, ok := r.parameter(item)
		if !ok {
			continue
		}
		if _, twice := values[p.Name]; twice {
			item.Fail("", "parameter %s is declared twice", p.Name)
			continue
		}
		r.plan.Parameters = append(r.plan.Parameters, p)
		value, given := r.resolver.Params[p.Name]
		switch {
		case given:
			if want := p.expected(value); want != "" {
				item.Fail("", "--param %s: %s is not %s", p.Name,
					configkit.Quote(value), want)
			}
		case p.Required && !r.resolver.NoParams:
			item.Fail(r.valueHint(p.Name), "the parameter %s has no value", p.Name)
		default:
			value = p.Default
		}
		values[p.Name] = value
	}
	return values
}

// valueHint says how a parameter gets its value, and which name was probably misspelled.
func (r *listReader) valueHint(name string) string {
	for _, given := range sortedNames(r.resolver.Params) {
		if slices.Contains(configkit.Suggest(given, []string{name}), name) {
			return "--param " + name + "=VALUE sets it, not --param " + given
		}
	}
	return "--param " + name + "=VALUE sets it"
}

func (r *listReader) parameter(item strict.Value) (p Parameter, ok bool) {
	var value strict.Value
	before := r.Count()
	item.Object("a parameter", strict.Need(strict.Text("name", &p.Name)),
		strict.OneOf("type", &p.Type, parameterTypes()...), strict.Take("default", &value),
		strict.Text("description", &p.Description))
	if r.Count() == before && !isParameterName(p.Name) {
		item.Get("name").Must("letters, digits and _", "")
	}
	p.Type = cmp.Or(p.Type, "string")
	if p.Required = !value.Exists(); p.Required || r.Count() > before {
		return p, r.Count() == before
	}
	if value.Kind() != gaby.Scalar {
		value.Must("a single value", "")
		return p, false
	}
	if p.Default = value.Value.Text(); p.expected(p.Default) != "" {
		value.Must(p.expected(p.Default), "")
	}
	return p, true
}

// isParameterName reports whether templates and CEL expressions can refer to a name.
func isParameterName(name string) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// expected returns what a value would have to be, "" if it is valid.
func (p Parameter) expected(value string) string {
	switch p.Type {
	case "int":
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return "a whole number"
		}
	case "bool":
		if value != "true" && value != "false" {
			return "true or false"
		}
	}
	return ""
}

// setParams gives the parameters to all invocations, except where these have their own.
func (p *Plan) setParams(params map[string]string) {
	if len(params) == 0 {
		return
	}
	for i := range p.Invocations {
		own := map[string]string{}
		maps.Copy(own, params)
		maps.Copy(own, p.Invocations[i].Params)
		p.Invocations[i].Params = own
	}
	for _, fix := range p.Fixes {
		if fix != nil {
			fix.setParams(params)
		}
	}
}

// Params parses the values of --param, NAME=VALUE.
func Params(words []string) (map[string]string, error) {
	params := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if _, twice := params[name]; !ok || name == "" {
			return nil, diag.UsageHint("for example --param version=1.27",
				"--param %s: NAME=VALUE is expected", word)
		} else if twice {
			return nil, diag.Usage("--param %s is given twice", name)
		}
		params[name] = value
	}
	return params, nil
}

// CheckParams returns an error if a value of --param is for a parameter that the chain does not
// declare.
func (p *Plan) CheckParams(params map[string]string) error {
	var names []string
	for _, declared := range p.Parameters {
		names = append(names, declared.Name)
	}
	var problems diag.List
	for _, name := range sortedNames(params) {
		if slices.Contains(names, name) {
			continue
		}
		hint := configkit.DidYouMean("", configkit.Suggest(name, names))
		if hint == "" && len(names) > 0 {
			hint = "the parameters are " + strings.Join(names, ", ")
		} else if hint == "" {
			hint = "'fctl help chains' says how a chain in a file declares parameters"
		}
		problems = append(problems, diag.UsageHint(hint,
			"--param %s: no chain in a file declares this parameter", name))
	}
	return problems.Err()
}

func sortedNames(params map[string]string) []string {
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// String describes the parameter in one line.
func (p Parameter) String() string {
	text := p.Type
	switch {
	case p.Required:
		text += ", required"
	case p.Default != "":
		text += fmt.Sprintf(", default %s", p.Default)
	}
	if p.Description != "" {
		text += ": " + p.Description
	}
	return text
}
