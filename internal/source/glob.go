package source

import (
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fctl-dev/fctl/internal/diag"
)

// glob is a pattern of paths: *, ? and [...] match within one segment, ** matches any number of
// segments, {a,b} matches one of several texts.
type glob struct {
	pattern  string // of absolute paths
	segments []string
}

// specialInGlob has the characters with which the special parts of a pattern begin.
const specialInGlob = `*?[\{`

// IsPattern reports whether a path is a pattern, unless there is a file of that name.
func IsPattern(path string) bool { return strings.ContainsAny(path, specialInGlob) }

// glob finds the files that match a pattern.
func (w *walker) glob(pattern string) error {
	before := len(w.found.Files) + len(w.found.Skipped)
	g, err := newGlob(w.base, filepath.ToSlash(pattern))
	if err == nil {
		special := strings.IndexAny(pattern, specialInGlob)
		start := filepath.Clean(InDirectory(w.Dir, filepath.Dir(pattern[:special]+"x")))
		var d directory
		if d, err = w.top(start); err == nil {
			if err := w.directory(d, g); err != nil {
				return err
			}
		}
	}
	if err == nil && len(w.found.Files)+len(w.found.Skipped) == before {
		err = errors.New("no file matches")
	}
	if err != nil {
		w.add(pattern, diag.Input(diag.FileName(filepath.Clean(InDirectory(w.Dir, pattern))), "",
			err))
	}
	return nil
}

func newGlob(base, pattern string) (*glob, error) {
	if !filepath.IsAbs(pattern) {
		var b strings.Builder
		for _, r := range filepath.ToSlash(base) {
			if strings.ContainsRune(specialInGlob, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		pattern = b.String() + "/" + pattern
	}
	pattern = path.Clean(pattern)
	if !doublestar.ValidatePattern(pattern) {
		return nil, errors.New("the pattern is incomplete: unclosed [ or {, or a \\ at the end")
	}
	return &glob{pattern, strings.Split(pattern, "/")}, nil
}

func (g *glob) matches(path string) bool {
	return g != nil && doublestar.MatchUnvalidated(g.pattern, path)
}

// leadsInto reports whether a file below the directory may match.
func (g *glob) leadsInto(dir string) bool {
	if g == nil {
		return false
	}
	for i, part := range strings.Split(dir, "/") {
		if i >= len(g.segments)-1 {
			return false
		}
		segment := g.segments[i]
		// a slash within braces
		if segment == "**" || strings.Count(segment, "{") != strings.Count(segment, "}") {
			return true
		}
		if !doublestar.MatchUnvalidated(segment, part) {
			return false
		}
	}
	return true
}
