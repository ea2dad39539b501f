package report

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// renderNames prints the changed resources as kubectl names them, each name once.
func renderNames(s Terminal, r Result) (Rendered, error) {
	if !r.Response.Success || !r.Response.Changed {
		return Rendered{}, nil
	}
	var b bytes.Buffer
	seen := map[string]bool{}
	for _, info := range r.Changed {
		if name := shortName(info); !seen[name] {
			seen[name] = true
			if s.Interactive {
				name = diag.Printable(name)
			}
			b.WriteString(name + "\n")
		}
	}
	return Rendered{text: Chunks{b.Bytes()}}, nil
}

// shortName returns kind.group/name, or kind/name without a group. Types of other toolchains
// have no group and stay as they are.
func shortName(info api.ResourceInfo) string {
	kind := string(info.ResourceType)
	if parts := strings.Split(kind, "/"); len(parts) > 1 {
		kind = strings.ToLower(parts[len(parts)-1])
		if len(parts) == 3 {
			kind += "." + parts[0]
		}
	}
	return kind + "/" + string(info.ResourceNameWithoutScope)
}
