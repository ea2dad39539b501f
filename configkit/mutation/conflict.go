package mutation

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ConflictRows returns one row per conflict, in order. The value is the YAML to be set, or nil if
// there is none. The position is that of the path in the unit or, if the path leads nowhere, of the
// closest value around it. Conflicts about resources that the unit lacks have no position.
func ConflictRows(
	parsedData gaby.Container, list api.MutationConflictList, provider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	documents, err := UnitDocuments(parsedData, parsedData, provider)
	if err != nil {
		return nil, err
	}
	find := newFinder(documents, provider,
		func(d UnitDocument) *api.ResourceInfo { return &d.Info },
		func(UnitDocument) []api.ResourceName { return nil })
	p := &patcher{provider: provider, positional: true}
	rows := make(api.AttributeValueList, len(list))
	for i, c := range list {
		row := &rows[i]
		row.ResourceInfo, row.Path = completed(c.Resource, provider), c.Path
		row.AttributeName, row.DataType = api.AttributeNameNone, api.DataTypeYAML
		if c.Source.Value != "" && c.Source.MutationType != api.MutationTypeDelete {
			row.Value = strings.TrimSuffix(c.Source.Value, "\n")
		}
		row.Reason = c.Message() + " (" + string(c.Reason) + ")"
		at := find.find(&row.ResourceInfo, nil)
		if at < 0 {
			continue
		}
		place := p.work(
			&resourceChange{resource: documents[at].Info}, documents[at].YamlDoc, nil,
		).find(parseMutationPath(c.Path))
		if place.missing > 0 {
			place.value = place.in
		}
		if pos := place.value.Position(); pos.Line > 0 {
			row.Position = &pos
		}
	}
	return rows, nil
}
