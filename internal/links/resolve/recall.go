package resolve

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// mostRecalled is in how many states of an upstream unit the values of a unit are looked for.
const mostRecalled = 17

// recall binds values that a link without a record has written: git has its data, and not its
// bindings. A value is taken for bound if one state of the upstream unit, the newest
// first, provides it, and no other resource of that state.
func (b *binder) recall(o *owner) error {
	if !b.in.Recall || o.link == nil || !o.link.Unrecorded || o.link.UseLiveState {
		return nil
	}
	b.index()
	left := slices.DeleteFunc(slices.Clone(b.open), func(n *need) bool {
		_, bound := b.bound[valueKey(&n.info, n.path)]
		return n.open() || bound || b.skips(n.path) || n.isPart()
	})
	provisions := o.provisions
	last := o.source.version
	for num := last; num > 0 && num > last-mostRecalled && len(left) > 0; num-- {
		if num < last {
			data, err := o.source.up.At(num, false)
			if err != nil {
				return nil //nolint:nilerr // what is older is not known here
			}
			docs, err := b.filtered(o.link, o.source.format, data)
			if err != nil {
				continue // upstream was not valid then
			}
			if provisions, err = o.source.provisionsOf(docs, o); err != nil {
				return err
			}
		}
		left = slices.DeleteFunc(left, func(n *need) bool {
			from := b.providersOf(n, provisions)
			if len(from) == 1 {
				b.bindings[o.id()] = append(b.bindings[o.id()], recalled(n, from[0]))
				b.dirty[o.id()] = true
			}
			return len(from) > 0
		})
	}
	return nil
}

// providersOf returns the provisions that supply the value of a need.
func (b *binder) providersOf(n *need, provisions []*provision) (from []*provision) {
	for _, p := range provisions {
		value, err := convert(p.value, n.dataType)
		if err == nil && equalScalars(value, n.value) && p.satisfies(n) {
			from = append(from, p)
		}
	}
	return from
}

// recalled returns the binding that has written the value of a need.
func recalled(n *need, p *provision) entity.Binding {
	var original any = configkit.PlaceholderString
	if n.dataType == api.DataTypeInt {
		original = configkit.PlaceholderInt
	}
	needed, provided := n.info, p.info
	return entity.Binding{
		AttributeName: string(n.name), DataType: n.dataType, ProvidedResource: &provided,
		ProvidedPath: p.path, NeededResource: &needed, NeededPath: n.path, AutoUpdate: true,
		OriginalValue: original, LastValue: n.value,
	}
}
