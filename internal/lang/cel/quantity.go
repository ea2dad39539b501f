package cel

import (
	"fmt"
	"slices"
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
		return method(name, id, []*cel.Type{of}, result, func(args ...ref.Val) ref.Val {
			return f(args[0].(opaque[amount]).is.Quantity)
		})
	}
	options := []cel.EnvOption{
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
	}
	for name, combine := range map[string]func(a, b quantity.Quantity) quantity.Quantity{
		"add": quantity.Quantity.Plus, "sub": quantity.Quantity.Minus,
	} {
		f := func(args ...ref.Val) ref.Val {
			other, ok := quantityOf(args[1])
			if !ok {
				return types.MaybeNoSuchOverloadErr(args[1])
			}
			return opaque[amount]{amount{combine(args[0].(opaque[amount]).is.Quantity, other)}}
		}
		options = append(options, method(name, "quantity_"+name, []*cel.Type{of, of}, of, f),
			method(name, "quantity_"+name+"_int", []*cel.Type{of, cel.IntType}, of, f))
	}
	return slices.Concat(options,
		conversions("quantity", "isQuantity", "string", []*cel.Type{cel.StringType}, parseAmount),
		comparisons("quantity", func(a, b amount) int { return a.Compare(b.Quantity) }))
}

// parseAmount parses a quantity.
func parseAmount(args ...ref.Val) (amount, error) {
	text := string(args[0].(types.String))
	q, ok := quantity.Parse(text)
	if !ok {
		return amount{}, fmt.Errorf("%q is not a quantity such as 500m or 1.5Gi", text)
	}
	return amount{q}, nil
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
