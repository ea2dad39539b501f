package cel

import (
	"iter"

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
	list := []*cel.Type{cel.ListType(element)}
	find := append(list, element)
	var options []cel.EnvOption
	for _, f := range []struct {
		name   string
		args   []*cel.Type
		result *cel.Type
		f      func(l traits.Lister, args []ref.Val) ref.Val
	}{
		{"isSorted", list, cel.BoolType, isSorted},
		{"sum", list, element, sum},
		{"min", list, element, func(l traits.Lister, _ []ref.Val) ref.Val {
			return extreme("min", l, -1)
		}},
		{"max", list, element, func(l traits.Lister, _ []ref.Val) ref.Val {
			return extreme("max", l, 1)
		}},
		{"indexOf", find, cel.IntType, func(l traits.Lister, args []ref.Val) ref.Val {
			return indexOf(l, args[1], false)
		}},
		{"lastIndexOf", find, cel.IntType, func(l traits.Lister, args []ref.Val) ref.Val {
			return indexOf(l, args[1], true)
		}},
	} {
		id := "list_" + f.name
		options = append(options,
			method(f.name, id, f.args, f.result, func(args ...ref.Val) ref.Val {
				return f.f(args[0].(traits.Lister), args)
			}),
			cel.CostModel(cost.MemberOverload(id,
				cost.EvalCost(cost.Sum(cost.Const(cost.CallCost), cost.Length(cost.Target()))))))
	}
	return options
}

// elements iterates over the elements of a list.
func elements(l traits.Lister) iter.Seq[ref.Val] {
	return func(yield func(ref.Val) bool) {
		for it := l.Iterator(); it.HasNext() == types.True && yield(it.Next()); {
		}
	}
}

// isSorted reports whether no element is less than its predecessor.
func isSorted(l traits.Lister, _ []ref.Val) ref.Val {
	var last ref.Val
	for next := range elements(l) {
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
func sum(l traits.Lister, _ []ref.Val) ref.Val {
	var total ref.Val
	for next := range elements(l) {
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
	for next := range elements(l) {
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
	for e := range elements(l) {
		if types.Equal(e, value) == types.True {
			if found = i; !last {
				break
			}
		}
		i++
	}
	return types.Int(found)
}
