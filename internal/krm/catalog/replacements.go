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
	"github.com/fctl-dev/fctl/internal/lang/pattern"
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

[name=value] in fieldPaths of targets is a regular expression, as in kustomize: [name=web] selects
web-2 too, and [name=^web$] does not. A selector has group, version, kind, namespace, name, labelSelector and annotationSelector.
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
	// text is what is copied of a scalar, and tree the whole value.
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
	if segments, _ := splitFieldPath(path); slices.Contains(segments, "*") {
		return fmt.Errorf("fieldPath %q has a wildcard, but a source is one field", path)
	}
	matches, err := (&fieldFinder{doc: found[0].Doc}).find(path)
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
	r.tree = v
	if r.scalar = v.Kind() == gaby.Scalar; !r.scalar {
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
	matches, err := (&fieldFinder{doc: item.Doc, target: true, create: t.create}).find(path)
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
		case !r.scalar && m.value.Kind() == gaby.Scalar:
			// The published program writes an empty text.
			return fmt.Errorf("a map or list cannot take the place of the scalar in field %q", path)
		case !r.scalar:
			_, err = item.Doc.Set(r.tree, m.path...)
		default:
			value := r.text
			if k := m.value.Kind(); t.delimiter != "" && (k == gaby.Map || k == gaby.List) {
				return fmt.Errorf("field %q is not a scalar, so it has no parts", path)
			}
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

// setScalar sets a scalar whose type stays: a string stays one even if the text is a number. In the
// place of a map or list it has the type of the source.
func (r *replacement) setScalar(doc *gaby.YamlDoc, m scalar, value string) error {
	was := m.value
	if kind := was.Kind(); kind == gaby.Map || kind == gaby.List {
		was = r.tree
	}
	if was.Exists() && was.Tag() == "!!str" {
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

// fieldFinder finds the fields of a path of kustomize: keys with dots between them, [name=value] for
// the elements of a list, [=value] for scalars, an index, * for all.
type fieldFinder struct {
	doc *gaby.YamlDoc
	// target says that the value of [name=value] is a regular expression, which may match a part, as
	// it is in targets. A source has the value itself, and - for the last element.
	target bool
	// create says that missing maps, lists and elements are made, except for the last key.
	create bool
}

func (f *fieldFinder) find(path string) ([]scalar, error) {
	segments, err := splitFieldPath(path)
	if err != nil {
		return nil, err
	}
	found := []scalar{{nil, f.doc.Value()}}
	for i, segment := range segments {
		var next []scalar
		rest := segments[i+1:]
		for _, s := range found {
			matches, err := f.step(s, segment)
			if err == nil && f.create && len(matches) == 0 {
				matches, err = f.addElement(s, segment, rest)
			}
			if err == nil && len(rest) > 0 && len(matches) == 1 && !matches[0].value.Exists() {
				if slices.Contains(rest, "*") {
					continue // nothing is there
				}
				if !slices.ContainsFunc(rest, isElement) { // the rest is made as a whole
					matches[0].path = append(matches[0].path, rest...)
					return matches, nil
				}
				var made any = gaby.Entries{}
				if isElement(rest[0]) {
					made = []any{}
				}
				matches[0].value, err = f.make(made, matches[0].path)
			}
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", path, err)
			}
			next = append(next, matches...)
		}
		found = next
	}
	return found, nil
}

// make adds the missing values of a path, and returns the last one.
func (f *fieldFinder) make(value any, path []string) (gaby.Value, error) {
	if _, err := f.doc.Set(value, path...); err != nil {
		return gaby.Value{}, err
	}
	return f.doc.Search(path...).Value(), nil
}

// isElement reports whether a segment selects elements of a list.
func isElement(segment string) bool {
	_, err := strconv.Atoi(segment)
	return err == nil || strings.HasPrefix(segment, "[")
}

// step follows one segment.
func (f *fieldFinder) step(s scalar, segment string) ([]scalar, error) {
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
		if c := s.value.Get(segment); c.Exists() && !c.IsNull() || f.create {
			matches = append(matches, at(segment, c))
		}
		return matches, nil
	case gaby.List:
		selects, err := f.element(segment, s.value.Len())
		if err != nil {
			return nil, err
		}
		for i, c := range s.value.All() {
			if selects(i, c) {
				matches = append(matches, at(strconv.Itoa(i), c))
			}
		}
	}
	return matches, nil
}

// element returns whether a segment selects an element of a list with n elements.
func (f *fieldFinder) element(segment string, n int) (func(int, gaby.Value) bool, error) {
	key, value, isKey := strings.Cut(strings.Trim(segment, "[]"), "=")
	if segment == "*" {
		return func(int, gaby.Value) bool { return true }, nil
	}
	if isKey && strings.HasPrefix(segment, "[") {
		equal := func(text string) bool { return text == value }
		if f.target {
			expression, err := pattern.Compile(value)
			if err != nil {
				return nil, err
			}
			equal = expression.MatchString
		}
		return func(_ int, v gaby.Value) bool {
			if key != "" {
				v = v.Get(key)
			}
			return v.Kind() == gaby.Scalar && equal(v.Text())
		}, nil
	}
	index, err := strconv.Atoi(segment)
	if segment == "-" && !f.target {
		index, err = n-1, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%q does not name an element of a list", segment)
	}
	return func(i int, _ gaby.Value) bool { return i == index }, nil
}

// addElement adds the element that a segment selects to a list. rest is the path below it.
func (f *fieldFinder) addElement(s scalar, segment string, rest []string) ([]scalar, error) {
	n := s.value.Len()
	at := s.path[:len(s.path):len(s.path)]
	key, value, isKey := strings.Cut(strings.Trim(segment, "[]"), "=")
	var element any
	switch index, err := strconv.Atoi(segment); {
	case s.value.Kind() != gaby.List || !isKey && (err != nil || index != n):
		return nil, nil
	case isKey && key != "":
		element = gaby.Entries{{Key: key, Value: value}}
	case len(rest) == 0:
		return []scalar{{append(at, "-"), gaby.Value{}}}, nil
	case isElement(rest[0]):
		element = []any{}
	default:
		element = gaby.Entries{}
	}
	if _, err := f.doc.Set(element, append(at, "-")...); err != nil {
		return nil, err
	}
	at = append(at, strconv.Itoa(n))
	return []scalar{{at, f.doc.Search(at...).Value()}}, nil
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
