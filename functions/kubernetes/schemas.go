package kubernetes

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

const (
	parameterKubernetesVersion = "kubernetes-version"
	customResourceDefinition   = "apiextensions.k8s.io/v1/CustomResourceDefinition"
)

func vetSchemasFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	library := libraryOf(provider)
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-schemas",
			Parameters: []api.FunctionParameter{
				optional(textParameter(parameterKubernetesVersion, "1.35",
					"release of Kubernetes whose schemas are used, the newest one there is "+
						"unless it is given",
					"")),
			},
			Description: "Check resources with the schemas of Kubernetes, of operators, of the " +
				"CustomResourceDefinitions in the input and of --schema: unknown and missing " +
				"fields, types, values",
			Examples: []string{"vet-schemas", "vet-schemas 1.35"},
		},
		Nameless:          true,
		DeprecatedAliases: []string{"validate"},
		CheckArguments: func(args []api.FunctionArgument) error {
			_, err := schemaSet(library, args)
			return err
		},
	}, "whether the resources are valid, and what is wrong with them",
		func(c *handler.Call) (api.ValidationResult, error) {
			set, err := schemaSet(library, c.Args)
			if err != nil {
				return api.ValidationResult{}, err
			}
			v := schemaVetter{
				call: c, set: set, provider: provider, result: api.ValidationResult{Passed: true},
				isPatch: library.IsListedPatch(handler.InputFile(c.FunctionContext)),
				wrong:   map[api.ResourceType]bool{}, noted: map[string]bool{},
			}
			err = v.vet()
			return v.result, err
		})
}

// schemaSet returns the schemas that a function's arguments select.
func schemaSet(library *schemas.Library, args handler.Arguments) (*schemas.Set, error) {
	version := args.String(parameterKubernetesVersion)
	set, err := library.Set(version, cel.NewRuleCompiler())
	return set, unknownRelease(version, err)
}

// libraryOf returns the schemas of a provider, or those of fctl if it has none.
func libraryOf(provider configkit.ResourceProvider) *schemas.Library {
	if p, ok := provider.(interface{ Schemas() *schemas.Library }); ok {
		return p.Schemas()
	}
	return &schemas.Library{}
}

// unknownRelease returns err, as a problem of the argument if no such release is known.
func unknownRelease(version string, err error) error {
	if _, ok := errors.AsType[*schemas.UnknownReleaseError](err); ok {
		return &handler.ArgumentError{
			Parameter: parameterKubernetesVersion, Value: version,
			Message: fmt.Sprintf("argument %s: %v", parameterKubernetesVersion, err), Err: err,
		}
	}
	return err
}

// schemaVetter checks the resources of a unit.
type schemaVetter struct {
	call     *handler.Call
	set      *schemas.Set
	provider configkit.ResourceProvider
	result   api.ValidationResult
	isPatch  bool // a kustomization lists the file as a patch
	checked  int

	noted map[string]bool           // operators that a note is about
	wrong map[api.ResourceType]bool // types whose schema in a file is wrong or too expensive
}

// vet checks all resources of the unit. CustomResourceDefinitions come first, because they define
// schemas of other resources.
func (v *schemaVetter) vet() error {
	docs := v.call.Docs
	wrong := map[*gaby.YamlDoc][]jsonschema.Violation{}
	for _, doc := range docs {
		if t, err := v.provider.ResourceTypeGetter(doc); err == nil &&
			t == customResourceDefinition && doc.Check() == nil {
			wrong[doc] = definitionProblems(doc, v.set.AddDefinition(doc.Value()))
			for _, t := range v.set.BuiltIn(doc.Value()) {
				at := doc.Value().Get("spec").Get("names").Get("kind").Position()
				v.call.Note(at,
					fmt.Sprintf(
						"the CustomResourceDefinition does not count for %s, which is built into "+
							"Kubernetes %s", t,
						v.set.Release.Name))
			}
		}
	}
	err := yamlkit.EachDocument(docs, v.provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			problems, errs := v.resource(doc, info)
			problems = unreadable(doc, slices.Concat(problems, wrong[doc]))
			schemas.AddProblems(&v.result, v.provider, doc, info, problems)
			return errors.Join(errs...)
		})
	for _, doc := range docs {
		err = errors.Join(err, v.nameless(doc))
	}
	unchecked := 0
	for _, u := range v.result.Unchecked {
		unchecked += u.Count
		resources := "the resource of that type is"
		if u.Count > 1 {
			resources = fmt.Sprintf("%d resources of that type are", u.Count)
		}
		v.call.Skipped(*u.Position, fmt.Sprintf("%s, so %s unchecked", u.Reason, resources))
	}
	v.call.Matched(v.checked + unchecked)
	return err
}

