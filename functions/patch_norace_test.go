//go:build !race

package functions_test

import (
	"fmt"
	"testing"
	"time"
)

// TestPatchIsLinear runs patches on as many resources or elements of lists.
func TestPatchIsLinear(t *testing.T) {
	for name, of := range map[string]func(n int) (text, patch string){
		"targets": func(n int) (text, patch string) {
			patch = "patches:\n"
			for i := range n {
				text += fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\n---\n", i)
				patch += fmt.Sprintf("- target: {kind: ConfigMap, name: c%d}\n  patch: 'data: {a: b}'\n", i)
			}
			return text, patch
		},
		"namespaces": func(n int) (text, patch string) {
			for i := range n {
				one := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: n%d}\n", i)
				text, patch = text+one+"---\n", patch+one+"data: {a: b}\n---\n"
			}
			return text, patch
		},
		"elements": func(n int) (text, patch string) {
			text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
			patch = "spec:\n  containers:\n"
			for i := range n {
				text += fmt.Sprintf("  - name: c%d\n", i)
				patch += fmt.Sprintf("  - {name: c%d, image: a}\n  - {name: d%d, image: a}\n", i, i)
			}
			return text, patch
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				text, patch := of(n)
				began := time.Now()
				if _, err := patchedText(text, patch); err != nil {
					t.Fatal(err)
				}
				return time.Since(began)
			}
			var few, many time.Duration
			for range 4 {
				if few, many = cost(500), cost(4000); many < 24*few {
					return
				}
			}
			t.Errorf("8 times as many cost %v instead of %v", many, few)
		})
	}
}
