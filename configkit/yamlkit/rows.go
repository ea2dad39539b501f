package yamlkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// VisitPlaces visits whatever the paths of a resource's type lead to, nulls left out. The place is good until the visitor returns.
func VisitPlaces(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any, resourceProvider configkit.ResourceProvider,
	visit func(p *Place),
) error {
	return visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false, func(p *place) error {
		if p.match.Value.Exists() && !p.match.Value.IsNull() {
			visit(p.exported())
		}
		return nil
	})
}

// VisitRows reads whatever the paths of a resource's type lead to, as GetPathsAnyType does. The visitor sees where each row comes
// from, can change it, and drops it by returning false.
func VisitRows(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any, resourceProvider configkit.ResourceProvider,
	visit func(p *Place, row *api.AttributeValue) bool,
) (api.AttributeValueList, error) {
	rows := api.AttributeValueList{}
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false, func(p *place) error {
		value, t, ok := p.any()
		if !ok {
			return nil
		}
		row := p.row(value, t)
		if visit(p.exported(), &row) {
			rows = append(rows, row)
		}
		return nil
	})
	return SortRows(rows), err
}
