package cel

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// listFunctions returns the functions of Kubernetes' list library:
//
//	<list>.isSorted() bool
//	<list>.sum(), <list>.min(), <list>.max()   sum of numbers; min and max of anything comparable
//	<list>.indexOf(value), <list>.lastIndexOf(value) int   -1 if there is none
func listFunctions() []cel.EnvOption {
	element := cel.TypeParamType("T")
	list := cel.ListType(element)
	unary := func(name string, result *cel.Type, f func(traits.Lister) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload("list_"+name, []*cel.Type{list}, result,
			cel.UnaryBinding(func(l ref.Val) ref.Val { return f(l.(traits.Lister)) })))
	}
	find := func(name string, f func(l traits.Lister, value ref.Val) ref.Val) cel.EnvOption {
		return cel.Function(name,
			cel.MemberOverload("list_"+name, []*cel.Type{list, element}, cel.IntType,
				cel.BinaryBinding(func(l, value ref.Val) ref.Val {
					return f(l.(traits.Lister), value)
				})))
	}
	options := []cel.EnvOption{
		unary("isSorted", cel.BoolType, isSorted),
		unary("sum", element, sum),
		unary("min", element, func(l traits.Lister) ref.Val { return extreme("min", l, -1) }),
		unary("max", element, func(l traits.Lister) ref.Val { return extreme("max", l, 1) }),
		find("indexOf", func(l traits.Lister, value ref.Val) ref.Val {
			return indexOf(l, value, false)
		}),
		find("lastIndexOf", func(l traits.Lister, value ref.Val) ref.Val {
			return indexOf(l, value, true)
		}),
	}
	for _, name := range []string{"isSorted", "sum", "min", "max", "indexOf", "lastIndexOf"} {
		options = append(options,
			cel.CostModel(cost.MemberOverload("list_"+name,
				cost.EvalCost(cost.Sum(cost.Const(cost.CallCost), cost.Length(cost.Target()))))))
	}
	return options
}

// isSorted reports whether no element is less than its predecessor.
func isSorted(l traits.Lister) ref.Val {
	var last ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		next := it.Next()
		if last != nil {
			switch order := compare(last, next); {
			case types.IsError(order):
				return order
			case order == types.IntOne:
				return types.False
			}
		}
		last = next
	}
	return types.True
}

// sum adds up the elements. The sum of an empty list is 0.
func sum(l traits.Lister) ref.Val {
	var total ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		next := it.Next()
		if total == nil {
			total = next
			// CEL can add these, but Kubernetes defines no sum of them
			if next.Type() == types.StringType || next.Type() == types.ListType {
				return types.NoSuchOverloadErr()
			}
			continue
		}
		adder, ok := total.(traits.Adder)
		if !ok {
			return types.NoSuchOverloadErr()
		}
		if total = adder.Add(next); types.IsError(total) {
			return total
		}
	}
	if total == nil {
		return types.IntZero
	}
	return total
}

// extreme returns the least (sign -1) or greatest (sign 1) element.
func extreme(name string, l traits.Lister, sign types.Int) ref.Val {
	var found ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		next := it.Next()
		if found == nil {
			found = next
			continue
		}
		switch order := compare(next, found); {
		case types.IsError(order):
			return order
		case order == sign:
			found = next
		}
	}
	if found == nil {
		return types.NewErr("%s called on empty list", name)
	}
	return found
}

// compare returns -1, 0 or 1, or an error.
func compare(a, b ref.Val) ref.Val {
	comparer, ok := a.(traits.Comparer)
	if !ok {
		return types.NoSuchOverloadErr()
	}
	return comparer.Compare(b)
}

// indexOf returns the index of the first or last element that equals value, or -1.
func indexOf(l traits.Lister, value ref.Val, last bool) ref.Val {
	found, i := -1, 0
	for it := l.Iterator(); it.HasNext() == types.True; i++ {
		if types.Equal(it.Next(), value) == types.True {
			if found = i; !last {
				break
			}
		}
	}
	return types.Int(found)
}
