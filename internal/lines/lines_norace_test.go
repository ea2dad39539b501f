//go:build !race

package lines_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/lines"
)

// TestMergeLaws checks that changes by one side are taken and that repeating a merge changes
// nothing.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := texts(t, "base"), texts(t, "ours"), texts(t, "theirs")
		if got, clean := lines.MergeText(base, ours, base); !clean || got != ours {
			t.Fatalf("only ours: %q", got)
		}
		if got, clean := lines.MergeText(base, base, theirs); !clean || got != theirs {
			t.Fatalf("only theirs: %q", got)
		}
		if merged, clean := lines.MergeText(base, ours, theirs); clean {
			if mirrored, clean := lines.MergeText(base, theirs, ours); !clean ||
				mirrored != merged {
				t.Fatalf("%q one way, %q the other", merged, mirrored)
			}
		}
	})
}
