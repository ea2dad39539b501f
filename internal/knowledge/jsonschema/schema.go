package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	patterns "github.com/fctl-dev/fctl/internal/lang/pattern"
)

// Schema is a compiled schema. It can be used concurrently.
type Schema struct {
	resource   *schemaResource
	rejectsAll bool // the schema is false
	refs       []*reference
	types      types // 0: any
	enum       *enum
	format     *format
	number     *numberRules
	text       *textRules
	list       *listRules
	object     *objectRules
	combined   *combination

	unevaluatedItems, unevaluatedProperties *Schema

	kubernetes *extensions
}

// CompilerOptions configures a compiler.
type CompilerOptions struct {
	// Dialect is the dialect of schemas without $schema.
	Dialect Dialect
	// Formats enables the keyword "format", which is an annotation by default. The dialects of
	// Kubernetes always check it.
	Formats bool
	// Load returns a referenced schema by its absolute URI or, in the dialect OpenAPI, by its name.
	// If Load is nil no schemas can be loaded.
	Load func(uri string) (gaby.Value, error)
	// Lazy resolves references when a check needs them, instead of when the schema is compiled.
	Lazy bool
	// Metadata is the schema of the metadata of resources, in the dialect Structural.
	Metadata *Schema
	// Rules compiles the rules of x-kubernetes-validations. If it is nil they are not checked.
	Rules RuleCompiler
}

// SchemaError is an error in a schema.
type SchemaError struct {
	URI  string // of the schema; may be empty
	Pos  gaby.Position
	Msg  string
	Hint string
	Err  error // the cause, may be nil
}

func (e *SchemaError) Error() string {
	text := e.URI
	if e.Pos.Line > 0 {
		text = strings.TrimPrefix(text+":"+e.Pos.String(), ":")
	}
	if text == "" {
		return e.Msg
	}
	return text + ": " + e.Msg
}

// Unwrap returns the cause.
func (e *SchemaError) Unwrap() error { return e.Err }

// Compile compiles a schema and all it refers to. The uri is what it is known by, which may be
// empty. The error is one or several (joined) *SchemaError.
func Compile(uri string, schema gaby.Value, options CompilerOptions) (*Schema, error) {
	return NewCompiler(options).Compile(uri, schema)
}

// Compiler compiles schemas that refer to each other. It can be used concurrently.
type Compiler struct {
	options CompilerOptions

	// held while schemas are read, as documents do not support concurrent reads
	mu        sync.Mutex
	resources map[string]*schemaResource
	targets   map[string]*referredSchema
	roots     map[gaby.Value]*schemaResource // the schemas with URIs inside other schemas
	pending   []*referredSchema
	patterns  map[string]countedPattern
	cost      int
	ruleCost  int
	schemas   atomic.Int64         // the number of compiled schemas
	compiled  map[schemaIn]*Schema // the schemas that references can point to
	problems  []error
	reported  map[string]bool
}

// schemaIn identifies a schema and the resource that is the base of its references.
type schemaIn struct {
	v  gaby.Value
	in *schemaResource
}

// NewCompiler returns a compiler.
func NewCompiler(options CompilerOptions) *Compiler {
	return &Compiler{
		options: options, resources: map[string]*schemaResource{},
		targets: map[string]*referredSchema{},
		roots:   map[gaby.Value]*schemaResource{}, patterns: map[string]countedPattern{},
		compiled: map[schemaIn]*Schema{},
	}
}

// Compile compiles a schema as the function Compile does.
func (c *Compiler) Compile(uri string, schema gaby.Value) (*Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.add(uri, schema)
	compiled := c.schema(schema, in)
	if in.dialect == Structural {
		c.embed(compiled, nil)
	}
	if !c.options.Lazy {
		c.follow()
	}
	return compiled, c.taken()
}

// Named compiles the schema that Load returns for a URI, once.
func (c *Compiler) Named(uri string) (*Schema, error) {
	c.mu.Lock()
	t := c.targetOf(uri, &schemaResource{name: uri, dialect: c.options.Dialect, compiler: c},
		gaby.Value{})
	c.mu.Unlock()
	return t.resolved()
}

