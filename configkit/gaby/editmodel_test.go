package gaby_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// This file is the model that the edits of gaby are compared with: the same edits on a plain tree
// of maps, lists and scalars.

// An Edit is one change, to a document and to its model alike.
type Edit struct {
	Op    string // set, delete, append, insert, rearrange, comment
	Path  []string
	Index int
	Value any
}

func (e Edit) String() string {
	return fmt.Sprintf("%s %q [%d] = %#v", e.Op, e.Path, e.Index, e.Value)
}

// apply performs the edit on a document.
func (e Edit) apply(d *gaby.YamlDoc) error {
	switch e.Op {
	case "set":
		_, err := d.Set(e.Value, e.Path...)
		return err
	case "delete":
		return d.Delete(e.Path...)
	case "append":
		return d.ArrayAppendP(e.Value, dotPath(e.Path))
	case "insert":
		return d.ArrayInsertP(e.Value, e.Index, dotPath(e.Path))
	case "rearrange":
		return d.ArrayRearrangeP(e.Value.([]int), dotPath(e.Path))
	case "comment":
		return d.SetComment(e.Value.(string), dotPath(e.Path))
	}
	panic("no such edit: " + e.Op)
}

func dotPath(path []string) string {
	escape := strings.NewReplacer("~", "~0", ".", "~1")
	var parts []string
	for _, p := range path {
		parts = append(parts, escape.Replace(p))
	}
	return strings.Join(parts, ".")
}

// model returns the tree after the edit. It does not modify t; ok is false if the tree has no such
// path.
func (e Edit) model(tree any) (any, bool) {
	switch e.Op {
	case "comment":
		return tree, true
	case "set":
		return modelSet(tree, e.Path, e.Value)
	case "delete":
		return modelAt(tree, e.Path[:len(e.Path)-1], func(in any) (any, bool) {
			last := e.Path[len(e.Path)-1]
			switch in := in.(type) {
			case map[string]any:
				m := maps.Clone(in)
				_, found := m[last]
				delete(m, last)
				return m, found
			case []any:
				i, err := strconv.Atoi(last)
				if err != nil || i < 0 || i >= len(in) {
					return nil, false
				}
				return slices.Delete(slices.Clone(in), i, i+1), true
			}
			return nil, false
		})
	case "append", "insert":
		return modelAt(tree, e.Path, func(in any) (any, bool) {
			list, ok := in.([]any)
			i := e.Index
			if e.Op == "append" {
				i = len(list)
			}
			if !ok || i > len(list) {
				return nil, false
			}
			return slices.Insert(slices.Clone(list), i, e.Value), true
		})
	case "rearrange":
		return modelAt(tree, e.Path, func(in any) (any, bool) {
			list, ok := in.([]any)
			l := []any{}
			for _, i := range e.Value.([]int) {
				if !ok || i >= len(list) {
					return nil, false
				}
				l = append(l, list[i])
			}
			return l, ok
		})
	}
	panic("no such edit: " + e.Op)
}

// modelAt replaces the value at path by the result of f.
func modelAt(tree any, path []string, f func(any) (any, bool)) (any, bool) {
	if len(path) == 0 {
		return f(tree)
	}
	switch t := tree.(type) {
	case map[string]any:
		v, ok := t[path[0]]
		if !ok {
			return nil, false
		}
		v, ok = modelAt(v, path[1:], f)
		m := maps.Clone(t)
		m[path[0]] = v
		return m, ok
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(t) {
			return nil, false
		}
		v, ok := modelAt(t[i], path[1:], f)
		l := slices.Clone(t)
		l[i] = v
		return l, ok
	}
	return nil, false
}

// modelSet sets a value; missing and null parents become maps.
func modelSet(tree any, path []string, value any) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	switch t := tree.(type) {
	case nil:
		v, ok := modelSet(nil, path[1:], value)
		return map[string]any{path[0]: v}, ok
	case map[string]any:
		v, ok := modelSet(t[path[0]], path[1:], value)
		m := maps.Clone(t)
		m[path[0]] = v
		return m, ok
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(t) {
			return nil, false
		}
		v, ok := modelSet(t[i], path[1:], value)
		l := slices.Clone(t)
		l[i] = v
		return l, ok
	}
	return nil, false
}

// pathValue is a path in a tree with its value.
type pathValue struct {
	Path  []string
	Value any
}

// places returns all paths of a tree except its root, parents first, in a fixed order.
func places(tree any) []pathValue {
	var all []pathValue
	var walk func(v any, path []string)
	walk = func(v any, path []string) {
		if len(all) > 2_000 {
			return
		}
		if len(path) > 0 {
			all = append(all, pathValue{slices.Clone(path), v})
		}
		switch v := v.(type) {
		case map[string]any:
			for _, k := range sortedKeys(v) {
				walk(v[k], append(path, k))
			}
		case []any:
			for i := range v {
				walk(v[i], append(path, strconv.Itoa(i)))
			}
		}
	}
	walk(tree, nil)
	return all
}

