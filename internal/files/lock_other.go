//go:build !unix

package files

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// lock does nothing: on these systems an open file cannot be replaced.
type lock struct{ held bool }

func (*lock) take(ctx context.Context, _ uintptr, _ bool) error { return ctx.Err() }

func (*lock) release() {}

func (*lock) names(string, func(string) (fs.FileInfo, error)) (bool, error) { return true, nil }

func (*lock) reader(in fileSystem, path string) (io.ReadCloser, error) {
	return in.OpenFile(path, os.O_RDONLY, 0)
}

// maxHeld returns how many files one Batch keeps locked.
func maxHeld() int { return 1 << 16 }

// canLock says that locks keep processes apart.
const canLock = false
