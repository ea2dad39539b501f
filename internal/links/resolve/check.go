package resolve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Limits of names and expressions, in bytes.
const (
	maxName       = 64
	maxExpression = 16 << 10
)

// Check checks what a link says about functions, names, paths and expressions, without any data.
// invocation is that of an Upsert, nil if the link has none.
func Check(
	x *functions.Executor, l *entity.Link, from, to *entity.Unit, invocation *entity.Invocation,
) ([]entity.FieldError, []entity.Warning) {
	c := linkChecker{executor: x, link: l, from: from, to: to, names: map[string]bool{}}
	c.upstream()
	c.downstream()
	c.bindings()
	if invocation != nil {
		for _, e := range CheckTransform(x, invocation, to.ToolchainType) {
			c.add("TransformInvocation", e)
		}
	}
	if len(l.DownstreamSetters) > 0 && strings.Contains(l.WhereResource, "ConfigHub.ResourceType") {
		c.warn(entity.WarnWhereBothSides, "", "WhereResource is about resource types and "+
			"applies to "+
			"the upstream unit and to DownstreamSetters; an entry can have a WhereResource of "+
			"its own")
	}
	return c.findings, c.warnings
}

// linkChecker checks one link.
type linkChecker struct {
	executor *functions.Executor
	link     *entity.Link
	from, to *entity.Unit
	names    map[string]bool
	findings []entity.FieldError
	warnings []entity.Warning
}

func (c *linkChecker) add(field string, e *entity.Error) {
	e.Link, e.Space = c.link.Slug, c.link.SpaceSlug
	c.findings = append(c.findings, entity.FieldError{Field: field, Error: e})
}

func (c *linkChecker) problem(
	field string, code entity.Code, hint, format string, args ...any,
) {
	c.add(field, &entity.Error{
		Code: code, Message: field + ": " + fmt.Sprintf(format, args...), Hint: hint,
	})
}

func (c *linkChecker) warn(code entity.Code, path, message string) {
	c.warnings = append(c.warnings, entity.Warning{
		Code: code, Message: message, Space: c.link.SpaceSlug, Unit: c.link.FromUnit,
		Link: c.link.Slug, Path: path,
	})
}

// upstream checks UpstreamPaths and UpstreamGetters.
func (c *linkChecker) upstream() {
	for i := range c.link.UpstreamPaths {
		p := &c.link.UpstreamPaths[i]
		field := fmt.Sprintf("UpstreamPaths[%d]", i)
		c.name(field, p.Name)
		c.path(field+".Path", p.Path)
	}
	for i := range c.link.UpstreamGetters {
		g := &c.link.UpstreamGetters[i]
		field := fmt.Sprintf("UpstreamGetters[%d]", i)
		c.name(field, g.Name)
		s, ok := c.function(field, c.to.ToolchainType, &g.FunctionInvocation)
		if ok && (s.Mutating || s.OutputInfo == nil ||
			s.OutputInfo.OutputType != api.OutputTypeAttributeValueList) {
			c.problem(
				field, entity.CodeFunctionKind, "get-... functions return values",
				"function %s does not return values", g.FunctionInvocation.FunctionName,
			)
		}
	}
}

// downstream checks DownstreamPaths and DownstreamSetters.
func (c *linkChecker) downstream() {
	for i := range c.link.DownstreamPaths {
		p := &c.link.DownstreamPaths[i]
		field := fmt.Sprintf("DownstreamPaths[%d]", i)
		c.path(field+".Path", p.Path)
		c.expression(field+".Expression", p.Evaluator, p.Expression, p.Parameters)
	}
	for i := range c.link.DownstreamSetters {
		s := &c.link.DownstreamSetters[i]
		field := fmt.Sprintf("DownstreamSetters[%d]", i)
		signature, ok := c.function(field, c.from.ToolchainType, &s.FunctionInvocation)
		if ok && !signature.Mutating {
			c.problem(
				field, entity.CodeFunctionKind, "", "function %s changes nothing",
				s.FunctionInvocation.FunctionName,
			)
		}
		used := map[string]bool{}
		for j, arg := range s.FunctionInvocation.Arguments {
			text, isText := arg.Value.(string)
			if arg.Evaluator == "" || !isText {
				continue
			}
			field := fmt.Sprintf("%s.Arguments[%d]", field, j)
			for _, name := range c.parameters(field, arg.Evaluator, text, s.Parameters) {
				used[name] = true
			}
		}
		c.known(field, s.Parameters)
		c.unused(field, s.Parameters, used)
	}
}

