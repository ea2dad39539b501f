package handler

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/where"
)

// Selection describes what where-expressions hide from a function.
type Selection struct {
	// Others are the documents of the unit that the function does not see.
	Others gaby.Container
	// Selects reports whether the function would see a document that is not in the unit.
	Selects func(*gaby.YamlDoc) (bool, error)
}

type selectionKey struct{}

// SelectionOf returns what a function does not see, for functions that compare the unit with
// something else. It is nil if there are no where-expressions.
func SelectionOf(fc *api.FunctionContext) *Selection {
	s, _ := fc.Context().Value(selectionKey{}).(*Selection)
	return s
}

// tell returns a context with the value that SelectionOf returns.
func (s *selection) tell(
	fc *api.FunctionContext, documents, selected gaby.Container, expr *where.Expr,
) *api.FunctionContext {
	both := where.And(s.where, expr)
	if both == nil {
		return fc
	}
	seen := make(map[*gaby.YamlDoc]bool, len(selected))
	for _, doc := range selected {
		seen[doc] = true
	}
	told := &Selection{
		Selects: func(doc *gaby.YamlDoc) (bool, error) {
			return both.MatchResource(s.provider, doc)
		},
	}
	for _, doc := range documents {
		if !seen[doc] {
			told.Others = append(told.Others, doc)
		}
	}
	return fc.WithContext(context.WithValue(fc.Context(), selectionKey{}, told))
}
