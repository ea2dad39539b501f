package schemas

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// SchemaFile is a text with schemas:
//
//   - CustomResourceDefinitions, as YAML or JSON, alone, in a stream or in a List
//   - a JSON Schema, for the types in its x-kubernetes-group-version-kind or else for the type in
//     its path: GROUP/KIND_VERSION.json, KIND-GROUP-VERSION.json (with the first label of the
//     group) or KIND-VERSION.json
//   - the OpenAPI document of a cluster ('kubectl get --raw /openapi/v2') or of one of its groups
//     ('... /openapi/v3/apis/apps/v1')
type SchemaFile struct {
	Name string // with slashes
	Text []byte
	// Project is the position in a project's settings that names the file, or "" if the user names
	// it.
	Project string
}

// FileError reports what is wrong with a file.
type FileError struct {
	File string
	Pos  gaby.Position
	Msg  string
	Hint string
	Err  error // the cause, if any
}

func (e *FileError) Error() string {
	if e.Pos.Line > 0 {
		return fmt.Sprintf("%s:%s: %s", e.File, e.Pos, e.Msg)
	}
	return e.File + ": " + e.Msg
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// AddFiles adds files. read is called when they are first needed.
func (l *Library) AddFiles(read func() ([]SchemaFile, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.files
	l.files = func() ([]SchemaFile, error) {
		if before == nil {
			return read()
		}
		first, err := before()
		more, moreErr := read()
		return append(first, more...), errors.Join(err, moreErr)
	}
}

// AddOwn adds the CustomResourceDefinitions of the files that functions run on, for Fields only.
// read is called when a type without any other schema occurs.
func (l *Library) AddOwn(read func() []SchemaFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own, l.owned = read, nil
}

// readOwn returns the definitions in the files of AddOwn.
func (l *Library) readOwn() definitions {
	if l.own != nil && l.owned == nil {
		l.owned = definitions{}
		for _, f := range l.own() {
			if bytes.Contains(f.Text, []byte(definitionKind)) {
				docs, _ := gaby.ParseAll(f.Text)
				l.owned.mergeAll(docs)
			}
		}
	}
	return l.owned
}

// Clash is a file with a schema of a built-in type.
type Clash struct {
	Type api.ResourceType
	File string
	// The position in a project's settings that names the file, if any.
	Project string
	// Definition is the name of the CustomResourceDefinition that is ignored for the type, or "" if
	// the file replaces the type's schema.
	Definition string
}

// Clashes returns the clashes about types that were asked for: CustomResourceDefinitions that were
// ignored, and schemas in files of a project that were used. They are sorted by file, definition
// and type.
func (l *Library) Clashes() []Clash {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Keys(l.clashes), func(a, b Clash) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Definition, b.Definition),
			cmp.Compare(a.Type, b.Type),
		)
	})
}

func (l *Library) clash(c Clash) {
	if l.clashes == nil {
		l.clashes = map[Clash]bool{}
	}
	l.clashes[c] = true
}

// Snapshot returns a library with the present files.
func (l *Library) Snapshot() *Library {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &Library{files: l.files, own: l.own, locations: l.locations}
	c.located = map[string]*jsonSchema{}
	if l.inputs != nil {
		c.inputs = &inputs{read: l.inputs.read}
	}
	return c
}

// ofInputs returns the schema of a type that another input file defines, or nil.
func (l *Library) ofInputs(t api.ResourceType, s *Set) (*jsonschema.Schema, error) {
	defined := l.ofRun().definitions()
	if l.IsAggregated(t) {
		return nil, nil
	}
	l.mu.Lock() // protects the values of files, too
	defer l.mu.Unlock()
	return defined.schema(t, s)
}

