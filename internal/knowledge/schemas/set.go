package schemas

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/migration"
)

// Set is what resources are checked against: a Kubernetes release, operators, users' files, and the
// CustomResourceDefinitions next to the resources. Add the latter first; after that a Set is safe
// for concurrent use.
type Set struct {
	Release *Release

	library *Library
	version string // as asked for
	rules   jsonschema.RuleCompiler
	custom  definitions

	mu    sync.Mutex
	found map[api.ResourceType]*found
}

// found is the result of the search for a type's schema.
type found struct {
	schema   *jsonschema.Schema
	operator string // the operator and its version, if the schema is a built-in one
	err      error
}

// Set returns a set without definitions of its own. version is that of a release; see
// [Library.Release]. rules compiles the validation rules of CustomResourceDefinitions and need not
// be safe for concurrent use; nil ignores the rules.
func (l *Library) Set(version string, rules jsonschema.RuleCompiler) (*Set, error) {
	r, err := l.Release(version)
	if err != nil {
		return nil, err
	}
	return &Set{
		Release: r, library: l, version: version, rules: rules, custom: definitions{},
		found: map[api.ResourceType]*found{},
	}, nil
}

// AddDefinition adds the types of a CustomResourceDefinition. The error is one or several (joined)
// *[jsonschema.SchemaError] about its schemas. Resources of a type are not checked if its schema
// cannot be understood.
func (s *Set) AddDefinition(definition gaby.Value) error {
	var problems []error
	for _, t := range s.custom.add(SchemaFile{}, definition) {
		c := s.custom.of(t)
		_, err := c.compile(s)
		if err == nil && c.value.Exists() {
			err = jsonschema.CheckStructural(c.value)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// Reasons why a type that is defined has no schema.
var (
	// ErrWrongDefinition means that the schema in a type's CustomResourceDefinition is wrong.
	ErrWrongDefinition = errors.New("the schema of its CustomResourceDefinition is wrong")
	// ErrSeveralDefinitions means that other inputs have CustomResourceDefinitions of a type with
	// different schemas. Check tries each of a few.
	ErrSeveralDefinitions = errors.New("it is defined in several ways")
)

// BuiltIn returns the types of a CustomResourceDefinition that are built into the release. The
// definition is ignored for them, since a cluster serves its own types.
func (s *Set) BuiltIn(definition gaby.Value) []api.ResourceType {
	return slices.DeleteFunc(definitions{}.add(SchemaFile{}, definition),
		func(t api.ResourceType) bool {
			return !s.Release.has(t)
		})
}

// Schema returns the schema of a resource type. It looks in the definitions next to the resources,
// in users' files, at the locations before DefaultLocation, in the release, in definitions of other
// inputs and of operators, and at the other locations, in this order. CustomResourceDefinitions do not override types of the release; other users' files do.
// Without a schema it returns nil. The error is then a *MissingError if no such resource can exist, or
// ErrWrongDefinition or ErrSeveralDefinitions if the schema cannot be used.
func (s *Set) Schema(t api.ResourceType) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.found[t]
	if f == nil {
		f = s.find(t)
		s.found[t] = f
	}
	return f.schema, f.err
}

// Check returns the problems of a resource of a type: those that its schema finds, or that no resource
// of the type can exist. known says that this could be checked. The error is that of Schema, or one
// of [jsonschema.Schema.Check].
func (s *Set) Check(ctx context.Context, t api.ResourceType, v gaby.Value,
) (problems []jsonschema.Violation, known bool, err error) {
	schema, err := s.Schema(t)
	if missing, ok := errors.AsType[*MissingError](err); ok {
		return []jsonschema.Violation{missing.violation(v)}, true, nil
	}
	if errors.Is(err, ErrSeveralDefinitions) {
		return s.checkWithEach(ctx, t, v)
	}
	if err != nil || schema == nil {
		return nil, false, err
	}
	problems, err = schema.Check(ctx, v)
	if operator := s.Operator(t); operator != "" { // the user may have another version
		for i := range problems {
			problems[i].Message += " (" + operator + ")"
		}
	}
	return problems, true, err
}

// checkWithEach is Check for a type with several definitions in the input: it returns the problems of
// the one that finds fewest, for which the resource is most likely meant.
func (s *Set) checkWithEach(ctx context.Context, t api.ResourceType, v gaby.Value,
) (fewest []jsonschema.Violation, known bool, err error) {
	for _, schema := range s.library.allOfInputs(t, s) {
		problems, err := schema.Check(ctx, v)
		if err != nil {
			return nil, true, err
		}
		if !known || len(problems) < len(fewest) {
			fewest, known = problems, true
		}
	}
	if !known {
		err = ErrSeveralDefinitions
	}
	return fewest, known, err
}

// Operator returns the operator, with its version, whose built-in CustomResourceDefinition has the
// schema of a type that Schema returned, or "".
func (s *Set) Operator(t api.ResourceType) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.found[t]; f != nil {
		return f.operator
	}
	return ""
}

// find looks for a schema in the order of precedence; see Schema.
func (s *Set) find(t api.ResourceType) *found {
	for _, find := range []func() (*jsonschema.Schema, error){
		func() (*jsonschema.Schema, error) {
			if s.Release.has(t) {
				return nil, nil
			}
			return s.custom.schema(t, s)
		},
		func() (*jsonschema.Schema, error) { return s.library.schema(t, s) },
		func() (*jsonschema.Schema, error) { return s.library.atLocations(t, s, false) },
		func() (*jsonschema.Schema, error) {
			if !s.library.usesOwn() {
				return nil, nil
			}
			return s.Release.Schema(t)
		},
		func() (*jsonschema.Schema, error) { return s.library.ofInputs(t, s) },
	} {
		if schema, err := find(); schema != nil || err != nil {
			return &found{schema: schema, err: err}
		}
	}
	if !s.library.usesOwn() {
		return &found{}
	}
	if schema, operator, err := s.library.ofOperators(t, s); schema != nil || err != nil {
		return &found{schema: schema, operator: operator, err: err}
	}
	if schema, err := s.library.atLocations(t, s, true); schema != nil || err != nil {
		return &found{schema: schema, err: err}
	}
	return &found{err: s.Release.missing(t)}
}

// MissingError reports that no resource of a type can exist: its group belongs to Kubernetes and
// has no such type, or its CustomResourceDefinition has no such version.
type MissingError struct {
	Type   api.ResourceType
	In     string             // what has no such type
	Others []api.ResourceType // of the same kind
	Kinds  []string           // of the same group and version
}

func (e *MissingError) Error() string { return fmt.Sprintf("%s has no %s", e.In, e.Type) }

// violation reports that a resource has a type that does not exist, and suggests similar ones.
func (e *MissingError) violation(resource gaby.Value) jsonschema.Violation {
	field, others := "kind", make([]string, len(e.Others))
	for i, t := range e.Others {
		others[i] = string(t)
		field = "apiVersion" // the kind exists under another apiVersion
	}
	if len(others) == 0 {
		_, _, kind := configkit.SplitType(e.Type)
		others = configkit.Suggest(kind, e.Kinds)
	}
	hint := configkit.DidYouMean("", others)
	if removed := migration.Of(e.Type); removed != nil {
		hint = removed.Advice()
	}
	return jsonschema.Violation{
		Property: field, Pos: resource.Get(field).Position(), Keyword: field,
		Message: e.Error(), Hint: hint,
	}
}

const definitionKind = "CustomResourceDefinition"

// definitions holds CustomResourceDefinitions by the group and kind that they define, see
// [configkit.GroupKind].
type definitions map[string]versions

// versions holds the versions of a CustomResourceDefinition by the types that they define.
type versions map[api.ResourceType]*definition

// of returns the definition of a type, or nil.
func (d definitions) of(t api.ResourceType) *definition { return d[configkit.GroupKind(t)][t] }

func (d definitions) set(t api.ResourceType, c *definition) {
	kind := configkit.GroupKind(t)
	if d[kind] == nil {
		d[kind] = versions{}
	}
	d[kind][t] = c
}

// definition is one version of a CustomResourceDefinition.
type definition struct {
	name string // of the CustomResourceDefinition
	file string // "" if it is next to the resources
	// The position in a project's settings that names the file, if any.
	project string
	// The operator and its version, if the definition is a built-in one.
	operator string
	value    gaby.Value
	scope    configkit.Scope
	served   bool
	// Other definitions of the type in the input. It is unknown which one counts.
	others []*definition

	once   sync.Once
	schema *jsonschema.Schema
	err    error
}

// add adds the versions of a CustomResourceDefinition and returns their types. file is the file it
// is in, or the zero File.
func (d definitions) add(file SchemaFile, v gaby.Value) []api.ResourceType {
	var types []api.ResourceType
	spec := v.Get("spec")
	group, kind := spec.Get("group").Text(), spec.Get("names").Get("kind").Text()
	for _, e := range spec.Get("versions").All() {
		t := api.ResourceType(group + "/" + e.Get("name").Text() + "/" + kind)
		d.set(t, &definition{
			file: file.Name, scope: configkit.Scope(strings.Clone(spec.Get("scope").Text())),
			project: file.Project, name: strings.Clone(v.Get("metadata").Get("name").Text()),
			value: e.Get("schema").Get("openAPIV3Schema"), served: e.Get("served").Data() != false,
		})
		types = append(types, t)
	}
	return types
}

// mostDefinitions is the number of different definitions of a type that Check tries.
const mostDefinitions = 8

// merge adds the versions of a CustomResourceDefinition. A definition that accepts any spec counts only
// if there is no other one of the type.
func (d definitions) merge(v gaby.Value) {
	more := definitions{}
	for _, t := range more.add(SchemaFile{}, v) {
		have, other := d.of(t), more.of(t)
		switch {
		case have == nil || have.isOpen():
			d.set(t, other)
		case !other.isOpen() && len(have.others) < mostDefinitions &&
			!slices.ContainsFunc(have.all(), func(known *definition) bool {
				return known.value.Equal(other.value)
			}):
			have.others = append(have.others, other)
		}
	}
}

// all returns the definition and the others of its type.
func (d *definition) all() []*definition { return append([]*definition{d}, d.others...) }

// isOpen reports whether the schema accepts any spec.
func (d *definition) isOpen() bool {
	spec := d.value.Get("properties").Get("spec")
	return spec.Get("x-kubernetes-preserve-unknown-fields").Data() == true &&
		!spec.Get("properties").Exists()
}

// mergeAll adds the CustomResourceDefinitions among documents.
func (d definitions) mergeAll(docs gaby.Container) {
	for _, doc := range docs {
		h, err := doc.Header()
		if err == nil && h.Kind == definitionKind && doc.Check() == nil {
			d.merge(doc.Value())
		}
	}
}

// schema returns the schema of a type, or nil. The error is ErrWrongDefinition,
// ErrSeveralDefinitions, or a *MissingError if only other versions of the type are defined.
func (d definitions) schema(t api.ResourceType, s *Set) (*jsonschema.Schema, error) {
	c := d.of(t)
	if c == nil || !c.served {
		return nil, d.missing(t)
	}
	if c.others != nil {
		return nil, ErrSeveralDefinitions
	}
	schema, err := c.compile(s)
	if err != nil {
		return nil, ErrWrongDefinition
	}
	return schema, nil
}

// missing returns a *MissingError if the kind is defined, but not in the version of t.
func (d definitions) missing(t api.ResourceType) error {
	var e *MissingError
	for known, c := range d[configkit.GroupKind(t)] {
		if e == nil {
			e = &MissingError{Type: t, In: "the CustomResourceDefinition " + c.name}
		}
		if c.served {
			e.Others = append(e.Others, known)
		}
	}
	if e == nil {
		return nil
	}
	slices.Sort(e.Others)
	return e
}

// scope returns the scope of a kind, whatever the version.
func (d definitions) scope(t api.ResourceType) configkit.Scope {
	return d[configkit.GroupKind(t)].scope()
}

func (v versions) scope() configkit.Scope {
	found := configkit.ScopeUnknown
	for _, c := range v {
		if found == "" || c.scope < found {
			found = c.scope
		}
	}
	return found
}

// compile compiles the schema, once. A definition without a schema has nothing to check against.
func (d *definition) compile(s *Set) (*jsonschema.Schema, error) {
	d.once.Do(func() {
		if !d.value.Exists() {
			return
		}
		var metadata *jsonschema.Schema
		if metadata, d.err = s.Release.compiler.Named(objectMeta); d.err != nil {
			return
		}
		d.schema, d.err = jsonschema.Compile("", d.value, jsonschema.CompilerOptions{
			Dialect: jsonschema.Structural, Metadata: metadata, Rules: s.rules,
		})
		if d.file != "" {
			d.err = inFile(d.file, d.err)
		}
	})
	return d.schema, d.err
}
