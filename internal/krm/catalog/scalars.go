package catalog

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// scalar is a scalar of a document with its path.
type scalar struct {
	path  []string
	value gaby.Value
}

// eachValue calls do for every value below v, in document order, maps and lists before what they
// hold. Values that aliases repeat are visited once, where they are written.
func eachValue(v gaby.Value, path []string, do func(path []string, v gaby.Value) error) error {
	for i, c := range v.All() {
		key := c.Key()
		if v.Kind() == gaby.List {
			key = strconv.Itoa(i)
		}
		if c.IsAliased() {
			continue
		}
		at := append(path[:len(path):len(path)], key)
		if err := do(at, c); err != nil {
			return err
		}
		if err := eachValue(c, at, do); err != nil {
			return err
		}
	}
	return nil
}

// mustBeString reports whether Kubernetes accepts only strings at a path.
func mustBeString(doc *gaby.YamlDoc, path []string) bool {
	n := len(path)
	if n >= 2 && (path[n-2] == "labels" || path[n-2] == "annotations" ||
		path[n-2] == "matchLabels") {
		return true
	}
	if n == 2 && (path[0] == "data" || path[0] == "stringData") {
		h, _ := doc.Header()
		return h.Kind == "ConfigMap" || h.Kind == "Secret"
	}
	return n > 2 && path[n-1] == "value" && path[n-3] == "env"
}

// setText makes text the value at a path, as if it was written there by hand: a quoted string stays
// quoted, a plain scalar gets the type that its text has, unless it is a text that must stay one.
// The value keeps its layout and comment; aliases of it follow.
func setText(doc *gaby.YamlDoc, path []string, was gaby.Value, text string) error {
	if was.Exists() && !was.IsNull() && was.EqualText(text) {
		return nil
	}
	quoted := was.Exists() && was.Tag() == "!!str" && !was.SourceStyle().Plain
	if !quoted && (was.Exists() && was.Tag() != "!!str" || !mustBeString(doc, path)) {
		if v, ok := plain(text); ok {
			return doc.SetShared(v, path...)
		}
	}
	return doc.SetShared(text, path...)
}

// plain returns the value that text has as a plain scalar. It reports false if text is not one.
func plain(text string) (gaby.Value, bool) {
	if text == "" || strings.ContainsAny(text, "\n#") ||
		strings.ContainsAny(text[:1], `"'|>&*!%@[{`) {
		return gaby.Value{}, false
	}
	doc, err := gaby.ParseYAML([]byte(text + "\n"))
	if err != nil {
		return gaby.Value{}, false
	}
	v := doc.Value()
	return v, v.Kind() == gaby.Scalar && v.Tag() != "!!str"
}
