package cel

import (
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
)

// amount is a Kubernetes quantity.
type amount struct{ quantity.Quantity }

func (a amount) equal(other amount) bool { return a.Compare(other.Quantity) == 0 }

func (a amount) celType() *types.Type { return cel.OpaqueType("kubernetes.Quantity") }

// quantityFunctions returns the functions of Kubernetes' quantity library:
//
//	quantity(string) Quantity, isQuantity(string) bool
//	<Quantity>.sign() int, .isInteger() bool, .asInteger() int, .asApproximateFloat() double
//	<Quantity>.add(Quantity or int), .sub(Quantity or int) Quantity
//	<Quantity>.compareTo(Quantity) int, .isLessThan(Quantity), .isGreaterThan(Quantity) bool
func quantityFunctions() []cel.EnvOption {
	of := amount{}.celType()
	unary := func(
		name, id string, result *cel.Type, f func(q quantity.Quantity) ref.Val,
	) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(id, []*cel.Type{of}, result,
			cel.UnaryBinding(func(q ref.Val) ref.Val { return f(q.(opaque[amount]).is.Quantity) })))
	}
	combine := func(
		name, id string, f func(a, b quantity.Quantity) quantity.Quantity,
	) cel.EnvOption {
		binding := cel.BinaryBinding(func(a, b ref.Val) ref.Val {
			other, ok := quantityOf(b)
			if !ok {
				return types.MaybeNoSuchOverloadErr(b)
			}
			return opaque[amount]{amount{f(a.(opaque[amount]).is.Quantity, other)}}
		})
		return cel.Function(name,
			cel.MemberOverload(id, []*cel.Type{of, of}, of, binding),
			cel.MemberOverload(id+"_int", []*cel.Type{of, cel.IntType}, of, binding))
	}
	options := []cel.EnvOption{
		cel.Function("quantity",
			cel.Overload("string_to_quantity", []*cel.Type{cel.StringType}, of,
				cel.UnaryBinding(func(text ref.Val) ref.Val {
					q, ok := quantity.Parse(string(text.(types.String)))
					if !ok {
						return types.NewErr("%q is not a quantity such as 500m or 1.5Gi",
							string(text.(types.String)))
					}
					return opaque[amount]{amount{q}}
				}))),
		cel.Function("isQuantity",
			cel.Overload("is_quantity_string", []*cel.Type{cel.StringType}, cel.BoolType,
				cel.UnaryBinding(func(text ref.Val) ref.Val {
					_, ok := quantity.Parse(string(text.(types.String)))
					return types.Bool(ok)
				}))),
		unary("sign", "quantity_sign", cel.IntType, func(q quantity.Quantity) ref.Val {
			return types.Int(q.Sign())
		}),
		unary("isInteger", "quantity_is_integer", cel.BoolType, func(q quantity.Quantity) ref.Val {
			_, ok := q.Int64()
			return types.Bool(ok)
		}),
		unary("asInteger", "quantity_as_integer", cel.IntType, func(q quantity.Quantity) ref.Val {
			n, ok := q.Int64()
			if !ok {
				return types.NewErr("cannot convert value to integer")
			}
			return types.Int(n)
		}),
		unary("asApproximateFloat", "quantity_as_float", cel.DoubleType,
			func(q quantity.Quantity) ref.Val { return types.Double(q.Float64()) }),
		combine("add", "quantity_add", quantity.Quantity.Plus),
		combine("sub", "quantity_sub", quantity.Quantity.Minus),
	}
	return append(options, comparisons("quantity", func(a, b amount) int {
		return a.Compare(b.Quantity)
	})...)
}

// quantityOf returns the quantity in a value that is a quantity or an int.
func quantityOf(value ref.Val) (quantity.Quantity, bool) {
	switch v := value.(type) {
	case opaque[amount]:
		return v.is.Quantity, true
	case types.Int:
		return quantity.Parse(strconv.FormatInt(int64(v), 10))
	}
	return quantity.Quantity{}, false
}
