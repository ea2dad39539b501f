package resolve

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// transform resolves a TransformPaths link: values are read upstream, expressions are evaluated
// with them, and the results are arguments of functions and values of paths. Everything is read and
// evaluated before anything is written.
func (r *resolver) transform(l *entity.Link) error {
	s, err := r.sharedSource(l)
	if err != nil {
		return err
	}
	values, err := r.upstreamValues(l, s)
	if err != nil {
		return err
	}
	setters, err := r.setters(l, values)
	if err != nil {
		return err
	}
	writes, err := r.pathValues(l, values)
	if err != nil {
		return err
	}
	docs, err := r.documents()
	if err != nil {
		return err
	}
	if docs, err = r.runSetters(l, docs, setters); err != nil {
		return err
	}
	if err := r.writePaths(l, docs, writes); err != nil {
		return err
	}
	if _, err := r.commit(docs, cause{link: l}); err != nil {
		return err
	}
	r.succeed(l, s.version)
	result := r.results[l.LinkID]
	result.Values = values
	for _, call := range setters {
		result.Results = append(result.Results, entity.ExpressionResult{Function: callText(&call)})
	}
	for _, w := range writes {
		result.Results = append(result.Results, entity.ExpressionResult{
			Resource: refText(w.of.Resource), Path: w.of.Path, Expression: w.of.Expression,
			Evaluator: cmp.Or(w.of.Evaluator, api.EvaluatorTemplate), Value: w.value,
		})
	}
	return nil
}

// callText returns a function with its arguments.
func callText(call *api.FunctionInvocation) string {
	words := []string{call.FunctionName}
	for _, a := range call.Arguments {
		word := fmt.Sprint(a.Value)
		if a.ParameterName != "" {
			word = "--" + a.ParameterName + "=" + word
		}
		words = append(words, word)
	}
	return shellwords.Quote(words...)
}

// upstreamValues reads the values of UpstreamPaths and UpstreamGetters, by name.
func (r *resolver) upstreamValues(l *entity.Link, s *source) (map[string]any, error) {
	values := map[string]any{}
	var problems entity.Errors
	report := func(code entity.Code, format string, args ...any) {
		problems = append(problems, r.problem(l, code, format, args...))
	}
	add := func(name string, value any, found bool, err error) {
		switch {
		case err != nil:
			problems = append(problems, r.problemsOf(l, err)...)
		case !found:
			report(entity.CodeNoValue, "%s has no value in %s", name, r.nameOf(s.up.UnitID))
		case configkit.IsPlaceholder(value):
			report(entity.CodeUpstreamPlaceholder, "%s is a placeholder in %s", name,
				r.nameOf(s.up.UnitID))
		default:
			if _, twice := values[name]; twice {
				report(entity.CodeNameDup, "the name %s is used twice", name)
			}
			values[name] = value
		}
	}
	for i := range l.UpstreamPaths {
		p := &l.UpstreamPaths[i]
		value, found, err := r.readNamed(l, s, p)
		add(p.Name, value, found, err)
	}
	for i := range l.UpstreamGetters {
		g := &l.UpstreamGetters[i]
		value, found, err := r.runGetter(l, s, g)
		add(g.Name, value, found, err)
	}
	return values, problems.Err()
}

// readNamed reads an entry of UpstreamPaths. Several resources may be meant if their values are
// equal.
func (r *resolver) readNamed(
	l *entity.Link, s *source, p *entity.NamedPath,
) (value any, found bool, err error) {
	chosen := selectResources(s.resources, p.Resource)
	if len(chosen) == 0 {
		return nil, false, r.noResource(l, s, p.Name+": ", p.Resource)
	}
	for i := range chosen {
		v, ok, err := chosen[i].read(p.Path)
		if err != nil {
			return nil, false, err
		}
		if list, isList := v.([]any); isList && len(list) == 0 {
			ok = false
		}
		switch {
		case !ok:
		case !found:
			value, found = v, true
		case fmt.Sprint(v) != fmt.Sprint(value):
			return nil, false, r.problem(l, entity.CodeAmbiguous,
				"%s: the %d resources %s have different values", p.Name, len(chosen),
				refText(p.Resource))
		}
	}
	return value, found, nil
}

