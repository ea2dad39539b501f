package where_test

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/where"
)

func ExampleExpr_MatchResource() {
	doc, err := gaby.ParseYAML([]byte("apiVersion: apps/v1\nkind: Deployment\n" +
		"metadata: {name: web}\nspec: {replicas: 3}\n"))
	if err != nil {
		panic(err)
	}
	expr, err := where.Parse("spec.replicas >= 3 AND metadata.name LIKE 'w%'")
	if err != nil {
		panic(err)
	}
	fmt.Println(expr.MatchResource(k8skit.K8sResourceProvider, doc))
	// Output: true <nil>
}
