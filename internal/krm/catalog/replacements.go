package catalog

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docReplacements = `functionConfig: the replacements of kustomize.

  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyReplacements
  replacements:
  - source: {kind: Deployment, name: web, fieldPath: metadata.name}
    targets:
    - select: {kind: Service}
      reject: [{name: other}]
      fieldPaths: ["spec.selector.app", "spec.ports.[name=http].port"]
      options: {delimiter: "-", index: 0, create: true}

A selector has group, version, kind, namespace, name, labelSelector and annotationSelector.
options.encoding: base64 decodes the value of a source and encodes that of a target.`

func applyReplacements(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "ApplyReplacements")
	if err != nil {
		return err
	}
	if c.isConfigMap() {
		return errors.New("functionConfig: an ApplyReplacements is expected, not a ConfigMap")
	}
	var replacements []*replacement
	if err := c.read(strict.List("replacements", &replacements, replacementOf)); err != nil {
		return err
	}
	named := byName(list.Items)
	for i, r := range replacements {
		r.list, r.named, r.label = list, named, fmt.Sprintf("replacements[%d]", i)
		if err := r.run(); err != nil {
			return fmt.Errorf("%s: %w", r.label, err)
		}
		named = r.named
	}
	return nil
}

// byName returns items by their names, and all of them by "". It has all items only if the header
// of one cannot be read, which selecting reports.
func byName(items []*krm.Item) map[string][]*krm.Item {
	named := map[string][]*krm.Item{"": items}
	for _, item := range items {
		h, err := item.Doc.Header()
		if err != nil {
			return map[string][]*krm.Item{"": items}
		}
		if h.Name != "" {
			named[h.Name] = append(named[h.Name], item)
		}
	}
	return named
}

// renames reports whether a target may be names.
func (t *replacementTarget) renames() bool {
	return slices.ContainsFunc(t.fieldPaths, func(path string) bool {
		return strings.Contains(path, "metadata") || strings.HasPrefix(path, "*")
	})
}

// replacement is one entry of replacements.
type replacement struct {
	source  *replacementSource
	targets []*replacementTarget

	list  *krm.ResourceList
	named map[string][]*krm.Item // see byName
	label string
	// text is what is copied of a scalar, and tree that of a map or list.
	text   string
	tree   gaby.Value
	scalar bool
}

// replacementSource says which value is copied.
type replacementSource struct {
	selector
	fieldPath string
	fieldOptions
}

// replacementTarget says where the value is copied to.
type replacementTarget struct {
	selects    *selector
	rejects    []*selector
	fieldPaths []string
	fieldOptions
	create bool
}

// fieldOptions are the options of a source or target.
type fieldOptions struct {
	delimiter string
	index     int
	encoding  string // of the field: base64, or "" for none
}

// replacementOf reads an entry of replacements.
func replacementOf(v strict.Value) *replacement {
	r := &replacement{}
	v.Object("a replacement",
		strict.Field{Name: "source", Read: func(v strict.Value) {
			r.source = &replacementSource{}
			v.Object("a source", append(r.source.selector.fields(),
				strict.Text("fieldPath", &r.source.fieldPath), r.source.options())...)
		}},
		strict.List("targets", &r.targets, func(v strict.Value) *replacementTarget {
			t := &replacementTarget{}
			v.Object("a target",
				strict.To("select", &t.selects, selectorOf),
				strict.List("reject", &t.rejects, selectorOf),
				strict.Texts("fieldPaths", &t.fieldPaths),
				t.options(strict.Bool("create", &t.create)))
			return t
		}))
	return r
}

// selectorOf reads a selector.
func selectorOf(v strict.Value) *selector {
	s := &selector{}
	v.Object("a selector", s.fields()...)
	return s
}

// options returns the field with the options, and more fields beside them.
func (o *fieldOptions) options(more ...strict.Field) strict.Field {
	return strict.Field{Name: "options", Read: func(v strict.Value) {
		v.Object("options", append(more, strict.Text("delimiter", &o.delimiter),
			strict.OneOf("encoding", &o.encoding, "base64"),
			strict.To("index", &o.index, strict.Value.Int))...)
	}}
}

func (r *replacement) run() error {
	switch {
	case r.source == nil:
		return errors.New("source is missing")
	case len(r.targets) == 0:
		return errors.New("targets are missing")
	}
	if err := r.read(); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	for i, t := range r.targets {
		if err := r.target(t); err != nil {
			return fmt.Errorf("targets[%d]: %w", i, err)
		}
		if t.renames() {
			r.named = byName(r.list.Items)
		}
	}
	return nil
}