// resource checks a resource.
func (v *schemaVetter) resource(
	doc *gaby.YamlDoc, info *api.ResourceInfo,
) ([]jsonschema.Violation, []error) {
	if v.wrong[info.ResourceType] {
		return nil, nil // already reported
	}
	if isPatch(doc) {
		v.unchecked(doc, info, "a patch of "+string(info.ResourceType)+" is not a whole resource")
		return nil, nil
	}
	problems, known, err := v.set.Check(
		expression.In(v.call.Context(), doc, info), info.ResourceType, doc.Value())
	switch {
	case errors.Is(err, schemas.ErrWrongDefinition):
		v.unchecked(doc, info, "the schema of "+string(info.ResourceType)+" is wrong")
		return nil, nil
	case errors.Is(err, schemas.ErrSeveralDefinitions):
		v.unchecked(doc, info,
			string(info.ResourceType)+" is defined in several ways (--schema says which counts)")
		return nil, nil
	case err != nil && !known:
		v.wrong[info.ResourceType] = true
		return nil, fileFailures(err)
	case !known:
		v.noSchema(doc, info)
		return nil, nil
	}
	v.checked++
	v.wrong[info.ResourceType] = err != nil // another resource would be as expensive
	// SOPS replaces values and adds a block
	if doc.Exists("sops", "mac") {
		problems = slices.DeleteFunc(problems, func(p jsonschema.Violation) bool {
			path := p.FullPath()
			return len(path) > 0 && path[0] == "sops" ||
				strings.HasPrefix(doc.Search(p.Path...).Value().Text(), "ENC[")
		})
	}
	if v.isPatch {
		problems = slices.DeleteFunc(problems, isOfWhole)
	}
	v.noteOperator(doc, info, problems)
	if info.ResourceType == "v1/Secret" {
		for i := range problems {
			if p := &problems[i]; p.Keyword == "format" && len(p.Path) == 2 && p.Path[0] == "data" {
				p.Hint = "stringData takes text as it is"
			}
		}
	}
	if _, limited := errors.AsType[*limit.Error](err); limited {
		err = expression.FailureIn(doc, err)
	}
	return problems, []error{err}
}

// isOfWhole reports whether a problem may be none of a resource of which a patch is only a part.
func isOfWhole(p jsonschema.Violation) bool {
	switch p.Keyword {
	case "type", "enum", "const", "format", "pattern", "key", "additionalProperties", "minimum",
		"maximum", "minLength", "maxLength":
		return false
	}
	return true
}

// noteOperator says which operator's built-in schema finds the problems of a resource, because the
// user may have another version.
func (v *schemaVetter) noteOperator(
	doc *gaby.YamlDoc, info *api.ResourceInfo, problems []jsonschema.Violation,
) {
	operator := v.set.Operator(info.ResourceType)
	if operator == "" || len(problems) == 0 || v.noted[operator] {
		return
	}
	v.noted[operator] = true
	v.call.Note(doc.Value().Get("kind").Position(), fmt.Sprintf("%s is checked with the schema of %s, "+
		"which is built in; --schema names that of another version", info.ResourceType, operator))
}

// noSchema records that a resource cannot be checked because its type has no schema.
func (v *schemaVetter) noSchema(doc *gaby.YamlDoc, info *api.ResourceInfo) {
	v.unchecked(doc, info, string(info.ResourceType)+" has no schema").NoSchema = true
}

// unchecked records that a resource cannot be checked, and why.
func (v *schemaVetter) unchecked(doc *gaby.YamlDoc, info *api.ResourceInfo, why string,
) *api.Unchecked {
	i := slices.IndexFunc(v.result.Unchecked, func(u api.Unchecked) bool {
		return u.ResourceType == info.ResourceType && u.Reason == why
	})
	if i < 0 {
		i = len(v.result.Unchecked)
		at := doc.Value().Get("kind").Position()
		v.result.Unchecked = append(v.result.Unchecked, api.Unchecked{
			ResourceType: info.ResourceType, Reason: why, Position: &at,
		})
	}
	v.result.Unchecked[i].Count++
	return &v.result.Unchecked[i]
}