// allOfInputs returns the schemas of a type that other input files define in several ways, nil if
// there are too many or if one is wrong.
func (l *Library) allOfInputs(t api.ResourceType, s *Set) (all []*jsonschema.Schema) {
	first := l.ofRun().definitions().of(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(first.others) == mostDefinitions {
		return nil
	}
	for _, d := range first.all() {
		schema, err := d.compile(s)
		if err != nil || schema == nil {
			return nil
		}
		all = append(all, schema)
	}
	return all
}

// Scope returns the scope stated by a CustomResourceDefinition in users' files, in another input file
// or of an operator.
func (l *Library) Scope(t api.ResourceType) configkit.Scope {
	if added := l.usersFiles(); added != nil {
		if scope := added.definitions.scope(t); scope != configkit.ScopeUnknown {
			return scope
		}
	}
	return cmp.Or(l.ofRun().definitions().scope(t), l.scopeOfOperators(t))
}

// usersFiles returns the schemas in users' files, which it reads on first use, or nil.
func (l *Library) usersFiles() *added {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readFiles()
}

// readFiles is usersFiles for callers that hold l.mu.
func (l *Library) readFiles() *added {
	if l.added == nil && l.files != nil {
		l.added = readFiles(l.files)
	}
	return l.added
}

// added holds the schemas of users' files.
type added struct {
	definitions definitions
	schemas     map[string]*jsonSchema // by path, in lower case, without .json
	types       map[api.ResourceType]*jsonSchema
	clusters    []*cluster
	err         error
}

// jsonSchema is a JSON Schema in a file.
type jsonSchema struct {
	file    string
	project string
	value   gaby.Value

	done   bool
	schema *jsonschema.Schema
	err    error
}

// cluster is an OpenAPI document.
type cluster struct {
	file     SchemaFile
	kinds    map[api.ResourceType]string
	all      gaby.Value // the definitions, by name
	prefix   string     // of references to them
	compiler *jsonschema.Compiler
}

// schema returns the schema of a type in users' files, or nil.
func (l *Library) schema(t api.ResourceType, s *Set) (*jsonschema.Schema, error) {
	l.mu.Lock() // protects the values of files, too
	defer l.mu.Unlock()
	a := l.readFiles()
	if a == nil {
		return nil, nil
	}
	if a.err != nil {
		return nil, a.err
	}
	builtIn := s.Release.has(t)
	switch d := a.definitions.of(t); {
	case builtIn && d != nil:
		l.clash(Clash{Type: t, File: d.file, Project: d.project, Definition: d.name})
	case builtIn:
	case d != nil && d.served:
		return d.compile(s)
	default:
		if err := a.definitions.missing(t); err != nil {
			return nil, err
		}
	}
	replaces := func(file, project string) {
		if builtIn && project != "" {
			l.clash(Clash{Type: t, File: file, Project: project})
		}
	}
	if j := a.find(t); j != nil {
		replaces(j.file, j.project)
		return a.compile(j)
	}
	for _, c := range a.clusters {
		if name, ok := c.kinds[t]; ok {
			replaces(c.file.Name, c.file.Project)
			return c.compiler.Named(name)
		}
	}
	return nil, nil
}

// readFiles reads users' files. Errors are collected in the result, together with the schemas that
// could be read.
func readFiles(read func() ([]SchemaFile, error)) *added {
	a := &added{
		definitions: definitions{}, schemas: map[string]*jsonSchema{},
		types: map[api.ResourceType]*jsonSchema{},
	}
	files, err := read()
	problems := []error{err}
	for _, f := range files {
		docs, err := gaby.ParseAll(f.Text)
		for _, doc := range docs {
			err = errors.Join(err, doc.Check())
			if err == nil {
				a.add(f, doc.Value())
			}
		}
		if err != nil {
			problems = append(problems, syntaxIn(f.Name, err))
		}
	}
	a.err = errors.Join(problems...)
	return a
}

// syntaxIn converts an error of reading a file to a *FileError.
func syntaxIn(file string, err error) error {
	e := &FileError{File: file, Msg: err.Error(), Err: err}
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		e.Pos, e.Msg, e.Hint = syntax.Pos, syntax.Msg, syntax.Hint
	}
	return e
}

