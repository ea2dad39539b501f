package cel

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
	"cel.dev/cel-go/parser"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// compileErrors returns the problems of an expression that does not compile. The parser guesses
// after a syntax error, so only the first syntax error is returned.
func (p *Expression) compileErrors(issues *cel.Issues) error {
	var problems []error
	for _, e := range issues.Errors() {
		problem := p.Fail(p.At(e.Location.Line(), max(0, e.Location.Column())+1), "")
		message, isSyntax := strings.CutPrefix(e.Message, "Syntax error: ")
		if isSyntax {
			problem.Msg, problem.Hint = syntaxProblem(message)
			return problem
		}
		problem.Msg, problem.Hint = typeProblem(p.env, message)
		problems = append(problems, problem)
	}
	return errors.Join(problems...)
}

// syntaxProblem translates a message of the parser, which is in terms of the grammar, to terms of
// the expression.
func syntaxProblem(message string) (text, hint string) {
	message, _, _ = strings.Cut(message, " expecting ")
	for _, before := range []string{
		"mismatched input ", "extraneous input ", "no viable alternative at input ",
		"token recognition error at: ", "missing ",
	} {
		rest, ok := strings.CutPrefix(message, before)
		switch {
		case !ok:
		case strings.Contains(rest, "<EOF>"):
			return "the expression ends too early", ""
		case rest == "'= '" || rest == "'='":
			return "unexpected =", "== compares"
		case rest == "'and'" || rest == "'or'" || rest == "'not'":
			return "unexpected " + rest, "and, or and not are written &&, || and !"
		case before == "missing ":
			return message, ""
		default:
			return "unexpected " + rest, ""
		}
	}
	return message, ""
}

// typeProblem translates a message of the type checker and returns a hint.
func typeProblem(env *cel.Env, message string) (text, hint string) {
	if rest, ok := strings.CutPrefix(message, "undeclared reference to '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		return name + " is not known", suggestion(env, name)
	}
	if rest, ok := strings.CutPrefix(message, "found no matching overload for '"); ok {
		name, given, _ := strings.Cut(rest, "' applied to '")
		given, _, _ = strings.Cut(given, "'")
		given = objectName().ReplaceAllString(given, "object")
		return fmt.Sprintf("%s is not defined for %s", functionText(name), given), ""
	}
	if rest, ok := strings.CutPrefix(message, "undefined field '"); ok {
		name := strings.TrimSuffix(rest, "'")
		if fields, ok := env.CELTypeProvider().(objectTypes); ok {
			hint = fields.suggestion(name)
		}
		return "unknown field " + name, hint
	}
	if strings.HasPrefix(message, pattern.TooLarge) {
		return message, pattern.Hint
	}
	switch message {
	case "invalid duration argument":
		return "text is not a duration", "durations look like 1h30m"
	case "invalid timestamp argument":
		return "text is not a timestamp", "timestamps look like 2026-01-31T12:00:00Z"
	}
	return message, ""
}

