package starlark

import (
	"context"
	"crypto/md5"  //nolint:gosec // programs compare and name with it
	"crypto/sha1" //nolint:gosec // programs compare and name with it
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
	"strings"

	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// ListResult is an item of the list that a program leaves.
type ListResult struct {
	// From is the index of the item that the program was given, -1 for a new one.
	From int
	Data any // as accepted by [gaby.YamlDoc.SetData]
}

// RunList runs a program on a list of resources at once, as KRM functions in Starlark do: it finds
// them in ctx.resource_list["items"] and the functionConfig in ctx.resource_list["functionConfig"].
// ctx.environment is empty, and ctx.open_api what openAPI returns, which is called if the program
// has the word. Modules that have no access to the machine can be
// loaded: json, yaml, base64, hash, math and re. print passes what the program prints. A program that
// leaves None, or removes the key, leaves no items.
func RunList(
	ctx context.Context, text string, config gaby.Value, items []gaby.Value,
	openAPI func() (gaby.Value, error), print func(string),
) ([]ListResult, error) {
	p := newProgram(text, "")
	options := syntax.FileOptions{
		Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true,
	}
	list := starlark.NewDict(4)
	given := make([]starlark.Value, len(items))
	for i, item := range items {
		given[i] = fromDocument(item)
	}
	for _, entry := range []starlark.Tuple{
		{starlark.String("apiVersion"), starlark.String("config.kubernetes.io/v1")},
		{starlark.String("kind"), starlark.String("ResourceList")},
		{starlark.String("items"), starlark.NewList(slices.Clone(given))},
		{starlark.String("functionConfig"), fromDocument(config)},
	} {
		if err := list.SetKey(entry[0], entry[1]); err != nil {
			return nil, err
		}
	}
	schemas := starlark.Value(starlark.NewDict(0))
	if strings.Contains(text, "open_api") {
		document, err := openAPI()
		if err != nil {
			return nil, err
		}
		schemas = fromDocument(document)
	}
	object := starlarkstruct.FromStringDict(starlark.String("ctx"), starlark.StringDict{
		"resource_list": list, "environment": starlark.NewDict(0), "open_api": schemas,
	})
	predeclared := guarded()
	predeclared["ctx"], predeclared["re"] = object, reModule()
	parsed, err := options.Parse(file, text, 0)
	if err != nil {
		return nil, p.compileErrors(err, nil)
	}
	rewrite(parsed)
	program, err := starlark.FileProgram(parsed, predeclared.Has)
	if err != nil {
		return nil, p.compileErrors(err, []string{"ctx", "json", "re"})
	}
	thread, watch := p.thread(ctx, print)
	defer watch.End()
	thread.Load = loadModule
	thread.SetMaxExecutionSteps(maxSteps + uint64(len(items))*maxSteps/100)
	if _, err := program.Init(thread, predeclared); err != nil {
		return nil, p.runError(watch, err)
	}
	left, found, err := list.Get(starlark.String("items"))
	switch {
	case err != nil:
		return nil, err
	case !found || left == starlark.None:
		return nil, nil
	}
	sequence, ok := left.(starlark.Sequence)
	if !ok {
		return nil, p.Fail(0, "the program left no list in ctx.resource_list[\"items\"]")
	}
	from := make(map[starlark.Value]int, len(given))
	for i, v := range given {
		if dict, ok := v.(*starlark.Dict); ok {
			from[dict] = i
		}
	}
	return listResults(p, watch, sequence, from)
}

// listResults converts the items that a program left. An item is the one that it was given if it is
// the same dict.
func listResults(
	p *Program, watch *limit.Watch, left starlark.Sequence, from map[starlark.Value]int,
) ([]ListResult, error) {
	var results []ListResult
	convert := newResult(watch)
	convert.int64 = true
	for v := range starlark.Elements(left) {
		dict, ok := v.(*starlark.Dict)
		if !ok {
			return nil, p.Fail(0, "an item must be a dict, not a %s", v.Type())
		}
		index, ok := from[dict]
		if !ok {
			index = -1
		}
		delete(from, dict) // the same dict twice is one item and a new one
		data, err := convert.data(dict, 0)
		if err != nil {
			return nil, p.runError(watch, err)
		}
		results = append(results, ListResult{From: index, Data: data})
	}
	return results, nil
}

// loadModule returns the modules that programs on lists load by the names of the published
// function.
func loadModule(_ *starlark.Thread, name string) (starlark.StringDict, error) {
	switch name {
	case "encoding/json.star", "json.star":
		return starlark.StringDict{"json": guarded()["json"]}, nil
	case "encoding/yaml.star", "yaml.star":
		return starlark.StringDict{"yaml": yamlModule()}, nil
	case "encoding/base64.star", "base64.star":
		return starlark.StringDict{"base64": base64Module()}, nil
	case "math.star":
		return starlark.StringDict{"math": math.Module}, nil
	case "re.star":
		return starlark.StringDict{"re": reModule()}, nil
	case "hash.star":
		return starlark.StringDict{"hash": hashModule()}, nil
	}
	return nil, errors.New("the modules are encoding/base64.star, encoding/json.star, " +
		"encoding/yaml.star, hash.star, math.star and re.star")
}

// textFunction makes a function of one text.
func textFunction(name string, f func(string) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(
		_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		var text string
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &text); err != nil {
			return nil, err
		}
		return f(text)
	})
}

func base64Module() starlark.Value {
	return &starlarkstruct.Module{Name: "base64", Members: starlark.StringDict{
		"encode": textFunction("base64.encode", func(text string) (starlark.Value, error) {
			return starlark.String(base64.StdEncoding.EncodeToString([]byte(text))), nil
		}),
		"decode": textFunction("base64.decode", func(text string) (starlark.Value, error) {
			data, err := base64.StdEncoding.DecodeString(text)
			return starlark.String(data), err
		}),
	}}
}

// hashModule has functions that return the checksum of a text in hexadecimal digits.
func hashModule() starlark.Value {
	members := starlark.StringDict{}
	for name, create := range map[string]func() hash.Hash{
		"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New,
	} {
		members[name] = textFunction("hash."+name, func(text string) (starlark.Value, error) {
			h := create()
			h.Write([]byte(text))
			return starlark.String(hex.EncodeToString(h.Sum(nil))), nil
		})
	}
	return &starlarkstruct.Module{Name: "hash", Members: members}
}

func yamlModule() starlark.Value {
	return &starlarkstruct.Module{Name: "yaml", Members: starlark.StringDict{
		"loads": textFunction("yaml.loads", func(text string) (starlark.Value, error) {
			doc, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				return nil, err
			}
			return fromDocument(doc.Value()), nil
		}),
		"dumps": starlark.NewBuiltin("yaml.dumps", func(
			thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
		) (starlark.Value, error) {
			var value starlark.Value
			if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &value); err != nil {
				return nil, err
			}
			data, err := (&result{text: guardsOf(thread).account.Text()}).data(value, 0)
			if err != nil {
				return nil, err
			}
			doc, err := gaby.ParseYAML([]byte("a: b\n")) // so that the text has block style
			if err == nil {
				err = doc.SetData(data)
			}
			if err != nil {
				return nil, err
			}
			return starlark.String(doc.String()), nil
		}),
	}}
}
