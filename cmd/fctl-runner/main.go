// Command fctl-runner runs configuration functions for others: as a server, inside the pod of a
// function, and as a client of such servers.
//
// Layer: programs.
package main

import (
	"context"
	"os"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/runner/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], iostreams.System(), os.Getenv))
}
