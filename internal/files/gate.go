package files

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Gate decides which paths a run may open, to read or to write. Code that opens a path that the
// user names asks the Gate of its context.
type Gate struct {
	// Check returns an error for a path that may not be opened. nil allows all.
	Check func(path string) error
}

type gateKey struct{}

// WithGate returns a context with a Gate.
func WithGate(ctx context.Context, g *Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, g)
}

// Check asks the Gate of a context whether a path may be opened.
func Check(ctx context.Context, path string) error {
	if g, ok := ctx.Value(gateKey{}).(*Gate); ok && g.Check != nil {
		return g.Check(path)
	}
	return nil
}

// ReadFile reads a file that the user names, unless the Gate of a context refuses it.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	if err := Check(ctx, path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// maxLinks is the number of symbolic links that Destination follows, as many as Linux does.
const maxLinks = 40

// Destination returns where a path leads, with all symbolic links followed, also if nothing is
// there yet: a file that is written creates it.
func Destination(path string) string { return destination(path, maxLinks) }

func destination(path string, links int) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	// Clean would take .. off before the link in front of it is followed.
	trimmed := strings.TrimRight(path, string(filepath.Separator))
	dir, name := filepath.Split(trimmed)
	if name == "" || links == 0 {
		return path
	}
	if target, err := os.Readlink(trimmed); err == nil {
		if !filepath.IsAbs(target) {
			target = dir + target
		}
		return destination(target, links-1)
	}
	if dir == "" {
		return path
	}
	return filepath.Join(destination(dir, links), name)
}
