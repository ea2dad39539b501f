package generic

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fluxcd/pkg/envsubst"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/formats/envkit"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const parameterVariable = "variable"

// substituteOff is the annotation or label with which Flux leaves a resource alone.
const substituteOff = "kustomize.toolkit.fluxcd.io/substitute"

// substituteFunction returns substitute.
func substituteFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "substitute",
			Parameters: []api.FunctionParameter{
				handler.Required(parameterVariable, api.DataTypeText, "CLUSTER=staging",
					"NAME=VALUE, or usually file:PATH: lines of NAME=VALUE, or a ConfigMap or "+
						"Secret whose data are the variables; of a name that is given twice, the "+
						"last value holds"),
			},
			VarArgs: true,
			Description: "Replace variables like ${NAME} and ${NAME:=default} in string values, as " +
				"Flux does after a build. A result has the type that the schema demands. A " +
				"variable without value and default is an error, $${NAME} is the text ${NAME}, and " +
				"resources with the annotation " + substituteOff + ": disabled do not change",
			Examples: []string{
				"substitute CLUSTER=staging REPLICAS=3", "substitute file:cluster.env",
				"substitute file:cluster-settings.yaml CLUSTER=staging",
			},
		},
		ValueParameter: parameterVariable,
		PerDocument:    true,
		CheckArguments: handler.Parses(variablesIn),
	}, func(c *handler.Call) (int, error) {
		variables, err := variablesIn(c.Args)
		if err != nil {
			return 0, err
		}
		s := substitution{call: c, variables: variables}
		s.fields, _ = provider.(yamlpath.FieldProvider)
		err = yamlkit.EachDocument(c.Docs, provider, s.document)
		return s.matches, err
	})
	r.Idempotent = false // $${NAME} becomes ${NAME}
	return r
}

// variableName matches the names of variables in Flux.
var variableName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
})

// variablesIn reads the variables in the arguments. The error has a *handler.ArgumentError for each
// argument that has none.
func variablesIn(args handler.Arguments) (map[string]string, error) {
	all := map[string]string{}
	var problems []error
	for _, arg := range args {
		if err := addVariables(all, fmt.Sprint(arg.Value)); err != nil {
			problems = append(problems, handler.InvalidArgument(parameterVariable, "%w", err))
		}
	}
	return all, errors.Join(problems...)
}

// addVariables adds the variables of one argument.
func addVariables(all map[string]string, text string) error {
	add := func(name, value string) error {
		if !variableName().MatchString(name) {
			return fmt.Errorf("%s cannot be the name of a variable, which has letters, digits and "+
				"underscores", configkit.Quote(name))
		}
		if strings.HasPrefix(value, "ENC[AES256_GCM,") {
			return fmt.Errorf("the value of %s is encrypted by SOPS, and has to be decrypted first", name)
		}
		all[name] = strings.ReplaceAll(value, "\n", "") // as in Flux
		return nil
	}
	// A file may lack the line break at its end, but a shell has taken the quotes of a word.
	name, value, ok := strings.Cut(text, "=")
	if ok && !strings.Contains(text, "\n") && !strings.HasPrefix(text, "#") &&
		!strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
		return add(name, value)
	}
	if docs, err := gaby.ParseAll([]byte(text)); err == nil {
		if data := dataOf(docs); data != nil {
			return eachVariable(data, add)
		}
	}
	if !strings.Contains(text, "=") {
		return fmt.Errorf("%s is neither NAME=VALUE nor a file with such lines, a ConfigMap or a "+
			"Secret", configkit.Abbreviate(text))
	}
	docs, err := envkit.Converter{}.NativeToDocuments([]byte(text))
	if err != nil {
		return fmt.Errorf("it is not a ConfigMap or Secret, and has no lines of NAME=VALUE: %w", err)
	}
	for e := range docs[0].Value().Entries() {
		if err := add(e.Key(), e.Text()); err != nil {
			return err
		}
	}
	return nil
}

// dataOf returns the documents if all of them are ConfigMaps and Secrets, and else nil.
func dataOf(docs gaby.Container) (data []gaby.Value) {
	for _, doc := range docs {
		v := doc.Value()
		kind := v.Get("kind").Text()
		switch {
		case doc.IsNull():
		case doc.Check() == nil && v.Get("apiVersion").Text() == "v1" &&
			(kind == "ConfigMap" || kind == "Secret"):
			data = append(data, v)
		default:
			return nil
		}
	}
	return data
}

// eachVariable calls add with the variables in ConfigMaps and Secrets.
func eachVariable(data []gaby.Value, add func(name, value string) error) error {
	for _, v := range data {
		secret := v.Get("kind").Text() == "Secret"
		for e := range v.Get("data").Entries() {
			value := e.Text()
			if secret {
				decoded, err := base64.StdEncoding.DecodeString(value)
				if err != nil {
					return fmt.Errorf("the value of %s in the Secret is not base64", e.Key())
				}
				value = string(decoded)
			}
			if err := add(e.Key(), value); err != nil {
				return err
			}
		}
		for e := range v.Get("stringData").Entries() {
			if err := add(e.Key(), e.Text()); err != nil {
				return err
			}
		}
	}
	return nil
}

// substitution replaces variables in documents.
type substitution struct {
	call      *handler.Call
	variables map[string]string
	fields    yamlpath.FieldProvider // nil if no schemas are known
	matches   int
}

// substituted is a value that changes.
type substituted struct {
	segments []string
	value    any
}

