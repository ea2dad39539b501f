package catalog

import (
	"context"

	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

const docNoConfig = "The function has no functionConfig."

func removeLocalConfig(_ context.Context, list *krm.ResourceList) error {
	var kept, pruned []*krm.Item
	for _, item := range list.Items {
		if krm.IsLocalConfig(item.Doc) {
			pruned = append(pruned, item)
		} else {
			kept = append(kept, item)
		}
	}
	if len(pruned) == 0 {
		list.Results = append(list.Results, fnresult.Result{
			Message:  "Found no resources to prune with the local config annotation",
			Severity: fnresult.SeverityWarning,
		})
		return nil
	}
	info(list, "Number of resources pruned: %d", len(pruned))
	for _, item := range pruned {
		h, _ := item.Doc.Header() // it was read to find the annotation
		report(list, item, fnresult.SeverityInfo, nil, "Resource name: [%s]", h.Name)
	}
	list.Items = kept
	return nil
}
