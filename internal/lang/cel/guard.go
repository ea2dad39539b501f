package cel

import (
	"context"
	"errors"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// The interpreter counts the cost of a step after it, but one step can make a value of any size.
// The functions of this file check the size before the work.

const (
	// maxSize is the size of the largest value: its bytes as text, about.
	maxSize = 16 << 20
	// maxItems is the number of items of the longest list, and of a value with all that is in it.
	maxItems = 1_000_000
)

// guards returns the checks of the arguments of functions, by name.
func guards() map[string]func(args []ref.Val) error {
	all := map[string]func(args []ref.Val) error{
		operators.Add: checkSum, "replace": checkReplace, "join": checkJoin,
		"format": checkFormat,
	}
	for _, name := range patternFunctions() {
		all[name] = checkPattern
	}
	all["regex.replace"] = checkPatternReplace
	return all
}

// patternFunctions returns the functions whose second argument is a regular expression.
func patternFunctions() []string {
	return []string{
		"matches", "find", "findAll", "regex.replace", "regex.extract", "regex.extractAll",
	}
}

// guarded is a function with its check.
type guarded struct {
	call  functions.FunctionOp
	check func(args []ref.Val) error
}

// guardedOf returns the functions of an environment that have a check, by name.
func guardedOf(env *cel.Env) (map[string]guarded, error) {
	declared, all := env.Functions(), map[string]guarded{}
	for name, check := range guards() {
		bindings, err := declared[name].Bindings()
		if err != nil {
			return nil, err
		}
		for _, b := range bindings {
			if b.Operator == name { // it chooses one of the others by its arguments
				all[name] = guarded{functionOf(b), check}
			}
		}
	}
	return all, nil
}

// functionOf returns the function of a binding.
func functionOf(b *functions.Overload) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		switch {
		case b.OperandTrait != 0 && !args[0].Type().HasTrait(b.OperandTrait):
			return types.MaybeNoSuchOverloadErr(args[0])
		case b.Unary != nil:
			return b.Unary(args[0])
		case b.Binary != nil:
			return b.Binary(args[0], args[1])
		}
		return b.Function(args...)
	}
}

// guard adds the checks to the steps of a program.
func (e environments) guard(step interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch step := step.(type) {
	case interpreter.InterpretableConstructor:
		if slices.ContainsFunc(step.InitVals(), func(v interpreter.InterpretableV2) bool {
			_, constant := v.(interpreter.InterpretableConst)
			return !constant
		}) {
			return sized{step}, nil
		}
	case interpreter.InterpretableCall:
		if f, ok := e.guarded[step.Function()]; ok {
			return interpreter.NewCall(step.ID(), step.Function(), step.OverloadID(), step.Args(),
				func(args ...ref.Val) ref.Val {
					if err := f.check(args); err != nil {
						return types.WrapErr(err)
					}
					return f.call(args...)
				}), nil
		}
	}
	return step, nil
}

// sized is the construction of a list or map that checks the size of the result: values can be in
// it several times, and it in others.
type sized struct {
	interpreter.InterpretableConstructor
}

// Exec implements interpreter.InterpretableV2.
func (s sized) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	value := s.InterpretableConstructor.Exec(frame)
	if !types.IsUnknownOrError(value) && sizeOf(value) > maxSize {
		return types.WrapErr(tooLarge("value"))
	}
	return value
}

func tooLarge(what string) error {
	return limit.TooLarge("%s would have more than %s", what, limit.Size(maxSize))
}

// sizeOf returns the size of a value: about its bytes as text.
func sizeOf(value any) int {
	const maxDepth = 10_000
	return int(types.NewSizeCalculator(types.SizeCalculatorMaxDepth(maxDepth),
		types.SizeCalculatorMaxTraversal(maxItems), types.SizeCalculatorStringUnitLength(1)).
		AggregateSize(value))
}

// length returns the bytes of a text or the items of a list, otherwise 0.
func length(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	case traits.Lister:
		if size, ok := v.Size().(types.Int); ok {
			return int(size)
		}
	}
	return 0
}

