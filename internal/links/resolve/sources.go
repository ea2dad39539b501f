package resolve

import (
	"cmp"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
)

// Accumulate compares two states of a unit and adds what changed to sources. Every change gets the
// number of its mutation. With protect the changed values are protected from merges. It returns the
// new sources and the changes.
func Accumulate(
	x *functions.Executor, t api.ToolchainType, sources api.ResourceMutationList,
	before, after []byte, num int64, protected bool,
) (all, changes api.ResourceMutationList, err error) {
	changes, err = Diff(x, t, before, after, num)
	if err != nil {
		return nil, nil, err
	}
	if protected {
		protect(changes)
	}
	return mutation.Add(sources, changes, x.ResourceProvider(t)), changes, nil
}

// Diff returns what changed between two states of a unit. num is the index of every entry.
func Diff(
	x *functions.Executor, t api.ToolchainType, before, after []byte, num int64,
) (api.ResourceMutationList, error) {
	f, err := formatOf(x, t)
	if err != nil {
		return nil, err
	}
	return f.diff(before, after, num)
}

// diff returns what changed between two states of a unit. num is the index of every entry.
func (f format) diff(before, after []byte, num int64) (api.ResourceMutationList, error) {
	was, err := f.parse(before)
	is, errIs := f.parse(after)
	if err := cmp.Or(err, errIs); err != nil {
		return nil, err
	}
	list, err := mutation.Compute(was, is, int(num), f.provider)
	return slices.DeleteFunc(list, func(m api.ResourceMutation) bool {
		return m.ResourceMutationInfo.MutationType == api.MutationTypeNone
	}), err
}
