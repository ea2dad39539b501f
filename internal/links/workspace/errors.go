package workspace

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

func quote(s string) string { return strconv.Quote(s) }

func notFound(code entity.Code, what, name string, known []string) *entity.Error {
	meant := configkit.Suggest(name, known)
	if _, slug, ok := strings.Cut(name, "/"); ok && len(meant) == 0 {
		meant = configkit.Suggest(slug, known)
	}
	return entity.Fail(code, "no %s %s", what, quote(name)).
		WithHint(configkit.DidYouMean("", meant))
}

// fail returns a problem with an entity, at its definition.
func (w *Workspace) fail(e Entity, code entity.Code, format string, args ...any) *entity.Error {
	problem := entity.Fail(code, format, args...)
	problem.Pos = w.Store.definedIn(e.from())
	return problem
}

// definedIn returns the position of a definition in messages.
func (s *Store) definedIn(in *definedAt) api.Position {
	at := s.position(in.file)
	if in.line > 0 {
		at.Line, at.Column = in.line, 1
	}
	return at
}

// fail returns a problem with a file.
func (s *Store) fail(file string, code entity.Code, format string, args ...any) *entity.Error {
	e := entity.Fail(code, format, args...)
	e.Pos = s.position(file)
	return e
}
