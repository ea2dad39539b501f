package semantics

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestTables checks that fields.txt names checks and forms that exist, by using all of them.
func TestTables(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("key: text\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range tables() {
		for _, f := range table.fields {
			if f.check == nil {
				t.Errorf("[%s] %s: no such check", name, f.path)
				continue
			}
			f.check(doc.Value().Get("key"))
		}
	}
}
