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

// Parse compiles a filter. The error is an *entity.Error whose cause is a *where.Error.
func Parse(text string, of where.Attributes) (*where.Expr, error) {
	expr, err := of.Parse(text)
	if e, ok := err.(*where.Error); ok {
		return nil, &entity.Error{
			Code: entity.WhereCode(e), Message: e.Msg, Hint: e.Hint, Err: e,
		}
	}
	return expr, nil
}

// textValue returns a text, or NULL if it is empty.
func textValue(s string) where.Value { return where.Value{Present: s != "", Text: s} }

func numberValue(n int64) where.Value { return where.Value{Present: true, Number: n} }

func boolValue(b bool) where.Value { return where.Value{Present: true, Bool: b} }

func mapValue(m map[string]string) where.Value { return where.Value{Present: true, Map: m} }
