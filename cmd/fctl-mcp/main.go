// Command fctl-mcp gives an agent the tools of fctl over the Model Context Protocol. 'fctl mcp' starts
// it.
//
// Layer: programs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/fctl-dev/fctl/internal/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(mcp.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
