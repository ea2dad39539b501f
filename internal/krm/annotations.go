package krm

import (
	"fmt"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The annotations that functions and orchestrators exchange.
const (
	PathAnnotation        = "internal.config.kubernetes.io/path"
	IndexAnnotation       = "internal.config.kubernetes.io/index"
	SeqIndentAnnotation   = "internal.config.kubernetes.io/seqindent"
	idAnnotation          = "internal.config.kubernetes.io/id"
	legacyIDAnnotation    = "config.k8s.io/id"
	migrationAnnotation   = "internal.config.kubernetes.io/annotations-migration-resource-id"
	kptIDAnnotation       = "internal.config.kubernetes.io/kpt-resource-id"
	LegacyPathAnnotation  = "config.kubernetes.io/path"
	LegacyIndexAnnotation = "config.kubernetes.io/index"
	LocalConfigAnnotation = "config.kubernetes.io/local-config"
)

// isTransport reports whether a key of metadata.annotations is only meant for the way to a function
// and back.
func isTransport(key string) bool {
	switch key {
	case PathAnnotation, IndexAnnotation, LegacyPathAnnotation, LegacyIndexAnnotation,
		SeqIndentAnnotation, TextAnnotation, idAnnotation, legacyIDAnnotation, migrationAnnotation, kptIDAnnotation:
		return true
	}
	return false
}

// annotations returns the annotations of a resource.
func annotations(doc *gaby.YamlDoc) gaby.Value {
	return doc.Value().Get("metadata").Get("annotations")
}

// Annotation returns the text of an annotation, "" if it is missing. Values that are not strings
// count with their text: functions write indexes as numbers.
func Annotation(doc *gaby.YamlDoc, key string) string {
	if v := annotations(doc).Get(key); v.Kind() == gaby.Scalar && !v.IsNull() {
		return v.Text()
	}
	return ""
}

// IsLocalConfig reports whether a resource is never applied to a cluster: the annotation is "true".
// Any other text than "false" counts as "true", as in the published functions.
func IsLocalConfig(doc *gaby.YamlDoc) bool {
	value := Annotation(doc, LocalConfigAnnotation)
	return value != "" && value != "false"
}

// readLocation returns the location that the annotations of a resource give. Both families must
// agree if both are present.
func readLocation(doc *gaby.YamlDoc) (*location, error) {
	p := &location{}
	if annotations(doc).Kind() != gaby.Map {
		return p, nil
	}
	if v := notText(doc); v.Exists() {
		return nil, at(v.Position(), "the annotation %s must be a text", v.Key())
	}
	newPath, newIndex, err := family(doc, PathAnnotation, IndexAnnotation)
	if err != nil {
		return nil, err
	}
	oldPath, oldIndex, err := family(doc, LegacyPathAnnotation, LegacyIndexAnnotation)
	if err != nil {
		return nil, err
	}
	p.newer, p.legacy = newPath != "" || newIndex >= 0, oldPath != "" || oldIndex >= 0
	if newPath != "" && oldPath != "" && newPath != oldPath {
		return nil, conflict(doc, PathAnnotation, newPath, LegacyPathAnnotation, oldPath)
	}
	if newIndex >= 0 && oldIndex >= 0 && newIndex != oldIndex {
		return nil, conflict(doc, IndexAnnotation, strconv.Itoa(newIndex),
			LegacyIndexAnnotation, strconv.Itoa(oldIndex))
	}
	p.indexed = newIndex >= 0 || oldIndex >= 0
	p.path, p.index = newPath, max(newIndex, oldIndex, 0)
	if p.path == "" {
		p.path = oldPath
	}
	return p, nil
}

// notText returns the first annotation for path or index that is a map or a list; the value does
// not exist if there is none.
func notText(doc *gaby.YamlDoc) gaby.Value {
	for _, key := range []string{
		PathAnnotation, IndexAnnotation, LegacyPathAnnotation, LegacyIndexAnnotation,
	} {
		v := annotations(doc).Get(key)
		if v.Kind() == gaby.Map || v.Kind() == gaby.List {
			return v
		}
	}
	return gaby.Value{}
}

// family returns the path and index of one family of annotations; the index is -1 if it is missing.
func family(doc *gaby.YamlDoc, pathKey, indexKey string) (path string, index int, err error) {
	path, text := Annotation(doc, pathKey), Annotation(doc, indexKey)
	if text == "" {
		return path, -1, nil
	}
	index, ok := parseIndex(text)
	if !ok {
		return "", 0, at(annotations(doc).Get(indexKey).Position(),
			"the annotation %s must be a number from 0 to %d, not %q", indexKey, maxIndex, text)
	}
	return path, index, nil
}

// maxIndex is the highest index of a document. More can be appended.
const maxIndex = 1_000_000_000

// parseIndex reads the index of a document. It need not be one of the file: indexes are an order.
func parseIndex(text string) (index int, ok bool) {
	index, err := strconv.Atoi(text)
	return index, err == nil && index >= 0 && index <= maxIndex
}

func conflict(doc *gaby.YamlDoc, key, value, other, otherValue string) error {
	return at(annotations(doc).Get(other).Position(),
		"the annotations %s: %q and %s: %q contradict each other", key, value, other, otherValue)
}

// at returns an error with a position in the text that is read.
func at(pos gaby.Position, format string, args ...any) error {
	return &gaby.SyntaxError{Pos: pos, Msg: fmt.Errorf(format, args...).Error()}
}
