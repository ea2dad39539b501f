// Package mutationtest makes random units and variants of them for the tests of mutations and
// merges.
//
// Layer: configkit.
package mutationtest

import (
	"os"
	"reflect"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Data returns the documents as Go values.
func Data(c gaby.Container) []any {
	data := make([]any, len(c))
	for i, d := range c {
		data[i] = d.Data()
	}
	return data
}

// Parse reads a unit.
func Parse(t testing.TB, text string) gaby.Container {
	t.Helper()
	c, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// SameDocuments reports whether two units have equal documents, in any order.
func SameDocuments(t testing.TB, a, b string) bool {
	x, y := Data(Parse(t, a)), Data(Parse(t, b))
	if len(x) != len(y) {
		return false
	}
	for _, doc := range x {
		found := false
		for i := range y {
			if y[i] != nil && reflect.DeepEqual(doc, y[i]) {
				y[i], found = nil, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// Cases returns how many random cases a test tries: short, or long with LONG=1 in the environment
// (make long).
func Cases(short, long int) int {
	if os.Getenv("LONG") != "" {
		return long
	}
	return short
}
