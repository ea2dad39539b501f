package server_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/server"
)

// object is an object of JSON.
type object = map[string]any

// schemaOf returns the schema of a type of package api. Requests may have fewer fields than answers.
func schemaOf[T any](t *testing.T, request bool) *jsonschema.Schema {
	t.Helper()
	of := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[api.Data]():       {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[[]byte]():         {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[api.Text]():       {Type: "string"},
		reflect.TypeFor[api.OutputList](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}},
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: of, IgnoreInvalidTypes: true})
	if err != nil {
		t.Fatal(err)
	}
	if request {
		open(s)
	}
	return s
}

// open makes all properties optional and allows others, which clients of other versions send.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Required = nil
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	if s.Type != "" {
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	if s.Properties == nil {
		open(s.AdditionalProperties)
	}
}

// document returns the document of OpenAPI (https://spec.openapis.org/oas/v3.1.1.html).
func document(t *testing.T) object {
	t.Helper()
	content := func(kind, schema string) object {
		return object{kind: object{"schema": object{"$ref": "#/components/schemas/" + schema}}}
	}
	failed := func(description string) object {
		return object{"description": description, "content": content("application/problem+json", "Problem")}
	}
	answer := func(description, schema string) object {
		return object{
			"200":     object{"description": description, "content": content("application/json", schema)},
			"default": failed("The request cannot be served."),
		}
	}
	toolchain := []any{object{
		"name": "toolchain", "in": "path", "required": true,
		"description": "The format of the data, such as kubernetes or appconfig-toml.",
		"schema":      object{"type": "string"},
	}}
	ok := object{"get": object{"summary": "Whether the server is ready", "responses": answer("It is.", "OK")}}
	return object{
		"openapi": "3.1.1",
		"info": object{
			"title": "fctl serve", "version": "1",
			"description": "Functions that read, change and check configuration.",
		},
		"paths": object{
			"/function/{toolchain}": object{
				"parameters": toolchain,
				"get": object{
					"summary":   "The signatures of the functions",
					"responses": answer("The signatures, by name.", "Signatures"),
				},
				"post": object{
					"summary": "Run a chain of functions",
					"requestBody": object{
						"required": true, "content": content("application/json", "FunctionInvocationRequest"),
					},
					"responses": answer("What the functions did.", "FunctionInvocationResponse"),
				},
			},
			"/function/{toolchain}/paths": object{"parameters": toolchain, "get": object{
				"summary":   "The registered paths",
				"responses": answer("The paths, by attribute and resource type.", "Paths"),
			}},
			"/function/ok": ok, "/function/info": ok, "/healthz": ok, "/readyz": ok,
			"/function/shutdown": object{"post": object{
				"summary":   "End the server, from its machine only",
				"responses": answer("It ends.", "OK"),
			}},
			"/session": object{"get": object{
				"summary": "A connection over which fctl --server runs functions as if they were its own",
				"responses": object{
					"101":     object{"description": "The messages are those of the same version of fctl."},
					"default": failed("There is no session."),
				},
			}},
			"/": object{"get": object{
				"summary": "A page that runs chains and shows what they do",
				"responses": object{"200": object{
					"description": "HTML, with files below /page/.",
					"content":     object{"text/html": object{"schema": object{"type": "string"}}},
				}},
			}},
			"/about": object{"get": object{
				"summary":   "The formats that the server has functions for",
				"responses": answer("What the page begins with.", "About"),
			}},
			"/workspace/{what}": object{"get": object{
				"summary": "The links of the workspace that the server was started in",
				"parameters": []any{object{
					"name": "what", "in": "path", "required": true,
					"description": "The picture of the graph, or what 'fctl link plan' prints.",
					"schema":      object{"type": "string", "enum": []string{"graph", "plan"}},
				}},
				"responses": object{
					"200": object{"description": "What they are now.", "content": object{
						"image/svg+xml": object{"schema": object{"type": "string"}},
						"text/plain":    object{"schema": object{"type": "string"}},
					}},
					"default": failed("The server was not started in a workspace, or the workspace cannot be read."),
				},
			}},
			"/metrics": object{"get": object{
				"summary": "Counts for Prometheus",
				"responses": object{"200": object{
					"description": "The text format.",
					"content":     object{"text/plain": object{"schema": object{"type": "string"}}},
				}, "default": failed("The request cannot be served.")},
			}},
			"/openapi.json": object{"get": object{
				"summary": "This document",
				"responses": object{"200": object{
					"description": "OpenAPI 3.1.",
					"content":     object{"application/json": object{"schema": object{"type": "object"}}},
				}, "default": failed("The request cannot be served.")},
			}},
		},
		"components": object{
			"schemas": object{
				"OK":                         object{"type": "string"},
				"FunctionInvocationRequest":  schemaOf[api.FunctionInvocationRequest](t, true),
				"FunctionInvocationResponse": schemaOf[api.FunctionInvocationResponse](t, false),
				"Signatures":                 schemaOf[map[string]api.FunctionSignature](t, false),
				"Paths": schemaOf[api.AttributeNameToResourceTypeToPathToVisitorInfoType](
					t, false),
				"About":   schemaOf[server.About](t, false),
				"Problem": schemaOf[server.Problem](t, false),
			},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
		"security": []any{object{}, object{"token": []any{}}},
	}
}

// TestOpenAPI compares openapi.json with the types of requests and answers. UPDATE_DOCS=1 writes it.
func TestOpenAPI(t *testing.T) {
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(document(t)); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile("openapi.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("openapi.json is not that of the types: 'make gen' writes it")
	}
}
