package cel

import (
	"fmt"
	"reflect"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// content is the Go type of the value in an opaque.
type content[T any] interface {
	fmt.Stringer
	equal(other T) bool
	celType() *types.Type
}

// opaque is a CEL value of a type that CEL itself does not have: a quantity, a URL, a version or a
// format.
type opaque[T content[T]] struct{ is T }

// ConvertToNative implements ref.Val.
func (o opaque[T]) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeFor[T]().AssignableTo(t) {
		return o.is, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", o.Type(), t)
}

// ConvertToType implements ref.Val.
func (o opaque[T]) ConvertToType(t ref.Type) ref.Val {
	if t == types.StringType {
		return types.String(o.is.String())
	}
	return convert(o, t)
}

// Equal implements ref.Val.
func (o opaque[T]) Equal(other ref.Val) ref.Val {
	same, ok := other.(opaque[T])
	return types.Bool(ok && o.is.equal(same.is))
}

// Type implements ref.Val.
func (o opaque[T]) Type() ref.Type { return o.is.celType() }

// Value implements ref.Val.
func (o opaque[T]) Value() any { return o.is }

// implementation evaluates a function. Its arguments have the declared types.
type implementation = func(args ...ref.Val) ref.Val

// function declares a function, or adds an overload to one.
func function(
	name, overload string, args []*cel.Type, result *cel.Type, f implementation,
) cel.EnvOption {
	return cel.Function(name, cel.Overload(overload, args, result, cel.FunctionBinding(f)))
}

// method declares a function that is called on the first of its arguments.
func method(
	name, overload string, args []*cel.Type, result *cel.Type, f implementation,
) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(overload, args, result, cel.FunctionBinding(f)))
}

// conversions returns the function name, which makes a value with the content T, and the function
// is, which reports whether it can. from are the types of the arguments in the names of overloads.
func conversions[T content[T]](
	name, is, from string, args []*cel.Type, parse func(args ...ref.Val) (T, error),
) []cel.EnvOption {
	var zero T
	return []cel.EnvOption{
		function(name, from+"_to_"+name, args, zero.celType(), func(args ...ref.Val) ref.Val {
			v, err := parse(args...)
			return valueOrError(opaque[T]{v}, err)
		}),
		function(is, "is_"+name+"_"+from, args, cel.BoolType, func(args ...ref.Val) ref.Val {
			_, err := parse(args...)
			return types.Bool(err == nil)
		}),
	}
}

// comparisons returns the functions compareTo, isLessThan and isGreaterThan of values with the
// content T. compare returns -1, 0 or 1, and id is the type in the names of overloads.
func comparisons[T content[T]](id string, compare func(a, b T) int) []cel.EnvOption {
	var zero T
	of := []*cel.Type{zero.celType(), zero.celType()}
	declare := func(
		name, suffix string, result *cel.Type, f func(order int) ref.Val,
	) cel.EnvOption {
		return method(name, id+suffix, of, result, func(args ...ref.Val) ref.Val {
			return f(compare(args[0].(opaque[T]).is, args[1].(opaque[T]).is))
		})
	}
	return []cel.EnvOption{
		declare("compareTo", "_compare_to", cel.IntType,
			func(order int) ref.Val { return types.Int(order) }),
		declare("isLessThan", "_is_less_than", cel.BoolType,
			func(order int) ref.Val { return types.Bool(order < 0) }),
		declare("isGreaterThan", "_is_greater_than", cel.BoolType,
			func(order int) ref.Val { return types.Bool(order > 0) }),
	}
}
