// Command smith-plugin is fctl with a Smith plugin of a team: parameters, which is the plugin
// filter with the team's prefix as the default.
package main

import (
	"os"

	"github.com/fctl-dev/fctl"
)

func main() {
	os.Exit(fctl.Main(fctl.WithPlugin(newParameters)))
}
