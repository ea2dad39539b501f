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

// comparisons returns the functions compareTo, isLessThan and isGreaterThan of values with the
// content T. compare returns -1, 0 or 1, and id is the type in the names of overloads.
func comparisons[T content[T]](id string, compare func(a, b T) int) []cel.EnvOption {
	var zero T
	of := []*cel.Type{zero.celType(), zero.celType()}
	function := func(
		name, suffix string, result *cel.Type, f func(order int) ref.Val,
	) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(id+suffix, of, result,
			cel.BinaryBinding(func(a, b ref.Val) ref.Val {
				return f(compare(a.(opaque[T]).is, b.(opaque[T]).is))
			})))
	}
	return []cel.EnvOption{
		function("compareTo", "_compare_to", cel.IntType,
			func(order int) ref.Val { return types.Int(order) }),
		function("isLessThan", "_is_less_than", cel.BoolType,
			func(order int) ref.Val { return types.Bool(order < 0) }),
		function("isGreaterThan", "_is_greater_than", cel.BoolType,
			func(order int) ref.Val { return types.Bool(order > 0) }),
	}
}