// bindings checks the paths of bindings.
func (c *linkChecker) bindings() {
	for i := range c.link.Bindings {
		b := &c.link.Bindings[i]
		if b.AutoUpdate {
			continue
		}
		field := fmt.Sprintf("Bindings[%d]", i)
		c.path(field+".NeededPath", b.NeededPath)
		if b.ProvidedPath != "" {
			c.path(field+".ProvidedPath", b.ProvidedPath)
		}
	}
}

// path checks the syntax of a path.
func (c *linkChecker) path(field, path string) {
	_, err := yamlpath.Parse(path)
	if err == nil {
		err = yamlpath.CheckSpelling(path)
	}
	if err == nil {
		return
	}
	hint := ""
	if e, ok := errors.AsType[*yamlpath.Error](err); ok {
		hint = e.Hint
	}
	c.problem(field, entity.CodePathNotFound, hint, "%v", err)
}

// name checks the name of an upstream value.
func (c *linkChecker) name(field, name string) {
	if problem := checkName(name); problem != "" {
		c.problem(
			field+".Name", entity.CodeNameInvalid, "a name is letters, digits and _", "%s", problem,
		)
	}
	if c.names[name] {
		c.problem(
			field+".Name", entity.CodeNameDup,
			"names are unique in UpstreamPaths and UpstreamGetters together",
			"the name %s is used twice", name,
		)
	}
	c.names[name] = true
}

// checkName returns what is wrong with the name of an upstream value, "" if nothing is.
func checkName(name string) string {
	reserved := []string{ // of CEL, and literals
		"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for",
		"function",
		"if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while",
	}
	switch {
	case !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name):
		return configkit.Quote(name) + " is not a name"
	case len(name) > maxName:
		return fmt.Sprintf("the name has %d characters, at most %d are allowed", len(name), maxName)
	case token.IsKeyword(name), slices.Contains(reserved, name):
		return name + " is a word of Go templates or CEL"
	}
	return ""
}

// function checks an invocation and returns the signature of its function.
func (c *linkChecker) function(
	field string, t api.ToolchainType, invocation *api.FunctionInvocation,
) (api.FunctionSignature, bool) {
	s, ok := c.executor.Signature(t, invocation.FunctionName)
	if !ok {
		c.problem(
			field, entity.CodeFunctionUnknown, didYouMean(c.executor, t, invocation.FunctionName),
			"there is no function %s for %s", configkit.Quote(invocation.FunctionName), t,
		)
		return s, false
	}
	if !s.Hermetic {
		c.problem(
			field, entity.CodeWorkerFunction, "", "function %s depends on more than its input",
			invocation.FunctionName,
		)
		return s, false
	}
	// Expressions get their parameters only when the link is resolved.
	checked := *invocation
	checked.Arguments = literals(invocation.Arguments)
	if _, err := c.executor.ValidateInvocation(t, checked); err != nil {
		for _, err := range configkit.Unjoin(err) {
			if _, ok := errors.AsType[*expression.Error](err); ok {
				continue // reported with its argument
			}
			code := entity.CodeFunctionKind
			if problem, ok := errors.AsType[*where.Error](err); ok {
				code = entity.WhereCode(problem)
			}
			hint := ""
			if h, ok := err.(interface{ Hint() string }); ok {
				hint = h.Hint()
			}
			c.problem(field, code, hint, "%v", err)
		}
	}
	return s, true
}

// literals returns arguments without evaluators on arguments that are not texts: only a text can be
// an expression.
func literals(args []api.FunctionArgument) []api.FunctionArgument {
	all := slices.Clone(args)
	for i := range all {
		if _, isText := all[i].Value.(string); !isText {
			all[i].Evaluator = ""
		}
	}
	return all
}

// didYouMean returns a hint for the name of a function that does not exist.
func didYouMean(x *functions.Executor, t api.ToolchainType, name string) string {
	var names []string
	for _, s := range x.Signatures(t) {
		names = append(names, s.FunctionName)
	}
	return configkit.DidYouMean("", configkit.Suggest(name, names))
}

// expression checks an expression and its parameters.
func (c *linkChecker) expression(field, evaluator, text string, parameters []string) {
	used := map[string]bool{}
	for _, name := range c.parameters(field, evaluator, text, parameters) {
		used[name] = true
	}
	c.known(field, parameters)
	c.unused(field, parameters, used)
}

