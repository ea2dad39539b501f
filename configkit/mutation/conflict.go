package mutation

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// ConflictRows returns one row per conflict, in order. The value is the YAML to be set, or nil if
// there is none. The position is that of the path in the unit or, if the path leads nowhere, of the
// closest value around it. Conflicts about resources that the unit lacks have no position.
func ConflictRows(
	docs gaby.Container, list api.MutationConflictList, provider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	documents, err := Documents(docs, docs, provider)
	if err != nil {
		return nil, err
	}
	find := newDocumentFinder(documents, provider)
	// Only to follow paths: nothing is applied.
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
		i := find.Find(&row.ResourceInfo, nil)
		if i < 0 {
			continue
		}
		work := p.work(&resourceChange{resource: documents[i].Info}, documents[i].YamlDoc, nil)
		at := work.find(mutationpath.Parse(c.Path))
		if at.missing > 0 {
			at.value = at.in
		}
		if pos := at.value.Position(); pos.Line > 0 {
			row.Position = &pos
		}
	}
	return rows, nil
}
