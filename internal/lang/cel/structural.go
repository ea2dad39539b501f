package cel

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// shape is what a structural schema says about its values: their CEL type, which follows from the
// schema's type and format, and their contents. See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
type shape struct {
	celType  *cel.Type
	nullable bool

	scalar func(v gaby.Value) ref.Val
	fields map[string]field // of an object, by escaped name
	values *shape           // of the values of a map
	items  *shape           // of the elements of a list
	isSet  bool             // the list is a set
	keys   []string         // of a list that is a map: the fields that identify its elements
}

// field is a field of an object, with its unescaped name.
type field struct {
	name  string
	shape *shape
}

// value returns the CEL value of a document's value that has the shape.
func (s *shape) value(v gaby.Value) ref.Val {
	switch v.Kind() {
	case gaby.Map:
		if s.fields != nil || s.values != nil {
			return docMap{v: v, shape: s}
		}
	case gaby.List:
		if s.items != nil {
			return docList{v: v, shape: s}
		}
	default:
		if v.Data() == nil && s.nullable {
			return types.NullValue
		}
		if s.scalar != nil {
			return s.scalar(v)
		}
	}
	return types.NewErr("expected a %s", s.celType.TypeName())
}

// of returns the name under which expressions see an entry of a map or object, and its value. It
// reports false if they do not see it.
func (s *shape) of(entry gaby.Value) (name string, _ ref.Val, ok bool) {
	if s.values != nil {
		return entry.Key(), s.values.value(entry), true
	}
	name, _ = escape(entry.Key())
	f, ok := s.fields[name]
	if !ok || isNull(entry) {
		return "", nil, false
	}
	return name, f.shape.value(entry), true
}

// find returns the entry of a map or object that expressions refer to by name.
func (s *shape) find(m gaby.Value, name string) (ref.Val, bool) {
	if s.values != nil {
		v := m.Get(name)
		if !v.Exists() {
			return nil, false
		}
		return s.values.value(v), true
	}
	f, ok := s.fields[name]
	if !ok {
		return nil, false
	}
	v := m.Get(f.name)
	if !v.Exists() || isNull(v) {
		return nil, false
	}
	return f.shape.value(v), true
}

// isNull reports whether a value is null. A field that is null counts as missing.
func isNull(v gaby.Value) bool { return v.Kind() == gaby.Scalar && v.Data() == nil }

// shapes creates and caches the shapes of schemas.
type shapes struct {
	made    map[shapeKey]*shape
	objects []*shape // the index is part of the type name: object0, object1, ...
}

type shapeKey struct {
	schema     gaby.Value
	isResource bool
}

// of returns the shape of a schema's values, or nil if expressions cannot see them. A resource has
// apiVersion, kind and metadata.
func (all *shapes) of(schema gaby.Value, isResource bool) *shape {
	key := shapeKey{schema, isResource}
	s, ok := all.made[key]
	if !ok {
		if s = all.make(schema, isResource); s != nil {
			s.nullable = schema.Get("nullable").Data() == true
		}
		all.made[key] = s
	}
	return s
}

// below returns the shape of a schema inside another.
func (all *shapes) below(schema gaby.Value) *shape {
	return all.of(schema, schema.Get("x-kubernetes-embedded-resource").Data() == true)
}

// make returns a new shape, not yet nullable, or nil if expressions cannot see values of the
// schema.
func (all *shapes) make(schema gaby.Value, isResource bool) *shape {
	if schema.Get("x-kubernetes-int-or-string").Data() == true {
		return &shape{
			celType: cel.DynType, scalar: func(v gaby.Value) ref.Val { return valueOf(v, nil) },
		}
	}
	switch schema.Get("type").Text() {
	case "object":
		return all.object(schema, isResource)
	case "array":
		items := all.below(schema.Get("items"))
		if items == nil {
			return nil
		}
		s := &shape{celType: cel.ListType(items.celType), items: items}
		switch kind := schema.Get("x-kubernetes-list-type"); {
		case kind.EqualText("set"):
			s.isSet = true
		case kind.EqualText("map"):
			for _, e := range schema.Get("x-kubernetes-list-map-keys").All() {
				s.keys = append(s.keys, strings.Clone(e.Text()))
			}
		}
		return s
	case "string":
		return stringShape(schema.Get("format").Text())
	case "boolean":
		return &shape{celType: cel.BoolType, scalar: boolValue}
	case "number":
		return &shape{celType: cel.DoubleType, scalar: doubleValue}
	case "integer":
		return &shape{celType: cel.IntType, scalar: intValue}
	}
	return nil
}

