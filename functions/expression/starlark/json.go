package starlark

import (
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// jsonModule is the module json of the library, with a limit to what it decodes: it calls itself for every list inside another.
func jsonModule() starlark.Value {
	members := maps.Clone(json.Module.Members)
	decode := members["decode"].(*starlark.Builtin)
	members["decode"] = starlark.NewBuiltin(decode.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		all := slices.Clone(args)
		for _, named := range kwargs {
			all = append(all, named[1])
		}
		for _, arg := range all {
			if text, ok := starlark.AsString(arg); ok && nesting(text) > maxDepth {
				return nil, fmt.Errorf("json.decode: more than %d objects and lists inside each other", maxDepth)
			}
		}
		return decode.CallInternal(thread, args, kwargs)
	})
	return &starlarkstruct.Module{Name: "json", Members: members}
}

// nesting is how deep the brackets of a JSON text nest.
func nesting(text string) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
