// Package filter gives the attributes of the entities of a workspace, which the where-expressions
// of filters compare:
//
//	Labels.tier = 'web' AND LEN(Annotations) > 0
//	MergeSourceID = 'b6e0...' IS NOT FALSE
//
// Layer: systems.
package filter

import (
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// Parse compiles a filter of what is called a kind. The error is an *entity.Error whose cause is a *where.Error.
func Parse(text string, kind entity.Kind) (*where.Expr, error) {
	expr, err := Schema(kind).Parse(text)
	if e, ok := err.(*where.Error); ok {
		problem := entity.Fail(entity.WhereCode(e), "%s", e.Msg).WithHint(e.Hint)
		problem.Err = e
		return nil, problem
	}
	return expr, nil
}
