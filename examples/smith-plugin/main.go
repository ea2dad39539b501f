// Command smith-plugin is a team's own fctl with a Smith plugin: filter, which is written in
// package smith/plugin/filter and makes a ServiceInstance from the keys of Secrets.
//
// Layer: programs.
package main

import (
	"os"

	"github.com/fctl-dev/fctl"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
)

func main() {
	os.Exit(fctl.Main(fctl.WithPlugin(filter.New)))
}
