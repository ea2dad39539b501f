package own

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Forms shows the two forms of functionConfig.
const Forms = `  apiVersion: v1                      apiVersion: fctl.dev/v1
  kind: ConfigMap                     kind: FunctionInvocations
  metadata:                           metadata:
    name: config                        name: config
  data:                               functions:
    function: set-replicas            - function: set-replicas
    replicas: "5"                       arguments: {replicas: 5}`

// formsHint is the hint about the two forms.
const formsHint = "{apiVersion: v1, kind: ConfigMap, " +
	"data: {function: NAME, PARAMETER: VALUE}} or {apiVersion: fctl.dev/v1, kind: " +
	"FunctionInvocations, functions: [{function: NAME, arguments: {PARAMETER: VALUE}}]}"

// reader reads functionConfigs.
type reader struct {
	executor *functions.Executor
	types    TypeNames
	notes    []api.Note // about the chain
}

// located returns a problem with its position in the functionConfig.
func located(pos gaby.Position, f *api.Failure) *api.Failure {
	f.Pos = pos
	return f
}

// request reads a functionConfig.
func (f *reader) request(config *gaby.YamlDoc) (*api.FunctionInvocationRequest, error) {
	v := config.Value()
	version, kind := v.Get("apiVersion").Text(), v.Get("kind").Text()
	switch {
	case config == nil:
		return nil, diag.UsageHint(formsHint, "the functionConfig is missing")
	case kind == "ConfigMap" && version == "v1":
		return f.configMap(v)
	case kind == "FunctionInvocations" && version == "fctl.dev/v1":
		return f.invocations(v)
	}
	return nil, located(v.Position(), diag.UsageHint(formsHint,
		"the functionConfig is a %s %s, which fctl does not know", version, kind))
}

// configMap reads a ConfigMap. Its data has a function with its parameters, or the text of a chain.
func (f *reader) configMap(config gaby.Value) (*api.FunctionInvocationRequest, error) {
	data := config.Get("data")
	name, text := data.Get("function"), data.Get("chain")
	switch {
	case data.Exists() && !data.IsNull() && data.Kind() != gaby.Map:
		return nil, located(data.Position(), diag.UsageHint(formsHint,
			"functionConfig: data must be a map"))
	case name.Exists() && text.Exists():
		return nil, located(text.KeyPosition(),
			diag.Usage("functionConfig: data.function and data.chain exclude each other"))
	case text.Exists():
		if data.Len() > 1 {
			return nil, located(text.KeyPosition(),
				diag.Usage("functionConfig: data.chain excludes other keys"))
		}
		return f.resolve([]byte(text.Text()), func(p *api.Failure) { p.Pos.File = "data.chain" })
	case name.Text() == "":
		return nil, located(config.Position(), diag.UsageHint(formsHint,
			"functionConfig: data.function or data.chain is missing"))
	}
	return f.withParameters(name.Text(), data)
}

// withParameters returns the chain of one function. Values are converted as words of the command
// line are.
func (f *reader) withParameters(name string, data gaby.Value,
) (*api.FunctionInvocationRequest, error) {
	if _, ok := f.executor.Signature(toolchain, name); !ok {
		return nil, located(data.Get("function").Position(), f.unknown(name))
	}
	arguments := gaby.Entries{}
	for p := data.First(); p.Exists(); p = p.Next() {
		if p.Kind() != gaby.Scalar {
			return nil, located(p.Position(),
				diag.Usage("functionConfig: data.%s must be a string", p.Key()))
		}
		if p.Key() != "function" {
			arguments = append(arguments, gaby.Entry{Key: p.Key(), Value: p.Text()})
		}
	}
	doc, err := gaby.ParseYAML([]byte("- function: x\n"))
	if err == nil {
		_, err = doc.Set(name, "0", "function")
	}
	if err == nil && len(arguments) > 0 {
		_, err = doc.Set(arguments, "0", "arguments")
	}
	if err != nil {
		return nil, err
	}
	return f.resolve(doc.Bytes(), func(p *api.Failure) {
		p.Pos = data.Get("function").Position()
		if v := data.Get(p.Argument); v.Exists() {
			p.Pos = v.Position()
		}
	})
}

