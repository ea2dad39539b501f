package starlark

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// The interpreter counts steps, but one step can make a value of any size, or take for ever. The
// functions of this file check the size before the work. Programs call them instead of operators
// and functions of the library (see rewrite.go).

const (
	// maxBits is the maximum length of an int. Operations on longer ones take noticeable time.
	maxBits = 1 << 16
	// itemSize is the size of an item of a list in bytes.
	itemSize = 16
)

// guards is what a thread knows about its limits. Its key is guardsKey.
type guards struct{ account *limit.Account }

const guardsKey = "guards"

// text returns an error if a text of so many bytes is too long.
func (g guards) text(what string, size int64) error {
	if size > g.account.Text() {
		return g.account.TooLong(what)
	}
	return nil
}

// list returns an error if so many items are too many.
func (g guards) list(what string, items int64) error {
	if most := g.account.Memory() / 8 / itemSize; items > most {
		return limit.TooLarge("%s would be a list of more than %d items", what, most).
			WithHint(limit.MoreMemory)
	}
	return nil
}

func guardsOf(thread *starlark.Thread) guards {
	g, _ := thread.Local(guardsKey).(guards)
	return g
}

// operator checks the operands of an operator before it is applied.
type operator struct {
	token syntax.Token
	check func(g guards, x, y starlark.Value) error
}

// operators returns the operators that can make large values.
func operators() map[syntax.Token]operator {
	return map[syntax.Token]operator{
		syntax.PLUS:    {syntax.PLUS, checkSum},
		syntax.STAR:    {syntax.STAR, checkProduct},
		syntax.PERCENT: {syntax.PERCENT, checkFormat},
		syntax.LTLT:    {syntax.LTLT, checkShift},
	}
}

func checkSum(g guards, x, y starlark.Value) error {
	return g.sized("sum", x, y, int64(length(x))+int64(length(y)))
}

// sized checks the size of what is made of x and y, if one of them is a text or a list.
func (g guards) sized(what string, x, y starlark.Value, size int64) error {
	for _, v := range []starlark.Value{x, y} {
		switch v.(type) {
		case starlark.String, starlark.Bytes:
			return g.text(what, size)
		case *starlark.List, starlark.Tuple:
			return g.list(what, size)
		}
	}
	return nil
}

// length returns the bytes of a text or the items of a list, otherwise 0.
func length(v starlark.Value) int {
	switch v := v.(type) {
	case starlark.String:
		return len(v)
	case starlark.Bytes:
		return len(v)
	case *starlark.List:
		return v.Len()
	case starlark.Tuple:
		return len(v)
	}
	return 0
}

func checkProduct(g guards, x, y starlark.Value) error {
	a, isInt := x.(starlark.Int)
	b, areInts := y.(starlark.Int)
	switch {
	case isInt && areInts:
		return checkBits(bits(a) + bits(b))
	case isInt:
		return checkRepeat(g, y, a)
	case areInts:
		return checkRepeat(g, x, b)
	}
	return nil
}

func checkRepeat(g guards, v starlark.Value, count starlark.Int) error {
	n, ok := count.Int64()
	size := int64(length(v))
	if !ok || n <= 0 || size == 0 {
		return nil // the library refuses numbers that are too large
	}
	const most = 1 << 40
	if n > most/size {
		n = most / size
	}
	return g.sized("repetition", v, v, n*size)
}

// bits returns the length of an int.
func bits(n starlark.Int) int {
	if _, small := n.Int64(); small {
		return 64
	}
	return n.BigInt().BitLen()
}

func checkBits(n int) error {
	if n > maxBits {
		return limit.TooLarge("result would be an int of more than %d bits", maxBits)
	}
	return nil
}

func checkShift(_ guards, x, y starlark.Value) error {
	a, isInt := x.(starlark.Int)
	b, areInts := y.(starlark.Int)
	if n, ok := b.Int64(); isInt && areInts && ok && n > 0 && n <= maxBits {
		return checkBits(bits(a) + int(n))
	}
	return nil
}

// checkFormat checks text % values.
func checkFormat(g guards, x, y starlark.Value) error {
	format, ok := x.(starlark.String)
	if !ok {
		return nil
	}
	times := 1 // each item of a tuple is used once
	if _, named := y.(*starlark.Dict); named {
		times = strings.Count(string(format), "%")
	}
	return g.formatted(string(format), times, y)
}

// formatted checks the length of a format whose arguments are used so many times.
func (g guards) formatted(format string, times int, args ...starlark.Value) error {
	most := g.account.Text()
	size := int64(len(format))
	if size > most || times == 0 {
		return g.text("text", size)
	}
	left := (most - size) / int64(times)
	for _, arg := range args {
		if left -= textSize(arg, left, 0); left < 0 {
			return g.text("text", most+1)
		}
	}
	return nil
}

// textSize returns about how long a value is as text, or more than most if it is longer. A value
// that is referenced several times counts every time.
func textSize(v starlark.Value, most int64, depth int) int64 {
	const other = 8 // of any other value, with what separates it from the next
	var size int64
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v)) + other
	case starlark.Bytes:
		return int64(len(v)) + other
	case starlark.Int:
		return int64(bits(v)/3) + other
	case *starlark.Dict:
		for _, item := range v.Items() {
			if size += textOf(item, most-size, depth); size > most {
				return size
			}
		}
	case starlark.Sequence:
		for item := range starlark.Elements(v) {
			if size += textOf(starlark.Tuple{item}, most-size, depth); size > most {
				return size
			}
		}
	}
	return size + other
}

