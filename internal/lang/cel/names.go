package cel

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Names returns the parameters and the fields of the function's context that the expression names,
// sorted. Names that the expression computes are not known.
func (p *Expression) Names() (params, context []string) {
	of := map[string]*[]string{"params": &params, "functionContext": &context}
	note := func(operand ast.Expr, name string) {
		if operand.Kind() == ast.IdentKind && of[operand.AsIdent()] != nil {
			names := of[operand.AsIdent()]
			*names = append(*names, name)
		}
	}
	root := p.ast.NativeRep()
	ast.PostOrderVisit(root.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			note(e.AsSelect().Operand(), e.AsSelect().FieldName())
		case ast.CallKind:
			// params.?x
			call := e.AsCall()
			if call.FunctionName() != operators.OptSelect ||
				call.Args()[1].Kind() != ast.LiteralKind {
				return
			}
			if text, ok := call.Args()[1].AsLiteral().(types.String); ok {
				note(call.Args()[0], string(text))
			}
		}
	}))
	slices.Sort(params)
	slices.Sort(context)
	return slices.Compact(params), slices.Compact(context)
}
