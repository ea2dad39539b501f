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
