package yamlkit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
)

// EmbeddedAccessor reaches a part of a scalar, the sub of path#sub:
//
//	Regexp   a named group of a regular expression that matches the scalar
//	Line     a line, counted from 1
//	JSON     a path of keys and indexes in JSON text
//	YAML     the same in YAML text
//
// Replacing a part leaves the other bytes of the text alone.
type EmbeddedAccessor interface {
	// Extract returns the part, and whether there is one.
	Extract(text, sub string) (any, bool)
	// Replace returns the text with another part in its place, and whether there was one.
	Replace(text, sub string, value any) (string, bool)
}

// NewEmbeddedAccessor makes the accessor of a type and configuration.
func NewEmbeddedAccessor(t api.EmbeddedAccessorType, config string) (EmbeddedAccessor, error) {
	switch t {
	case api.EmbeddedAccessorNone:
		return nil, nil
	case api.EmbeddedAccessorRegexp:
		re, err := regexp.Compile(config)
		if err != nil {
			return nil, fmt.Errorf("embedded accessor: %w", err)
		}
		return regexpAccessor{re}, nil
	case api.EmbeddedAccessorLine, api.EmbeddedAccessorJSON, api.EmbeddedAccessorYAML:
		if config != "" {
			return nil, fmt.Errorf("embedded accessor: %s takes no configuration", t)
		}
		if t == api.EmbeddedAccessorLine {
			return lineAccessor{}, nil
		}
		return documentAccessor{json: t == api.EmbeddedAccessorJSON}, nil
	}
	return nil, fmt.Errorf("embedded accessor: unknown type %s", t)
}

// regexpAccessor knows the named groups of a regular expression.
type regexpAccessor struct{ re *regexp.Regexp }

func (a regexpAccessor) Extract(text, sub string) (any, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return nil, false
	}
	return text[from:to], true
}

func (a regexpAccessor) Replace(text, sub string, value any) (string, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return text, false
	}
	return text[:from] + fmt.Sprint(value) + text[to:], true
}

// find is where the group is, -1 when the expression does not match, has no such group or the group took no part.
func (a regexpAccessor) find(text, group string) (from, to int) {
	i := a.re.SubexpIndex(group)
	if i < 0 {
		return -1, -1
	}
	places := a.re.FindStringSubmatchIndex(text)
	if places == nil {
		return -1, -1
	}
	return places[2*i], places[2*i+1]
}

// lineAccessor knows lines by their number.
type lineAccessor struct{}

func (a lineAccessor) Extract(text, sub string) (any, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return nil, false
	}
	return text[from:to], true
}

func (a lineAccessor) Replace(text, sub string, value any) (string, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return text, false
	}
	return text[:from] + fmt.Sprint(value) + text[to:], true
}

// find is where a line is, without its line end. What follows the last line end is a line if it is not empty.
func (lineAccessor) find(text, sub string) (from, to int) {
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

// documentAccessor knows the values of a document by their path.
type documentAccessor struct{ json bool }

// open finds the value at a path; it does not exist when the text is no such document.
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
	if kind := v.Kind(); kind == gaby.Map || kind == gaby.List {
		return v.Data(), true
	}
	return scalar(v)
}

func (a documentAccessor) Replace(text, sub string, value any) (string, bool) {
	doc, v := a.open(text, sub)
	if !v.Exists() {
		return text, false
	}
	if _, err := doc.SetP(value, sub); err != nil {
		return text, false
	}
	replaced := doc.String()
	if a.json && !json.Valid([]byte(replaced)) {
		// A new scalar that YAML writes in a way JSON does not know.
		compact, err := json.Marshal(doc.Data())
		if err != nil {
			return text, false
		}
		replaced = string(compact)
	}
	return replaced, true
}
