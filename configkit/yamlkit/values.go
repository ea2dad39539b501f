package yamlkit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// read is the value at a place, or its embedded part.
func (p *place) read() (any, bool) {
	value, ok := yamlpath.Scalar(p.match.Value)
	if !ok || p.path.accessor == nil || p.path.path.EmbeddedPath() == "" {
		return value, ok
	}
	text, isString := value.(string)
	if !isString {
		return nil, false
	}
	return p.path.accessor.Extract(text, p.path.path.EmbeddedPath())
}

// row is the result for a place.
func (p *place) row(value any, t api.DataType) api.AttributeValue {
	row := api.AttributeValue{AttributeInfo: p.attributeInfo(t), Value: value, Comment: commentText(p.match.Value.Comments())}
	if pos := p.match.Value.Position(); pos.Line > 0 {
		row.Position = &pos
	}
	return row
}

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

// typeOf is the data type of values of type T.
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

// GetPaths returns the scalars of type T at the paths of each resource's type, sorted by type, name and path. A null counts
// as missing. A value of another type is a failure that names its type; the rows of the other values are returned with it.
func GetPaths[T Scalar](parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	rows := make(api.AttributeValueList, 0, min(len(parsedData), 256))
	t := typeOf[T]()
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false, func(p *place) error {
		value, found := p.read()
		if typed, ok := value.(T); ok {
			rows = append(rows, p.row(typed, t))
			return nil
		}
		if kind := p.match.Value.Kind(); found || kind == gaby.Map || kind == gaby.List {
			return typeError(p, t)
		}
		return nil
	})
	return SortRows(rows), err
}

// GetStringPaths is GetPaths for strings.
func GetStringPaths(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	return GetPaths[string](parsedData, resourceTypeToPaths, keys, resourceProvider)
}

// GetPathsAnyType reads whatever the paths of a resource's type lead to; maps and lists as YAML text. A data type other
// than none restricts it to values of that type.
func GetPathsAnyType(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, dataType api.DataType,
) (api.AttributeValueList, error) {
	rows := make(api.AttributeValueList, 0, min(len(parsedData), 256))
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false, func(p *place) error {
		value, t, ok := p.any()
		if ok && (dataType == api.DataTypeNone || dataType == t) {
			rows = append(rows, p.row(value, t))
		}
		return nil
	})
	return SortRows(rows), err
}

// any reads what is at a place, whatever it is. A float has the data type of its JSON form; of those that JSON has not it is
// the YAML text.
func (p *place) any() (any, api.DataType, bool) {
	v := p.match.Value
	if kind := v.Kind(); kind == gaby.Map || kind == gaby.List {
		return v.YAML(), api.DataTypeYAML, true
	}
	value, ok := p.read()
	switch f := value.(type) {
	case string:
		return value, api.DataTypeString, ok
	case int:
		return value, api.DataTypeInt, ok
	case bool:
		return value, api.DataTypeBool, ok
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
	return value, api.DataTypeJSON, ok
}

// SortRows sorts by resource type, resource name and path (as Compare does), in place; rows that agree in these keep their order.
func SortRows(rows api.AttributeValueList) api.AttributeValueList {
	inOrder := true
	for i := 1; i < len(rows) && inOrder; i++ {
		inOrder = compareRows(&rows[i-1], &rows[i]) <= 0
	}
	if inOrder {
		return rows
	}
	// Rows are large: their indexes are sorted instead, and each row is moved once.
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if c := compareRows(&rows[i], &rows[j]); c != 0 {
			return c
		}
		return i - j
	})
	permute(rows, order)
	return rows
}

// permute puts rows[order[i]] at i, for every i. The order is used up.
func permute(rows api.AttributeValueList, order []int) {
	for i := range order {
		if order[i] == i {
			continue
		}
		first := rows[i]
		to := i
		for order[to] != i {
			from := order[to]
			rows[to], order[to] = rows[from], to
			to = from
		}
		rows[to], order[to] = first, to
	}
}

// MergeRows returns the rows of all lists as one sorted list, which is not nil. Rows that agree in what they are sorted by keep
// their order.
func MergeRows(lists []api.AttributeValueList) api.AttributeValueList {
	rows := slices.Concat(lists...)
	if rows == nil {
		return api.AttributeValueList{}
	}
	return SortRows(rows)
}

func compareRows(a, b *api.AttributeValue) int {
	// For strings cmp.Compare takes twice as long.
	if a.ResourceType != b.ResourceType {
		return strings.Compare(string(a.ResourceType), string(b.ResourceType))
	}
	if c := strings.Compare(string(a.ResourceName), string(b.ResourceName)); c != 0 {
		return c
	}
	return yamlpath.Compare(string(a.Path), string(b.Path))
}

// UpdateOptions say how values are written.
type UpdateOptions struct {
	// Upsert creates what is missing, as far as the path says what.
	Upsert bool
	// Wanted leaves out the places that it is false for.
	Wanted func(p *Place) bool
}