// size returns the number of schemas. It is 0 if they are compiled lazily, because the number would
// depend on the checks before.
func (c *Compiler) size() int {
	if c.options.Lazy {
		return 0
	}
	return int(c.schemas.Load())
}

// WithoutRequired returns the schema without the required properties of its top level.
func (s *Schema) WithoutRequired() *Schema {
	if s.object == nil {
		return s
	}
	lenient, object := *s, *s.object
	object.required = nil
	lenient.object = &object
	return &lenient
}

// taken returns the problems found so far and forgets them.
func (c *Compiler) taken() error {
	err := errors.Join(c.problems...)
	c.problems, c.reported = nil, nil
	return err
}

func (c *Compiler) fail(in *schemaResource, v gaby.Value, format string, args ...any) {
	e := &SchemaError{URI: in.name, Pos: v.Position(), Msg: fmt.Sprintf(format, args...)}
	if c.reported == nil {
		c.reported = map[string]bool{}
	}
	if !c.reported[e.Error()] {
		// a schema may be compiled twice: as part of another one and as the target of a reference
		c.reported[e.Error()] = true
		c.problems = append(c.problems, e)
	}
}

// keywords holds the entries of a schema that is being compiled. Most schemas have few, so that a
// linear search is the fastest.
type keywords struct {
	*Compiler
	in      *schemaResource
	entries []keyword
}

type keyword struct {
	name  string
	value gaby.Value
}

// of returns the entries of a map in the same resource.
func (k keywords) of(v gaby.Value) keywords {
	k.entries = make([]keyword, 0, 8)
	for e := v.First(); e.Exists(); e = e.Next() {
		k.entries = append(k.entries, keyword{e.Key(), e})
	}
	return k
}

// fail records what is wrong with the schema.
func (k keywords) fail(v gaby.Value, format string, args ...any) {
	k.Compiler.fail(k.in, v, format, args...)
}

// schema compiles a schema inside this one.
func (k keywords) schema(v gaby.Value) *Schema { return k.Compiler.schema(v, k.in) }

// get returns the value of a keyword, or a missing value.
func (k keywords) get(name string) gaby.Value {
	for i := range k.entries {
		if k.entries[i].name == name {
			return k.entries[i].value
		}
	}
	return gaby.Value{}
}

// has reports whether any of the keywords is present.
func (k keywords) has(names ...string) bool {
	for _, name := range names {
		if k.get(name).Exists() {
			return true
		}
	}
	return false
}

// schema compiles the schema v. The result is never nil; errors are added to the
// problems of the compiler.
func (c *Compiler) schema(v gaby.Value, in *schemaResource) *Schema {
	if in.dialect.isKubernetes() {
		return c.compile(v, in) // references in these dialects point to whole schemas only
	}
	at := schemaIn{v, in}
	if c.compiled[at] == nil {
		c.compiled[at] = c.compile(v, in)
	}
	return c.compiled[at]
}

// compile compiles a schema. An invalid keyword is recorded as a problem, and the others are
// compiled all the same.
func (c *Compiler) compile(v gaby.Value, in *schemaResource) *Schema {
	c.schemas.Add(1)
	s := &Schema{resource: in}
	switch typeOf(v) {
	case booleanType:
		s.rejectsAll = v.Data() == false
		return s
	case objectType:
	default:
		c.fail(in, v, "a schema is an object or a boolean, not %s", describe(v))
		return s
	}
	if own := c.roots[v]; own != nil {
		in, s.resource = own, own
	}
	k := keywords{Compiler: c, in: in}.of(v)
	d := in.dialect
	if d.isKubernetes() {
		// null counts as absent
		k.entries = slices.DeleteFunc(k.entries, func(k keyword) bool {
			return typeOf(k.value) == nullType
		})
	}
	s.refs = k.references()
	if len(s.refs) > 0 && d.refAlone() {
		return s
	}
	s.types, s.enum, s.format = k.types(), k.enum(), k.format()
	s.number, s.text = k.numberRules(), k.textRules()
	s.list, s.object = k.listRules(), k.objectRules()
	s.combined = k.combination()
	if d.atLeast(Draft2019) {
		s.unevaluatedItems = k.one("unevaluatedItems")
		s.unevaluatedProperties = k.one("unevaluatedProperties")
	}
	s.kubernetes = k.extensions(v, s)
	if s.kubernetes != nil && s.kubernetes.defaultValue != nil {
		c.checkDefault(k.get("default"), s, in)
	}
	return s
}