// invocations reads a FunctionInvocations. The error joins all problems.
func (f *reader) invocations(v gaby.Value) (*api.FunctionInvocationRequest, error) {
	known := []string{"apiVersion", "kind", "metadata", "functions", "whereResource", "context"}
	var problems []error
	for c := v.First(); c.Exists(); c = c.Next() {
		if !slices.Contains(known, c.Key()) {
			problems = append(problems, located(c.KeyPosition(), diag.UsageHint(
				configkit.DidYouMean("", configkit.Suggest(c.Key(), known)),
				"functionConfig: unknown field %q", c.Key())))
		}
	}
	list := v.Get("functions")
	if list.Kind() != gaby.List {
		pos := list.Position()
		if !list.Exists() {
			pos = v.Position()
		}
		return nil, errors.Join(append(problems, located(pos,
			diag.Usage("functionConfig: functions must be a list, as in a chain file")))...)
	}
	request, err := f.functions(list)
	problems = append(problems, err)
	where := v.Get("whereResource")
	if where.Text() != "" {
		if err := f.executor.CheckWhereResource(toolchain, where.Text()); err != nil {
			problems = append(problems, located(where.Position(),
				diag.Usage("functionConfig: whereResource: %w", err)))
		}
	}
	unitContext, err := contextOf(v.Get("context"))
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	request.WhereResource, request.FunctionContext = where.Text(), unitContext
	return request, nil
}

// functions reads the list of a FunctionInvocations.
func (f *reader) functions(list gaby.Value) (*api.FunctionInvocationRequest, error) {
	start := list.Position()
	return f.resolve([]byte(list.YAML()+"\n"), func(p *api.Failure) {
		// The text of the list is without the indentation that it has in the functionConfig.
		if p.Pos.Line > 0 && start.Line > 0 {
			p.Pos.Line, p.Pos.Column = p.Pos.Line+start.Line-1, p.Pos.Column+start.Column-1
		}
	})
}

// contextOf reads what functions know of the unit. The names are those of --context.
func contextOf(v gaby.Value) (api.FunctionContext, error) {
	s := settings.Defaults()
	unit := ""
	for c := v.First(); c.Exists(); c = c.Next() {
		value := c.Text()
		switch key := c.Key(); key {
		case "space":
			s.Space = value
		case "space-id":
			s.SpaceID = value
		case "unit":
			unit = value
		case "unit-id":
			s.UnitID = value
		case "organization-id":
			s.OrganizationID = value
		case "revision-num":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return api.FunctionContext{}, located(c.Position(), diag.Usage("functionConfig: "+
					"context.revision-num: a whole number is expected, not %q", value))
			}
			s.RevisionNum = n
		default:
			label, ok := strings.CutPrefix(key, "unit-label.")
			if !ok {
				return api.FunctionContext{}, located(c.KeyPosition(),
					diag.Usage("functionConfig: context: unknown name %q", key))
			}
			if s.UnitLabels == nil {
				s.UnitLabels = map[string]string{}
			}
			s.UnitLabels[label] = value
		}
	}
	return plan.Context(s)(unit, toolchain), nil
}

// resolve reads the text of a chain. Its values read no files. locate corrects the position of
// a problem from the text to the functionConfig.
func (f *reader) resolve(text []byte, locate func(*api.Failure),
) (*api.FunctionInvocationRequest, error) {
	r := &plan.Resolver{
		Toolchain: toolchain, Functions: f.executor, ResourceType: f.types,
	}
	p, err := r.Invocations(plan.Text{
		Bytes: text,
		ReadFile: func(path string) ([]byte, error) {
			return nil, diag.Usage("file:%s: a KRM function reads no files", path)
		},
	})
	if err != nil {
		problems := diag.In("", diag.Failures(err, api.FailureUsage))
		for _, problem := range problems {
			locate(problem)
		}
		return nil, problems
	}
	f.notes = p.Notes
	request := &api.FunctionInvocationRequest{FunctionInvocations: p.Invocations}
	request.FunctionContext, err = contextOf(gaby.Value{})
	return request, err
}

// unknown returns the error for a name that is not a function.
func (f *reader) unknown(name string) *api.Failure {
	var names []string
	for _, s := range f.executor.Signatures(toolchain) {
		names = append(names, s.FunctionName)
	}
	hint := configkit.DidYouMean("", configkit.Suggest(name, names))
	if hint == "" {
		hint = "'fctl list' shows the functions"
	}
	return diag.UsageHint(hint, "unknown function %q", name)
}
