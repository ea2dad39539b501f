package starlark

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The interpreter counts its own steps only: one operation may make a list of a thousand million elements, or compare two of them,
// and is one step. The functions of this file stand in front of the operations that can be dear (metered.go puts them there) and count what they
// make and look through as steps, before they do it. So the one limit of steps bounds the memory a program takes, and its time, and
// it does so in the same way wherever the program runs.

// stepBytes is how many bytes of text are one step. An element of a list is one by itself.
const stepBytes = 16

// newDict is what a dict or set takes before anything is in it, and entrySteps what each entry takes, in steps.
const (
	newDict    = 16
	entrySteps = 8
)

var errTooManySteps = errors.New("too many steps")

// spend counts steps; it fails when there are not as many left.
func spend(thread *starlark.Thread, steps int) error {
	if steps < 0 || thread.Steps >= maxSteps || uint64(steps) > maxSteps-thread.Steps { // negative: more than an int holds
		thread.Steps = maxSteps
		return errTooManySteps
	}
	thread.Steps += uint64(steps)
	return nil
}

// size is how many steps it takes to copy a value, but not the values in it.
func size(v starlark.Value) int {
	switch v := v.(type) {
	case starlark.String:
		return len(v) / stepBytes
	case starlark.Bytes:
		return len(v) / stepBytes
	case starlark.Int:
		return bits(v) / (8 * stepBytes)
	case *starlark.Dict:
		return entrySteps * v.Len()
	case *starlark.Set:
		return entrySteps * v.Len()
	case starlark.Sequence:
		return v.Len()
	}
	return 0
}

func bits(i starlark.Int) int {
	if _, small := i.Int64(); small {
		return 0
	}
	return i.BigInt().BitLen()
}

func sizes(values []starlark.Value) int {
	n := len(values)
	for _, v := range values {
		n += size(v)
	}
	return n
}

// errTooDeep tells of values that functions would call themselves too often for.
var errTooDeep = fmt.Errorf("a value with more than %d dicts and lists inside each other", maxDepth)

// deep is how many steps it takes to look through values and all that is in them, as often as it is there. It gives up at maxSteps.
func deep(values ...starlark.Value) (int, error) {
	n := 0
	for _, v := range values {
		if err := look(v, &n, 0); err != nil {
			return 0, err
		}
	}
	return min(n, maxSteps), nil
}

// look adds to n what a value takes.
func look(v starlark.Value, n *int, depth int) (err error) {
	if depth > maxDepth {
		return errTooDeep
	}
	*n++
	switch v := v.(type) {
	case starlark.String, starlark.Bytes, starlark.Int:
		*n += size(v)
	case starlark.Tuple:
		for i := 0; i < len(v) && *n < maxSteps && err == nil; i++ {
			err = look(v[i], n, depth+1)
		}
	case *starlark.List:
		for i := 0; i < v.Len() && *n < maxSteps && err == nil; i++ {
			err = look(v.Index(i), n, depth+1)
		}
	case *starlark.Set:
		for item := range v.Elements() {
			if err = look(item, n, depth+1); err != nil || *n >= maxSteps {
				break
			}
		}
	case *starlark.Dict:
		for key, value := range v.Entries() {
			if err = look(key, n, depth+1); err == nil {
				err = look(value, n, depth+1)
			}
			if err != nil || *n >= maxSteps {
				break
			}
		}
	}
	return err
}

// tupleSize is what it takes to find a tuple in a dict: all that is in it and in the tuples in it. As tuples do not change, counting
// that whenever one is made keeps them from holding each other again and again.
func tupleSize(t starlark.Tuple) int {
	n := len(t)
	for _, v := range t {
		if inner, ok := v.(starlark.Tuple); ok {
			n += tupleSize(inner)
		} else if _, isList := v.(starlark.Sequence); !isList {
			n += size(v)
		}
	}
	return n
}

// made counts a new value that no function or operator gave.
func made(thread *starlark.Thread, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Tuple:
		return spend(thread, tupleSize(v))
	case *starlark.Dict, *starlark.Set:
		return spend(thread, newDict)
	}
	return spend(thread, size(v))
}

// binary is a binary operator.
func binary(thread *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	steps, err := operatorSteps(op, x, y)
	if err == nil {
		err = spend(thread, steps)
	}
	if err != nil {
		return nil, err
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		is, err := starlark.Compare(op, x, y)
		return starlark.Bool(is), err
	case syntax.NOT_IN:
		in, err := starlark.Binary(syntax.IN, x, y)
		if err != nil {
			return nil, err
		}
		return !in.Truth(), nil
	}
	z, err := starlark.Binary(op, x, y)
	if t, ok := z.(starlark.Tuple); ok && err == nil {
		err = spend(thread, tupleSize(t))
	}
	return z, err
}

func operatorSteps(op syntax.Token, x, y starlark.Value) (int, error) {
	switch op {
	case syntax.STAR:
		return productSteps(x, y), nil
	case syntax.PERCENT:
		if format, ok := x.(starlark.String); ok {
			n, err := deep(y)
			return size(x) + times(1+strings.Count(string(format), "%"), n), err
		}
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if _, ok := x.(starlark.Sequence); !ok {
			return min(size(x), size(y)), nil
		}
		n, err := deep(x)
		m, errY := deep(y)
		return min(n, m), errors.Join(err, errY)
	case syntax.IN, syntax.NOT_IN:
		switch y.(type) {
		case *starlark.List, starlark.Tuple:
			if _, ok := x.(starlark.Sequence); ok {
				return deep(y)
			}
		case *starlark.Dict, *starlark.Set:
			return 0, nil
		}
	}
	return size(x) + size(y), nil
}