func textOf(values starlark.Tuple, most int64, depth int) (size int64) {
	if depth > maxDepth {
		return most + 1
	}
	for _, v := range values {
		if size += textSize(v, most-size, depth+1); size > most {
			return size
		}
	}
	return size
}

// apply is the function that programs call instead of the operator.
func (o operator) apply(
	thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	if err := o.check(guardsOf(thread), args[0], args[1]); err != nil {
		return nil, err
	}
	return starlark.Binary(o.token, args[0], args[1])
}

// operand is the function that returns the second operand of an assignment such as x *= y.
func (o operator) operand(
	thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	return args[1], o.check(guardsOf(thread), args[0], args[1])
}

// guarded returns the names that all programs know: the functions of the library that can make
// large values, with a check, and those that rewrite puts into programs.
func guarded() starlark.StringDict {
	members := maps.Clone(json.Module.Members)
	for name, f := range members {
		members[name] = checked(f.(*starlark.Builtin), checkText)
	}
	names := starlark.StringDict{
		"json":     &starlarkstruct.Module{Name: "json", Members: members},
		"getattr":  starlark.NewBuiltin("getattr", getAttribute),
		"range":    starlark.NewBuiltin("range", limitedRange),
		"zip":      checked(library("zip"), checkZip),
		"int":      checked(library("int"), checkInt),
		methodName: starlark.NewBuiltin(methodName, method),
	}
	for _, name := range []string{"str", "repr", "print", "fail"} {
		names[name] = checked(library(name), checkText)
	}
	for token, o := range operators() {
		names[operatorName(token)] = starlark.NewBuiltin(token.String(), o.apply)
		names[operandName(token)] = starlark.NewBuiltin(token.String(), o.operand)
	}
	return names
}

// check returns an error if the result for these arguments would be too large.
type check func(g guards, args starlark.Tuple) error

// checked returns a function of the library that checks its arguments. The values of keyword
// arguments follow the others.
func checked(f *starlark.Builtin, check check) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(
		thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		all := slices.Clip(args)
		for _, pair := range kwargs {
			all = append(all, pair[1])
		}
		if err := check(guardsOf(thread), all); err != nil {
			return nil, err
		}
		return f.CallInternal(thread, args, kwargs)
	})
}

func library(name string) *starlark.Builtin { return starlark.Universe[name].(*starlark.Builtin) }

// limitedRange is the function range. The functions of the library take one step for all items.
func limitedRange(
	thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	items, err := library("range").CallInternal(thread, args, kwargs)
	if err == nil && starlark.Len(items) > maxSteps {
		return nil, limit.TooLarge("a range has at most %d items", maxSteps)
	}
	return items, err
}

// checkText checks the length of the arguments as text.
func checkText(g guards, args starlark.Tuple) error { return g.formatted("", 1, args...) }

func checkZip(g guards, args starlark.Tuple) error {
	rows := -1
	for _, arg := range args {
		if n := starlark.Len(arg); rows < 0 || n >= 0 && n < rows {
			rows = n
		}
	}
	return g.list("result", int64(rows)*int64(len(args)))
}

func checkInt(_ guards, args starlark.Tuple) error {
	const bitsOfDigit = 3
	if len(args) > 0 {
		return checkBits(length(args[0]) * bitsOfDigit)
	}
	return nil
}

// method returns a method of a value. Programs call it instead of writing value.name, where
// checkMethod checks the method of a text.
func method(
	_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	name := string(args[1].(starlark.String))
	var value starlark.Value
	if has, ok := args[0].(starlark.HasAttrs); ok {
		var err error
		if value, err = has.Attr(name); err != nil {
			return nil, err
		}
	}
	if value == nil {
		return nil, fmt.Errorf("%s has no .%s field or method", args[0].Type(), name)
	}
	return checkedMethod(args[0], name, value), nil
}

// getAttribute is the function getattr.
func getAttribute(
	thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	value, err := library("getattr").CallInternal(thread, args, kwargs)
	if err != nil {
		return nil, err
	}
	name, _ := starlark.AsString(args[1])
	return checkedMethod(args[0], name, value), nil
}

// checkedMethod returns an attribute of a value, with a check if it is a method that needs one.
func checkedMethod(of starlark.Value, name string, value starlark.Value) starlark.Value {
	text, isText := of.(starlark.String)
	f, isFunction := value.(*starlark.Builtin)
	if check := checkMethod(name); isText && isFunction && check != nil {
		return checked(f, func(g guards, args starlark.Tuple) error {
			return check(g, string(text), args)
		})
	}
	return value
}

// checkMethod returns the check of a method of texts that can make long ones, nil for others.
func checkMethod(name string) func(g guards, text string, args starlark.Tuple) error {
	switch name {
	case "replace":
		return checkReplace
	case "join":
		return checkJoin
	case "format":
		return func(g guards, text string, args starlark.Tuple) error {
			return g.formatted(text, strings.Count(text, "{"), args...)
		}
	}
	return nil
}

func checkReplace(g guards, text string, args starlark.Tuple) error {
	if len(args) < 2 {
		return nil
	}
	from, _ := starlark.AsString(args[0])
	to, _ := starlark.AsString(args[1])
	longer := int64(strings.Count(text, from)) * int64(len(to)-len(from))
	return g.text("replacement", int64(len(text))+longer)
}

func checkJoin(g guards, text string, args starlark.Tuple) error {
	if len(args) == 0 {
		return nil
	}
	size := int64(max(0, starlark.Len(args[0]))) * int64(len(text))
	if list, ok := args[0].(starlark.Iterable); ok {
		for item := range starlark.Elements(list) {
			size += int64(length(item))
		}
	}
	return g.text("text", size)
}
