package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeStandalone writes the JSON Schemas for kubeconform, one for each kind, with the file names
// that kubeconform expects. They are like those that openapi2jsonschema converts: unknown fields
// are not allowed, and optional fields may be null. Enums are omitted, because the OpenAPI
// documents do not have them.
func writeStandalone(definitions map[string]*schema, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	converted := map[string]any{}
	for name, s := range definitions {
		converted[name] = standalone(s, false)
	}
	for name, s := range definitions {
		for _, k := range s.Kinds {
			needed := map[string]any{}
			closure(definitions, name, needed, converted)
			text, err := json.Marshal(map[string]any{
				"$schema": "http://json-schema.org/draft-07/schema#",
				"$ref":    "#/definitions/" + name, "definitions": needed,
			})
			if err != nil {
				return err
			}
			group, _, _ := strings.Cut(k.Group, ".")
			file := strings.ToLower(strings.Join(slices.DeleteFunc([]string{
				k.Kind, group,
				k.Version,
			}, func(s string) bool {
				return s == ""
			}), "-"))
			if err := os.WriteFile(filepath.Join(dir, file+".json"), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// closure collects a definition and all definitions it refers to.
func closure(definitions map[string]*schema, name string, needed, converted map[string]any) {
	if _, ok := needed[name]; ok {
		return
	}
	needed[name] = converted[name]
	definitions[name].each(func(s *schema) {
		if s.Ref != "" {
			closure(definitions, s.Ref, needed, converted)
		}
	})
}

// each calls f for a schema and all schemas inside it.
func (s *schema) each(f func(*schema)) {
	f(s)
	for _, p := range s.Properties {
		p.each(f)
	}
	if s.Items != nil {
		s.Items.each(f)
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties.each(f)
	}
}

func standalone(s *schema, optional bool) map[string]any {
	out := map[string]any{}
	nullable := func(types ...string) []string {
		if optional {
			types = append(types, "null")
		}
		return types
	}
	switch {
	case s.Ref != "":
		out["$ref"] = "#/definitions/" + s.Ref
		if optional {
			out = map[string]any{"anyOf": []any{out, map[string]any{"type": "null"}}}
		}
		return out
	case s.Format == "int-or-string":
		out["type"] = nullable("string", "integer")
		return out
	case s.Format == "quantity":
		out["type"] = nullable("string", "number")
		return out
	}
	if s.Format != "" {
		out["format"] = s.Format
	}
	if s.Type != nil {
		out["type"] = nullable(fmt.Sprint(s.Type))
	}
	if s.Required != nil {
		out["required"] = s.Required
	}
	if s.Items != nil {
		out["items"] = standalone(s.Items, true)
	}
	if s.AdditionalProperties != nil {
		out["additionalProperties"] = standalone(s.AdditionalProperties, true)
	}
	if s.Properties != nil {
		properties := map[string]any{}
		for name, p := range s.Properties {
			properties[name] = standalone(p, !slices.Contains(s.Required, name))
		}
		out["properties"] = properties
		out["additionalProperties"] = false
	}
	return out
}
