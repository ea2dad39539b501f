// Command own-format is fctl with one more format: sysctl.conf, the settings of a Linux kernel.
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
