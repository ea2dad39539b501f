package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

func TestResourceLines(t *testing.T) {
	executor := functions.NewStandardExecutor()
	unit, err := executor.Open(api.ToolchainKubernetesYAML,
		[]byte("# web\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n"+
			"---\nvalues: 1\n---\n# not closed: not looked at\napiVersion: v1\nkind: Secret\n"+
			"metadata:\n  name: db\ndata: {\n"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range unit.ResourceLines() {
		name := "none"
		if l.Resource != nil {
			name = l.Resource.String()
		}
		fmt.Fprintf(&b, "%d %s\n", l.Line, name)
	}
	if want := "1 v1/Service shop/web\n5 none\n7 v1/Secret /db\n"; b.String() != want {
		t.Errorf("have\n%swant\n%s", b.String(), want)
	}
	if _, err := executor.Open("Unknown", nil); err == nil {
		t.Error("a unit of an unknown toolchain is opened")
	}
}
