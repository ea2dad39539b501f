package kyamlkit_test

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/kyamlkit"
)

// setTeam is a KRM function as it was written for kyaml: a kio.Filter without its list.
func setTeam(resource *yaml.RNode) error {
	return resource.PipeE(yaml.SetLabel("team", "shop"))
}

// A function that was written for kyaml runs on documents. The comments, the order and the style of
// what it does not change stay, which kyaml alone would format.
func Example() {
	docs, err := gaby.ParseAll([]byte(`# The front.
kind:   Deployment
metadata: {name: web,  labels: {app: 'web'}}
---
kind: Service   # no labels yet
metadata:
    name: web
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, doc := range docs {
		resource, err := kyamlkit.RNode(doc)
		if err == nil {
			err = setTeam(resource)
		}
		if err == nil {
			err = kyamlkit.SetRNode(doc, resource)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Print(docs.String())
	// Output:
	// # The front.
	// kind:   Deployment
	// metadata: {name: web,  labels: {app: 'web', team: shop}}
	// ---
	// kind: Service   # no labels yet
	// metadata:
	//     name: web
	//     labels:
	//       team: shop
}