// one compiles the schema of a keyword. It returns nil if the keyword is absent.
func (k keywords) one(name string) *Schema {
	if v := k.get(name); v.Exists() {
		return k.schema(v)
	}
	return nil
}

// several compiles a list of schemas.
func (k keywords) several(name string) []*Schema {
	v := k.get(name)
	if !v.Exists() {
		return nil
	}
	if v.Kind() != gaby.List {
		k.fail(v, "%s is a list of schemas, not %s", name, describe(v))
		return nil
	}
	all := []*Schema{}
	for e := v.First(); e.Exists(); e = e.Next() {
		all = append(all, k.schema(e))
	}
	return all
}

// byName compiles a map of schemas.
func (k keywords) byName(name string) map[string]*Schema {
	v := k.get(name)
	if !v.Exists() {
		return nil
	}
	if v.Kind() != gaby.Map {
		k.fail(v, "%s is a map of schemas, not %s", name, describe(v))
		return nil
	}
	all := map[string]*Schema{}
	for e := v.First(); e.Exists(); e = e.Next() {
		all[e.Key()] = k.schema(e)
	}
	return all
}

// count returns the value of a keyword that is a number of things, or fallback if
// the keyword is absent.
func (k keywords) count(name string, fallback int) int {
	v := k.get(name)
	if !v.Exists() {
		return fallback
	}
	n, ok := numberOf(v)
	if i, whole := n.asInt(); ok && whole && i >= 0 {
		return i
	}
	k.fail(v, "%s is a whole number of at least 0, not %s", name, describe(v))
	return fallback
}

// flag returns the value of a boolean keyword.
func (k keywords) flag(name string) bool {
	v := k.get(name)
	if !v.Exists() {
		return false
	}
	b, ok := v.Data().(bool)
	if !ok {
		k.fail(v, "%s is true or false, not %s", name, describe(v))
	}
	return b
}

// strings returns the value of a keyword that is a list of strings.
func (k keywords) strings(name string) []string {
	v := k.get(name)
	if !v.Exists() {
		return nil
	}
	return k.stringsOf(v, name)
}

func (k keywords) stringsOf(v gaby.Value, name string) []string {
	if v.Kind() != gaby.List {
		k.fail(v, "%s is a list of strings, not %s", name, describe(v))
		return nil
	}
	all := make([]string, 0, 4)
	for e := v.First(); e.Exists(); e = e.Next() {
		if typeOf(e) != stringType {
			k.fail(e, "%s is a list of strings, %s is not", name, describe(e))
			continue
		}
		all = append(all, strings.Clone(e.Text()))
	}
	return all
}

// pattern compiles a regular expression. The result is cached.
func (k keywords) pattern(text string, at gaby.Value, name string) countedPattern {
	if p, ok := k.patterns[text]; ok {
		return p
	}
	p, err := k.compilePattern(goSyntax(text))
	switch {
	case errors.Is(err, ErrTooCostly):
		k.fail(at, "%s: there are too many large regular expressions", name)
	case err != nil:
		k.fail(at, "%s: %s", name, patternProblem(text, err))
		if hint := limit.HintOf(err); hint != "" {
			k.problems[len(k.problems)-1].(*SchemaError).Hint = hint
		}
	}
	k.patterns[strings.Clone(text)] = p
	return p
}

func (c *Compiler) compilePattern(text string) (p countedPattern, err error) {
	if c.cost > compileCost {
		return p, nil // reported before
	}
	p.states, err = patterns.States(text)
	if c.cost += p.states * stateCost; err == nil && c.cost > compileCost {
		err = ErrTooCostly
	}
	if err == nil {
		p.Regexp, err = patterns.Compile(text)
	}
	return p, err
}
