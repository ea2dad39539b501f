package catalog

import (
	"context"
	"slices"

	"github.com/fctl-dev/fctl/internal/krm"
)

const docNoConfig = "The function has no functionConfig."

func removeLocalConfig(_ context.Context, list *krm.ResourceList) error {
	list.Items = slices.DeleteFunc(slices.Clone(list.Items), func(item *krm.Item) bool {
		return krm.IsLocalConfig(item.Doc)
	})
	return nil
}
