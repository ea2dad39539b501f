package configkit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit"
)

func TestMergeImages(t *testing.T) {
	for _, c := range []struct{ base, ours, theirs, want string }{
		{"nginx:1", "m.io/nginx:1", "nginx:2", "m.io/nginx:2"},
		{"quay.io/a/b:1", "m.io/a/b:1", "quay.io/a/b:2@sha256:0f", "m.io/a/b:2@sha256:0f"},
		{"quay.io/a/b:1", "quay.io/a/b:2", "m.io:5000/a/b:1", "m.io:5000/a/b:2"},
		{"quay.io/a/b:1", "m.io/a/b:1", "quay.io/c/b:1", "m.io/c/b:1"},
		{"nginx", "localhost/nginx", "nginx:2", "localhost/nginx:2"},
		{"nginx:1", "nginx:2", "nginx:2", "nginx:2"},
		{"nginx:1", "nginx:2", "nginx:3", ""},
		{"nginx:1", "nginx:1@sha256:0f", "nginx:2", ""},
		{"a.io/x:1", "b.io/x:1", "c.io/x:2", ""},
		{"a.io/x:1", "b.io/a/x:1", "a.io/y:1", ""},
	} {
		if got, ok := configkit.MergeImages(c.base, c.ours, c.theirs); ok != (c.want != "") ||
			ok && got != c.want {
			t.Errorf("%+v: %q, %t", c, got, ok)
		}
	}
}
