package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"reflect"
	"strconv"
	"strings"
)

// kustomizations returns definitions of the files of kustomize, of which only Go types exist, in the
// form of CustomResourceDefinitions. The type of a field decides about its value, and null is the
// same as no value.
func kustomizations(m fs.FS) ([][]byte, error) {
	ids, err := download("sigs.k8s.io/kustomize/kyaml", "v0.21.2")
	if err != nil {
		return nil, err
	}
	defer ids.close()
	types := goTypes{}
	if err := types.read(m, "types/*.go"); err != nil {
		return nil, err
	}
	if err := types.read(ids, "resid/*.go"); err != nil {
		return nil, err
	}
	schema, err := types.schema(ast.NewIdent("Kustomization"), nil)
	if err != nil {
		return nil, err
	}
	delete(schema, "nullable")
	var texts [][]byte
	for kind, version := range map[string]string{"Component": "v1alpha1", "Kustomization": "v1beta1"} {
		text, err := json.Marshal(object{
			"kind":     "CustomResourceDefinition",
			"metadata": object{"name": kind},
			"spec": object{
				"group": "kustomize.config.k8s.io", "names": object{"kind": kind},
				"versions": []object{{
					"name": version, "served": true, "schema": object{"openAPIV3Schema": schema},
				}},
			},
		})
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

type object map[string]any

// goTypes is the types of packages by name.
type goTypes map[string]ast.Expr

// read adds the types in files.
func (t goTypes) read(m fs.FS, pattern string) error {
	names, err := fs.Glob(m, pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(m, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				t[spec.Name.Name] = spec.Type
			}
			return true
		})
	}
	return nil
}

// schema returns the schema of the JSON that a type is read from. within has the named types around
// it.
func (t goTypes) schema(of ast.Expr, within []string) (object, error) {
	switch of := of.(type) {
	case *ast.StarExpr:
		return t.schema(of.X, within)
	case *ast.SelectorExpr:
		return t.schema(of.Sel, within)
	case *ast.InterfaceType:
		return object{"x-kubernetes-preserve-unknown-fields": true}, nil
	case *ast.ArrayType:
		items, err := t.schema(of.Elt, within)
		return object{"type": "array", "items": items, "nullable": true}, err
	case *ast.MapType:
		values, err := t.schema(of.Value, within)
		return object{"type": "object", "additionalProperties": values, "nullable": true}, err
	case *ast.StructType:
		fields := object{}
		err := t.addFields(fields, of, within)
		return object{"type": "object", "properties": fields, "nullable": true}, err
	case *ast.Ident:
		switch of.Name {
		case "string":
			return object{"type": "string", "nullable": true}, nil
		case "bool":
			return object{"type": "boolean", "nullable": true}, nil
		case "int", "int64":
			return object{"type": "integer", "nullable": true}, nil
		}
		if t[of.Name] != nil && len(within) < 16 {
			return t.schema(t[of.Name], append(within, of.Name))
		}
		return nil, fmt.Errorf("%s of %s is not a type that is known", of.Name, within)
	}
	return nil, fmt.Errorf("%s has a type %T", within, of)
}

// addFields adds the fields of a struct, and those of the structs that it embeds.
func (t goTypes) addFields(fields object, of *ast.StructType, within []string) error {
	for _, field := range of.Fields.List {
		tag := ""
		if field.Tag != nil {
			text, err := strconv.Unquote(field.Tag.Value)
			if err != nil {
				return err
			}
			tag = reflect.StructTag(text).Get("json")
		}
		name, _, _ := strings.Cut(tag, ",")
		if name == "-" {
			continue
		}
		value, err := t.schema(field.Type, within)
		if err != nil {
			return err
		}
		if len(field.Names) == 0 && name == "" {
			maps.Copy(fields, value["properties"].(object))
			continue
		}
		if name == "" {
			name = field.Names[0].Name
		}
		if len(field.Names) == 0 || field.Names[0].IsExported() {
			fields[name] = value
		}
	}
	return nil
}