// UpdatePaths replaces the values of type T that the paths of a resource's type lead to by what the updater makes of them; the
// updater of a missing value gets the zero value. It returns how many places the paths led to, whether or not their
// values changed. A value of another type is a failure; a string without the embedded part a path asks for is not a match.
func UpdatePaths[T Scalar](parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, updater func(T) T, options UpdateOptions,
) (int, error) {
	type edit struct {
		doc      *gaby.YamlDoc
		resource *api.ResourceInfo
		path     *compiledPath
		known    *typePaths
		segments []string
		current  gaby.Value
		value    any
	}
	matches := 0
	var edits []edit // made at the end, so that no place moves while paths are being resolved
	updatePart := func(part any) (any, bool) {
		current, typed := part.(T)
		if !typed {
			return nil, false
		}
		return updater(current), true
	}
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, options.Upsert, func(p *place) error {
		if options.Wanted != nil && !options.Wanted(p.exported()) {
			return nil
		}
		v := p.match.Value
		value, ok := yamlpath.Scalar(v)
		var replacement any
		switch {
		case v.Exists() && ok:
			if p.path.accessor != nil && p.path.path.EmbeddedPath() != "" {
				text, isString := value.(string)
				if !isString {
					return nil
				}
				updated, found, err := p.path.accessor.Update(text, p.path.path.EmbeddedPath(), updatePart)
				if err != nil || !found {
					return err
				}
				replacement = updated
				break
			}
			current, typed := value.(T)
			if !typed {
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
			edits = make([]edit, 0, min(len(parsedData), 256))
		}
		edits = append(edits, edit{p.doc, p.resource, p.path, p.known, slices.Clone(p.match.Segments), v, replacement})
		return nil
	})
	var problems []error
	if err != nil {
		problems = append(problems, err)
	}
	for i := range edits {
		e := &edits[i]
		if _, err := e.doc.Set(e.value, e.segments...); err != nil {
			f := yamlpath.Locate(err, e.resource).(*api.Failure)
			f.Path = string(yamlpath.ReportedFrom(e.doc.Value(), e.segments, nil, e.known.keys(), e.path.path.EmbeddedPath(), nil))
			if f.Pos.IsZero() {
				f.Pos = e.current.Position()
			}
			problems = append(problems, f)
		}
	}
	return matches, errors.Join(problems...)
}

func conversionError(p *place, t api.DataType) error {
	return p.failure(fmt.Sprintf("value %s at path %s cannot be converted to %s", yamlpath.Describe(p.match.Value), p.reported(), t))
}

// typeError returns the failure of a getter that found a value of another type than the one it reads.
func typeError(p *place, want api.DataType) error {
	path := p.reported()
	var message string
	switch part, t, _ := p.any(); {
	case p.match.Value.Kind() == gaby.Map:
		message = fmt.Sprintf("the value at path %s is a map", path)
	case p.match.Value.Kind() == gaby.List:
		message = fmt.Sprintf("the value at path %s is a list", path)
	case t == api.DataTypeString:
		message = fmt.Sprintf("value %q at path %s is a string", part, path)
	case t == api.DataTypeInt || t == api.DataTypeBool:
		message = fmt.Sprintf("value %v at path %s is %s", part, path, withArticle(t))
	default:
		message = fmt.Sprintf("value %s at path %s is a float", p.match.Value.Text(), path)
	}
	f := p.failure(message + ", not " + withArticle(want))
	f.Hint = "get-path reads values of any type"
	return f
}

func withArticle(t api.DataType) string {
	if t == api.DataTypeInt {
		return "an int"
	}
	return "a " + string(t)
}

func (p *place) failure(message string) *api.Failure {
	return &api.Failure{
		Class:    api.FailureFunction,
		Pos:      p.match.Value.Position(),
		Resource: p.resource.String(),
		Path:     string(p.reported()),
		Message:  message,
	}
}

// UpdatePathsFunction is UpdatePaths without the count.
func UpdatePathsFunction[T Scalar](parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, updater func(T) T, upsert bool,
) error {
	_, err := UpdatePaths(parsedData, resourceTypeToPaths, keys, resourceProvider, updater, UpdateOptions{Upsert: upsert})
	return err
}

// UpdatePathsValue writes one value at every place.
func UpdatePathsValue[T Scalar](parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, newValue T, upsert bool,
) error {
	return UpdatePathsFunction(parsedData, resourceTypeToPaths, keys, resourceProvider, func(T) T { return newValue }, upsert)
}

// UpdateStringPathsFunction is UpdatePathsFunction for strings.
func UpdateStringPathsFunction(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, updater func(string) string, upsert bool,
) error {
	return UpdatePathsFunction(parsedData, resourceTypeToPaths, keys, resourceProvider, updater, upsert)
}

// UpdateStringPaths is UpdatePathsValue for strings.
func UpdateStringPaths(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider, newValue string, upsert bool,
) error {
	return UpdatePathsValue(parsedData, resourceTypeToPaths, keys, resourceProvider, newValue, upsert)
}
