package printed

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// isText reports whether Kubernetes takes only a string at path: for an annotation, a label, and
// the value of a variable of a container. Pod templates have annotations and labels as well.
func isText(path []string) bool {
	n := len(path)
	switch {
	case n < 3:
		return false
	case path[n-3] == "metadata":
		return path[n-2] == "annotations" || path[n-2] == "labels"
	case path[n-3] == "env" && path[n-1] == "value":
		_, err := strconv.Atoi(path[n-2])
		return err == nil
	}
	return false
}

// texts calls do with each scalar below v, or v itself, that must be a string but is written
// without quotes.
func texts(v gaby.Value, path []string, do func(gaby.Value, []string) error) error {
	if kind := v.Kind(); kind == gaby.Scalar {
		_, isString := v.Data().(string) // an alias has no quotes, whatever its anchor has
		if isText(path) && !v.IsNull() && (v.SourceStyle().Plain || !isString) {
			return do(v, path)
		}
		return nil
	} else if kind != gaby.Map && kind != gaby.List {
		return nil
	}
	for index, c := range v.All() {
		key := c.Key()
		if v.Kind() == gaby.List {
			key = strconv.Itoa(index)
		}
		if err := texts(c, append(path[:len(path):len(path)], key), do); err != nil {
			return err
		}
	}
	return nil
}

// quote makes strings of the values below path that must be strings, and are something else in v,
// which was written there.
func (u *updater) quote(v gaby.Value, path []string) error {
	return texts(v, path, func(c gaby.Value, at []string) error {
		if isTransport := len(at) == 3 && u.skip(at[2]); isTransport {
			return nil
		}
		_, err := u.doc.Set(c.Text(), at...)
		return err
	})
}

// Quote returns the text of a resource with quotes around the annotations, labels and values of
// variables that readers of YAML would not all take for strings.
func Quote(resource gaby.Value, text string) ([]byte, error) {
	doc, err := gaby.ParseYAML([]byte(text + "\n"))
	if err != nil {
		return nil, err
	}
	// A string is not written again if an equal one is there, which has no quotes. So the ones that
	// YAML 1.1 reads as something else are first replaced by another string.
	const other = "_"
	err = texts(resource, nil, func(c gaby.Value, at []string) error {
		if _, isString := c.Data().(string); !isString || !isTyped(c.Text()) {
			return nil
		}
		_, err := doc.Set(other, at...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if doc.Changed() {
		if doc, err = gaby.ParseYAML(doc.Bytes()); err != nil {
			return nil, err
		}
	}
	u := &updater{doc: doc, skip: func(string) bool { return false }}
	err = u.quote(resource, nil)
	return doc.Bytes(), err
}

// isTyped reports whether YAML 1.1 may read a string without quotes as something else: a boolean, a
// number or a date.
func isTyped(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "=", "<<":
		return true
	}
	return strings.ContainsRune("+-.0123456789", rune(text[0]))
}
