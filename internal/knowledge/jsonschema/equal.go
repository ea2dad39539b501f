package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// appendCanonical appends a text that is equal for equal values and different for others. The order
// of keys and the formatting do not matter.
func appendCanonical(b []byte, v gaby.Value) []byte {
	switch v.Kind() {
	case gaby.Map:
		entries := make([]string, 0, 8)
		for e := v.First(); e.Exists(); e = e.Next() {
			entries = append(entries, string(
				appendCanonical(append(strconv.AppendQuote(nil, e.Key()), ": "...), e)))
		}
		slices.Sort(entries)
		return append(append(append(b, '{'), strings.Join(entries, ", ")...), '}')
	case gaby.List:
		b = append(b, '[')
		for e := v.First(); e.Exists(); e = e.Next() {
			if b[len(b)-1] != '[' {
				b = append(b, ", "...)
			}
			b = appendCanonical(b, e)
		}
		return append(b, ']')
	}
	if typeOf(v) == stringType {
		return strconv.AppendQuote(b, v.Text())
	}
	return append(b, canonicalScalar(v)...)
}

// canonicalScalar returns the canonical text of a scalar that is not a string.
func canonicalScalar(v gaby.Value) string {
	if n, ok := numberOf(v); ok {
		return n.String()
	}
	switch v.Data() {
	case true:
		return "true"
	case false:
		return "false"
	}
	return "null"
}

// enum holds the allowed values of "enum" or "const".
type enum struct {
	keyword string
	strings []string        // the allowed strings; most values are strings
	index   map[string]bool // strings as a set, if there are many
	others  []string        // the canonical texts of the other values
	known   map[string]bool // others as a set, if there are many
	shown   []string        // all values as messages show them
}

// enum compiles enum and const. It returns nil if there is neither.
func (k keywords) enum() *enum {
	e := &enum{keyword: "enum"}
	v := k.get("enum")
	switch {
	case v.Exists() && v.Kind() != gaby.List:
		k.fail(v, "enum is a list of values, not %s", describe(v))
	case v.Exists():
		for item := v.First(); item.Exists(); item = item.Next() {
			e.add(item)
		}
	}
	if value := k.get("const"); value.Exists() && !k.in.dialect.isKubernetes() {
		constant := &enum{keyword: "const"}
		constant.add(value)
		if v.Exists() { // the value must satisfy both keywords
			constant.strings = slices.DeleteFunc(constant.strings,
				func(s string) bool { return !slices.Contains(e.strings, s) })
			constant.others = slices.DeleteFunc(constant.others,
				func(s string) bool { return !slices.Contains(e.others, s) })
		}
		return constant
	}
	if !v.Exists() {
		return nil
	}
	e.index, e.known = indexed(e.strings), indexed(e.others)
	return e
}

// indexed returns texts as a set, or nil if there are few.
func indexed(texts []string) map[string]bool {
	if len(texts) <= fewValues {
		return nil
	}
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

func (e *enum) add(v gaby.Value) {
	if typeOf(v) != stringType {
		canonical := string(appendCanonical(nil, v))
		e.others, e.shown = append(e.others, canonical), append(e.shown, cut(canonical))
		return
	}
	text := strings.Clone(v.Text())
	e.strings = append(e.strings, text)
	if text != "" { // an empty string is a poor suggestion
		e.shown = append(e.shown, cut(text))
	}
}

// fewValues is the number of values up to which a linear search is used.
const fewValues = 16

// shownValues limits how many values a message lists.
const shownValues = 12

// check checks that v is one of the allowed values. A string is compared as it is, any other value
// by its canonical text.
func (e *enum) check(c *checkState, v gaby.Value, t types) bool {
	if t == stringType {
		c.spend(v.Length() * min(len(e.strings), fewValues) / bytesPerCost)
		if e.index != nil && e.index[v.Text()] ||
			e.index == nil && slices.ContainsFunc(e.strings, v.EqualText) {
			return true
		}
	} else if len(e.others) > 0 {
		if text := c.canonical(v); e.known[text] ||
			e.known == nil && slices.Contains(e.others, text) {
			return true
		}
	}
	if c.quiet {
		return c.fail(v, e.keyword, "")
	}
	switch shown := e.shown; {
	case len(shown) == 1:
		c.fail(v, e.keyword, "%s is not %s", describe(v), shown[0])
	case len(shown) > shownValues:
		c.fail(v, e.keyword, "%s is not one of %s and %d more", describe(v),
			strings.Join(shown[:shownValues], ", "), len(shown)-shownValues)
	default:
		c.fail(v, e.keyword, "%s is not one of %s", describe(v), strings.Join(shown, ", "))
	}
	if t == stringType {
		c.suggest(v.Text(), e.strings)
	}
	return false
}
