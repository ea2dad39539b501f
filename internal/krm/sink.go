package krm

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/fctl-dev/fctl/configkit"
)

// Sink returns the package at dir, which need not exist, and the changes that make its files have
// the items of a list. A file of which the list has no item stays as it is. An item without a path
// gets the default one.
func Sink(ctx context.Context, dir string, items []*Item, o ReadOptions,
	provider configkit.ResourceProvider,
) (*Package, []*Change, error) {
	o.All, o.Kptfile = true, true
	p := &Package{Root: dir}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		if p, err = ReadPackage(ctx, dir, o); err != nil {
			return nil, nil, err
		}
	}
	named := map[string]bool{}
	for _, item := range items {
		if item.Path == "" {
			item.Path = DefaultPath("", item)
		}
		named[item.Path] = true
	}
	var present []*Item
	for _, f := range p.Files {
		if named[f.Path] {
			present = append(present, f.Items()...)
		}
	}
	m := &merger{provider: provider, sent: present, lenient: true}
	merged, err := m.merge(items)
	if err != nil {
		return nil, nil, err
	}
	changes, err := p.changes(merged, func(f *File) bool { return named[f.Path] })
	return p, changes, err
}