// parameters checks an expression and returns the parameters that it names.
func (c *linkChecker) parameters(
	field, evaluator, text string, parameters []string,
) []string {
	if evaluator != "" && evaluator != api.EvaluatorTemplate && evaluator != api.EvaluatorCEL {
		c.problem(field, entity.CodeEvaluator, "there are template and cel",
			"unknown evaluator %s", configkit.Quote(evaluator))
		return nil
	}
	if len(text) > maxExpression {
		c.problem(field, entity.CodeExprParse, "", "the expression has %d bytes, at most %d are "+
			"allowed",
			len(text), maxExpression)
		return nil
	}
	p, err := formula.Compile(evaluator, text)
	if err != nil {
		code, hint := entity.CodeExprParse, ""
		if e, ok := errors.AsType[*expression.Error](err); ok {
			if hint = e.Hint; e.Result {
				code = entity.CodeCoerce
			}
		}
		c.problem(field, code, hint, "%v", err)
		return nil
	}
	for _, name := range p.Params {
		if !slices.Contains(parameters, name) {
			c.problem(
				field, entity.CodeParamNarrow, "add "+name+" to Parameters",
				"the expression reads %s, which is not in Parameters", name,
			)
		}
	}
	for _, name := range p.Fields {
		switch name {
		case "RevisionNum", "RevisionID", "PreviousDataHash":
			c.warn(entity.WarnUnstableContext, "", fmt.Sprintf(
				"%s: %s differs in every revision, so every resolve makes a new one", field, name,
			))
		}
	}
	return p.Params
}

// known checks that parameters are names of upstream values.
func (c *linkChecker) known(field string, parameters []string) {
	for _, name := range parameters {
		if !c.names[name] {
			c.problem(
				field, entity.CodeParamUnknown, "",
				"Parameters has %s, which is not a name in UpstreamPaths or UpstreamGetters", name,
			)
		}
	}
}

// unused warns about parameters that no expression names.
func (c *linkChecker) unused(field string, parameters []string, used map[string]bool) {
	for _, name := range parameters {
		if !used[name] && c.names[name] {
			c.warn(entity.WarnUnusedParam, "", field+": Parameters has "+name+
				", which no expression names")
		}
	}
}

// CheckTransform checks the invocation of an Upsert link. t is the toolchain of the upstream unit.
func CheckTransform(
	x *functions.Executor, invocation *entity.Invocation, t api.ToolchainType,
) entity.Errors {
	problem := func(code entity.Code, format string, args ...any) entity.Errors {
		return entity.Errors{{
			Code: code, Message: "invocation " + invocation.Slug + ": " +
				fmt.Sprintf(format, args...),
		}}
	}
	if invocation.ToolchainType != t {
		return problem(
			entity.CodeTransformToolchain, "it is for %s, the upstream unit is %s",
			invocation.ToolchainType, t,
		)
	}
	if invocation.BridgeWorkerID != "" {
		return problem(entity.CodeWorkerFunction, "it runs in a worker")
	}
	s, ok := x.Signature(t, invocation.FunctionName)
	switch {
	case !ok:
		list := problem(
			entity.CodeFunctionUnknown, "there is no function %s for %s",
			configkit.Quote(invocation.FunctionName), t,
		)
		list[0].Hint = didYouMean(x, t, invocation.FunctionName)
		return list
	case !s.Hermetic:
		return problem(
			entity.CodeWorkerFunction, "function %s depends on more than its input",
			invocation.FunctionName,
		)
	case s.Mutating:
		return problem(
			entity.CodeTransformMutating, "function %s changes its unit; a transform returns YAML",
			invocation.FunctionName,
		)
	case s.OutputInfo == nil || s.OutputInfo.OutputType != api.OutputTypeYAML:
		output := "nothing"
		if s.OutputInfo != nil {
			output = string(s.OutputInfo.OutputType)
		}
		return problem(
			entity.CodeTransformOutput, "function %s returns %s, not YAML", invocation.FunctionName,
			output,
		)
	}
	return nil
}

// checkTransform is CheckTransform for a link that is resolved.
func (r *resolver) checkTransform(
	l *entity.Link, up *Upstream, invocation *entity.Invocation,
) entity.Errors {
	problems := CheckTransform(r.in.Executor, invocation, up.ToolchainType)
	for _, e := range problems {
		e.Link, e.Space, e.Unit = l.Slug, r.spaceSlug(), r.in.Downstream.Slug
		e.Message = "link " + l.Slug + ": " + e.Message
	}
	return problems
}

// TransformHash identifies what an invocation does. It changes when a link that uses the invocation
// has to be resolved again.
func TransformHash(invocation *entity.Invocation) string {
	text, err := json.Marshal(struct {
		ToolchainType api.ToolchainType
		FunctionName  string
		Arguments     []api.FunctionArgument
		WhereResource string
	}{
		invocation.ToolchainType, invocation.FunctionName, invocation.Arguments,
		invocation.WhereResource,
	})
	if err != nil {
		return cmp.Or(invocation.InvocationID, invocation.Slug)
	}
	return api.DataHash(text)
}
