package yamlkit_test

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

func ExampleVisitResources() {
	docs, err := gaby.ParseAll([]byte("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n" +
		"---\napiVersion: v1\nkind: Secret\nmetadata: {name: key}\n"))
	if err != nil {
		panic(err)
	}
	visit := func(_ *gaby.YamlDoc, output any, index int, info *api.ResourceInfo) (any, []error) {
		fmt.Println(index, info.ResourceType, info.ResourceNameWithoutScope)
		return output, nil
	}
	if _, err := yamlkit.VisitResources(docs, nil, k8skit.K8sResourceProvider, visit); err != nil {
		panic(err)
	}
	// Output:
	// 0 v1/Service web
	// 1 v1/Secret key
}

func ExampleUpdateStringPaths() {
	docs, err := gaby.ParseAll([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n" +
		"  containers:\n  - {name: web, image: nginx} # front\n"))
	if err != nil {
		panic(err)
	}
	provider := k8skit.K8sResourceProvider
	if err := yamlkit.UpdateStringPaths(docs, provider.AttributePaths("container-image"),
		[]any{"web"}, provider, "nginx:1.27", false); err != nil {
		panic(err)
	}
	fmt.Print(docs)
	// Output:
	// apiVersion: v1
	// kind: Pod
	// metadata: {name: web}
	// spec:
	//   containers:
	//   - {name: web, image: nginx:1.27} # front
}