// document replaces the variables in a document, or returns a failure for each text that stops it.
func (s *substitution) document(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
	if !doc.MayContain("$") || expression.At(s.call.Context(), doc, info) || isOff(doc.Value()) {
		return nil
	}
	var edits []substituted
	var problems []error
	look := func(v gaby.Value, segments []string) {
		text, ok := stringValue(v)
		if !ok {
			return
		}
		expanded, found, err := s.expand(text)
		if err != nil {
			failure := failureAt(v.Position(), info, segments, err)
			failure.Hint = "$${NAME} is the text ${NAME}, and the annotation " + substituteOff +
				": disabled leaves a resource as it is"
			problems = append(problems, failure)
		}
		if !found || err != nil {
			return
		}
		s.matches++
		value, err := s.typed(v, info.ResourceType, segments, expanded)
		if err != nil {
			problems = append(problems, failureAt(v.Position(), info, segments, err))
		} else if expanded != text {
			edits = append(edits, substituted{slices.Clone(segments), value})
		}
	}
	root := doc.Value()
	look(root, nil)
	yamlkit.Walk(root, nil, func(w *yamlkit.Cursor) bool {
		if w.Value.IsAliased() || isName(doc, w.Segments) {
			return false
		}
		if key := w.Value.Key(); strings.Contains(key, "${") {
			problems = append(problems, failureAt(w.Value.KeyPosition(), info, w.Segments,
				errors.New("a variable in a key cannot be replaced")))
		}
		look(w.Value, w.Segments)
		return true
	})
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	for _, e := range edits {
		if _, err := doc.Set(e.value, e.segments...); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// isOff reports whether a resource says that its variables are not replaced.
func isOff(root gaby.Value) bool {
	for _, key := range []string{"annotations", "labels"} {
		if root.Get("metadata").Get(key).Get(substituteOff).Text() == "disabled" {
			return true
		}
	}
	return false
}

// failureAt returns the failure of a text.
func failureAt(
	pos gaby.Position, info *api.ResourceInfo, segments []string, err error,
) *api.Failure {
	return &api.Failure{
		Class: api.FailureFunction, Pos: pos, Resource: info.String(),
		Path: string(yamlpath.Join(segments)), Message: err.Error(), Err: err,
	}
}

// These limit what one text may have: how deep variables are in the defaults of others, and how
// often $$ occurs, which the parser takes quadratic time for.
const (
	deepest = 50
	escapes = 5_000
)

// expand replaces the variables in a text. It reports whether there are any.
func (s *substitution) expand(text string) (expanded string, found bool, err error) {
	if !strings.Contains(text, "${") && !strings.Contains(text, "$$") {
		return text, false, nil
	}
	depth := 0
	for i := range len(text) - 1 {
		switch {
		case text[i:i+2] == "${":
			depth++
		case text[i] == '}':
			depth = max(depth-1, 0)
		}
		if depth > deepest {
			return "", true, fmt.Errorf("variables are nested more than %d deep", deepest)
		}
	}
	if strings.Count(text, "$$") > escapes {
		return "", true, fmt.Errorf("it has $$ more than %d times", escapes)
	}
	missing := ""
	expanded, err = envsubst.Eval(text, func(name string) (string, bool) {
		value, ok := s.variables[name]
		missing = ""
		if !ok {
			missing = name
		}
		return value, ok
	})
	switch {
	case err != nil && missing != "":
		return "", true, fmt.Errorf("variable %s has no value: give %s=VALUE, or write a default "+
			"as in ${%s:=VALUE}", missing, missing, missing)
	case err != nil:
		return "", true, fmt.Errorf("variables in %s cannot be read: %w",
			configkit.Abbreviate(text), err)
	}
	return expanded, true, limit.Grow(s.call.Context(), int64(len(expanded)-len(text)))
}

// typed returns the value of a text in place of v, of the type that the schema demands. Without one
// it is as after a replacement in the file: a string in quotes, and without quotes the value that YAML
// reads.
func (s *substitution) typed(
	v gaby.Value, t api.ResourceType, segments []string, text string,
) (any, error) {
	want := ""
	if s.fields != nil {
		want = s.fields.Field(t, yamlpath.Exactly(segments)).Type
	}
	plain := v.SourceStyle().Plain
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil || doc.Check() != nil || wouldBeLost(doc.Value()) != nil {
		doc = nil
	}
	// Variables gave the quotes, as in ${quote}${id}${quote}.
	if plain && doc != nil && strings.IndexAny(text, `"'`) == 0 && doc.Value().Kind() == gaby.Scalar {
		return doc.Value().Text(), nil
	}
	if want == "string" || want == "" && !plain {
		return text, nil
	}
	tag := ""
	if doc != nil {
		tag = doc.Value().Tag()
	}
	if (want == "boolean" || want == "") && doc != nil && jsonschema.IsTruthWord(doc.Value()) {
		return jsonschema.Truth(text), nil // as Flux, which reads YAML 1.1
	}
	allowed := map[string][]string{
		"integer": {"!!int"}, "number": {"!!int", "!!float"}, "boolean": {"!!bool"},
		"array": {"!!seq"}, "object": {"!!map"},
	}[want]
	switch {
	case allowed != nil && !slices.Contains(allowed, tag):
		return nil, fmt.Errorf("%s is not the %s that the schema demands", configkit.Quote(text),
			want)
	case doc == nil, tag == "!!str", tag == "!!map" && !strings.HasPrefix(text, "{"),
		tag == "!!seq" && !strings.HasPrefix(text, "["):
		return text, nil
	}
	return doc, nil
}
