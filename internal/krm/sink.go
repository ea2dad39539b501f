package krm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
)

// Sink returns the package at dir, which need not exist, and the changes that make its files have
// the items of a list, which came from the standard input. A file of which the list has no item
// stays as it is, and so do documents without a kind if the list has none. An item without a path gets the default one, for which it must have a kind and a
// name.
func Sink(ctx context.Context, dir string, items []*Item, o ReadOptions,
	provider configkit.ResourceProvider,
) (*Package, []*ChangedFile, error) {
	// A function that gives resources only has not deleted the other documents.
	o.All = slices.ContainsFunc(items, func(item *Item) bool {
		h, _ := item.Doc.Header()
		return h.Kind == ""
	})
	o.Kptfile = true
	p := &Package{Root: dir}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		if p, err = ReadPackage(ctx, dir, o); err != nil {
			return nil, nil, err
		}
	}
	named := map[string]bool{}
	var problems []error
	for i, item := range items {
		if h, _ := item.Doc.Header(); item.Path == "" &&
			(h.Kind == "" || h.Name+h.GenerateName == "") {
			problems = append(problems, &api.Failure{
				Class: api.FailureInput, Pos: api.Position{File: diag.Stdin},
				Message: fmt.Sprintf("document %d has neither a path nor a kind and a name", i),
				Hint:    "the annotation " + PathAnnotation + " says where it goes",
			})
			continue
		}
		if item.Path == "" {
			item.Path = DefaultPath("", item)
		}
		named[item.Path] = true
	}
	if err := errors.Join(problems...); err != nil {
		return nil, nil, err
	}
	var present []*Item
	for _, f := range p.Files {
		if named[f.Path] {
			present = append(present, f.Items()...)
		}
	}
	m := &itemMerger{provider: provider, sent: present, lenient: true, piped: true}
	merged, err := m.merge(items)
	p.Notes = m.notes
	if err == nil {
		err = (&StepResult{}).checkEncrypted(provider, present, make([]gaby.Mark, len(present)))
	}
	if err != nil {
		return nil, nil, err
	}
	changes, err := p.changes(merged, func(f *InputFile) bool { return named[f.Path] })
	return p, changes, err
}