// runGetter runs an entry of UpstreamGetters and returns the first value that it finds.
func (r *resolver) runGetter(
	l *entity.Link, s *source, g *entity.NamedFunctionResult,
) (any, bool, error) {
	invocation := g.FunctionInvocation
	invocation.Arguments = literals(invocation.Arguments)
	name := invocation.FunctionName
	result, err := r.in.Executor.Run(r.ctx, &api.FunctionInvocationRequest{
		FunctionContext: Context(&s.up.HeadUnit, l.UseLiveState), ConfigData: s.data,
		WhereResource:       l.WhereResource,
		FunctionInvocations: api.FunctionInvocationList{invocation},
	}, handler.Options{})
	if err := r.functionFailed(l, name, result, err); err != nil {
		return nil, false, err
	}
	for _, o := range result.Outputs {
		rows, ok := o.Value.(api.AttributeValueList)
		if !ok {
			return nil, false, r.problem(l, entity.CodeFunctionKind,
				"%s: function %s returns %s, not values", g.Name, name, o.OutputType)
		}
		for i := range rows {
			return native(rows[i].Value), rows[i].Value != nil, nil
		}
	}
	return nil, false, nil
}

// native returns a value of a row with integers as int, as expressions expect them.
func native(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64()
		return f
	case int64:
		return int(v)
	}
	return value
}

// setters returns the invocations of DownstreamSetters with the values of their expressions.
func (r *resolver) setters(
	l *entity.Link, values map[string]any,
) (api.FunctionInvocationList, error) {
	var chain api.FunctionInvocationList
	var problems entity.Errors
	for i := range l.DownstreamSetters {
		s := &l.DownstreamSetters[i]
		invocation := s.FunctionInvocation
		invocation.Arguments = nil
		for _, arg := range s.FunctionInvocation.Arguments {
			text, isText := arg.Value.(string)
			if arg.Evaluator != "" && isText {
				value, err := r.evaluate(
					l, "setter "+invocation.FunctionName, arg.Evaluator, text, s.Parameters, values,
				)
				if err != nil {
					problems = append(problems, r.problemsOf(l, err)...)
				}
				arg.Value = value
			}
			arg.Evaluator = ""
			invocation.Arguments = append(invocation.Arguments, arg)
		}
		chain = append(chain, invocation)
	}
	return chain, problems.Err()
}

// pathValue is a value to be written to a path.
type pathValue struct {
	of    *entity.PathExpression
	value any
}

// pathValues evaluates DownstreamPaths.
func (r *resolver) pathValues(l *entity.Link, values map[string]any) ([]pathValue, error) {
	var found []pathValue
	var problems entity.Errors
	for i := range l.DownstreamPaths {
		p := &l.DownstreamPaths[i]
		text, err := r.evaluate(
			l, "path "+p.Path, p.Evaluator, p.Expression, p.Parameters, values,
		)
		if err != nil {
			problems = append(problems, r.problemsOf(l, err)...)
			continue
		}
		value, err := resourcetypes.ConvertText(text, p.DataType)
		if err != nil {
			e := r.problem(l, entity.CodeCoerce, "path %s: %w", p.Path, err)
			e.Path = p.Path
			problems = append(problems, e)
			continue
		}
		found = append(found, pathValue{p, value})
	}
	return found, problems.Err()
}

// runSetters runs the functions of DownstreamSetters on the unit.
func (r *resolver) runSetters(
	l *entity.Link, docs gaby.Container, chain api.FunctionInvocationList,
) (gaby.Container, error) {
	if len(chain) == 0 {
		return docs, nil
	}
	result, err := r.in.Executor.Run(r.ctx, &api.FunctionInvocationRequest{
		FunctionContext: Context(&r.in.Downstream, false), WhereResource: l.WhereResource,
		FunctionInvocations: chain, StopOnError: true, ConfigData: r.data,
	}, handler.Options{})
	if err := r.functionFailed(l, chain[0].FunctionName, result, err); err != nil {
		return nil, err
	}
	return r.parse(result.ConfigData)
}

// writePaths writes the values of DownstreamPaths.
func (r *resolver) writePaths(l *entity.Link, docs gaby.Container, writes []pathValue) error {
	var problems entity.Errors
	for _, w := range writes {
		target, err := r.oneResource(l, docs, w.of.Resource)
		if err != nil {
			problems = append(problems, r.problemsOf(l, err)...)
			continue
		}
		created, err := target.write(w.of.Path, w.value)
		if err != nil {
			err = r.at(l, &target.info, w.of.Path, err)
			problems = append(problems, r.problemsOf(l, err)...)
			continue
		}
		for _, path := range created {
			r.warn(l, entity.WarnCreatedPath, &target.info, path, "path %s did not exist", path)
		}
	}
	return problems.Err()
}
