package starlark

import (
	"strconv"

	"go.starlark.net/syntax"
)

// The names of the functions that rewrite puts into programs. No program can write them.
const methodName = "method ."

func operatorName(token syntax.Token) string { return "operator " + token.String() }

func operandName(token syntax.Token) string { return "operand " + token.String() }

// rewriter replaces the operators and methods that can make large values by calls of the functions
// that guarded returns. The meaning of the program stays, and so do the positions of its errors.
type rewriter struct {
	operators map[syntax.Token]operator
	// temporary is the number of variables that were added.
	temporary int
}

// rewrite rewrites a program before it is resolved.
func rewrite(f *syntax.File) {
	r := &rewriter{operators: operators()}
	f.Stmts = r.block(f.Stmts)
}

func (r *rewriter) block(stmts []syntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range stmts {
		out = append(out, r.statement(s)...)
	}
	return out
}

// statement rewrites a statement in place. It returns it, after those that it needs.
func (r *rewriter) statement(s syntax.Stmt) []syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return r.assignment(s)
	case *syntax.DefStmt:
		r.all(s.Params)
		s.Body = r.block(s.Body)
	case *syntax.ExprStmt:
		s.X = r.value(s.X)
	case *syntax.IfStmt:
		s.Cond = r.value(s.Cond)
		s.True, s.False = r.block(s.True), r.block(s.False)
	case *syntax.ReturnStmt:
		s.Result = r.value(s.Result)
	case *syntax.ForStmt:
		r.target(s.Vars)
		s.X, s.Body = r.value(s.X), r.block(s.Body)
	case *syntax.WhileStmt:
		s.Cond, s.Body = r.value(s.Cond), r.block(s.Body)
	}
	return []syntax.Stmt{s}
}

// assignment rewrites x *= y to x *= check(x, y), which returns y. What x consists of is evaluated
// once, as before.
func (r *rewriter) assignment(s *syntax.AssignStmt) (before []syntax.Stmt) {
	token := s.Op - syntax.PLUS_EQ + syntax.PLUS
	s.RHS = r.value(s.RHS)
	_, guarded := r.operators[token]
	if s.Op == syntax.EQ || !guarded || isLiteral(s.RHS) && token == syntax.PLUS {
		r.target(s.LHS)
		return []syntax.Stmt{s}
	}
	once := func(e syntax.Expr) syntax.Expr {
		e = r.value(e)
		if isLiteral(e) || isName(e) {
			return e
		}
		r.temporary++
		at, _ := e.Span()
		name := &syntax.Ident{NamePos: at, Name: "temporary " + strconv.Itoa(r.temporary)}
		before = append(before, &syntax.AssignStmt{OpPos: at, Op: syntax.EQ, LHS: name, RHS: e})
		return name
	}
	left := s.LHS
	for paren, ok := left.(*syntax.ParenExpr); ok; paren, ok = left.(*syntax.ParenExpr) {
		left = paren.X
	}
	var current syntax.Expr // the value of left, in nodes of its own
	switch left := left.(type) {
	case *syntax.Ident:
		current = again(left)
	case *syntax.IndexExpr:
		left.X, left.Y = once(left.X), once(left.Y)
		value := *left
		value.X, value.Y = again(left.X), again(left.Y)
		current = &value
	case *syntax.DotExpr:
		left.X = once(left.X)
		value := *left
		value.X = again(left.X)
		current = &value
	default: // the resolver refuses it
		return []syntax.Stmt{s}
	}
	s.RHS = call(operandName(token), s.OpPos, current, s.RHS)
	return append(before, s)
}

// again returns a name or a literal as a node of its own.
func again(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: e.NamePos, Name: e.Name}
	case *syntax.Literal:
		literal := *e
		return &literal
	}
	return e
}

func isLiteral(e syntax.Expr) bool {
	_, ok := e.(*syntax.Literal)
	return ok
}

func isName(e syntax.Expr) bool {
	_, ok := e.(*syntax.Ident)
	return ok
}

// call returns a call of a function at the position of what it replaces.
func call(name string, at syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{
		Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at,
	}
}

// target rewrites what is evaluated in the target of an assignment.
func (r *rewriter) target(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		r.target(e.X)
	case *syntax.TupleExpr:
		for _, x := range e.List {
			r.target(x)
		}
	case *syntax.ListExpr:
		for _, x := range e.List {
			r.target(x)
		}
	case *syntax.IndexExpr:
		e.X, e.Y = r.value(e.X), r.value(e.Y)
	case *syntax.DotExpr:
		e.X = r.value(e.X)
	}
}

func (r *rewriter) all(list []syntax.Expr) {
	for i := range list {
		list[i] = r.value(list[i])
	}
}

// value rewrites an expression. It returns it or what replaces it.
func (r *rewriter) value(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = r.value(e.X)
	case *syntax.CallExpr:
		e.Fn = r.value(e.Fn)
		r.all(e.Args)
	case *syntax.DotExpr:
		e.X = r.value(e.X)
		if checkMethod(e.Name.Name) != nil {
			return call(methodName, e.Dot, e.X, &syntax.Literal{
				Token: syntax.STRING, TokenPos: e.Dot, Value: e.Name.Name,
			})
		}
	case *syntax.Comprehension:
		r.comprehension(e)
	case *syntax.DictExpr:
		r.all(e.List)
	case *syntax.DictEntry:
		e.Key, e.Value = r.value(e.Key), r.value(e.Value)
	case *syntax.LambdaExpr:
		r.all(e.Params)
		e.Body = r.value(e.Body)
	case *syntax.ListExpr:
		r.all(e.List)
	case *syntax.TupleExpr:
		r.all(e.List)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = r.value(e.Cond), r.value(e.True), r.value(e.False)
	case *syntax.UnaryExpr:
		e.X = r.value(e.X)
	case *syntax.BinaryExpr:
		return r.binary(e)
	case *syntax.SliceExpr:
		e.X = r.value(e.X)
		e.Lo, e.Hi, e.Step = r.value(e.Lo), r.value(e.Hi), r.value(e.Step)
	case *syntax.IndexExpr:
		e.X, e.Y = r.value(e.X), r.value(e.Y)
	}
	return e
}

func (r *rewriter) comprehension(e *syntax.Comprehension) {
	e.Body = r.value(e.Body)
	for _, clause := range e.Clauses {
		switch c := clause.(type) {
		case *syntax.ForClause:
			r.target(c.Vars)
			c.X = r.value(c.X)
		case *syntax.IfClause:
			c.Cond = r.value(c.Cond)
		}
	}
}

// binary rewrites an operator. A sum with a literal grows by little, and stays as it is.
func (r *rewriter) binary(e *syntax.BinaryExpr) syntax.Expr {
	named := e.Op == syntax.EQ // an argument or a parameter: its name is not a value
	if !named {
		e.X = r.value(e.X)
	}
	e.Y = r.value(e.Y)
	if _, guarded := r.operators[e.Op]; !guarded ||
		e.Op == syntax.PLUS && (isLiteral(e.X) || isLiteral(e.Y)) {
		return e
	}
	return call(operatorName(e.Op), e.OpPos, e.X, e.Y)
}
