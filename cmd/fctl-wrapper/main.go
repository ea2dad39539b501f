// Command fctl-wrapper serves the program of a function inside its pod.
//
// Layer: programs.
package main

import (
	"context"
	"os"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/runner/wrapper/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], iostreams.System(), os.Getenv))
}
