package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// enum is the allowed values of a field. The OpenAPI documents do not have them; the source they
// are generated from does.
type enum struct {
	definition string
	path       []string // properties, and "[]" for the elements of a list or map
	values     []string
}

// enumsOf reads the enums and the order of fields from zz_generated.openapi.go, which has functions
// that return a composite literal, and a map from the names of types to these functions.
func enumsOf(source []byte) ([]enum, []order, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "zz_generated.openapi.go", source,
		parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	names := map[string]string{} // of functions -> of definitions
	ast.Inspect(file, func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		call, ok := entry.Value.(*ast.CallExpr)
		if !ok {
			return true
		}
		if function, ok := call.Fun.(*ast.Ident); ok &&
			strings.HasPrefix(function.Name, "schema_") {
			names[function.Name] = definitionName(entry.Key, imports)
		}
		return true
	})
	var all []enum
	var orders []order
	for _, d := range file.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && names[function.Name.Name] != "" {
			found := enum{definition: names[function.Name.Name]}
			found.collect(function.Body, &all)
			orders = append(orders, order{found.definition, firstFields(function.Body)})
		}
	}
	if len(all) < 100 {
		return nil, nil, fmt.Errorf("only %d enums found: the source is written in another way "+
			"than it was",
			len(all))
	}
	return all, orders, nil
}

// definitionName returns the name of the definition of a type, which key gives as
// "k8s.io/api/core/v1.Pod" or corev1.Pod{}.OpenAPIModelName().
func definitionName(key ast.Expr, imports map[string]string) string {
	var path string
	switch key := key.(type) {
	case *ast.BasicLit:
		path, _ = strconv.Unquote(key.Value)
	case *ast.CallExpr:
		method, _ := key.Fun.(*ast.SelectorExpr)
		literal, _ := method.X.(*ast.CompositeLit)
		of, ok := literal.Type.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		path = imports[of.X.(*ast.Ident).Name] + "." + of.Sel.Name
	}
	rest, ok := strings.CutPrefix(path, "k8s.io/")
	if !ok {
		return ""
	}
	return "io.k8s." + strings.ReplaceAll(rest, "/", ".")
}

// collect walks over literals, keeping track of the property they describe.
func (e enum) collect(n ast.Node, all *[]enum) {
	ast.Inspect(n, func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		inner := e
		switch key := entry.Key.(type) {
		case *ast.BasicLit: // a property
			name, _ := strconv.Unquote(key.Value)
			inner.path = append(slices.Clip(e.path), name)
		case *ast.Ident:
			switch key.Name {
			case "Enum":
				for _, item := range entry.Value.(*ast.CompositeLit).Elts {
					text, _ := strconv.Unquote(item.(*ast.BasicLit).Value)
					inner.values = append(inner.values, text)
				}
				*all = append(*all, inner)
				return false
			case "Items", "AdditionalProperties":
				inner.path = append(slices.Clip(e.path), "[]")
			case "Properties", "SchemaProps", "Schema":
			default:
				return false // extensions, defaults
			}
		}
		inner.collect(entry.Value, all)
		return false
	})
}

// apply sets the values in the definitions. An optional field may also be empty: the server cannot
// distinguish that from a missing field and sets the default.
func (e enum) apply(definitions map[string]*schema) error {
	at, optional := definitions[e.definition], false
	if at == nil {
		return nil // a type that is not used in requests
	}
	for _, name := range e.path {
		if at == nil {
			break
		}
		if name != "[]" {
			optional = !slices.Contains(at.Required, name)
			at = at.Properties[name]
		} else if optional = false; at.Items != nil {
			at = at.Items
		} else {
			at = at.AdditionalProperties
		}
	}
	if at == nil {
		return fmt.Errorf("%s has no %s", e.definition, strings.Join(e.path, "."))
	}
	at.Enum = slices.Clone(e.values)
	if optional && !slices.Contains(at.Enum, "") {
		at.Enum = append(at.Enum, "")
	}
	return nil
}
