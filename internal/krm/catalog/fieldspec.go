package catalog

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// fieldSpec says where resources of some types have a field. Empty parts of the type match all.
type fieldSpec struct {
	group, version, kind string
	path                 string // with slashes; lists need no mark, a final [] is allowed
	// create says that the field is made if it is missing.
	create bool
	split  []string // the path at its slashes
}

// matches reports whether the specification is about resources with this header.
func (s *fieldSpec) matches(h *gaby.Header) bool {
	if s.kind != "" && s.kind != h.Kind {
		return false
	}
	group, version, ok := strings.Cut(h.APIVersion, "/")
	if !ok {
		group, version = "", group
	}
	return (s.group == "" || s.group == group) && (s.version == "" || s.version == version)
}

// segments splits the path, once. \/ is a slash in a key.
func (s *fieldSpec) segments() []string {
	if s.split != nil {
		return s.split
	}
	segments := []string{}
	for segment := range strings.SplitSeq(strings.ReplaceAll(s.path, `\/`, "\x00"), "/") {
		segment = strings.TrimSuffix(strings.ReplaceAll(segment, "\x00", "/"), "[]")
		if segment != "" {
			segments = append(segments, segment)
		}
	}
	s.split = segments
	return segments
}

// visit calls do for each match of the path, with the segments that lead there. The value is
// missing if it can be created. Lists on the way are entered.
func (s *fieldSpec) visit(doc *gaby.YamlDoc, do func(path []string, v gaby.Value) error) error {
	return s.walk(doc.Value(), nil, s.segments(), do)
}

func (s *fieldSpec) walk(v gaby.Value, path, rest []string,
	do func(path []string, v gaby.Value) error,
) error {
	if v.Kind() == gaby.List {
		i := 0
		for item := v.First(); item.Exists(); item = item.Next() {
			at := append(path[:len(path):len(path)], strconv.Itoa(i))
			if err := s.walk(item, at, rest, do); err != nil {
				return err
			}
			i++
		}
		return nil
	}
	if len(rest) == 0 {
		return do(path, v)
	}
	child := v.Get(rest[0])
	switch {
	case child.Exists() && !child.IsNull():
		return s.walk(child, append(path[:len(path):len(path)], rest[0]), rest[1:], do)
	case s.create && (v.Kind() == gaby.Map || v.IsNull()) && !strings.Contains(s.path, "[]"):
		return do(append(path[:len(path):len(path)], rest...), gaby.Value{})
	case s.create && v.Kind() == gaby.Map && len(rest) == 1:
		return do(append(path[:len(path):len(path)], rest[0]), gaby.Value{})
	}
	return nil
}
