// Command fctl-runner runs configuration functions for others: as a server, inside the pod of a
// function, and as a client of such servers.
package main

import (
	"context"
	"os"

	"github.com/fctl-dev/fctl/internal/iostreams"
	"github.com/fctl-dev/fctl/internal/runner/command"
)

func main() {
	os.Exit(command.Main(context.Background(), os.Args[1:], iostreams.System(), os.Getenv))
}