func checkSum(args []ref.Val) error {
	size := length(args[0]) + length(args[1])
	if _, list := args[0].(traits.Lister); list && size > maxItems {
		return limit.TooLarge("list would have more than %d items", maxItems)
	}
	if size > maxSize {
		return tooLarge("text")
	}
	return nil
}

// textsOf returns the arguments that are texts, from the first on.
func textsOf(args []ref.Val) []string {
	var texts []string
	for _, arg := range args {
		text, ok := arg.(types.String)
		if !ok {
			break
		}
		texts = append(texts, string(text))
	}
	return texts
}

func checkReplace(args []ref.Val) error {
	texts := textsOf(args)
	if len(texts) < 3 {
		return nil // the function refuses it
	}
	size := len(texts[0]) + strings.Count(texts[0], texts[1])*(len(texts[2])-len(texts[1]))
	if size > maxSize {
		return tooLarge("text")
	}
	return nil
}

func checkJoin(args []ref.Val) error {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return nil
	}
	size := 0
	if len(args) > 1 {
		size = length(list) * length(args[1])
	}
	for e := range elements(list) {
		if size += length(e); size > maxSize {
			break
		}
	}
	if size > maxSize {
		return tooLarge("text")
	}
	return nil
}

// checkFormat adds up the sizes of the arguments: a format uses each of them once.
func checkFormat(args []ref.Val) error {
	if length(args[0])+sizeOf(args[1]) > maxSize {
		return tooLarge("text")
	}
	return nil
}

func checkPattern(args []ref.Val) error {
	if texts := textsOf(args); len(texts) > 1 {
		return pattern.Check(texts[1])
	}
	return nil
}

// checkPatternReplace counts the matches only if a match everywhere would be too many. A group in
// the replacement, such as \1, has at most the length of the text in all matches together.
func checkPatternReplace(args []ref.Val) error {
	texts := textsOf(args)
	if len(texts) < 3 {
		return nil // the function refuses it
	}
	text, replacement := texts[0], texts[2]
	size := len(text) * (1 + strings.Count(replacement, `\`))
	if size+(len(text)+1)*len(replacement) > maxSize {
		re, err := pattern.Compile(texts[1])
		if err != nil {
			return err
		}
		most := -1
		if n, ok := args[len(args)-1].(types.Int); ok && n >= 0 {
			most = int(n)
		}
		size += len(re.FindAllStringIndex(text, most)) * len(replacement)
		if size > maxSize {
			return tooLarge("text")
		}
	}
	return checkPattern(args)
}

// patternLiterals reports regular expressions that are too large, and wrong ones of matches, where
// they are written.
type patternLiterals struct{}

// Name implements cel.ASTValidator.
func (patternLiterals) Name() string { return "fctl.patterns" }

// Validate implements cel.ASTValidator.
func (patternLiterals) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, found *cel.Issues) {
	names := patternFunctions()
	ast.PreOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || !slices.Contains(names, e.AsCall().FunctionName()) {
			return
		}
		args := e.AsCall().Args()
		at := 1
		if e.AsCall().IsMemberFunction() {
			at = 0
		}
		if len(args) <= at || args[at].Kind() != ast.LiteralKind {
			return
		}
		text, ok := args[at].AsLiteral().(types.String)
		if !ok {
			return
		}
		_, err := pattern.Compile(string(text))
		if _, limited := errors.AsType[*limit.Error](err); limited {
			found.ReportErrorAtID(args[at].ID(), "%v", err)
		} else if err != nil && e.AsCall().FunctionName() == "matches" {
			found.ReportErrorAtID(args[at].ID(), "text is not a regular expression (RE2)")
		}
	}))
}

// evaluate evaluates a compiled expression under a watch. An evaluation that reaches a limit gives
// the error of the watch.
func evaluate(
	ctx context.Context, program cel.Program, variables any,
) (ref.Val, *cel.EvalDetails, error) {
	// Only the watch ends the evaluation: it looks at ctx, which all evaluations of a run share.
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	watch := limit.Start(ctx, cancel)
	value, details, err := program.ContextEval(inner, variables)
	watch.End()
	cancel(nil)
	if ended := watch.Err(); ended != nil {
		return nil, details, ended
	}
	return value, details, err
}
