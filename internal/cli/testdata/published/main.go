// Command published is three functions of the published catalogue in one program, made as those
// are: with the library of kustomize and kpt. The name of the functionConfig says which of them it
// is.
package main

import (
	"fmt"
	"log"
	"os"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func main() {
	list := &kio.ByteReadWriter{Reader: os.Stdin, Writer: os.Stdout, KeepReaderAnnotations: true}
	items, err := list.Read()
	if err != nil {
		log.Fatal(err)
	}
	change, err := function(list.FunctionConfig.GetName())
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range items {
		if err := change(item); err != nil {
			log.Fatal(err)
		}
	}
	if err := list.Write(items); err != nil {
		log.Fatal(err)
	}
}

// function returns the function of the given name.
func function(name string) (func(*yaml.RNode) error, error) {
	switch name {
	case "set-namespace":
		return func(item *yaml.RNode) error { return item.SetNamespace("shop") }, nil
	case "set-annotations":
		return func(item *yaml.RNode) error {
			return item.PipeE(yaml.SetAnnotation("tier", "back"))
		}, nil
	case "set-image":
		return func(item *yaml.RNode) error {
			return item.PipeE(yaml.Lookup("spec", "template", "spec", "containers", "0"),
				yaml.SetField("image", yaml.NewStringRNode("nginx:2")))
		}, nil
	}
	return nil, fmt.Errorf("unknown function %q", name)
}
