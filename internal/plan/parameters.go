package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
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

func chainKeys() []key { return []key{{word: "parameters"}, {word: "functions"}} }

func parameterKeys() []key {
	return []key{{word: "name"}, {word: "type"}, {word: "default"}, {word: "description"}}
}

// parameters reads the declarations of a chain, and returns the values of the parameters.
func (r *listReader) parameters(v gaby.Value) map[string]string {
	if isNull(v) {
		return nil
	}
	if v.Kind() != gaby.List {
		r.report(v.Position(), "for example [{name: replicas, type: int, default: 2}]",
			"parameters: a list of parameters is expected")
		return nil
	}
	values := map[string]string{}
	for item := v.First(); item.Exists(); item = item.Next() {
		p, ok := r.parameter(item)
		if !ok {
			continue
		}
		if _, twice := values[p.Name]; twice {
			r.report(item.Position(), "", "parameter %s is declared twice", p.Name)
			continue
		}
		r.plan.Parameters = append(r.plan.Parameters, p)
		value, given := r.resolver.Params[p.Name]
		switch {
		case given:
			if want := p.expected(value); want != "" {
				r.report(item.Position(), "", "--param %s: %s is not %s", p.Name,
					configkit.Quote(value), want)
			}
		case p.Required && !r.resolver.NoParams:
			r.report(item.Position(), r.valueHint(p.Name), "the parameter %s has no value", p.Name)
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

func (r *listReader) parameter(item gaby.Value) (p Parameter, ok bool) {
	fields, ok := r.fields(item, "a parameter", parameterKeys())
	if !ok {
		return p, false
	}
	p.Name, p.Description = r.string(fields["name"]), r.string(fields["description"])
	if p.Type = r.string(fields["type"]); p.Type == "" {
		p.Type = "string"
	}
	switch {
	case !isParameterName(p.Name):
		r.report(item.Position(), "", "a parameter needs a name of letters, digits and _")
		return p, false
	case !slices.Contains(parameterTypes(), p.Type):
		r.report(fields["type"].Position(),
			configkit.DidYouMean("", configkit.Suggest(p.Type, parameterTypes())),
			"type: %q is not one of %s", p.Type, strings.Join(parameterTypes(), ", "))
		return p, false
	}
	value := fields["default"]
	switch {
	case !value.Exists():
		p.Required = true
		return p, true
	case value.Kind() != gaby.Scalar:
		r.report(value.Position(), "", "default: a single value is expected")
		return p, false
	}
	if p.Default = value.Text(); p.expected(p.Default) != "" {
		r.report(value.Position(), "", "default: %s is not %s", configkit.Quote(p.Default),
			p.expected(p.Default))
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
