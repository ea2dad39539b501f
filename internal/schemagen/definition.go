package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// schema has the fields of a schema that are kept. The others do not affect validity, or the server
// does not check them.
type schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	Type                 any                `json:"type,omitempty"` // a string or several
	Format               string             `json:"format,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	AdditionalProperties *schema            `json:"additionalProperties,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`

	Kinds []kind   `json:"-"`
	order []string // of the properties
}

type kind struct{ Group, Version, Kind string }

// definitionsOf returns the definitions of an OpenAPI document.
func definitionsOf(swagger []byte) (map[string]*schema, error) {
	var document struct {
		Definitions map[string]json.RawMessage
	}
	if err := json.Unmarshal(swagger, &document); err != nil {
		return nil, err
	}
	definitions := map[string]*schema{}
	for name, text := range document.Definitions {
		s := &schema{}
		var more struct {
			Kinds []kind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := json.Unmarshal(text, &more); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if s.Properties["metadata"] != nil { // types without metadata are not resources
			s.Kinds = more.Kinds
		}
		s.reduce()
		definitions[name] = s
	}
	definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = &schema{Type: []string{
		"string",
		"number",
	}, Format: "quantity"}
	return definitions, nil
}

// reduce shortens references.
func (s *schema) reduce() {
	s.Ref = strings.TrimPrefix(s.Ref, "#/definitions/")
	for _, p := range s.Properties {
		p.reduce()
	}
	if s.Items != nil {
		s.Items.reduce()
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties.reduce()
	}
}
