package krm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// ChangedFile is a file that differs from what was read.
type ChangedFile struct {
	Path   string
	Before []byte   // nil for a new file
	After  [][]byte // nil for a deleted file
	// Deletes is the number of resources that are removed from the file.
	Deletes int

	gets bool       // resources of other files
	file *InputFile // nil for a new file
}

// IsNew reports whether the file does not exist yet.
func (c *ChangedFile) IsNew() bool { return c.file == nil }

// IsDeleted reports whether the file is deleted.
func (c *ChangedFile) IsDeleted() bool { return c.After == nil }

// phase is the order in which changes are made: files that get resources, other files, deletions,
// and the Kptfile of the root, whose status is about all of them.
func (c *ChangedFile) phase() int {
	switch {
	case c.IsDeleted():
		return 2
	case c.gets || c.IsNew():
		return 0
	case c.Path == KptfileName:
		return 3
	}
	return 1
}

// Name returns the name of the file in messages.
func (c *ChangedFile) Name(p *Package) string {
	if c.file != nil {
		return c.file.Name
	}
	return fileName(p.Root, c.Path)
}

// Changes returns what must be written so that the package has exactly these items, in order of
// paths. It checks the paths of items that are new or were moved. Documents that are not items
// stay.
func (p *Package) Changes(items []*Item) ([]*ChangedFile, error) {
	return p.changes(items, func(*InputFile) bool { return true })
}

