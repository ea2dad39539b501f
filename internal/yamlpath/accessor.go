package yamlpath

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// Accessor reads and replaces a part of a scalar, the sub of path#sub:
//
//	Regexp   a named group of a regular expression that matches the scalar
//	Line     a line, counted from 1
//	JSON     a path of keys, indexes and lookups in JSON text
//	YAML     likewise in YAML text
//	Text     likewise in a text whose format follows from the key of the value or from the text
//
// Replacing a part leaves the other bytes of the text unchanged.
type Accessor interface {
	// Extract returns the part, and whether it exists.
	Extract(text, sub string) (any, bool)
	// Replace returns the text with the part replaced by value. It reports false if there is no
	// such part, or if value would not be read back as the part.
	Replace(text, sub string, value any) (string, bool)
	// Update replaces the part with the result of f. In a document f gets nil for a part that is
	// missing and could be created. It reports false if there is no such part or f declines it. The
	// error says why the result of f cannot be the part.
	Update(text, sub string, f func(part any) (any, bool)) (string, bool, error)
}

// replace implements Replace by Update.
func replace(a Accessor, text, sub string, value any) (string, bool) {
	replaced, ok, err := a.Update(text, sub, func(part any) (any, bool) { return value, part != nil })
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
	case api.EmbeddedAccessorLine, api.EmbeddedAccessorJSON, api.EmbeddedAccessorYAML,
		api.EmbeddedAccessorText:
		if config != "" {
			return nil, fmt.Errorf("embedded accessor: %s takes no configuration", t)
		}
		switch t {
		case api.EmbeddedAccessorLine:
			return textAccessor{findLine}, nil
		case api.EmbeddedAccessorText:
			return NewTexts(nil), nil
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

// Texts returns the format of a text by the name of a file, nil if the name does not say it.
type Texts func(file string) configkit.ConfigConverter

// NewTexts returns the accessor for texts of all formats. A key is the name of a file, and a text
// under another key is JSON or YAML. Without formats, all texts are.
func NewTexts(formats Texts) Accessor { return documentAccessor{formats: formats, infers: true} }

// ForKey returns the accessor for the value of a key.
func ForKey(a Accessor, key string) Accessor {
	if d, ok := a.(documentAccessor); ok {
		d.key = key
		return d
	}
	return a
}

// documentAccessor handles values of a document by their path.
type documentAccessor struct {
	json    bool // the text is JSON; else it is YAML, unless infers is set
	infers  bool
	formats Texts
	key     string
}

// converter returns the format of a text, nil for YAML that gaby itself parses.
func (a documentAccessor) converter(text string) configkit.ConfigConverter {
	if a.formats == nil {
		return nil
	}
	if c := a.formats(a.key); c != nil {
		return c
	}
	name := "text.yaml"
	if json.Valid([]byte(text)) {
		name = "text.json"
	}
	return a.formats(name)
}

// open returns the document and the format of a text; nil if it is not one document of its format,
// with a map or a list.
func (a documentAccessor) open(text string) (*gaby.YamlDoc, configkit.ConfigConverter) {
	if a.json && !json.Valid([]byte(text)) {
		return nil, nil
	}
	var docs gaby.Container
	var err error
	converter := a.converter(text)
	if converter != nil {
		docs, err = converter.NativeToDocuments([]byte(text))
	} else if doc, problem := gaby.ParseYAML([]byte(text)); problem == nil {
		docs = gaby.Container{doc}
	}
	if err != nil || len(docs) != 1 || docs[0].Check() != nil {
		return nil, nil
	}
	if kind := docs[0].Value().Kind(); kind != gaby.Map && kind != gaby.List {
		return nil, nil
	}
	return docs[0], converter
}

// find returns the value at a path, or a missing one that could be created there. The error says
// that none can be.
func find(doc *gaby.YamlDoc, sub string, upsert bool) (found *Match, err error) {
	path, err := Parse(sub)
	if err != nil || doc == nil {
		return nil, err
	}
	err = path.Resolve(doc.Value(), Options{Upsert: upsert, NoArguments: true},
		func(m *Match) error {
			if found == nil {
				found = &Match{Segments: slices.Clone(m.Segments), Value: m.Value}
			}
			return nil
		})
	return found, err
}

// partError returns the error for a part of a text. Positions in the text are not those of the file.
func partError(sub string, err error) error {
	if err == nil {
		return nil
	}
	whole := &gaby.EditError{Msg: "part " + sub + ": " + err.Error()}
	if e, ok := errors.AsType[*gaby.EditError](err); ok {
		whole.Msg, whole.Hint = "part "+sub+": "+e.Msg, e.Hint
	}
	if e, ok := errors.AsType[*NotAMapError](err); ok {
		whole.Hint = e.Hint
	}
	return whole
}

func (a documentAccessor) Extract(text, sub string) (any, bool) {
	doc, _ := a.open(text)
	found, err := find(doc, sub, false)
	if err != nil || found == nil {
		return nil, false
	}
	return value(found.Value)
}

func (a documentAccessor) Replace(text, sub string, value any) (string, bool) {
	return replace(a, text, sub, value)
}

func (a documentAccessor) Update(text, sub string, f func(any) (any, bool)) (string, bool, error) {
	doc, converter := a.open(text)
	found, err := find(doc, sub, false)
	if doc != nil && err == nil && found == nil {
		found, err = find(doc, sub, true)
		if _, noMap := errors.AsType[*NotAMapError](err); noMap {
			if _, wanted := f(nil); !wanted {
				return text, false, nil // nothing is to be created
			}
		}
	}
	if err != nil || found == nil {
		return text, false, partError(sub, err)
	}
	part, _ := value(found.Value)
	updated, wanted := f(part)
	if !wanted {
		return text, false, nil
	}
	if _, err := doc.Set(updated, found.Segments...); err != nil {
		return text, true, partError(sub, err)
	}
	if converter != nil {
		replaced, err := converter.DocumentsToNative(gaby.Container{doc})
		return string(replaced), true, err
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
