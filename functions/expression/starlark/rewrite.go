package starlark

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The names of what stands in front of operations. No program can write them.
const (
	nameCall   = "$call"   // the function, its arguments
	nameMade   = "$made"   // a new value
	nameSpread = "$spread" // what stands behind the star in f(*args)
	nameBinary = "$"       // followed by the operator
)

// operators are those that can take more than a step, by the name of what stands in front of them. Those of x += y that change x
// itself have another meaning and so other names.
func operators() map[string]syntax.Token {
	names := map[string]syntax.Token{}
	for _, op := range []syntax.Token{
		syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX,
		syntax.LTLT, syntax.GTGT, syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN,
		syntax.PLUS_EQ, syntax.PIPE_EQ,
	} {
		names[nameBinary+op.String()] = op
	}
	return names
}

// meters are the functions by their names.
func meters() starlark.StringDict {
	all := starlark.StringDict{
		nameCall: starlark.NewBuiltin(nameCall, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return call(thread, args[0], args[1:], kwargs)
		}),
		nameMade: starlark.NewBuiltin(nameMade, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return args[0], made(thread, args[0])
		}),
		nameSpread: starlark.NewBuiltin(nameSpread, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return args[0], spend(thread, size(args[0]))
		}),
	}
	for name, op := range operators() {
		all[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			switch op {
			case syntax.PLUS_EQ:
				return extend(thread, args[0], args[1])
			case syntax.PIPE_EQ:
				return update(thread, args[0], args[1])
			}
			return binary(thread, op, args[0], args[1])
		})
	}
	return all
}

// extend is x += y, which changes a list itself.
func extend(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	list, isList := x.(*starlark.List)
	if _, isIterable := y.(starlark.Iterable); !isList || !isIterable {
		return binary(thread, syntax.PLUS, x, y)
	}
	if err := spend(thread, size(y)); err != nil {
		return nil, err
	}
	method, err := list.Attr("extend")
	if err == nil {
		_, err = starlark.Call(thread, method, starlark.Tuple{y}, nil)
	}
	return list, err
}

// update is x |= y, which changes a dict itself.
func update(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	dict, isDict := x.(*starlark.Dict)
	more, areDicts := y.(*starlark.Dict)
	if !isDict || !areDicts {
		return binary(thread, syntax.PIPE, x, y)
	}
	if err := spend(thread, size(y)); err != nil {
		return nil, err
	}
	for _, item := range more.Items() {
		if err := dict.SetKey(item[0], item[1]); err != nil {
			return nil, err
		}
	}
	return dict, nil
}

// meter puts the functions in front of the operations of a program. Positions stay.
func meter(stmts []syntax.Stmt) []syntax.Stmt {
	var metered []syntax.Stmt // nil of none: that is how the interpreter knows that there is no else
	for _, stmt := range stmts {
		switch s := stmt.(type) {
		case *syntax.AssignStmt:
			metered = append(metered, meterAssign(s)...)
			continue
		case *syntax.DefStmt:
			meterParams(s.Params)
			s.Body = meter(s.Body)
		case *syntax.ExprStmt:
			s.X = meterExpr(s.X)
		case *syntax.IfStmt:
			s.Cond, s.True, s.False = meterExpr(s.Cond), meter(s.True), meter(s.False)
		case *syntax.ForStmt:
			s.X, s.Body = meterExpr(s.X), meter(s.Body)
			meterTarget(s.Vars)
		case *syntax.WhileStmt:
			s.Cond, s.Body = meterExpr(s.Cond), meter(s.Body)
		case *syntax.ReturnStmt:
			s.Result = meterExpr(s.Result)
		}
		metered = append(metered, stmt)
	}
	return metered
}

// meterAssign makes x = x + y of x += y and, as they are evaluated once only, a = x, i = y, a[i] = a[i] + z of x[y] += z.
func meterAssign(s *syntax.AssignStmt) []syntax.Stmt {
	right := meterExpr(s.RHS)
	if s.Op == syntax.EQ {
		meterTarget(s.LHS)
		s.RHS = right
		return []syntax.Stmt{s}
	}
	op := s.Op - syntax.PLUS_EQ + syntax.PLUS
	if s.Op == syntax.PLUS_EQ || s.Op == syntax.PIPE_EQ {
		op = s.Op
	}
	assign := func(to, value syntax.Expr) *syntax.AssignStmt {
		return &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: to, RHS: value}
	}
	left := s.LHS
	for {
		p, ok := left.(*syntax.ParenExpr)
		if !ok {
			break
		}
		left = p.X
	}
	switch to := left.(type) {
	case *syntax.Ident:
		same := &syntax.Ident{NamePos: to.NamePos, Name: to.Name}
		return []syntax.Stmt{assign(to, callOf(nameBinary+op.String(), s.OpPos, same, right))}
	case *syntax.IndexExpr:
		place := func() *syntax.IndexExpr {
			return &syntax.IndexExpr{X: ident("$x", s.OpPos), Lbrack: to.Lbrack, Y: ident("$y", s.OpPos), Rbrack: to.Rbrack}
		}
		return []syntax.Stmt{
			assign(ident("$x", s.OpPos), meterExpr(to.X)),
			assign(ident("$y", s.OpPos), meterExpr(to.Y)),
			assign(place(), callOf(nameBinary+op.String(), s.OpPos, place(), right)),
		}
	}
	s.RHS = right // of a field, which nothing has that can be set
	return []syntax.Stmt{s}
}

