package catalog

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// fieldSpec says where resources of some types have a field. Empty parts of the type match all.
type fieldSpec struct {
	group, version, kind string
	// path has slashes. Its lists need no mark, but without a final [] they are made as maps.
	path string
	// create says that the field is made if it is missing, but not the given first segments.
	create bool
	given  int
	split  []string // the path at its slashes
}

// fieldTable reads a table of fields: group, version and kind, which are * for all, the path, whether
// the field is created, and how many segments must be given for that.
func fieldTable(text string) []fieldSpec {
	var fields []fieldSpec
	for line := range strings.Lines(strings.TrimSpace(text)) {
		words := append(strings.Fields(line), "", "0")
		for i := range 3 {
			words[i] = strings.Trim(words[i], "*")
		}
		s := fieldSpec{
			group: words[0], version: words[1], kind: words[2], path: words[3],
			create: words[4] == "create",
		}
		s.given, _ = strconv.Atoi(words[5]) // the 0 that was appended, if there is none
		fields = append(fields, s)
	}
	return fields
}

// matches reports whether the specification is about resources with this header. As in the published
// programs a part of the type that the header has not matches all.
func (s *fieldSpec) matches(h *gaby.Header) bool {
	if s.kind != "" && h.Kind != "" && s.kind != h.Kind {
		return false
	}
	group, version, ok := strings.Cut(h.APIVersion, "/")
	if !ok {
		group, version = "", group
	}
	return h.APIVersion == "" || (s.group == "" || s.group == group) && (s.version == "" || s.version == version)
}

// segments splits the path, once. \/ is a slash in a key.
func (s *fieldSpec) segments() []string {
	if s.split != nil {
		return s.split
	}
	segments := []string{}
	for segment := range strings.SplitSeq(strings.ReplaceAll(s.path, `\/`, "\x00"), "/") {
		segment = strings.ReplaceAll(segment, "\x00", "/")
		if segment != "" {
			segments = append(segments, segment)
		}
	}
	s.split = segments
	return segments
}

// visit calls do for each match of the path, with the segments that lead there. The value is
// missing if it can be created. Lists on the way are entered, but not one at the end.
func (s *fieldSpec) visit(doc *gaby.YamlDoc, do func(path []string, v gaby.Value) error) error {
	if len(s.segments()) == 0 {
		return errors.New("field has no path")
	}
	return s.walk(doc.Value(), nil, s.segments(), do)
}

func (s *fieldSpec) walk(v gaby.Value, path, rest []string,
	do func(path []string, v gaby.Value) error,
) error {
	if len(rest) == 0 {
		return do(path, v)
	}
	if v.Kind() == gaby.List {
		for i, item := range v.All() {
			at := append(path[:len(path):len(path)], strconv.Itoa(i))
			if err := s.walk(item, at, rest, do); err != nil {
				return err
			}
		}
		return nil
	}
	key := strings.TrimSuffix(rest[0], "[]")
	child := v.Get(key)
	if child.Exists() && !child.IsNull() {
		return s.walk(child, append(path[:len(path):len(path)], key), rest[1:], do)
	}
	isList := func(segment string) bool { return strings.HasSuffix(segment, "[]") }
	if !s.create || len(path) < s.given || v.Kind() != gaby.Map && !v.IsNull() ||
		slices.ContainsFunc(rest, isList) {
		return nil
	}
	return do(append(path[:len(path):len(path)], rest...), gaby.Value{})
}
