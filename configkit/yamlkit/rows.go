package yamlkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// VisitMatches calls visit for the matches of the paths of each resource's type, except nulls. The
// match is valid until visit returns.
func VisitMatches(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider,
	visit func(p *Match),
) error {
	return readMatches(docs, paths, args, resourceProvider,
		func(p *Match) error {
			if p.Value.Exists() && !p.Value.IsNull() {
				visit(p)
			}
			return nil
		})
}

// VisitRows reads the matches of the paths of each resource's type like [GetPathsAnyType]. visit
// gets each row with its match, may change the row, and drops it by returning false.
func VisitRows(docs gaby.Container, paths configkit.PathSource, args []any,
	resourceProvider configkit.ResourceProvider,
	visit func(p *Match, row *api.AttributeValue) bool,
) (api.AttributeValueList, error) {
	rows := api.AttributeValueList{}
	err := readMatches(docs, paths, args, resourceProvider,
		func(p *Match) error {
			if row, ok := p.Row(); ok && visit(p, &row) {
				rows = append(rows, row)
			}
			return nil
		})
	return SortRows(rows), err
}
