// Command fctl runs configuration functions.
//
// Layer: programs.
package main

import (
	"os"

	"github.com/fctl-dev/fctl"
)

func main() {
	os.Exit(fctl.Main())
}
