package bundle

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// template is an object or a spec of a plugin in which strings may be references.
type template struct {
	value   gaby.Value // in the Bundle
	text    string     // as a document of its own, with its comments
	markers []marker
	// partial are strings with a reference that is not the whole string, which stay as they are.
	partial []gaby.Value
}

// marker is a string that is replaced.
type marker struct {
	segments []string
	value    gaby.Value
	name     smithv1.ReferenceName
	literal  string // the text of an escaped reference; name is empty then
}

// at returns the value at a path of the template in the Bundle, a missing one without one.
func (t *template) at(segments ...string) gaby.Value {
	v := t.value
	for _, s := range segments {
		v = child(v, s)
	}
	return v
}

// hasReference reports whether the value at a path is a reference, or in one.
func (t *template) hasReference(path []string) bool {
	return slices.ContainsFunc(t.markers, func(m marker) bool {
		return m.name != "" && hasPrefix(path, m.segments)
	})
}

// nearest returns the value at a path, or the nearest value around it that exists.
func (t *template) nearest(segments []string) gaby.Value {
	v := t.value
	for _, s := range segments {
		next := child(v, s)
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
}

func child(v gaby.Value, segment string) gaby.Value {
	if v.Kind() != gaby.List {
		return v.Get(segment)
	}
	i, err := strconv.Atoi(segment)
	if err != nil || i < 0 {
		return gaby.Value{}
	}
	return v.Index(i)
}

// parsed is what a string with the form of a reference means.
type parsed struct {
	name    string
	literal string
}

// parseMarker parses a string. It is a reference if all of it is "!", "{", a name and "}"; more
// than one "!" escapes it: the text with one "!" less is meant.
func parseMarker(s string) (parsed, bool) {
	rest := strings.TrimLeft(s, "!")
	bangs := len(s) - len(rest)
	if bangs == 0 || len(rest) < 3 || rest[0] != '{' || rest[len(rest)-1] != '}' {
		return parsed{}, false
	}
	if bangs > 1 {
		return parsed{literal: s[1:]}, true
	}
	return parsed{name: rest[1 : len(rest)-1]}, true
}

// newTemplate returns the template at a value of a document.
func (d *decoder) newTemplate(v gaby.Value) *template {
	t := &template{value: v}
	aliased := v.SourceStyle().Alias != ""
	var walk func(v gaby.Value, path []string)
	walk = func(v gaby.Value, path []string) {
		aliased = aliased || v.IsAliased()
		switch v.Kind() {
		case gaby.Map:
			for _, c := range v.All() {
				walk(c, append(path, c.Key()))
			}
		case gaby.List:
			for i, c := range v.All() {
				walk(c, append(path, strconv.Itoa(i)))
			}
		case gaby.Scalar:
			if v.Tag() == "!!str" {
				t.addMarker(v, path)
			}
		}
	}
	walk(v, nil)
	source := v
	if aliased {
		source = d.withoutAliases(v.Segments())
	}
	t.text = textOf(d.textOf(aliased), source)
	return t
}

func (t *template) addMarker(v gaby.Value, path []string) {
	s := v.Text()
	if !strings.Contains(s, "{") {
		return
	}
	p, ok := parseMarker(s)
	switch {
	case ok:
		t.markers = append(t.markers, marker{
			segments: append([]string{}, path...), value: v,
			name: smithv1.ReferenceName(p.name), literal: p.literal,
		})
	case strings.Contains(s, "!{") && s != "!{}":
		t.partial = append(t.partial, v)
	}
}

// document returns the template as a new document.
func (t *template) document() (*gaby.YamlDoc, error) {
	return gaby.ParseYAML([]byte(t.text))
}

// textOf returns the text of a map or list, with the comments above its first entry, and those
// below its last one that are indented as it is. unit is the text that v is from.
func textOf(unit []byte, v gaby.Value) string {
	text := v.YAML()
	e, ok := v.Extent()
	if !ok || strings.HasPrefix(text, "{") || v.SourceStyle().Alias != "" || e.To > len(unit) {
		return text + "\n"
	}
	var above strings.Builder
	_, lead, _ := strings.Cut(string(unit[e.KeyEnd:e.From]), "\n")
	for line := range strings.Lines(lead) {
		body := strings.TrimSpace(line)
		isLine := line[len(line)-1] == '\n' // and not the indentation of the first entry
		if strings.HasPrefix(body, "#") || above.Len() > 0 && isLine {
			above.WriteString(body + "\n")
		}
	}
	base := strings.Repeat(" ", v.First().KeyPosition().Column-1)
	var below, gap strings.Builder
	_, rest, _ := bytes.Cut(unit[e.To:], []byte("\n"))
lines:
	for text := range bytes.Lines(rest) {
		line := strings.TrimRight(string(text), " \r\n") + "\n"
		body, deeper := strings.CutPrefix(line, base)
		switch {
		case line == "\n":
			gap.WriteString(line)
		case deeper && strings.HasPrefix(strings.TrimLeft(body, " "), "#"):
			below.WriteString(gap.String() + body)
			gap.Reset()
		default:
			break lines
		}
	}
	return above.String() + strings.TrimRight(text, "\n") + "\n" + below.String()
}
