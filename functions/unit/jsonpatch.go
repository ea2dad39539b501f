package unit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/generic"
)

// operation is an operation of JSON Patch (RFC 6902).
type operation struct {
	name       string
	path, from []string
	value      gaby.Value
	line       int // of the patch
}

// parseOperations parses the operations of a JSON Patch.
func parseOperations(list gaby.Value) (all []operation, err error) {
	for _, v := range list.All() {
		o := operation{name: v.Get("op").Text(), value: v.Get("value"), line: v.Position().Line}
		if o.path, err = pointer(v, "path"); err != nil {
			return nil, err
		}
		switch o.name {
		case "add", "replace", "test":
			if !o.value.Exists() {
				return nil, at(v, "op "+o.name+" needs a value")
			}
		case "remove":
		case "move", "copy":
			if o.from, err = pointer(v, "from"); err != nil {
				return nil, err
			}
		default:
			return nil, at(v, fmt.Sprintf("op is %q: add, remove, replace, move, copy or test is expected",
				o.name))
		}
		all = append(all, o)
	}
	return all, nil
}

// pointer parses the JSON Pointer (RFC 6901) at a key of an operation.
func pointer(v gaby.Value, key string) ([]string, error) {
	text := v.Get(key)
	switch {
	case !text.Exists():
		return nil, at(v, "op "+v.Get("op").Text()+" needs a "+key)
	case text.Text() == "":
		return nil, nil
	case !strings.HasPrefix(text.Text(), "/"):
		return nil, at(text, fmt.Sprintf("%s is %q, but begins with a slash, as in /spec/replicas", key,
			text.Text()))
	}
	segments := strings.Split(text.Text()[1:], "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return segments, nil
}

// String returns the operation as messages name it.
func (o *operation) String() string {
	return fmt.Sprintf("operation in line %d: %s %s", o.line, o.name, pointerTo(o.path))
}

// pointerTo returns the JSON Pointer to a value.
func pointerTo(segments []string) string {
	var text strings.Builder
	for _, s := range segments {
		text.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1"))
	}
	return text.String()
}

// applyOperations applies operations to a document, one after the other.
func applyOperations(doc *gaby.YamlDoc, operations []operation) error {
	for i := range operations {
		o := &operations[i]
		if err := o.apply(doc); err != nil {
			return fmt.Errorf("%v: %w", o, err)
		}
	}
	return nil
}

// apply applies the operation.
func (o *operation) apply(doc *gaby.YamlDoc) error {
	target := doc.Search(o.path...)
	switch o.name {
	case "test":
		switch {
		case target == nil:
			return missing(o.path)
		case !reflect.DeepEqual(target.Data(), o.value.Data()):
			return fmt.Errorf("value is %s", configkit.Abbreviate(strings.TrimSpace(target.Value().YAML())))
		}
		return nil
	case "remove":
		if target == nil {
			return missing(o.path)
		}
		return doc.Delete(o.path...)
	case "replace":
		if target == nil {
			return missing(o.path)
		}
		if len(o.path) == 0 {
			return replaceAll(doc, generic.Part(o.value))
		}
		_, err := doc.Set(generic.Part(o.value), o.path...)
		return err
	case "add":
		return add(doc, o.path, generic.Part(o.value))
	}
	source := doc.Search(o.from...)
	if source == nil {
		return missing(o.from)
	}
	value := generic.Part(source.Value())
	if o.name == "move" {
		if slices.Equal(o.from, o.path) {
			return nil
		}
		if len(o.path) > len(o.from) && slices.Equal(o.from, o.path[:len(o.from)]) {
			return fmt.Errorf("%s cannot move into itself", pointerTo(o.from))
		}
		if err := doc.Delete(o.from...); err != nil {
			return err
		}
	}
	return add(doc, o.path, value)
}

// add adds a value: a key of a map, where it replaces a present one, or an element of a list before the
// one with the index.
func add(doc *gaby.YamlDoc, path []string, value any) error {
	last := len(path) - 1
	if last < 0 {
		return replaceAll(doc, value)
	}
	parent := doc.Search(path[:last]...)
	if parent == nil {
		return missing(path[:last])
	}
	list := parent.Value()
	switch list.Kind() {
	case gaby.Map:
		_, err := doc.Set(value, path...)
		return err
	case gaby.List:
		if path[last] == "-" {
			return parent.ArrayAppendP(value, "")
		}
		index, err := strconv.ParseUint(path[last], 10, 31)
		if err != nil || int(index) > list.Len() {
			return fmt.Errorf("list %s has %d elements, so element %s cannot be added", pointerTo(path[:last]),
				list.Len(), path[last])
		}
		return parent.ArrayInsertP(value, int(index), "")
	}
	return fmt.Errorf("%s is neither a map nor a list", pointerTo(path[:last]))
}

// replaceAll replaces the whole resource.
func replaceAll(doc *gaby.YamlDoc, value any) error {
	if _, ok := value.(gaby.Entries); !ok {
		return errors.New("a map is expected in place of the resource")
	}
	return doc.SetData(value)
}

// missing returns the error for a value that the resource does not have.
func missing(path []string) error {
	return fmt.Errorf("resource has no %s", pointerTo(path))
}
