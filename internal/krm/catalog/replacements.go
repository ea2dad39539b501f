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
	replacements := c.value.Get("replacements")
	if c.isConfigMap() || replacements.Kind() != gaby.List {
		return errors.New("functionConfig: an ApplyReplacements with a list of replacements is " +
			"expected")
	}
	i := 0
	for v := replacements.First(); v.Exists(); v = v.Next() {
		r := &replacement{list: list, label: fmt.Sprintf("replacements[%d]", i)}
		i++
		if err := r.run(v); err != nil {
			return fmt.Errorf("%s: %w", r.label, err)
		}
	}
	return nil
}

// replacement is one entry of replacements.
type replacement struct {
	list  *krm.ResourceList
	label string
	// text is what is copied of a scalar, and tree that of a map or list.
	text   string
	tree   gaby.Value
	scalar bool
}

func (r *replacement) run(v gaby.Value) error {
	source, targets := v.Get("source"), v.Get("targets")
	switch {
	case source.Kind() != gaby.Map:
		return errors.New("source is missing")
	case targets.Len() == 0:
		return errors.New("targets are missing")
	}
	if err := r.read(source); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	i := 0
	for t := targets.First(); t.Exists(); t = t.Next() {
		if err := r.target(t, i); err != nil {
			return fmt.Errorf("targets[%d]: %w", i, err)
		}
		i++
	}
	return nil
}

// selected returns the items that a selector selects and none of rejects does.
func (r *replacement) selected(v gaby.Value, rejects []*selector) ([]*krm.Item, *selector, error) {
	s, err := selectorOf(v)
	if err != nil {
		return nil, nil, err
	}
	var found []*krm.Item
	for _, item := range r.list.Items {
		matches, err := s.matches(item)
		for i := 0; i < len(rejects) && matches && err == nil; i++ {
			var rejected bool
			rejected, err = rejects[i].matches(item)
			matches = !rejected
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", item, err)
		}
		if matches {
			found = append(found, item)
		}
	}
	return found, s, nil
}

// read finds the value that is copied.
func (r *replacement) read(source gaby.Value) error {
	found, s, err := r.selected(source, nil)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return fmt.Errorf("nothing selected by %s", s)
	case len(found) > 1:
		return fmt.Errorf("multiple matches for selector %s: %s and %s", s, found[0], found[1])
	}
	path := cmp.Or(text(source.Get("fieldPath")), "metadata.name")
	matches, err := findFields(found[0].Doc, path, false)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		return fmt.Errorf("fieldPath %q is missing in %s", path, found[0])
	}
	v := matches[0].value
	if r.scalar = v.Kind() == gaby.Scalar; !r.scalar {
		r.tree = v
		if opts := source.Get("options"); text(opts.Get("delimiter"))+
			text(opts.Get("encoding")) != "" {
			return fmt.Errorf("fieldPath %q is not a scalar, so it has no parts", path)
		}
		return nil
	}
	r.text = v.Text()
	o, err := options(source.Get("options"))
	if err != nil {
		return err
	}
	if r.text, err = o.decode(r.text); err != nil {
		return fmt.Errorf("fieldPath %q in %s: %w", path, found[0], err)
	}
	if o.delimiter == "" {
		return nil
	}
	parts := strings.Split(r.text, o.delimiter)
	if o.index < 0 || o.index >= len(parts) {
		return fmt.Errorf("options.index %d is out of bounds for value %q", o.index, r.text)
	}
	r.text = parts[o.index]
	return nil
}

// fieldOptions are the options of a source or target.
type fieldOptions struct {
	delimiter string
	index     int
	base64    bool // the field is encoded
}

// options reads the options of a source or target.
func options(v gaby.Value) (o fieldOptions, err error) {
	switch encoding := text(v.Get("encoding")); encoding {
	case "":
	case "base64":
		o.base64 = true
	default:
		return o, fmt.Errorf("options.encoding %q is not base64", encoding)
	}
	if o.index, err = strconv.Atoi(cmp.Or(text(v.Get("index")), "0")); err != nil {
		return o, fmt.Errorf("options.index: %q is not a number", text(v.Get("index")))
	}
	o.delimiter = text(v.Get("delimiter"))
	return o, nil
}

// decode returns the text that a field has.
func (o *fieldOptions) decode(text string) (string, error) {
	if !o.base64 {
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
	if !o.base64 {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}

// target sets the fields of one entry of targets.
func (r *replacement) target(t gaby.Value, index int) error {
	if t.Get("select").Kind() != gaby.Map {
		return errors.New("target must specify resources to select")
	}
	var rejects []*selector
	for v := t.Get("reject").First(); v.Exists(); v = v.Next() {
		reject, err := selectorOf(v)
		if err != nil {
			return err
		}
		rejects = append(rejects, reject)
	}
	found, s, err := r.selected(t.Get("select"), rejects)
	if err != nil {
		return err
	}
	paths := []string{}
	for p := t.Get("fieldPaths").First(); p.Exists(); p = p.Next() {
		paths = append(paths, text(p))
	}
	if len(paths) == 0 {
		paths = []string{"metadata.name"}
	}
	create := t.Get("options").Get("create").EqualText("true")
	for _, item := range found {
		for _, path := range paths {
			if err := r.set(item, path, create, t.Get("options")); err != nil {
				return fmt.Errorf("%s: %w", item, err)
			}
		}
	}
	if len(found) == 0 {
		r.list.Results = append(r.list.Results, krm.Result{
			Severity: krm.SeverityWarning,
			Message:  fmt.Sprintf("%s.targets[%d]: nothing selected by %s", r.label, index, s),
		})
	}
	return nil
}

// set sets the fields of one item that a path names.
func (r *replacement) set(item *krm.Item, path string, create bool, opts gaby.Value) error {
	o, err := options(opts)
	if err != nil {
		return err
	}
	matches, err := findFields(item.Doc, path, create)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		r.list.Results = append(r.list.Results, about(item, krm.SeverityWarning, nil,
			fmt.Sprintf("%s: unable to find field %q in replacement target", r.label, path)))
	}
	for _, m := range matches {
		switch {
		case !r.scalar && (o.delimiter != "" || o.base64):
			return fmt.Errorf("a map or list cannot become a part of field %q", path)
		case !r.scalar:
			_, err = item.Doc.Set(r.tree, m.path...)
		default:
			value := r.text
			if o.delimiter != "" {
				old, err := o.decode(m.value.Text())
				if err != nil {
					return fmt.Errorf("field %q: %w", path, err)
				}
				value = replacePart(old, o.delimiter, o.index, value)
			}
			err = r.setScalar(item.Doc, m, o.encode(value))
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
// for an element of a list, an index, - for a new element, * for all. With create, missing maps and
// the last key are made.
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
			for c := s.value.First(); c.Exists(); c = c.Next() {
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
		i := 0
		for c := s.value.First(); c.Exists(); c = c.Next() {
			if segment == "*" || isKey && key == "" && c.EqualText(value) ||
				isKey && key != "" && c.Get(key).EqualText(value) || !isKey && index == i {
				matches = append(matches, at(strconv.Itoa(i), c))
			}
			i++
		}
	}
	return matches, nil
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
