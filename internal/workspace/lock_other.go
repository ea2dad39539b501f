//go:build !unix

package workspace

import (
	"context"
	"os"
)

// flock does nothing: these systems have no lock that ends with the process.
func flock(ctx context.Context, _ *os.File, _ bool) error { return ctx.Err() }
