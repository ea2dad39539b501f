package jsonschema

import (
	"fmt"
	"math"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// types is a set of types of JSON Schema.
type types uint8

const (
	nullType types = 1 << iota
	booleanType
	integerType
	fractionType // a number that is not an integer
	stringType
	arrayType
	objectType

	numberType = integerType | fractionType
)

// typeNames returns the names of types in the order in which messages list them.
func typeNames() []typeName {
	return []typeName{
		{"string", stringType},
		{"number", numberType},
		{"integer", integerType},
		{"boolean", booleanType},
		{"object", objectType},
		{"array", arrayType},
		{"null", nullType},
	}
}

type typeName struct {
	name  string
	types types
}

// typeOf returns the type of a value as a set of one, or 0 if the value is missing. A number
// without a fraction is an integer, even if it is written 1.0.
func typeOf(v gaby.Value) types {
	switch v.Kind() {
	case gaby.Missing:
		return 0
	case gaby.Map:
		return objectType
	case gaby.List:
		return arrayType
	}
	switch v.Tag() {
	case "!!null":
		return nullType
	case "!!bool":
		return booleanType
	case "!!int":
		return integerType
	case "!!float":
		if f, ok := v.Data().(float64); ok && f == math.Trunc(f) && !math.IsInf(f, 0) {
			return integerType
		}
		return fractionType
	}
	return stringType
}

// TypeName returns the type of a value in the words of JSON Schema, "" for a missing one.
func TypeName(v gaby.Value) string {
	if t := typeOf(v); t != fractionType {
		return t.String()
	}
	return "number"
}

// types compiles the keyword type.
func (k keywords) types() types {
	v := k.get("type")
	if !v.Exists() {
		return 0
	}
	var all types
	one := func(v gaby.Value) {
		for _, t := range typeNames() {
			if v.EqualText(t.name) && typeOf(v) == stringType {
				all |= t.types
				return
			}
		}
		k.fail(v,
			"type: %s is not one of string, number, integer, boolean, object, array and null",
			describe(v))
	}
	if v.Kind() != gaby.List {
		one(v)
	}
	for e := v.First(); v.Kind() == gaby.List && e.Exists(); e = e.Next() {
		one(e)
	}
	return all
}

// String returns the types as a list for messages.
func (t types) String() string {
	var all []string
	for _, n := range typeNames() {
		if t&n.types == n.types {
			all = append(all, n.name)
			t &^= n.types
		}
	}
	return list(all, "or")
}

// describe returns a value as messages show it: the text of a scalar, quoted and shortened if it is
// a string, or a word for any other type.
func describe(v gaby.Value) string {
	switch typeOf(v) {
	case 0:
		return "nothing"
	case nullType:
		return "null"
	case objectType:
		return "an object"
	case arrayType:
		return "a list"
	case stringType:
		return quote(v.Text())
	}
	return v.Text()
}

const shownRunes = 60

// quote returns text in quotes, shortened to shownRunes characters.
func quote(text string) string {
	return fmt.Sprintf("%q", cut(text))
}

// cut shortens a text to shownRunes characters.
func cut(text string) string {
	n := 0
	for i := range text {
		if n++; n > shownRunes {
			return text[:i] + "..."
		}
	}
	return text
}

// list formats a list such as "a, b or c".
func list(all []string, last string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " " + last + " " + all[len(all)-1]
}