// object returns the shape of an object with fields, or of a map if there are additionalProperties.
func (all *shapes) object(schema gaby.Value, isResource bool) *shape {
	if more := schema.Get("additionalProperties"); more.Kind() == gaby.Map {
		values := all.below(more)
		if values == nil {
			return nil
		}
		return &shape{celType: cel.MapType(cel.StringType, values.celType), values: values}
	}
	s := all.newObject()
	for _, e := range schema.Get("properties").All() {
		s.add(strings.Clone(e.Key()), all.below(e))
	}
	if isResource {
		text, metadata := stringShape(""), all.newObject()
		metadata.add("name", text)
		metadata.add("generateName", text)
		s.add("apiVersion", text)
		s.add("kind", text)
		s.add("metadata", metadata)
	}
	return s
}

// newObject returns the shape of an object without fields, with a type name of its own.
func (all *shapes) newObject() *shape {
	s := &shape{
		celType: cel.ObjectType("object" + strconv.Itoa(len(all.objects))),
		fields:  map[string]field{},
	}
	all.objects = append(all.objects, s)
	return s
}

// add adds a field, unless expressions cannot refer to it or cannot see its values.
func (s *shape) add(name string, of *shape) {
	if called, ok := escape(name); ok && of != nil {
		s.fields[called] = field{name, of}
	}
}

// stringShape returns the shape of strings of a format. Some formats have CEL types of their own.
func stringShape(format string) *shape {
	switch format {
	case "byte":
		return &shape{celType: cel.BytesType, scalar: func(v gaby.Value) ref.Val {
			b, err := base64.StdEncoding.DecodeString(v.Text())
			return valueOrError(types.Bytes(b), err)
		}}
	case "duration":
		return &shape{celType: cel.DurationType, scalar: func(v gaby.Value) ref.Val {
			d, err := jsonschema.ParseDuration(v.Text())
			return valueOrError(types.Duration{Duration: d}, err)
		}}
	case "date":
		return &shape{celType: cel.TimestampType, scalar: func(v gaby.Value) ref.Val {
			t, err := time.Parse(time.DateOnly, v.Text())
			return valueOrError(types.Timestamp{Time: t}, err)
		}}
	case "date-time":
		return &shape{celType: cel.TimestampType, scalar: func(v gaby.Value) ref.Val {
			t, err := time.Parse(time.RFC3339, strings.ToUpper(v.Text()))
			return valueOrError(types.Timestamp{Time: t}, err)
		}}
	}
	return &shape{
		celType: cel.StringType,
		scalar:  func(v gaby.Value) ref.Val { return types.String(v.Text()) },
	}
}

func valueOrError(v ref.Val, err error) ref.Val {
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}

func boolValue(v gaby.Value) ref.Val {
	if b, ok := v.Data().(bool); ok {
		return types.Bool(b)
	}
	return types.Bool(jsonschema.Truth(v.Text()))
}

func doubleValue(v gaby.Value) ref.Val { return valueOf(v, nil).ConvertToType(types.DoubleType) }

func intValue(v gaby.Value) ref.Val { return valueOf(v, nil).ConvertToType(types.IntType) }

// escape returns the name by which expressions refer to a field, following the rules linked at
// [shape]. It reports false if they cannot refer to it.
func escape(name string) (string, bool) {
	if name == "" || name[0] >= '0' && name[0] <= '9' ||
		strings.Trim(name,
			"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-/") != "" {
		return "", false
	}
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for",
		"function", "if", "import", "let", "loop", "package",
		"namespace", "return", "var", "void", "while":
		return "__" + name + "__", true
	}
	if !strings.ContainsAny(name, "-./") && !strings.Contains(name, "__") {
		return name, true
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/",
		"__slash__").Replace(name), true
}

// objectTypes provides the fields of objects to the type checker.
type objectTypes struct {
	types.Provider
	objects []*shape
}

// object returns the shape whose type has this name, or nil.
func (p objectTypes) object(name string) *shape {
	text, ok := strings.CutPrefix(name, "object")
	if n, err := strconv.Atoi(text); ok && err == nil && n >= 0 && n < len(p.objects) {
		return p.objects[n]
	}
	return nil
}

// FindStructType implements types.Provider.
func (p objectTypes) FindStructType(name string) (*types.Type, bool) {
	if s := p.object(name); s != nil {
		return types.NewTypeTypeWithParam(s.celType), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p objectTypes) FindStructFieldNames(name string) ([]string, bool) {
	if s := p.object(name); s != nil {
		return slices.Sorted(maps.Keys(s.fields)), true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider.
func (p objectTypes) FindStructFieldType(name, fieldName string) (*types.FieldType, bool) {
	s := p.object(name)
	if s == nil {
		return p.Provider.FindStructFieldType(name, fieldName)
	}
	f, ok := s.fields[fieldName]
	if !ok {
		return nil, false
	}
	return &types.FieldType{Type: f.shape.celType}, true
}

// suggestion returns a hint about the fields that may be meant by an unknown one, or "".
func (p objectTypes) suggestion(name string) string {
	names := map[string]bool{}
	for _, s := range p.objects {
		for called := range s.fields {
			names[called] = true
		}
	}
	return configkit.DidYouMean("", configkit.Suggest(name, slices.Sorted(maps.Keys(names))))
}
