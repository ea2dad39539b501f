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

// The rows of a getter say what each value is, and where.
func ExampleGetStringPaths() {
	docs, err := gaby.ParseAll([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n" +
		"  containers:\n  - {name: web, image: nginx}\n  - {name: log, image: fluentd}\n"))
	if err != nil {
		panic(err)
	}
	provider := k8skit.K8sResourceProvider
	rows, err := yamlkit.GetStringPaths(docs, provider.AttributePaths("container-image"),
		[]any{"*"}, provider)
	if err != nil {
		panic(err)
	}
	for _, row := range rows {
		fmt.Println(row.ResourceNameWithoutScope, row.Path, row.Value)
	}
	// Output:
	// web spec.containers.?name=log.image fluentd
	// web spec.containers.?name=web.image nginx
}

func ExampleJoinPathSegments() {
	fmt.Println(yamlkit.JoinPathSegments([]string{
		"metadata", "labels", "app.kubernetes.io/name",
	}))
	// Output:
	// metadata.labels.app~1kubernetes~1io/name
}

// A path with an associative segment resolves to one path for each element that it finds.
func ExampleResolveAssociativePaths() {
	doc, err := gaby.ParseYAML([]byte("ports:\n- {name: http, port: 80}\n- {name: https, port: 443}\n"))
	if err != nil {
		panic(err)
	}
	for _, path := range []api.UnresolvedPath{"ports.?name=https.port", "ports.*.port"} {
		found, err := yamlkit.ResolveAssociativePaths(doc, path, "", false)
		if err != nil {
			panic(err)
		}
		for _, f := range found {
			fmt.Println(path, f.Path)
		}
	}
	// Output:
	// ports.?name=https.port ports.1.port
	// ports.*.port ports.0.port
	// ports.*.port ports.1.port
}
