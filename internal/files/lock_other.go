//go:build !unix

package files

import (
	"context"
	"io"
	"os"
)

// lock does nothing: on these systems an open file cannot be replaced.
type lock struct{ held bool }

func (*lock) take(ctx context.Context, _ uintptr) error { return ctx.Err() }

func (*lock) release() {}

func (*lock) names(string, bool) (bool, error) { return true, nil }

func (*lock) reader(path string) (io.ReadCloser, error) { return os.Open(path) }
