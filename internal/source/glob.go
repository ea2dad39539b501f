package source

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
)

// glob is a pattern of paths: * and ? and [...] are within one segment, ** is
// any number of segments, {a,b} is one of several texts.
type glob struct {
	patterns []string   // of absolute paths
	segments [][]string // of each
}

// specialInGlob begins what does not stand for itself in a glob.
const specialInGlob = specialBytes + "{"

// IsPattern tells whether a path means several files, unless there is a file
// that is called so.
func IsPattern(path string) bool { return strings.ContainsAny(path, specialInGlob) }

// glob finds what a pattern matches.
func (w *walk) glob(pattern string) error {
	before := len(w.found.Files) + len(w.found.Passed)
	g, err := newGlob(w.base, filepath.ToSlash(pattern))
	if err == nil {
		special := strings.IndexAny(pattern, specialInGlob)
		start := w.opened(filepath.Dir(pattern[:special] + "x"))
		var d directory
		if d, err = w.top(start); err == nil {
			if err := w.directory(d, g); err != nil {
				return err
			}
		}
	}
	if err == nil && len(w.found.Files)+len(w.found.Passed) == before {
		err = errors.New("no file matches")
	}
	if err != nil {
		w.problem(pattern, diag.Input(diag.FileName(w.opened(pattern)), "", err))
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
	patterns, ok := expandBraces(path.Clean(pattern))
	if !ok {
		return nil, errors.New("the pattern stands for too many")
	}
	g := &glob{patterns: patterns}
	for _, p := range patterns {
		g.segments = append(g.segments, strings.Split(p, "/"))
	}
	return g, nil
}

func (g *glob) matches(path string) bool {
	return g != nil && slices.ContainsFunc(g.patterns, func(p string) bool { return wildMatch(p, path) })
}

// leadsInto tells whether something in a directory may match.
func (g *glob) leadsInto(dir string) bool {
	if g == nil {
		return false
	}
	parts := strings.Split(dir, "/")
	return slices.ContainsFunc(g.segments, func(segments []string) bool {
		for i, part := range parts {
			switch {
			case i < len(segments) && segments[i] == "**":
				return true
			case i >= len(segments)-1, !wildMatch(segments[i], part):
				return false
			}
		}
		return true
	})
}

// maxAlternatives bounds what {a,b}{c,d}... can become.
const maxAlternatives = 1000

// expandBraces makes a pattern of each alternative in braces; ok is false when
// there are too many. Braces without a comma stand for themselves.
func expandBraces(pattern string) (patterns []string, ok bool) {
	open, depth, commas := -1, 0, []int(nil)
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				open, commas = i, nil
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth > 0 || len(commas) == 0 {
				continue
			}
			from := open + 1
			for _, to := range append(commas, i) {
				more, ok := expandBraces(pattern[:open] + pattern[from:to] + pattern[i+1:])
				if patterns = append(patterns, more...); !ok || len(patterns) > maxAlternatives {
					return nil, false
				}
				from = to + 1
			}
			return patterns, true
		}
	}
	return []string{pattern}, true
}