// productSteps is for x * y: numbers, or a text or list that is repeated.
func productSteps(x, y starlark.Value) int {
	n, isNumber := x.(starlark.Int)
	if !isNumber {
		x, y = y, x
		n, isNumber = x.(starlark.Int)
	}
	if m, ok := y.(starlark.Int); ok {
		return bits(n) / 64 * (bits(m) / 64)
	}
	count, ok := n.Int64()
	if !isNumber || !ok || count <= 0 {
		return 0 // nothing, or an error
	}
	switch y := y.(type) {
	case starlark.String:
		return times(int(count), len(y)) / stepBytes
	case starlark.Bytes:
		return times(int(count), len(y)) / stepBytes
	}
	return times(int(count), size(y))
}

// times is the product of two counts, or too much.
func times(a, b int) int {
	const tooMuch = stepBytes * maxSteps * 2
	if a > 0 && b > tooMuch/a {
		return tooMuch
	}
	return a * b
}

// call calls a function.
func call(thread *starlark.Thread, f starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	b, isBuiltin := f.(*starlark.Builtin)
	if isBuiltin {
		steps, err := callSteps(b, args, kwargs)
		if err == nil {
			err = spend(thread, steps)
		}
		if err != nil {
			return nil, err
		}
	}
	result, err := starlark.Call(thread, f, args, kwargs)
	if err != nil {
		return nil, err
	}
	switch v := result.(type) {
	case starlark.Tuple:
		err = spend(thread, tupleSize(v))
	case *starlark.List:
		if isBuiltin && slices.Contains([]string{"zip", "enumerate", "items"}, b.Name()) { // lists of tuples
			for e := range v.Elements() {
				if err = spend(thread, tupleSize(e.(starlark.Tuple))); err != nil {
					break
				}
			}
		}
	}
	return result, err
}

// isCheapMethod reports whether what is called name behind a dot takes a step whatever it is given, or counts itself, as the functions of
// re do.
func isCheapMethod(name string) bool {
	switch strings.TrimPrefix(name, "re.") {
	case "append", "get", "pop", "setdefault", "add", "discard", "clear", "startswith", "endswith", "strip", "lstrip", "rstrip",
		"removeprefix", "removesuffix", "sub", "search", "match", "findall", "group", "groups", "start", "end":
		return true
	}
	return false
}

// callSteps is what a function of the language is going to take at most.
func callSteps(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (int, error) {
	values := slices.Clone(args)
	for _, named := range kwargs {
		values = append(values, named[1])
	}
	text, _ := starlark.AsString(b.Receiver())
	if isCheapMethod(b.Name()) {
		return 0, nil
	}
	switch b.Name() {
	case "popitem", "len", "type", "bool", "ord", "chr", "range", "hasattr", "getattr":
		return 0, nil
	case "str", "repr", "print", "fail", "sorted", "min", "max", "json.encode":
		n, err := deep(values...)
		return n + sizes(values) + times(len(values), longest(values)/stepBytes), err // print and fail put a text of any length between values
	case "index", "remove":
		return deep(b.Receiver())
	case "format":
		n, err := deep(values...)
		return size(b.Receiver()) + times(1+strings.Count(text, "{"), n), err
	case "replace":
		if len(args) < 2 {
			return 0, nil
		}
		old, _ := starlark.AsString(args[0])
		with, _ := starlark.AsString(args[1])
		return (len(text) + times(strings.Count(text, old), len(with))) / stepBytes, nil
	case "join":
		return joinSteps(text, values), nil
	case "split", "rsplit", "splitlines", "elems", "elem_ords", "codepoints", "codepoint_ords":
		return len(text) + sizes(values), nil
	case "json.decode":
		return times(longest(values), 1+newDict) / 4, nil
	case "json.indent":
		return indentSteps(values), nil
	case "dict", "set", "union", "intersection", "difference", "symmetric_difference":
		return newDict + times(entrySteps, sizes(values)) + size(b.Receiver()), nil
	}
	if b.Receiver() != nil {
		values = append(values, b.Receiver())
	}
	return sizes(values), nil
}

// longest is the length of the longest text among values.
func longest(values []starlark.Value) (n int) {
	for _, v := range values {
		if text, ok := starlark.AsString(v); ok {
			n = max(n, len(text))
		}
	}
	return n
}

// indentSteps is for json.indent(text, prefix, indent).
func indentSteps(values []starlark.Value) int {
	if len(values) == 0 {
		return 0 // an error
	}
	text, _ := starlark.AsString(values[0])
	lines := 1
	for _, c := range []byte(text) {
		if strings.IndexByte(",[]{}", c) >= 0 {
			lines++
		}
	}
	return (len(text) + times(lines, times(1+nesting(text), 1+longest(values[1:])))) / stepBytes
}

func joinSteps(separator string, values []starlark.Value) int {
	if len(values) != 1 {
		return 0 // an error
	}
	n, length := 0, 0
	items, ok := values[0].(starlark.Iterable)
	if !ok {
		return 0
	}
	for item := range starlark.Elements(items) {
		text, _ := starlark.AsString(item)
		n++
		if length += len(text) + len(separator); length > stepBytes*maxSteps {
			break
		}
	}
	return n + length/stepBytes
}
