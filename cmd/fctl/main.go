// Command fctl runs configuration functions.
package main

import (
	"os"

	"github.com/fctl-dev/fctl"
)

func main() {
	os.Exit(fctl.Main())
}
