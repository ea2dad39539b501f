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
	var use func(where string, fields *fieldChecks)
	use = func(where string, fields *fieldChecks) {
		for _, check := range fields.checks {
			if check == nil {
				t.Errorf("%s: no such check", where)
				continue
			}
			check(doc.Value().Get("key"))
		}
		for _, below := range fields.below {
			use(where+" "+below.key, below)
		}
	}
	for name, table := range tables() {
		use("["+name+"]", &table.fields)
	}
}
