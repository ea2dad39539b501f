// Command hello-world is fctl with one more function.
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
