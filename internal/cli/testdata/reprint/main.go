// Command reprint is a KRM function as most are written: it parses the whole list, changes a field
// of every resource, and prints everything again in its own layout.
package main

import (
	"bufio"
	"log"
	"os"

	"go.yaml.in/yaml/v3"
)

func main() {
	var list yaml.Node
	if err := yaml.NewDecoder(os.Stdin).Decode(&list); err != nil {
		log.Fatal(err)
	}
	for _, item := range field(list.Content[0], "items").Content {
		if replicas := field(field(item, "spec"), "replicas"); replicas != nil {
			replicas.Value = "5"
		}
	}
	out := bufio.NewWriter(os.Stdout)
	if err := yaml.NewEncoder(out).Encode(&list); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// field returns the value of a key, nil if the map does not have it.
func field(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