// isScalar reports whether v is neither a map nor a list.
func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// randomEdit returns an edit that is possible in the tree, nil if nothing can be edited.
func randomEdit(d Dice, tree any) *Edit {
	all := places(tree)
	at := func(ok func(pathValue) bool) *pathValue {
		var some []pathValue
		for _, p := range all {
			if ok(p) {
				some = append(some, p)
			}
		}
		if len(some) == 0 {
			return nil
		}
		return &some[d(len(some))]
	}
	isMap := func(p pathValue) bool { _, ok := p.Value.(map[string]any); return ok }
	isList := func(p pathValue) bool { _, ok := p.Value.([]any); return ok }
	for range 3 {
		switch d(10) {
		case 0, 1, 2:
			if p := at(func(p pathValue) bool { return isScalar(p.Value) }); p != nil {
				return &Edit{Op: "set", Path: p.Path, Value: randomScalar(d)}
			}
		case 3:
			if p := at(func(pathValue) bool { return true }); p != nil {
				return &Edit{Op: "set", Path: p.Path, Value: randomValue(d, 2)}
			}
		case 4:
			in := at(isMap)
			var path []string
			if _, ok := tree.(map[string]any); in == nil || ok && d.oneIn(2) {
				if !ok {
					continue
				}
			} else {
				path = in.Path
			}
			path = slices.Clone(path)
			for range 1 + d(3) {
				path = append(path, pick(d, "new", "other", "a.b/c", "x y", "7", "true", "zz~z",
					"#k", "key: x", "-"))
			}
			if e := (Edit{Op: "set", Path: path, Value: randomValue(d, 2)}); !slices.Contains(path,
				"-") || d.oneIn(2) {
				if _, ok := e.model(tree); ok {
					return &e
				}
			}
		case 5:
			if p := at(func(pathValue) bool { return true }); p != nil {
				return &Edit{Op: "delete", Path: p.Path}
			}
		case 6:
			if p := at(isList); p != nil {
				return &Edit{Op: "append", Path: p.Path, Value: randomValue(d, 2)}
			}
		case 7:
			if p := at(isList); p != nil {
				return &Edit{
					Op: "insert", Path: p.Path, Index: d(len(p.Value.([]any)) + 1),
					Value: randomValue(d, 2),
				}
			}
		case 8:
			if p := at(isList); p != nil {
				var left []int
				for i := range p.Value.([]any) {
					if !d.oneIn(5) {
						left = slices.Insert(left, d(len(left)+1), i)
					}
				}
				return &Edit{Op: "rearrange", Path: p.Path, Value: left}
			}
		case 9:
			if p := at(func(pathValue) bool { return true }); p != nil {
				return &Edit{
					Op: "comment", Path: p.Path,
					Value: pick(d, "note", "a: b # c", "", "é", `"q"`),
				}
			}
		}
	}
	return nil
}

// randomScalar returns a scalar of any type; the strings are ones that break if quoting is wrong.
func randomScalar(d Dice) any {
	switch d(8) {
	case 0:
		return pick[any](d, 0, 7, -1, 1<<40, uint64(1<<63))
	case 1:
		return pick[any](d, true, false)
	case 2:
		return pick[any](d, 1.5, -0.25, 1e300)
	case 3:
		return nil
	case 4:
		return pick(d, "line\nline", "end\n", "end\n\n", "\nlead", "  lead\nx", "a\n\n\nb\n",
			"tab\tin\nx", "a \nb", "\n", "x\n  y\n", "a: b\n# c\n---\n", "cr\r\nlf", "\u2028ls",
			"b\x07el", "é\n日", "- a\n- b", "end \n ")
	case 5:
		return pick(d, "", " ", " lead", "trail ", "true", "Null", "yes", "No", "y", "on", "123",
			"0x1f", "0o7", "1_000", "1e3", "1.5", ".inf", "2001-01-01", "12:30", "~", "<<", "=",
			"08", "+1", "0b1", "1:30:00", ".5", "-", "--- x", "...", "---")
	case 6:
		return pick(d, "a: b", "a:", ":a", ": a", "a #b", "#a", "a#b", "- a", "-a", "? a", "?a",
			"*a", "&a", "!a", "!!str", "%a", "@a", "`a", "{a", "a}", "[a]", "a, b", ",a", "|", ">",
			"'", "it's", `"`, `say "x"`, `\n`, `a\`, "a]b", "{{ .Values.x }}", "\t", "\ufeffx",
			"é日😀", "\u00a0", strings.Repeat("long ", 60)+"end", strings.Repeat("x", 300))
	}
	return pick(d, "word", "two words", "nginx:1.26", "http://x:80/y?z#w", "x.y/z-w", "a,b")
}

func randomValue(d Dice, depth int) any {
	if depth == 0 || d(3) == 0 {
		return randomScalar(d)
	}
	if d.oneIn(2) {
		m := map[string]any{}
		for range d(4) {
			key := pick(d, "a", "b", "name", "x/y.z", "q r", "1", "no", "", "- k", "k: v")
			m[key] = randomValue(d, depth-1)
		}
		return m
	}
	l := []any{}
	for range d(4) {
		l = append(l, randomValue(d, depth-1))
	}
	return l
}
