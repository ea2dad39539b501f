package yamlpath

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// Accessor reads and replaces a part of a scalar, the sub of path#sub:
//
//	Regexp   a named group of a regular expression that matches the scalar
//	Line     a line, counted from 1
//	JSON     a path of keys and indexes in JSON text
//	YAML     a path of keys and indexes in YAML text
//
// Replacing a part leaves the other bytes of the text unchanged.
type Accessor interface {
	// Extract returns the part, and whether it exists.
	Extract(text, sub string) (any, bool)
	// Replace returns the text with the part replaced by value. It reports false if there is no
	// such part, or if value would not be read back as the part.
	Replace(text, sub string, value any) (string, bool)
	// Update replaces the part with the result of f. It reports false if there is no such part or f
	// declines it. The error says why the result of f cannot be the part.
	Update(text, sub string, f func(part any) (any, bool)) (string, bool, error)
}

// replace implements Replace by Update.
func replace(a Accessor, text, sub string, value any) (string, bool) {
	replaced, ok, err := a.Update(text, sub, func(any) (any, bool) { return value, true })
	return replaced, ok && err == nil
}

// NewAccessor returns the accessor for a type and its configuration, nil for type none. The error
// reports an unknown type or an invalid configuration.
func NewAccessor(t api.EmbeddedAccessorType, config string) (Accessor, error) {
	switch t {
	case api.EmbeddedAccessorNone:
		return nil, nil
	case api.EmbeddedAccessorRegexp:
		re, err := pattern.Compile(config)
		if err != nil {
			return nil, fmt.Errorf("embedded accessor: %w", err)
		}
		return textAccessor{findGroup(re)}, nil
	case api.EmbeddedAccessorLine, api.EmbeddedAccessorJSON, api.EmbeddedAccessorYAML:
		if config != "" {
			return nil, fmt.Errorf("embedded accessor: %s takes no configuration", t)
		}
		if t == api.EmbeddedAccessorLine {
			return textAccessor{findLine}, nil
		}
		return documentAccessor{json: t == api.EmbeddedAccessorJSON}, nil
	}
	return nil, fmt.Errorf("embedded accessor: unknown type %s", t)
}

// textAccessor handles parts that are substrings of the text.
type textAccessor struct {
	find func(text, sub string) (from, to int) // -1 if there is no such part
}

func (a textAccessor) Extract(text, sub string) (any, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return nil, false
	}
	return text[from:to], true
}

func (a textAccessor) Replace(text, sub string, value any) (string, bool) {
	return replace(a, text, sub, value)
}

func (a textAccessor) Update(text, sub string, f func(any) (any, bool)) (string, bool, error) {
	from, to := a.find(text, sub)
	if from < 0 {
		return text, false, nil
	}
	value, wanted := f(text[from:to])
	part := fmt.Sprint(value)
	if !wanted || part == text[from:to] {
		return text, wanted, nil
	}
	replaced := text[:from] + part + text[to:]
	switch from, to = a.find(replaced, sub); {
	case from < 0:
		return text, true, fmt.Errorf("cannot set part %s to %s: read back, there is no such part",
			sub, excerpt(part))
	case replaced[from:to] != part:
		return text, true, fmt.Errorf("cannot set part %s to %s: read back, it is %s", sub,
			excerpt(part), excerpt(replaced[from:to]))
	}
	return replaced, true, nil
}

// excerpt returns text, or its beginning, quoted for a message.
func excerpt(text string) string {
	const most = 60 // characters
	if start := fmt.Sprintf("%.*s", most, text); start != text {
		return strconv.Quote(start) + "..."
	}
	return strconv.Quote(text)
}

// findGroup returns a function that finds named groups of re. A group is not found if the
// expression does not match or the group does not take part in the match.
func findGroup(re *regexp.Regexp) func(text, group string) (from, to int) {
	return func(text, group string) (from, to int) {
		i := re.SubexpIndex(group)
		if i < 0 {
			return -1, -1
		}
		offsets := re.FindStringSubmatchIndex(text)
		if offsets == nil {
			return -1, -1
		}
		return offsets[2*i], offsets[2*i+1]
	}
}

// findLine returns the offsets of line number sub, without its newline. Text after the last newline
// is a line if it is not empty.
func findLine(text, sub string) (from, to int) {
	n := decimal(sub)
	if n < 1 {
		return -1, -1
	}
	for ; n > 1; n-- {
		i := strings.IndexByte(text[from:], '\n')
		if i < 0 {
			return -1, -1
		}
		from += i + 1
	}
	if from == len(text) {
		return -1, -1
	}
	to = len(text)
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		to = from + i
	}
	if to > from && text[to-1] == '\r' {
		to--
	}
	return from, to
}

// documentAccessor handles values of a JSON or YAML document by their path.
type documentAccessor struct{ json bool }

// open returns the document and the value at a path. The value is missing if the text is not such a
// document.
func (a documentAccessor) open(text, sub string) (*gaby.YamlDoc, gaby.Value) {
	if a.json && !json.Valid([]byte(text)) {
		return nil, gaby.Value{}
	}
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil || doc.Check() != nil {
		return nil, gaby.Value{}
	}
	return doc, doc.Path(sub).Value()
}

func (a documentAccessor) Extract(text, sub string) (any, bool) {
	_, v := a.open(text, sub)
	return value(v)
}

func (a documentAccessor) Replace(text, sub string, value any) (string, bool) {
	return replace(a, text, sub, value)
}

func (a documentAccessor) Update(text, sub string, f func(any) (any, bool)) (string, bool, error) {
	doc, v := a.open(text, sub)
	part, ok := value(v)
	if !ok {
		return text, false, nil
	}
	updated, wanted := f(part)
	if !wanted {
		return text, false, nil
	}
	if _, err := doc.SetP(updated, sub); err != nil {
		return text, true, err
	}
	replaced := doc.String()
	if a.json && !json.Valid([]byte(replaced)) {
		// YAML wrote the new scalar in a way that JSON does not have.
		compact, err := json.Marshal(doc.Data())
		if err != nil {
			return text, true, err
		}
		replaced = string(compact)
	}
	return replaced, true, nil
}

// value returns the data of v: a scalar, map or list. ok is false for null and missing values.
func value(v gaby.Value) (any, bool) {
	if kind := v.Kind(); kind == gaby.Map || kind == gaby.List {
		return v.Data(), true
	}
	return Scalar(v)
}

// Scalar returns the data of a scalar: a string, bool, int, or another type for numbers that are
// not an int. ok is false for null, maps, lists and missing values.
func Scalar(v gaby.Value) (value any, ok bool) {
	if v.Kind() != gaby.Scalar {
		return nil, false
	}
	switch v.Tag() {
	case "!!null":
		return nil, false
	case "!!bool", "!!int", "!!float":
		return v.Data(), true
	}
	return v.Text(), true
}
