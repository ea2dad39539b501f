// Command custom-resource is fctl with functions for a custom resource.
//
// Layer: programs.
package main

import (
	"os"

	"github.com/fctl-dev/fctl"
)

func main() {
	os.Exit(fctl.Main(fctl.WithRegistration(register)))
}