// fileFailures turns errors in schema files into failures, each with its position.
func fileFailures(err error) []error {
	var all []error
	for _, err := range configkit.Unjoin(err) {
		if e, ok := errors.AsType[*schemas.FileError](err); ok {
			pos := api.Position{File: e.File, Line: e.Pos.Line, Column: e.Pos.Column}
			err = &api.Failure{
				Class: api.FailureUsage, Pos: pos, Message: e.Msg, Hint: e.Hint, Err: err,
			}
		}
		all = append(all, err)
	}
	return all
}

// nameless checks a document that is not a resource only because it has no name, or one that is not
// a string. Its other fields may be wrong nevertheless.
func (v *schemaVetter) nameless(doc *gaby.YamlDoc) error {
	_, err := v.provider.ResourceInfo(doc)
	none, ok := errors.AsType[*configkit.NoResourceError](err)
	if !ok || !slices.Equal(none.Missing, []string{"metadata.name"}) {
		return nil
	}
	h, err := doc.Header()
	if err != nil {
		return nil
	}
	info := &api.ResourceInfo{
		ResourceType:     api.ResourceType(h.APIVersion + "/" + h.Kind),
		ResourceCategory: v.provider.DefaultResourceCategory(),
	}
	if doc.Check() != nil {
		return nil
	}
	var problems []jsonschema.Violation
	if schema, unusable := v.set.Schema(info.ResourceType); unusable != nil || schema == nil {
		if none.Info != nil { // without a schema, anything is valid
			v.noSchema(doc, info)
		}
	} else {
		v.checked++
		problems, _, err = v.set.Check(
			expression.In(v.call.Context(), doc, info), info.ResourceType, doc.Value())
		v.noteOperator(doc, info, problems)
	}
	schemas.AddProblems(&v.result, v.provider, doc, info, unreadable(doc, problems))
	return err
}

// unreadable adds what no API server accepts as written, whatever the schema says. These are
// repeated keys, of which it uses the last one or refuses all, and numbers that JSON does not have.
func unreadable(doc *gaby.YamlDoc, problems []jsonschema.Violation) []jsonschema.Violation {
	if !doc.HasDuplicateKeys() && !mayHaveOddNumbers(doc) {
		return problems
	}
	wrong := map[gaby.Position]bool{}
	for _, p := range problems {
		wrong[p.Pos] = true
	}
	add := func(v gaby.Value, path []string) {
		if f, ok := v.Data().(float64); ok && v.Kind() == gaby.Scalar &&
			(math.IsInf(f, 0) || math.IsNaN(f)) && !wrong[v.Position()] {
			problems = append(problems, jsonschema.Violation{
				Path: slices.Clone(path), Pos: v.Position(), Keyword: "number",
				Message: v.Text() +
					" is a number that JSON does not have, so no API server reads it",
			})
		}
		for _, e := range v.Repeated() {
			problems = append(problems, jsonschema.Violation{
				Path: slices.Clone(path), Property: e.Key(), Pos: e.KeyPosition(),
				Keyword: "repeated", Message: e.Key() + " is there more than once",
			})
		}
	}
	add(doc.Value(), nil)
	yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
		add(w.Value, w.Segments)
		return true
	})
	return problems
}

// mayHaveOddNumbers reports whether a document may contain an infinity or a NaN.
func mayHaveOddNumbers(doc *gaby.YamlDoc) bool {
	return slices.ContainsFunc(
		[]string{".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"}, doc.MayContain,
	)
}

// definitionProblems returns the problems of the schemas in a CustomResourceDefinition.
func definitionProblems(doc *gaby.YamlDoc, err error) (problems []jsonschema.Violation) {
	if err == nil {
		return nil
	}
	paths := pathsByPosition(doc.Value())
	for _, err := range configkit.Unjoin(err) {
		if e, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
			path := paths[e.Pos]
			if path == nil {
				path = []string{"spec", "versions"}
			}
			problems = append(problems, jsonschema.Violation{
				Path: path, Pos: e.Pos, Keyword: "schema", Message: e.Msg, Hint: e.Hint,
			})
		}
	}
	return problems
}

// pathsByPosition maps the positions of a resource's values to their paths.
func pathsByPosition(resource gaby.Value) map[gaby.Position][]string {
	paths := map[gaby.Position][]string{}
	yamlkit.Walk(resource, nil, func(w *yamlkit.Cursor) bool {
		paths[w.Value.Position()] = slices.Clone(w.Segments)
		return true
	})
	return paths
}