// Between returns the changes that make of the files after some changes of the package those after
// others. Lines in another order that have the same values do not count: many programs sort keys.
func (p *Package) Between(some, others []*ChangedFile) []*ChangedFile {
	type sides struct {
		before []byte
		after  [][]byte
	}
	differ := map[string]*sides{}
	of := func(path string) *sides {
		s := differ[path]
		if s == nil {
			s = &sides{}
			if f := p.file(path); f != nil {
				s.before, s.after = f.data, [][]byte{f.data}
			}
			differ[path] = s
		}
		return s
	}
	for _, c := range some {
		of(c.Path).before = slices.Concat(c.After...)
	}
	for _, c := range others {
		of(c.Path).after = c.After
	}
	var changes []*ChangedFile
	for path, s := range differ {
		if sameLines(s.before, slices.Concat(s.after...)) {
			continue
		}
		c := &ChangedFile{Path: path, Before: s.before, After: s.after}
		if s.before != nil {
			c.file = &InputFile{Path: path, Name: fileName(p.Root, path)}
		}
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b *ChangedFile) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// sameLines reports whether two texts have the same values, and the same lines in any order.
func sameLines(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	sorted := func(text []byte) []string {
		lines := strings.Split(string(text), "\n")
		slices.Sort(lines)
		return lines
	}
	some, err := gaby.ParseAll(a)
	others, otherErr := gaby.ParseAll(b)
	return err == nil && otherErr == nil && slices.Equal(sorted(a), sorted(b)) &&
		slices.EqualFunc(some, others, func(x, y *gaby.YamlDoc) bool {
			return x.Value().Equal(y.Value())
		})
}

// changes is Changes for the files that owned selects and for new ones. Other files stay.
func (p *Package) changes(items []*Item, owned func(*InputFile) bool) ([]*ChangedFile, error) {
	var problems []error
	byPath := map[string][]*Item{}
	kept := make(map[*gaby.YamlDoc]bool, len(items))
	for _, item := range items {
		kept[item.Doc] = true
		if item.file == nil || item.Path != item.file.Path {
			if err := p.checkPath(item); err != nil {
				problems = append(problems, err)
				continue
			}
		}
		byPath[item.Path] = append(byPath[item.Path], item)
	}
	type target struct {
		path  string
		file  *InputFile
		items []*Item
	}
	var targets []target
	for _, f := range p.Files {
		if owned(f) {
			targets = append(targets, target{f.Path, f, byPath[f.Path]})
			for i, item := range f.items {
				if item == nil {
					kept[f.docs[i]] = true
				}
			}
		}
		delete(byPath, f.Path)
	}
	for path, items := range byPath {
		targets = append(targets, target{path, nil, items})
	}
	found, failed := make([]*ChangedFile, len(targets)), make([]error, len(targets))
	_ = parallel.Each(context.Background(), len(targets), parallel.Cores(), func(i int) error {
		t := targets[i]
		found[i], failed[i] = fileChange(t.path, t.file, t.items, kept)
		return nil
	})
	changes := slices.DeleteFunc(found, func(c *ChangedFile) bool { return c == nil })
	problems = append(problems, slices.DeleteFunc(failed, func(e error) bool {
		return e == nil
	})...)
	slices.SortFunc(changes, func(a, b *ChangedFile) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return changes, errors.Join(problems...)
}

// fileChange returns the change of one file, nil if it stays as it is. f is nil for a new file.
// kept are the documents that are in some file afterwards.
func fileChange(path string, f *InputFile, items []*Item, kept map[*gaby.YamlDoc]bool,
) (*ChangedFile, error) {
	if f != nil && sameItems(f, items) {
		return nil, nil
	}
	entries, err := arrange(f, items)
	if err != nil {
		return nil, err
	}
	c := &ChangedFile{Path: path, file: f, gets: slices.ContainsFunc(items, func(item *Item) bool {
		return item.file != f
	})}
	if f != nil {
		c.Before = f.data
		for _, item := range f.items {
			if item != nil && !kept[item.Doc] {
				c.Deletes++
			}
		}
	}
	if strings.HasSuffix(path, ".json") {
		c.After, err = jsonText(f, entries, kept)
		if err != nil {
			return nil, err
		}
	} else {
		c.After = f.text(entries, kept)
	}
	if len(c.After) == 0 {
		c.After = nil
	} else if f != nil && gaby.SameChunks(c.After, f.data) {
		return nil, nil
	}
	return c, nil
}

// sameItems reports whether a file has these items, unchanged.
func sameItems(f *InputFile, items []*Item) bool {
	k := 0
	for i, item := range f.items {
		if item == nil {
			continue
		}
		if k >= len(items) || items[k] != item || item.Index != i || item.Doc.Changed() {
			return false
		}
		k++
	}
	return k == len(items)
}

// arrange returns the documents of a file in order: those that are not items keep their position.
// Items without an index come last, and so do new ones with the index of a document that is not an
// item.
func arrange(f *InputFile, items []*Item) ([]fileDocument, error) {
	var entries []fileDocument
	last := -1
	taken := map[int]bool{}
	if f != nil {
		for i, doc := range f.docs {
			if f.items[i] == nil {
				entries = append(entries, fileDocument{doc: doc, index: i})
				last, taken[i] = i, true
			}
		}
	}
	for _, item := range items {
		last = max(last, item.Index)
	}
	for _, item := range items {
		// A function does not know documents that are not items, such as one of comments.
		if item.Index < 0 || item.file != f && taken[item.Index] {
			last++
			item.Index = last
		}
		entries = append(entries, fileDocument{doc: item.Doc, item: item, index: item.Index})
	}
	slices.SortStableFunc(
		entries,
		func(a, b fileDocument) int { return cmp.Compare(a.index, b.index) },
	)
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1].item, entries[i].item
		if a != nil && b != nil && a.Index == b.Index {
			f := fault(
				b.name(),
				"a resource at path %q and index %d already exists",
				b.Path,
				b.Index,
			)
			f.Hint = "an item without the index annotation is appended to the file"
			return nil, f
		}
	}
	return entries, nil
}

// jsonText returns the text of a JSON file: one document, or one list of resources. A new document
// is written as JSON.
func jsonText(f *InputFile, entries []fileDocument, kept map[*gaby.YamlDoc]bool) ([][]byte, error) {
	text := f.text(entries, kept)
	switch {
	case len(entries) == 0 || json.Valid(bytes.Join(text, nil)):
		return text, nil
	case len(entries) > 1:
		return nil, fault(entries[1].item.name(), "a JSON file cannot have a second resource")
	case f != nil && !json.Valid(f.data):
		return text, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(entries[0].doc.Data()); err != nil {
		return nil, err
	}
	return [][]byte{b.Bytes()}, nil
}