// objectName matches the type names that [shapes] generates, which mean nothing to users.
var objectName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bobject\d+\b`)
})

// functionText returns a function as it is written in expressions: the symbol of an operator, or
// the name.
func functionText(name string) string {
	if symbol, ok := operators.FindReverse(name); ok && symbol != "" {
		return symbol
	}
	return name
}

// suggestion returns a hint about what may be meant by an unknown name.
func suggestion(env *cel.Env, name string) string {
	variables := []string{"params", "functionContext"}
	for _, v := range env.Variables() {
		switch v.Name() {
		case "object":
			variables = []string{"object", "r", "params", "functionContext"}
		case "resources":
			variables = []string{"resources", "params", "functionContext"}
		case "self":
			variables = []string{"self", "oldSelf"}
		}
	}
	known := slices.Clone(variables)
	for _, m := range env.Macros() {
		known = append(known, m.Function())
	}
	for f := range env.Functions() {
		known = append(known, f)
	}
	slices.Sort(known)
	if hint := configkit.DidYouMean("",
		configkit.Suggest(name, slices.Compact(known))); hint != "" && len(name) > 1 {
		return hint
	}
	return "the variables are " + strings.Join(variables, ", ") + "; put strings in quotes"
}

// explain turns the error of an evaluation into an *[expression.Error]. It evaluates the expression
// again, this time recording the value of each part.
func (p *Expression) explain(ctx context.Context, a *activation, err error) error {
	failed, inStep := errors.AsType[*types.Err](err)
	if _, limited := errors.AsType[*limit.Error](err); limited || ctx.Err() != nil {
		problem := p.Ended(err)
		if inStep {
			problem.Column = p.column(failed.NodeID())
		}
		return problem
	}
	if isCostError(err) {
		return p.Ended(limit.TooLarge("the evaluation takes too long").WithHint(fmt.Sprintf(
			"it may cost %d units, the limit of Kubernetes' admission policies", maxCost)))
	}
	problem := p.Failed(err)
	program, planErr := p.plan(cel.EvalOptions(cel.OptTrackState))
	if planErr != nil || !inStep || failed.NodeID() == 0 {
		return problem
	}
	noted := missed{}
	again := *a
	again.missed = noted
	if a.object != nil {
		again.object = valueOf(a.resource, noted)
	}
	_, details, _ := evaluate(ctx, program, &again)
	e := explanation{
		native: p.ast.NativeRep(), state: details.State(), missed: noted, problem: problem,
	}
	e.of(e.node(failed.NodeID()))
	return problem
}

// column returns the column of a part of the expression.
func (p *Expression) column(id int64) int {
	at := p.ast.NativeRep().SourceInfo().GetStartLocation(id)
	return p.At(at.Line(), at.Column()+1)
}

// explanation is the search for what an evaluation failed at.
type explanation struct {
	native  *ast.AST
	state   interpreter.EvalState
	missed  missed
	problem *expression.Error
}

// node returns the part of the expression with this ID, or nil.
func (e *explanation) node(id int64) ast.Expr {
	var found ast.Expr
	ast.PreOrderVisit(e.native.Expr(), ast.NewExprVisitor(func(n ast.Expr) {
		if n.ID() == id {
			found = n
		}
	}))
	return found
}

// of writes the explanation for a failed part of the expression to e.problem.
func (e *explanation) of(node ast.Expr) {
	if node == nil {
		return
	}
	// The first failing step of a path is the one to explain.
	for operand, _, ok := step(node); ok; operand, _, ok = step(operand) {
		if types.IsError(e.valueOf(operand)) {
			node = operand
		}
	}
	at := e.native.SourceInfo().GetStartLocation(node.ID())
	e.problem.Column = e.problem.At(at.Line(), at.Column()+1)
	if node.Kind() == ast.SelectKind {
		e.problem.Column++ // after the dot
	}
	if operand, key, ok := step(node); ok {
		e.missing(node, operand, key)
		return
	}
	if node.Kind() == ast.CallKind && strings.HasPrefix(e.problem.Msg, "no such overload") {
		e.overload(node.AsCall())
	}
}

// step splits off the last step of a path: it returns what is before the step and the key it
// selects.
func step(node ast.Expr) (operand ast.Expr, key string, ok bool) {
	switch node.Kind() {
	case ast.SelectKind:
		s := node.AsSelect()
		return s.Operand(), s.FieldName(), true
	case ast.CallKind:
		c := node.AsCall()
		if c.FunctionName() != operators.Index || c.Args()[1].Kind() != ast.LiteralKind {
			return nil, "", false
		}
		text, isText := c.Args()[1].AsLiteral().(types.String)
		return c.Args()[0], string(text), isText
	}
	return nil, "", false
}

// valueOf returns the value that a part of the expression had, or nil if it was not evaluated.
func (e *explanation) valueOf(node ast.Expr) ref.Val {
	v, _ := e.state.Value(node.ID())
	return v
}

// text returns the source of a part of the expression.
func (e *explanation) text(node ast.Expr) string {
	text, err := parser.Unparse(node, e.native.SourceInfo())
	if err != nil {
		return "the value"
	}
	return text
}

// missing explains that a key does not exist.
func (e *explanation) missing(node, operand ast.Expr, key string) {
	what := e.text(operand)
	in, known := e.missed[key]
	if v := e.valueOf(operand); v != nil && !known {
		switch v.(type) {
		case docMap, docList:
		default:
			if !types.IsError(v) {
				e.problem.Msg = fmt.Sprintf("no such key: %s: %s is %s", key, what, describe(v))
				return
			}
		}
	}
	if known {
		e.problem.Pos = in.Position()
	}
	e.problem.Msg = fmt.Sprintf("no such key: %s: %s has no %s", key, what, key)
	var there []string
	for _, c := range in.All() {
		there = append(there, c.Key())
	}
	if meant := configkit.Suggest(key, there); len(meant) > 0 && len(key) > 2 {
		e.problem.Hint = configkit.DidYouMean("", meant[:1]) + " "
	}
	if node.Kind() == ast.SelectKind {
		e.problem.Hint += fmt.Sprintf(
			"has(%s) reports whether it exists, %s.?%s.orValue(...) returns another value if it "+
				"does not",
			e.text(node), what, key)
	} else {
		e.problem.Hint += fmt.Sprintf("%q in %s reports whether it exists", key, what)
	}
}

// overload explains that a function or operator does not accept its arguments.
func (e *explanation) overload(call ast.CallExpr) {
	args := call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	var given []string
	for _, a := range args {
		v := e.valueOf(a)
		if a.Kind() == ast.LiteralKind {
			v = a.AsLiteral()
		}
		switch {
		case v == nil:
			given = append(given, "a value")
		case a.Kind() == ast.LiteralKind:
			given = append(given, describe(v))
		default:
			given = append(given, fmt.Sprintf("%s (%s)", describe(v), e.text(a)))
		}
	}
	e.problem.Msg = fmt.Sprintf("no such overload: %s is not defined for %s",
		functionText(call.FunctionName()), strings.Join(given, " and "))
}
