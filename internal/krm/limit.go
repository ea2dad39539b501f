package krm

import (
	"context"

	"github.com/fctl-dev/fctl/internal/process"
)

// limited returns a Go function with the limit of time that programs have, and with the directory
// of the resources. The list is only written if the function returned; its items are the function's
// as long as it runs.
func (e *Executors) limited(function Function) Function {
	return func(ctx context.Context, list *ResourceList) error {
		list.Root = e.Root
		work := *list
		done, err := process.Limited(ctx, e.Limits.Time,
			func(ctx context.Context) (*ResourceList, error) {
				err := callFunction(ctx, function, &work)
				return &work, err
			})
		if done != nil {
			*list = *done
		}
		return err
	}
}
