package configkit

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// GroupKind returns a type without its version: GROUP/KIND, or KIND for the types of the core group
// and of formats without groups.
func GroupKind(t api.ResourceType) string {
	group, rest, ok := strings.Cut(string(t), "/")
	if !ok {
		return group
	}
	last := strings.LastIndexByte(rest, '/')
	if last < 0 {
		return rest
	}
	return group + rest[last:]
}

// SameKind reports whether two types have the same group and kind, whatever their versions.
func SameKind(a, b api.ResourceType) bool { return a == b || GroupKind(a) == GroupKind(b) }

// KindOf returns the kind of a type.
func KindOf(t api.ResourceType) string {
	return string(t[strings.LastIndexByte(string(t), '/')+1:])
}

// SplitType returns the parts of a type: GROUP/VERSION/KIND, or VERSION/KIND in the core group. A
// text of another form counts as a kind.
func SplitType(t api.ResourceType) (group, version, kind string) {
	parts := strings.Split(string(t), "/")
	switch len(parts) {
	case 3:
		return parts[0], parts[1], parts[2]
	case 2:
		return "", parts[0], parts[1]
	}
	return "", "", string(t)
}
