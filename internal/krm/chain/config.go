package chain

import (
	"errors"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/strict"
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

// request reads a functionConfig.
func (f *reader) request(config *gaby.YamlDoc) (*api.FunctionInvocationRequest, error) {
	if config == nil {
		return nil, diag.UsageHint(formsHint, "the functionConfig is missing")
	}
	r := &strict.Reader{}
	v := r.Value(config.Value(), "")
	version, kind := v.Value.Get("apiVersion").Text(), v.Value.Get("kind").Text()
	var request *api.FunctionInvocationRequest
	var err error
	switch {
	case kind == "ConfigMap" && version == "v1":
		request, err = f.configMap(v)
	case kind == "FunctionInvocations" && version == "fctl.dev/v1":
		request = f.invocations(v)
	default:
		v.Fail(formsHint, "the functionConfig is a %s %s, which fctl does not know", version, kind)
	}
	return request, errors.Join(diag.List(r.Failures()).Err(), err)
}

// configMap reads a ConfigMap. Its data has a function with its parameters, or the text of a chain.
func (f *reader) configMap(config strict.Value) (*api.FunctionInvocationRequest, error) {
	data := config.Get("data")
	name, text := data.Get("function"), data.Get("chain")
	before := config.Reader().Count()
	for v := range data.Map() {
		v.Scalar()
	}
	switch {
	case config.Reader().Count() > before:
	case name.Exists() && text.Exists():
		text.FailKey("", "functionConfig: data.function and data.chain exclude each other")
	case text.Exists() && data.Len() > 1:
		text.FailKey("", "functionConfig: data.chain excludes other keys")
	case text.Exists():
		return f.resolve([]byte(text.Text()), func(p *api.Failure) { p.Pos.File = "data.chain" })
	case name.Text() == "":
		config.Fail(formsHint, "functionConfig: data.function or data.chain is missing")
	default:
		return f.withParameters(name, data)
	}
	return nil, nil
}

// withParameters returns the chain of one function. Values are converted as words of the command
// line are.
func (f *reader) withParameters(
	function, data strict.Value,
) (*api.FunctionInvocationRequest, error) {
	name := function.Text()
	if _, ok := f.executor.Signature(toolchain, name); !ok {
		unknown := f.unknown(name)
		function.Fail(unknown.Hint, "%s", unknown.Message)
		return nil, nil
	}
	arguments := gaby.Entries{}
	for p := range data.Map() {
		if p.Key() != "function" {
			arguments = append(arguments, gaby.Entry{Key: p.Key(), Value: p.Scalar()})
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

// invocations reads a FunctionInvocations.
func (f *reader) invocations(v strict.Value) *api.FunctionInvocationRequest {
	request := &api.FunctionInvocationRequest{}
	settings := settings.Defaults()
	unit := ""
	v.Object("a FunctionInvocations", append(strict.Unread("apiVersion", "kind", "metadata"),
		strict.Need(strict.Field{Name: "functions", Read: func(v strict.Value) {
			if v.Kind() != gaby.List {
				v.Must("a list of invocations, as in a chain file", "")
				return
			}
			p := f.resolver().Read(v, plan.ChainText{ReadFile: noFiles})
			f.notes, request.FunctionInvocations = p.Notes, p.Invocations
		}}),
		strict.To("whereResource", &request.WhereResource, func(v strict.Value) string {
			where := v.Text()
			if err := f.executor.CheckWhereResource(toolchain, where); where != "" && err != nil {
				v.Fail("", "functionConfig: whereResource: %w", err)
			}
			return where
		}),
		strict.Field{Name: "context", Read: func(v strict.Value) { unit = readContext(v, settings) }})...)
	request.FunctionContext = plan.Context(settings)(unit, toolchain)
	return request
}

// readContext reads what functions know of the unit, and returns its name. The names are those of
// --context.
func readContext(v strict.Value, s *settings.Settings) (unit string) {
	for c := range v.Map() {
		value := c.Scalar()
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
				c.Must("a whole number", "")
			}
			s.RevisionNum = n
		default:
			label, ok := strings.CutPrefix(key, "unit-label.")
			if !ok {
				c.FailKey("", "functionConfig: context: unknown name %q", key)
				continue
			}
			if s.UnitLabels == nil {
				s.UnitLabels = map[string]string{}
			}
			s.UnitLabels[label] = value
		}
	}
	return unit
}

// resolve reads the text of a chain. Its values read no files. locate corrects the position of
// a problem from the text to the functionConfig.
func (f *reader) resolve(text []byte, locate func(*api.Failure),
) (*api.FunctionInvocationRequest, error) {
	p, err := f.resolver().Invocations(plan.ChainText{Bytes: text, ReadFile: noFiles})
	if err != nil {
		problems := diag.In("", diag.Failures(err, api.FailureUsage))
		for _, problem := range problems {
			locate(problem)
		}
		return nil, problems
	}
	f.notes = p.Notes
	return &api.FunctionInvocationRequest{
		FunctionInvocations: p.Invocations,
		FunctionContext:     plan.Context(settings.Defaults())("", toolchain),
	}, nil
}

func (f *reader) resolver() *plan.Resolver {
	return &plan.Resolver{Toolchain: toolchain, Functions: f.executor, ResourceType: f.types}
}

func noFiles(path string) ([]byte, error) {
	return nil, diag.Usage("file:%s: a KRM function reads no files", path)
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
