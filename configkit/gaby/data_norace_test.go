//go:build !race

package gaby_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestEntriesKeepTheirOrder(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("a: {y: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	value := gaby.Entries{
		{Key: "b", Value: gaby.Entries{
			{Key: "z", Value: 1},
			{Key: "c", Value: []any{gaby.Entries{}}},
		}},
		{Key: "a", Value: gaby.Entries{{Key: "y", Value: 1}}},
	}
	if err := doc.SetData(value); err != nil {
		t.Fatal(err)
	}
	if want := "a: {y: 1}\nb:\n  z: 1\n  c:\n  - {}\n"; doc.String() != want {
		t.Errorf("got\n%s\nwant\n%s", doc, want)
	}
}