// selected returns the items that a selector selects and none of rejects does.
func (r *replacement) selected(s *selector, rejects []*selector) ([]*krm.Item, error) {
	for _, s := range append(rejects[:len(rejects):len(rejects)], s) {
		if err := s.compile(); err != nil {
			return nil, err
		}
	}
	var found []*krm.Item
	candidates, known := r.named[s.name]
	if !known && len(r.named) == 1 {
		candidates = r.list.Items
	}
	for _, item := range candidates {
		matches, err := s.matches(item)
		for i := 0; i < len(rejects) && matches && err == nil; i++ {
			var rejected bool
			rejected, err = rejects[i].matches(item)
			matches = !rejected
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item, err)
		}
		if matches {
			found = append(found, item)
		}
	}
	return found, nil
}

// read finds the value that is copied.
func (r *replacement) read() error {
	s := r.source
	found, err := r.selected(&s.selector, nil)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return fmt.Errorf("nothing selected by %s", &s.selector)
	case len(found) > 1:
		return fmt.Errorf("multiple matches for selector %s: %s and %s", &s.selector, found[0], found[1])
	}
	path := cmp.Or(s.fieldPath, "metadata.name")
	matches, err := findFields(found[0].Doc, path, false)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		return fmt.Errorf("fieldPath %q is missing in %s", path, found[0])
	}
	v := matches[0].value
	if v.IsAliased() {
		return fmt.Errorf("fieldPath %q in %s comes from an alias", path, found[0])
	}
	if r.scalar = v.Kind() == gaby.Scalar; !r.scalar {
		r.tree = v
		if s.delimiter+s.encoding != "" {
			return fmt.Errorf("fieldPath %q is not a scalar, so it has no parts", path)
		}
		return nil
	}
	r.text = v.Text()
	if r.text, err = s.decode(r.text); err != nil {
		return fmt.Errorf("fieldPath %q in %s: %w", path, found[0], err)
	}
	if s.delimiter == "" {
		return nil
	}
	parts := strings.Split(r.text, s.delimiter)
	if s.index < 0 || s.index >= len(parts) {
		return fmt.Errorf("options.index %d is out of bounds for value %q", s.index, r.text)
	}
	r.text = parts[s.index]
	return nil
}

// decode returns the text that a field has.
func (o *fieldOptions) decode(text string) (string, error) {
	if o.encoding == "" {
		return text, nil
	}
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("options.encoding: the value is not base64: %w", err)
	}
	return string(plain), nil
}

