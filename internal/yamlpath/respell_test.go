package yamlpath_test

import (
	"errors"
	"testing"

	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func TestCheckSpelling(t *testing.T) {
	for _, c := range []struct{ path, hint string }{
		{"containers[0].image", "write containers.0.image"},
		{"containers[*].ports[1]", "write containers.*.ports.1"},
		{"a[0][1]", "write a.0.1"},
		{`metadata.annotations["a.b/c"]`, "write metadata.annotations.a~1b/c"},
		{`metadata.annotations['a.b/c'].x`, "write metadata.annotations.a~1b/c.x"},
		{"/spec/replicas", "write spec.replicas"},
		{"/metadata/annotations/a.b~1c", "write metadata.annotations.a~1b/c"},
		{"{.spec.replicas}", "write spec.replicas"},
		{"{.spec.containers[0].image}", "write spec.containers.0.image"},
		{"$.spec.replicas", "write spec.replicas"},
		{".spec.replicas", "write spec.replicas"},
		{"a[0].image#tag", "write a.0.image#tag"},
		{`a[?(@.name=="web")].image`, "write a.?name=web.image"},
		{"{.a[?(@.b=='c d')]}", "write a.?b=c d"},
		{"containers.[name=web].image", "write containers.?name=web.image"},
		{`containers[name="web"].image`, "write containers.?name=web.image"},
		{"containers.[0].image", "write containers.0.image"},
		{`annotations.["a.b/c"]`, "write annotations.a~1b/c"},
		{`annotations."a.b/c"`, "write annotations.a~1b/c"},
		{"annotations.'a.b/c'.x", "write annotations.a~1b/c.x"},
		{`annotations.a\.b/c`, "write annotations.a~1b/c"},
		{`annotations.a\.b\.c`, "write annotations.a~1b~1c"},

		{"spec.replicas", ""},
		{`a.?path=C:\.x`, ""},
		{`a.?name="x"`, ""},
		{`a.@"b":key`, ""},
		{`a."`, ""},
		{`a.""`, ""},
		{`"a"`, ""},
		{`a.b#"c".d`, ""},
		{"a.b#c[0]", ""},
		{"a.?name=x[0].b", ""},
		{"a.@b[0]:key", ""},
		{"a[b]", ""},
		{"a[]", ""},
		{"a[0", ""},
		{"a[0]b", ""},
		{"metadata.annotations.a~1b/c", ""},
		{"data.{x}", ""},
		{"$name", ""}, // of blocks in HCL
		{"/", ""},
		{"[", ""},
		{"", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			hint := ""
			if e, ok := errors.AsType[*yamlpath.Error](yamlpath.CheckSpelling(c.path)); ok {
				hint = e.Hint
			}
			if hint != c.hint {
				t.Errorf("%s: got %q, want %q", c.path, hint, c.hint)
			}
		})
	}
}