// meterTarget is for what is assigned to: names, elements, or tuples and lists of them.
func meterTarget(target syntax.Expr) {
	switch t := target.(type) {
	case *syntax.IndexExpr:
		t.X, t.Y = meterExpr(t.X), meterExpr(t.Y)
	case *syntax.DotExpr:
		t.X = meterExpr(t.X)
	case *syntax.ParenExpr:
		meterTarget(t.X)
	case *syntax.TupleExpr:
		for _, e := range t.List {
			meterTarget(e)
		}
	case *syntax.ListExpr:
		for _, e := range t.List {
			meterTarget(e)
		}
	}
}

// meterParams is for the default values of parameters.
func meterParams(params []syntax.Expr) {
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = meterExpr(b.Y)
		}
	}
}

func meterAll(list []syntax.Expr) {
	for i := range list {
		list[i] = meterExpr(list[i])
	}
}

// meterExpr puts the functions in front of the operations of an expression.
func meterExpr(expr syntax.Expr) syntax.Expr {
	switch e := expr.(type) {
	case *syntax.BinaryExpr:
		e.X, e.Y = meterExpr(e.X), meterExpr(e.Y)
		if e.Op == syntax.AND || e.Op == syntax.OR || isCheap(e) {
			return e
		}
		return callOf(nameBinary+e.Op.String(), e.OpPos, e.X, e.Y)
	case *syntax.CallExpr:
		return meterCall(e)
	case *syntax.Comprehension:
		e.Body = meterExpr(e.Body)
		for _, c := range e.Clauses {
			switch c := c.(type) {
			case *syntax.ForClause:
				c.X = meterExpr(c.X)
				meterTarget(c.Vars)
			case *syntax.IfClause:
				c.Cond = meterExpr(c.Cond)
			}
		}
		if e.Curly {
			return callOf(nameMade, e.Lbrack, e)
		}
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = meterExpr(e.Cond), meterExpr(e.True), meterExpr(e.False)
	case *syntax.DictEntry:
		e.Key, e.Value = meterExpr(e.Key), meterExpr(e.Value)
	case *syntax.DictExpr:
		meterAll(e.List)
		return callOf(nameMade, e.Lbrace, e)
	case *syntax.DotExpr:
		e.X = meterExpr(e.X)
	case *syntax.IndexExpr:
		e.X, e.Y = meterExpr(e.X), meterExpr(e.Y)
	case *syntax.LambdaExpr:
		meterParams(e.Params)
		e.Body = meterExpr(e.Body)
	case *syntax.ListExpr:
		meterAll(e.List)
	case *syntax.ParenExpr:
		e.X = meterExpr(e.X)
	case *syntax.SliceExpr:
		e.X, e.Lo, e.Hi, e.Step = meterExpr(e.X), meterExpr(e.Lo), meterExpr(e.Hi), meterExpr(e.Step)
		return callOf(nameMade, e.Lbrack, e)
	case *syntax.TupleExpr:
		meterAll(e.List)
		return callOf(nameMade, syntax.Start(e), e)
	case *syntax.UnaryExpr:
		e.X = meterExpr(e.X)
	}
	return expr
}

// isCheap reports whether an operator takes a step whatever its other operand is: numbers are added, or something is compared with
// what stands in the program.
func isCheap(e *syntax.BinaryExpr) bool {
	for _, operand := range []syntax.Expr{e.X, e.Y} {
		literal, ok := operand.(*syntax.Literal)
		if !ok {
			continue
		}
		switch e.Op {
		case syntax.PLUS, syntax.MINUS:
			return literal.Token == syntax.INT || literal.Token == syntax.FLOAT
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
			return true
		}
	}
	return false
}

func meterCall(e *syntax.CallExpr) syntax.Expr {
	for i, arg := range e.Args {
		switch a := arg.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // name=value
				a.Y = meterExpr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			switch a.Op {
			case syntax.STAR:
				a.X = callOf(nameSpread, a.OpPos, meterExpr(a.X))
				continue
			case syntax.STARSTAR:
				a.X = meterExpr(a.X)
				continue
			}
		}
		e.Args[i] = meterExpr(arg)
	}
	e.Fn = meterExpr(e.Fn)
	if method, ok := e.Fn.(*syntax.DotExpr); ok && isCheapMethod(method.Name.Name) {
		return e
	}
	e.Args = append([]syntax.Expr{e.Fn}, e.Args...)
	e.Fn = ident(nameCall, syntax.Start(e.Fn))
	return e
}

func callOf(name string, at syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: ident(name, at), Lparen: at, Args: args, Rparen: at}
}

func ident(name string, at syntax.Position) *syntax.Ident {
	return &syntax.Ident{NamePos: at, Name: name}
}
