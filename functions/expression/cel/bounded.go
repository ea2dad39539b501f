package cel

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// What a call costs is counted when it is over: by then a text may have been made that there is no memory for, or lists compared that
// hold each other again and again. The functions of this file look at the arguments of such calls before.

// maxBytes is how long a text may be that a call makes. One that is looked through costs as much as an evaluation may.
const maxBytes = 10 * maxCost

// boundedFunctions are the functions of an environment that can make or look through much more than their arguments, with a limit.
func boundedFunctions(env *cel.Env) ([]cel.EnvOption, error) {
	var options []cel.EnvOption
	for name, bytes := range map[string]func(args []ref.Val) int{
		"replace": replacedBytes, "regex.replace": regexReplacedBytes, "join": joinedBytes, "format": formattedBytes,
		"flatten": weightOf, "indexOf": weightOf, "lastIndexOf": weightOf,
		"sets.contains": weightOf, "sets.equivalent": weightOf, "sets.intersects": weightOf,
	} {
		f := env.Functions()[name]
		bindings, err := f.Bindings()
		if err != nil {
			return nil, err
		}
		var bounded []cel.FunctionOpt
		for _, o := range f.OverloadDecls() {
			for _, b := range bindings {
				if b.Operator != o.ID() {
					continue
				}
				overload := cel.Overload
				if o.IsMemberFunction() {
					overload = cel.MemberOverload
				}
				bounded = append(bounded, overload(o.ID(), o.ArgTypes(), o.ResultType(), boundedBinding(b, bytes)))
			}
		}
		if name == "flatten" {
			bounded = append(bounded, decls.DisableTypeGuards(true)) // as cel-go does
		}
		options = append(options, cel.Function(name, bounded...))
	}
	return options, nil
}

// boundedBinding calls a function unless what it is going to make is too long.
func boundedBinding(f *functions.Overload, bytes func(args []ref.Val) int) cel.OverloadOpt {
	check := func(args ...ref.Val) ref.Val {
		if bytes(args) > maxBytes {
			return tooLarge()
		}
		return nil
	}
	switch {
	case f.Unary != nil:
		return cel.UnaryBinding(func(a ref.Val) ref.Val {
			if err := check(a); err != nil {
				return err
			}
			return f.Unary(a)
		})
	case f.Binary != nil:
		return cel.BinaryBinding(func(a, b ref.Val) ref.Val {
			if err := check(a, b); err != nil {
				return err
			}
			return f.Binary(a, b)
		})
	}
	return cel.FunctionBinding(func(args ...ref.Val) ref.Val {
		if err := check(args...); err != nil {
			return err
		}
		return f.Function(args...)
	})
}

func tooLarge() ref.Val {
	return types.NewErr("what is made or looked through has more than %d bytes, with 10 for each element of a list", maxBytes)
}

func textOf(args []ref.Val, i int) string {
	if i >= len(args) {
		return ""
	}
	text, _ := args[i].(types.String)
	return string(text)
}

func replacedBytes(args []ref.Val) int {
	return len(textOf(args, 0)) + product(strings.Count(textOf(args, 0), textOf(args, 1)), len(textOf(args, 2)))
}

// regexReplacedBytes is for a pattern that matches everywhere, and a replacement of groups.
func regexReplacedBytes(args []ref.Val) int {
	text, with := textOf(args, 0), textOf(args, 2)
	return product(1+len(text), 1+len(with)) + product(strings.Count(with, `\`), len(text))
}

func joinedBytes(args []ref.Val) int {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return 0
	}
	count, _ := list.Size().(types.Int)
	return weightOf(args[:1]) + product(int(count), len(textOf(args, 1)))
}

// formattedBytes is for a format all of whose verbs stand for all the arguments.
func formattedBytes(args []ref.Val) int {
	return len(textOf(args, 0)) + weightOf(args[1:])
}

// weightOf is about how many bytes it takes to write values, with all that is in them as often as it is there: 10 for each element of a
// list or map, and the texts. It gives up at maxBytes.
func weightOf(args []ref.Val) int {
	n := 0
	for _, v := range args {
		weigh(v, &n, 0)
	}
	return n
}

func weigh(v ref.Val, n *int, depth int) {
	*n += 10
	if depth > maxDepth {
		*n += maxBytes
	}
	switch v := v.(type) {
	case types.String:
		*n += len(v)
	case types.Bytes:
		*n += len(v)
	case docMap, docList: // as large as the document at most
		size, _ := v.(traits.Sizer).Size().(types.Int)
		*n += 10 * int(size)
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && *n <= maxBytes; {
			key := it.Next()
			weigh(key, n, depth+1)
			weigh(v.Get(key), n, depth+1)
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True && *n <= maxBytes; {
			weigh(it.Next(), n, depth+1)
		}
	case *types.Optional:
		if v.HasValue() {
			weigh(v.GetValue(), n, depth+1)
		}
	}
}

// product is that of two counts, or too much.
func product(a, b int) int {
	if a > 0 && b > 2*maxBytes/a {
		return 2 * maxBytes
	}
	return a * b
}

// boundedComparison has ==, != and in weigh what they compare first, unless that is a constant.
func boundedComparison(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) != 2 {
		return i, nil
	}
	switch call.Function() {
	case operators.Equals, operators.NotEquals, operators.In:
	default:
		return i, nil
	}
	for _, arg := range call.Args() {
		if _, isConstant := arg.(interpreter.InterpretableConst); isConstant {
			return i, nil
		}
	}
	return &comparison{call, call.Args()[0], call.Args()[1]}, nil
}

type comparison struct {
	interpreter.InterpretableCall
	left, right interpreter.InterpretableV2
}

// Eval implements interpreter.Interpretable.
func (e *comparison) Eval(a interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(a, e.Exec)
}

// Exec implements interpreter.InterpretableV2.
func (e *comparison) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return types.LabelErrNode(e.ID(), e.compare(frame))
}

func (e *comparison) compare(frame *interpreter.ExecutionFrame) ref.Val {
	left := e.left.Exec(frame)
	if types.IsUnknownOrError(left) {
		return left
	}
	right := e.right.Exec(frame)
	if types.IsUnknownOrError(right) {
		return right
	}
	if isCollection(left) && isCollection(right) && min(weightOf([]ref.Val{left}), weightOf([]ref.Val{right})) > maxBytes {
		return tooLarge()
	}
	switch e.Function() {
	case operators.In:
		if container, ok := right.(traits.Container); ok {
			return container.Contains(left)
		}
		return types.ValOrErr(right, "no such overload")
	case operators.NotEquals:
		return types.Bool(types.Equal(left, right) != types.True)
	}
	return types.Equal(left, right)
}

func isCollection(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper:
		return true
	}
	return false
}

// checkWeight refuses values that are too large to be written.
func checkWeight(v ref.Val) error {
	if weightOf([]ref.Val{v}) > maxBytes {
		return fmt.Errorf("the value has more than %d bytes, with 10 for each element of a list", maxBytes)
	}
	return nil
}
