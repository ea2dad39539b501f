package yamlkit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Scalar returns the value, or the part of it that the path asks for. It reports false for maps and
// lists, and if there is no such part.
func (p *Match) Scalar() (any, bool) {
	value, ok := yamlpath.Scalar(p.Value)
	if !ok || p.path.accessor == nil || p.path.path.EmbeddedPath() == "" {
		return value, ok
	}
	text, isString := value.(string)
	if !isString {
		return nil, false
	}
	return p.accessor().Extract(text, p.path.path.EmbeddedPath())
}

// Part returns another part of the value of which the path asks for one. It reports false if the
// value has no such part.
func (p *Match) Part(name string) (string, bool) {
	text, ok := yamlpath.Scalar(p.Value)
	whole, isText := text.(string)
	if !ok || !isText || p.path.accessor == nil {
		return "", false
	}
	part, ok := p.accessor().Extract(whole, name)
	found, isText := part.(string)
	return found, ok && isText
}

// accessor returns the accessor of the value.
func (p *Match) accessor() yamlpath.Accessor {
	return yamlpath.ForKey(p.path.accessor, p.Segments[len(p.Segments)-1])
}

// row returns the result for a match.
func (p *Match) row(value any, t api.DataType) api.AttributeValue {
	row := api.AttributeValue{
		AttributeInfo: p.attributeInfo(t), Value: value,
		Comment: commentText(p.Value.Comments()),
	}
	if pos := p.Value.Position(); pos.Line > 0 {
		row.Position = &pos
	}
	return row
}