// encode is the inverse of decode.
func (o *fieldOptions) encode(text string) string {
	if o.encoding == "" {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}

// target sets the fields of one entry of targets.
func (r *replacement) target(t *replacementTarget) error {
	if t.selects == nil {
		return errors.New("target must specify resources to select")
	}
	found, err := r.selected(t.selects, t.rejects)
	if err != nil {
		return err
	}
	paths := t.fieldPaths
	if len(paths) == 0 {
		paths = []string{"metadata.name"}
	}
	for _, item := range found {
		for _, path := range paths {
			if err := r.set(item, path, t); err != nil {
				return fmt.Errorf("%s: %w", item, err)
			}
		}
	}
	return nil
}

// set sets the fields of one item that a path names.
func (r *replacement) set(item *krm.Item, path string, t *replacementTarget) error {
	matches, err := findFields(item.Doc, path, t.create)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		return fmt.Errorf("unable to find field %q in replacement target", path)
	}
	for _, m := range matches {
		switch {
		case !r.scalar && t.delimiter+t.encoding != "":
			return fmt.Errorf("a map or list cannot become a part of field %q", path)
		case !r.scalar:
			_, err = item.Doc.Set(r.tree, m.path...)
		default:
			value := r.text
			if t.delimiter != "" {
				old, err := t.decode(m.value.Text())
				if err != nil {
					return fmt.Errorf("field %q: %w", path, err)
				}
				value = replacePart(old, t.delimiter, t.index, value)
			}
			err = r.setScalar(item.Doc, m, t.encode(value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setScalar sets a scalar whose type stays: a string stays one even if the text is a number.
func (r *replacement) setScalar(doc *gaby.YamlDoc, m scalar, value string) error {
	if m.value.Exists() && m.value.Tag() == "!!str" {
		_, err := doc.Set(value, m.path...)
		return err
	}
	return setText(doc, m.path, m.value, value)
}

// replacePart replaces one part of a text. An index before the first part or after the last one
// adds a part.
func replacePart(text, delimiter string, index int, part string) string {
	parts := strings.Split(text, delimiter)
	switch {
	case index < 0:
		parts = append([]string{part}, parts...)
	case index >= len(parts):
		parts = append(parts, part)
	default:
		parts[index] = part
	}
	return strings.Join(parts, delimiter)
}

// findFields returns the matches of a path of kustomize: keys with dots between them, [name=value]
// for an element of a list, an index, - for a new element, * for all. With create, missing maps,
// the last key and the element of a name are made.
func findFields(doc *gaby.YamlDoc, path string, create bool) ([]scalar, error) {
	segments, err := splitFieldPath(path)
	if err != nil {
		return nil, err
	}
	found := []scalar{{nil, doc.Value()}}
	for i, segment := range segments {
		var next []scalar
		for _, s := range found {
			matches, err := step(s, segment, create)
			if err == nil && create && len(matches) == 0 {
				matches, err = addElement(doc, s, segment)
			}
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", path, err)
			}
			if len(matches) == 1 && !matches[0].value.Exists() {
				// The rest of the path is made as a whole.
				rest := segments[i+1:]
				if slices.ContainsFunc(rest, isSelector) {
					continue
				}
				matches[0].path = append(matches[0].path, rest...)
				return []scalar{matches[0]}, nil
			}
			next = append(next, matches...)
		}
		found = next
	}
	return found, nil
}

func isSelector(segment string) bool {
	return segment == "*" || segment == "-" || strings.HasPrefix(segment, "[")
}

// step follows one segment.
func step(s scalar, segment string, create bool) ([]scalar, error) {
	at := func(key string, v gaby.Value) scalar {
		return scalar{append(s.path[:len(s.path):len(s.path)], key), v}
	}
	var matches []scalar
	switch s.value.Kind() {
	case gaby.Map:
		if segment == "*" {
			for _, c := range s.value.All() {
				matches = append(matches, at(c.Key(), c))
			}
			return matches, nil
		}
		if c := s.value.Get(segment); c.Exists() && !c.IsNull() || create {
			matches = append(matches, at(segment, c))
		}
		return matches, nil
	case gaby.List:
		key, value, isKey := strings.Cut(strings.Trim(segment, "[]"), "=")
		isKey = isKey && strings.HasPrefix(segment, "[")
		if segment == "-" {
			return []scalar{at("-", gaby.Value{})}, nil
		}
		index, err := strconv.Atoi(segment)
		if err != nil && segment != "*" && !isKey {
			return nil, fmt.Errorf("%q does not name an element of a list", segment)
		}
		for i, c := range s.value.All() {
			if segment == "*" || isKey && key == "" && c.EqualText(value) ||
				isKey && key != "" && c.Get(key).EqualText(value) || !isKey && index == i {
				matches = append(matches, at(strconv.Itoa(i), c))
			}
		}
	}
	return matches, nil
}

// addElement adds the element that [name=value] selects to a list.
func addElement(doc *gaby.YamlDoc, s scalar, segment string) ([]scalar, error) {
	key, value, ok := strings.Cut(strings.Trim(segment, "[]"), "=")
	if !ok || key == "" || s.value.Kind() != gaby.List {
		return nil, nil
	}
	n := s.value.Len()
	at := s.path[:len(s.path):len(s.path)]
	_, err := doc.Set(gaby.Entries{{Key: key, Value: value}}, append(at, "-")...)
	if err != nil {
		return nil, err
	}
	at = append(at, strconv.Itoa(n))
	return []scalar{{at, doc.Search(at...).Value()}}, nil
}

// splitFieldPath splits a path at its dots, except those in brackets and those after a backslash.
func splitFieldPath(path string) ([]string, error) {
	var segments []string
	var b strings.Builder
	brackets := false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path) && path[i+1] == '.':
			b.WriteByte('.')
			i++
		case c == '.' && !brackets:
			segments = append(segments, b.String())
			b.Reset()
		default:
			brackets = c == '[' || brackets && c != ']'
			b.WriteByte(c)
		}
	}
	segments = append(segments, b.String())
	for i, s := range segments {
		if s == "" {
			return nil, fmt.Errorf("field %q has an empty part", path)
		}
		// [a.b/c] without = is a key with dots.
		if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") && !strings.Contains(s, "=") {
			segments[i] = s[1 : len(s)-1]
		}
	}
	return segments, nil
}
