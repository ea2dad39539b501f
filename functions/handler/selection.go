package handler

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/where"
)

// Selection is what where-expressions keep from a function.
type Selection struct {
	// Others are the documents of the unit that it does not see.
	Others gaby.Container
	// Selects tells whether it would see a document that is not in the unit.
	Selects func(*gaby.YamlDoc) (bool, error)
}

type selectionKey struct{}

// SelectionOf tells a function that compares the unit with something else what it does not see of it. It is nil when there are no
// where-expressions.
func SelectionOf(fc *api.FunctionContext) *Selection {
	s, _ := fc.Context().Value(selectionKey{}).(*Selection)
	return s
}

// tell puts what SelectionOf returns into the context of a step.
func (s *selection) tell(fc *api.FunctionContext, documents, selected gaby.Container, expr *where.Expr) *api.FunctionContext {
	both := where.And(s.where, expr)
	if both == nil {
		return fc
	}
	seen := make(map[*gaby.YamlDoc]bool, len(selected))
	for _, doc := range selected {
		seen[doc] = true
	}
	told := &Selection{Selects: func(doc *gaby.YamlDoc) (bool, error) { return both.MatchResource(s.provider, doc) }}
	for _, doc := range documents {
		if !seen[doc] {
			told.Others = append(told.Others, doc)
		}
	}
	return fc.WithContext(context.WithValue(fc.Context(), selectionKey{}, told))
}
