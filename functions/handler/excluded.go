package handler

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/where"
)

// Excluded describes what where-expressions hide from a function.
type Excluded struct {
	// Docs are the documents of the unit that the function does not see.
	Docs gaby.Container
	// Where is the where-expression that selects what the function sees.
	Where string
	// Selects reports whether the function would see a document that is not in the unit.
	Selects func(*gaby.YamlDoc) (bool, error)
}

type selectionKey struct{}

// ExcludedOf returns what a function does not see, for functions that compare the unit with
// something else. It is nil if there are no where-expressions.
func ExcludedOf(fc *api.FunctionContext) *Excluded {
	s, _ := fc.Context().Value(selectionKey{}).(*Excluded)
	return s
}

// withExcluded returns a context with the value that ExcludedOf returns.
func (s *documentSelector) withExcluded(
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
	excluded := &Excluded{
		Where: both.String(),
		Selects: func(doc *gaby.YamlDoc) (bool, error) {
			return both.MatchResource(s.provider, doc)
		},
	}
	for _, doc := range documents {
		if !seen[doc] {
			excluded.Docs = append(excluded.Docs, doc)
		}
	}
	return fc.WithContext(context.WithValue(fc.Context(), selectionKey{}, excluded))
}
