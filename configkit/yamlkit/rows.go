package yamlkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// VisitPlaces calls visit for the matches of the paths of each resource's type, except nulls. The
// place is valid until visit returns.
func VisitPlaces(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider,
	visit func(p *Place),
) error {
	return visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false,
		func(p *place) error {
			if p.match.Value.Exists() && !p.match.Value.IsNull() {
				visit(p.exported())
			}
			return nil
		})
}

// VisitRows reads the matches of the paths of each resource's type like [GetPathsAnyType]. visit
// gets each row with its place, may change the row, and drops it by returning false.
func VisitRows(parsedData gaby.Container, resourceTypeToPaths configkit.PathSource, keys []any,
	resourceProvider configkit.ResourceProvider,
	visit func(p *Place, row *api.AttributeValue) bool,
) (api.AttributeValueList, error) {
	rows := api.AttributeValueList{}
	err := visitPlaces(parsedData, resourceTypeToPaths, keys, resourceProvider, false,
		func(p *place) error {
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
