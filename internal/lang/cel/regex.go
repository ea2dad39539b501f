package cel

import (
	"regexp"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// regexFunctions returns the functions of Kubernetes' regex library (RE2):
//
//	<string>.find(regex) string            the first match, or ""
//	<string>.findAll(regex) list(string)   all matches
//	<string>.findAll(regex, n)             the first n matches
func regexFunctions() []cel.EnvOption {
	find := func(args ...ref.Val) ref.Val {
		return matching(args, func(re *regexp.Regexp, text string, _ int) ref.Val {
			return types.String(re.FindString(text))
		})
	}
	findAll := func(args ...ref.Val) ref.Val {
		return matching(args, func(re *regexp.Regexp, text string, n int) ref.Val {
			return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(text, n))
		})
	}
	search := cost.Mul(
		cost.Scale(cost.Sum(cost.Target(), cost.Const(1)), cost.StringTraversalCostFactor),
		cost.Scale(cost.Sum(cost.Arg(0), cost.Const(1)), cost.RegexStringLengthCostFactor),
	)
	texts, list := []*cel.Type{cel.StringType, cel.StringType}, cel.ListType(cel.StringType)
	options := []cel.EnvOption{
		method("find", "string_find_string", texts, cel.StringType, find),
		method("findAll", "string_find_all_string", texts, list, findAll),
		method("findAll", "string_find_all_string_int", append(texts, cel.IntType), list, findAll),
	}
	for _, id := range []string{
		"string_find_string", "string_find_all_string", "string_find_all_string_int",
	} {
		options = append(options, cel.CostModel(cost.MemberOverload(id,
			cost.EvalCost(cost.Sum(cost.Const(cost.CallCost), search)))))
	}
	return options
}

// matching compiles the pattern in args and calls f with it, the text, and the maximum number of
// matches (-1 for all).
func matching(args []ref.Val, f func(re *regexp.Regexp, text string, n int) ref.Val) ref.Val {
	re, err := pattern.Compile(string(args[1].(types.String)))
	if err != nil {
		return types.WrapErr(err)
	}
	n := -1
	if len(args) > 2 {
		n = int(args[2].(types.Int))
	}
	return f(re, string(args[0].(types.String)), n)
}