// commentText joins the comments of an entry.
func commentText(c gaby.Comments) string {
	if c == (gaby.Comments{}) {
		return ""
	}
	var parts []string
	for _, text := range []string{c.Head, c.Line, c.Foot} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// typeOf returns the data type of values of type T.
func typeOf[T Scalar]() api.DataType {
	switch any(*new(T)).(type) {
	case string:
		return api.DataTypeString
	case int:
		return api.DataTypeInt
	case bool:
		return api.DataTypeBool
	}
	return api.DataTypeNone
}

// GetPaths returns the scalars of type T at the paths of each resource's type, sorted by type, name
// and path. A null counts as missing. A value of another type is a failure that names its type; the
// rows of the other values are returned with it.
func GetPaths[T Scalar](docs gaby.Container, paths configkit.PathSource,
	args []any,
	resourceProvider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	rows := make(api.AttributeValueList, 0, min(len(docs), 256))
	t := typeOf[T]()
	err := visitMatches(docs, paths, args, resourceProvider, false,
		func(p *Match) error {
			value, found := p.Scalar()
			if typed, ok := value.(T); ok {
				rows = append(rows, p.row(typed, t))
				return nil
			}
			if kind := p.Value.Kind(); found || kind == gaby.Map || kind == gaby.List {
				return typeError(p, t)
			}
			return nil
		})
	return SortRows(rows), err
}

// GetStringPaths is GetPaths for strings.
func GetStringPaths(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	return GetPaths[string](docs, paths, args, resourceProvider)
}

// GetPathsAnyType returns the values at the paths of each resource's type; maps and lists are YAML
// text. A data type other than none restricts the result to values of that type.
func GetPathsAnyType(docs gaby.Container, paths configkit.PathSource,
	args []any,
	resourceProvider configkit.ResourceProvider, dataType api.DataType,
) (api.AttributeValueList, error) {
	rows := make(api.AttributeValueList, 0, min(len(docs), 256))
	err := visitMatches(docs, paths, args, resourceProvider, false,
		func(p *Match) error {
			value, t, ok := p.any()
			if ok && (dataType == api.DataTypeNone || dataType == t) {
				rows = append(rows, p.row(value, t))
			}
			return nil
		})
	return SortRows(rows), err
}

// any returns the value at a match with its data type.
func (p *Match) any() (any, api.DataType, bool) {
	value, ok := p.Scalar()
	return typed(p.Value, value, ok)
}

// typed returns a value with its data type; scalar is what there is if it is one, or a part of it. A
// float has the data type JSON, except those that JSON does not have: they are YAML text.
func typed(v gaby.Value, scalar any, ok bool) (any, api.DataType, bool) {
	if kind := v.Kind(); kind == gaby.Map || kind == gaby.List {
		return v.YAML(), api.DataTypeYAML, true
	}
	switch f := scalar.(type) {
	case string:
		return scalar, api.DataTypeString, ok
	case int:
		return scalar, api.DataTypeInt, ok
	case bool:
		return scalar, api.DataTypeBool, ok
	case float64:
		switch {
		case math.IsNaN(f):
			return ".nan", api.DataTypeYAML, ok
		case math.IsInf(f, 1):
			return ".inf", api.DataTypeYAML, ok
		case math.IsInf(f, -1):
			return "-.inf", api.DataTypeYAML, ok
		}
	}
	return scalar, api.DataTypeJSON, ok
}

// SortRows sorts rows by resource type, resource name and path (see [yamlpath.Compare]), in place;
// rows that are equal in these keep their order.
func SortRows(rows api.AttributeValueList) api.AttributeValueList {
	slices.SortStableFunc(rows, compareRows)
	return rows
}

// MergeRows returns the rows of all lists as one sorted list, which is not nil. Rows that are equal
// in what they are sorted by keep their order.
func MergeRows(lists []api.AttributeValueList) api.AttributeValueList {
	rows := slices.Concat(lists...)
	if rows == nil {
		return api.AttributeValueList{}
	}
	return SortRows(rows)
}

// compareRows is the order of SortRows.
func compareRows(a, b api.AttributeValue) int {
	if c := cmp.Compare(a.ResourceType, b.ResourceType); c != 0 {
		return c
	}
	if c := cmp.Compare(a.ResourceName, b.ResourceName); c != 0 {
		return c
	}
	return yamlpath.Compare(string(a.Path), string(b.Path))
}

// UpdateOptions control how values are written.
type UpdateOptions struct {
	// Upsert creates missing values if the path says what to create.
	Upsert bool
	// Create and Wanted have the meaning that they have in [EditOptions].
	Create, Wanted func(p *Match) bool
	// Retype replaces scalars of other types instead of failing. updater gets the zero value.
	Retype bool
	// Part, if not nil, replaces an embedded part, of any type, in the place of updater. It gets nil
	// for a part that can be created, and returns false for one that shall stay.
	Part func(part any) (any, bool)
	// Partless is called for each string without the embedded part that a path asks for; nil for
	// nothing.
	Partless func(*Match)
}

// UpdatePaths replaces the values of type T at the paths of each resource's type with the result of
// updater, which gets the zero value for a missing one. It returns the number of matches, whether
// or not their values changed. A value of another type is a failure. A string without the embedded
// part that a path asks for is not a match.
func UpdatePaths[T Scalar](docs gaby.Container, paths configkit.PathSource,
	args []any,
	resourceProvider configkit.ResourceProvider, updater func(T) T, options UpdateOptions,
) (int, error) {
	matches := 0
	var edits []update // applied at the end, so that no value moves while paths are resolved
	v := pathVisitor{
		provider: resourceProvider, upsert: options.Upsert, create: options.Create,
		wanted: options.Wanted,
		visit: func(p *Match) error {
			v := p.Value
			value, ok := yamlpath.Scalar(v)
			var replacement any
			switch {
			case v.Exists() && ok:
				if p.path.accessor != nil && p.path.path.EmbeddedPath() != "" {
					text, isString := value.(string)
					if !isString {
						return nil
					}
					updated, found, err := updatePart(p, text, updater, &options)
					if err != nil || !found {
						if err == nil && options.Partless != nil {
							options.Partless(p)
						}
						return err
					}
					replacement = updated
					break
				}
				current, typed := value.(T)
				if !typed && !options.Retype {
					return conversionError(p, typeOf[T]())
				}
				replacement = updater(current)
			case v.Kind() == gaby.Map || v.Kind() == gaby.List:
				return conversionError(p, typeOf[T]())
			case !options.Upsert || p.path.path.EmbeddedPath() != "":
				return nil // null
			default:
				var zero T
				replacement = updater(zero)
			}
			matches++
			if ok && replacement == value {
				return nil
			}
			if edits == nil {
				edits = make([]update, 0, min(len(docs), 256))
			}
			e := update{Match: *p, value: replacement}
			if !v.Exists() || v.IsAliased() {
				e.segments = slices.Clone(p.Segments)
			}
			edits = append(edits, e)
			return nil
		},
	}
	err := v.documents(docs, paths, args)
	var problems []error
	if err != nil {
		problems = append(problems, err)
	}
	for i := range edits {
		if err := edits[i].apply(); err != nil {
			problems = append(problems, err)
		}
	}
	return matches, errors.Join(problems...)
}

// updatePart replaces the part of a text that the path of p asks for. Where the path leads to all
// values of a map or a list, a missing part is not created: not every text has it.
func updatePart[T Scalar](p *Match, text string, updater func(T) T, options *UpdateOptions,
) (string, bool, error) {
	every := slices.ContainsFunc(p.path.path.Segments(),
		func(s yamlpath.Segment) bool { return s.Kind == yamlpath.Any })
	return p.accessor().Update(text, p.path.path.EmbeddedPath(), func(part any) (any, bool) {
		if part == nil && every {
			return nil, false
		}
		if options.Part != nil {
			return options.Part(part)
		}
		current, typed := part.(T)
		_, isMap := part.(map[string]any)
		_, isList := part.([]any)
		if isMap || isList || part == nil && !options.Upsert ||
			part != nil && !typed && !options.Retype {
			return nil, false
		}
		return updater(current), true
	})
}

// update is a value to be written at a match.
type update struct {
	Match
	value any
	// segments lead to a target that is missing or written elsewhere. It is resolved again when it
	// is set, because an earlier update may have created it.
	segments []string
}

// apply writes the value and returns a located error if that is not possible.
func (u *update) apply() error {
	var err error
	if u.segments != nil {
		_, err = u.Doc.Set(u.value, u.segments...)
	} else if err = u.Value.Set(u.value); err != nil {
		above := len(u.root.Segments()) // the document may be an item of a list
		u.segments = u.Value.Segments()[above:]
		if e, ok := errors.AsType[*gaby.EditError](err); ok {
			e.Path = string(yamlpath.Join(gaby.DotPathToSlice(e.Path)[above:]))
		}
	}
	if err == nil {
		return nil
	}
	u.at(&yamlpath.Match{Segments: u.segments, Value: u.Value})
	return u.locate(err)
}

// conversionError returns the failure of a setter that found a value of another type than the one
// it writes.
func conversionError(p *Match, t api.DataType) error {
	return p.failure(fmt.Sprintf("value %s at path %s cannot be converted to %s",
		yamlpath.Describe(p.Value), p.Path(), t))
}

// typeError returns the failure of a getter that found a value of another type than the one it
// reads.
func typeError(p *Match, want api.DataType) error {
	path := p.Path()
	var message string
	switch part, t, _ := p.any(); {
	case p.Value.Kind() == gaby.Map:
		message = fmt.Sprintf("the value at path %s is a map", path)
	case p.Value.Kind() == gaby.List:
		message = fmt.Sprintf("the value at path %s is a list", path)
	case t == api.DataTypeString:
		message = fmt.Sprintf("value %q at path %s is a string", part, path)
	case t == api.DataTypeInt || t == api.DataTypeBool:
		message = fmt.Sprintf("value %v at path %s is %s", part, path, withArticle(t))
	default:
		message = fmt.Sprintf("value %s at path %s is a float", p.Value.Text(), path)
	}
	f := p.failure(message + ", not " + withArticle(want))
	f.Hint = "get-path reads values of any type"
	return f
}

// withArticle returns the name of t with its indefinite article.
func withArticle(t api.DataType) string {
	if t == api.DataTypeInt {
		return "an int"
	}
	return "a " + string(t)
}

// failure returns a failure located at the match.
func (p *Match) failure(message string) *api.Failure {
	return &api.Failure{
		Class:    api.FailureFunction,
		Pos:      p.Value.Position(),
		Resource: p.Resource.String(),
		Path:     string(p.Path()),
		Message:  message,
	}
}

// UpdatePathsFunction is [UpdatePaths] without the count.
func UpdatePathsFunction[T Scalar](docs gaby.Container,
	paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider, updater func(T) T, upsert bool,
) error {
	_, err := UpdatePaths(docs, paths, args, resourceProvider, updater,
		UpdateOptions{Upsert: upsert})
	return err
}

// UpdatePathsValue writes newValue at every match.
func UpdatePathsValue[T Scalar](docs gaby.Container, paths configkit.PathSource,
	args []any,
	resourceProvider configkit.ResourceProvider, newValue T, upsert bool,
) error {
	return UpdatePathsFunction(docs, paths, args, resourceProvider,
		func(T) T { return newValue }, upsert)
}

// UpdateStringPathsFunction is UpdatePathsFunction for strings.
func UpdateStringPathsFunction(docs gaby.Container, paths configkit.PathSource,
	args []any,
	resourceProvider configkit.ResourceProvider, updater func(string) string, upsert bool,
) error {
	return UpdatePathsFunction(docs, paths, args, resourceProvider, updater,
		upsert)
}

// UpdateStringPaths is UpdatePathsValue for strings.
func UpdateStringPaths(docs gaby.Container, paths configkit.PathSource,
	args []any,
	resourceProvider configkit.ResourceProvider, newValue string, upsert bool,
) error {
	return UpdatePathsValue(docs, paths, args, resourceProvider, newValue,
		upsert)
}