// add adds what a document defines. Documents that define nothing are ignored.
func (a *added) add(file SchemaFile, v gaby.Value) {
	switch {
	case v.Get("kind").EqualText(definitionKind):
		a.definitions.add(file, v)
	case v.Get("definitions").Kind() == gaby.Map && v.Get("swagger").Exists():
		a.clusters = append(a.clusters, newCluster(file, v.Get("definitions"), "#/definitions/"))
	case v.Get("components").Get("schemas").Kind() == gaby.Map && v.Get("openapi").Exists():
		a.clusters = append(
			a.clusters,
			newCluster(file, v.Get("components").Get("schemas"), "#/components/schemas/"),
		)
	case v.Get("kind").Exists() && v.Get("apiVersion").Exists():
		// a resource next to schemas
	case v.Kind() == gaby.Map &&
		(strings.HasSuffix(file.Name, ".json") || v.Get("$schema").Exists()):
		j := &jsonSchema{file: file.Name, project: file.Project, value: v}
		a.schemas[strings.ToLower(strings.TrimSuffix(file.Name, path.Ext(file.Name)))] = j
		for _, t := range typesOf(v) {
			a.types[t] = j
		}
	}
}

// typesOf returns the types that a schema says it describes.
func typesOf(v gaby.Value) []api.ResourceType {
	var types []api.ResourceType
	for _, e := range v.Get("x-kubernetes-group-version-kind").All() {
		t := e.Get("version").Text() + "/" + e.Get("kind").Text()
		if group := e.Get("group").Text(); group != "" {
			t = group + "/" + t
		}
		types = append(types, api.ResourceType(t))
	}
	return types
}

// newCluster returns a cluster with the schemas in all, which refer to each other by prefix and
// name.
func newCluster(file SchemaFile, all gaby.Value, prefix string) *cluster {
	c := &cluster{file: file, kinds: map[api.ResourceType]string{}, all: all, prefix: prefix}
	for _, e := range all.All() {
		for _, t := range typesOf(e) {
			c.kinds[t] = prefix + e.Key()
		}
	}
	c.compiler = jsonschema.NewCompiler(jsonschema.CompilerOptions{
		Dialect: jsonschema.OpenAPI, Lazy: true,
		Load: func(name string) (gaby.Value, error) {
			name = strings.TrimPrefix(name, prefix)
			if name == quantity { // the document allows any string
				return schemaText(`{"type": ["string", "number"], "format": "quantity"}`)
			}
			return all.Get(name), nil
		},
	})
	return c
}

// find returns the JSON Schema of a type, or nil.
func (a *added) find(t api.ResourceType) *jsonSchema {
	if j := a.types[t]; j != nil {
		return j
	}
	group, version, kind := configkit.SplitType(t)
	first, _, _ := strings.Cut(group, ".")
	names := []string{group + "/" + kind + "_" + version, kind + "-" + first + "-" + version}
	if group == "" {
		names = []string{kind + "-" + version, kind + "_" + version}
	}
	var found *jsonSchema
	for _, name := range names {
		name = strings.ToLower(name)
		for file, j := range a.schemas {
			// If several match, the first by file name wins, since map iteration is unordered.
			if (file == name || strings.HasSuffix(file, "/"+name)) &&
				(found == nil || j.file < found.file) {
				found = j
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// compile compiles a JSON Schema. It may refer to other files by their relative names or their $id.
func (a *added) compile(j *jsonSchema) (*jsonschema.Schema, error) {
	if j.done {
		return j.schema, j.err
	}
	j.done = true
	j.schema, j.err = jsonschema.Compile(uriOf(j.file), j.value,
		jsonschema.CompilerOptions{Formats: true, Load: func(uri string) (gaby.Value, error) {
			var found *jsonSchema
			for _, other := range a.schemas {
				if uriOf(other.file) == uri {
					return other.value, nil
				}
				if strings.TrimSuffix(other.value.Get("$id").Text(), "#") == uri &&
					(found == nil || other.file < found.file) {
					found = other
				}
			}
			if found == nil {
				return gaby.Value{}, nil
			}
			return found.value, nil
		}})
	j.err = inFile(j.file, j.err)
	return j.schema, j.err
}

// inFile converts errors of a schema to *FileErrors.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, err := range configkit.Unjoin(err) {
		if e, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
			err = &FileError{File: file, Pos: e.Pos, Msg: e.Msg, Hint: e.Hint, Err: e}
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// uriOf returns an artificial URI by which the files refer to each other.
func uriOf(file string) string {
	u := url.URL{Scheme: "file", Path: path.Clean("/" + file)}
	return u.String()
}
