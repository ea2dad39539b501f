// Command porting is fctl with functions that were written for ConfigHub's SDK, see
// docs/porting.md.
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
