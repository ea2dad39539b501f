// Package wrap lets a program that only prints resources be a KRM function. The program gets the
// functionConfig as environment variables; what it prints is merged into the resources that exist.
//
// Invariants:
//
//   - The words of the program are passed as they are.
//   - What a user added to a generated resource stays; what the program prints wins.
//   - A second run with the same configuration changes nothing.
//   - Generated resources are in the directory of the functionConfig, so that the function sees
//     them again on the next run.
//
// Layer: systems.
package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/process"
)

// DefaultPattern is the pattern for the paths of generated resources.
const DefaultPattern = "config/%n_%k.yaml"

// Options say how a program is wrapped.
type Options struct {
	Command []string
	// Kind and Version are those of the list that the program reads; List and v1 if empty.
	Kind, Version string
	// Flags also passes the fields of spec as --key=value, and the items of the functionConfig as
	// arguments (xargs).
	Flags bool
	// Replace makes what the program prints the result as it is (xargs). Otherwise it is merged.
	Replace bool
	Pattern krm.PathPattern
	// Environ is the environment of the caller, as os.Environ returns it. KUST_MERGE=false appends
	// or replaces resources instead of merging, and the resources in the directory
	// KUST_OVERRIDE_DIR are merged last.
	Environ  []string
	Stderr   io.Writer
	Provider configkit.ResourceProvider
}

// Run runs the program on a list and edits the list. The error of a program that fails is a
// *process.ExitError or another error of package process.
func Run(ctx context.Context, list *krm.ResourceList, o Options) error {
	if len(o.Command) == 0 {
		return diag.Usage("the program is missing")
	}
	if list.FunctionConfig == nil {
		return diag.Usage("the ResourceList has no functionConfig")
	}
	output, err := o.execute(ctx, list)
	if err != nil {
		return err
	}
	printed, err := o.read(ctx, output)
	if err != nil {
		return err
	}
	for _, item := range printed.List.Items {
		if h, err := item.Doc.Header(); err != nil || h.Kind == "" || h.APIVersion == "" {
			return errors.Join(fmt.Errorf("%s printed a document without apiVersion or kind",
				o.Command[0]), err)
		}
	}
	switch {
	case o.Replace:
		err = o.replace(list, printed)
	case o.variable("KUST_MERGE") == "false":
		err = add(list, printed.List.Items, o.replaceItem)
	default:
		err = add(list, printed.List.Items, o.mergeInto)
	}
	if err == nil && !o.Replace {
		err = o.override(ctx, list)
	}
	if err != nil {
		return err
	}
	if !o.Replace {
		setPaths(list, cmp.Or(o.Pattern, DefaultPattern))
		slices.SortStableFunc(list.Items, func(a, b *krm.Item) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Index, b.Index))
		})
	}
	return nil
}

// execute runs the program and returns what it prints.
func (o *Options) execute(ctx context.Context, list *krm.ResourceList) ([]byte, error) {
	input, err := o.input(list)
	if err != nil {
		return nil, err
	}
	config := list.FunctionConfig.Value()
	words := slices.Clone(o.Command[1:])
	if o.Flags {
		words = append(words, flagsOf(config)...)
	}
	program, err := exec.LookPath(o.Command[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, process.StartProblem(o.Command[0], err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p := &process.Program{Path: program, AnyDir: true}
	out, err := p.Run(ctx, process.Call{
		Function: o.Command[0], Stdin: input, Args: words, Dir: dir,
		Env:    slices.Concat(o.Environ, environment(config)),
		Limits: process.Limits{Time: -1, Memory: -1},
	})
	if len(out.Stderr) > 0 && o.Stderr != nil {
		if _, problem := o.Stderr.Write(out.Stderr); err == nil {
			err = problem
		}
	}
	return out.Stdout, err
}

// read reads what the program printed.
func (o *Options) read(ctx context.Context, output []byte) (*krm.Stream, error) {
	if err := limit.GrowTree(ctx, output); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Command[0], err)
	}
	name := "<output of " + filepath.Base(o.Command[0]) + ">"
	docs, err := gaby.ParseAll(output)
	if err != nil {
		return nil, diag.Input(name, "", err)
	}
	for _, doc := range docs {
		if err := doc.Check(); err != nil {
			return nil, diag.Input(name, "", err)
		}
	}
	return krm.ReadStream(output, name)
}

// input returns the list as the program reads it.
func (o *Options) input(list *krm.ResourceList) ([]byte, error) {
	text, err := list.Bytes()
	if err != nil {
		return nil, err
	}
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		_, err = doc.Set(cmp.Or(o.Kind, "List"), "kind")
	}
	if err == nil {
		_, err = doc.Set(cmp.Or(o.Version, "v1"), "apiVersion")
	}
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// variable returns a variable of the caller's environment.
func (o *Options) variable(name string) string {
	for _, v := range slices.Backward(o.Environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// replace makes what the program printed the items.
func (o *Options) replace(list *krm.ResourceList, printed *krm.Stream) error {
	items := make([]*krm.Item, len(printed.List.Items))
	for i, item := range printed.List.Items {
		fresh, err := fresh(item)
		if err != nil {
			return err
		}
		items[i] = fresh
	}
	list.Items = items
	return nil
}

// fresh returns a copy of an item that the program printed, without annotations for its path.
func fresh(item *krm.Item) (*krm.Item, error) {
	text := krm.Unwrap([]*krm.Item{item})
	return krm.NewItem(text, item.Path, item.Index)
}

// index has the first item of each type, namespace and name.
type index map[gaby.Header]*krm.Item

// indexOf returns the index of the items of a list.
func indexOf(list *krm.ResourceList) index {
	x := make(index, len(list.Items))
	for _, item := range list.Items {
		x.add(item)
	}
	return x
}

func (x index) add(item *krm.Item) {
	if h, err := item.Doc.Header(); err == nil && x[h] == nil {
		x[h] = item
	}
}

// find returns the item with the type, namespace and name of another one, nil for none.
func (x index) find(item *krm.Item) *krm.Item {
	h, err := item.Doc.Header()
	if err != nil {
		return nil
	}
	return x[h]
}

// add adds items, and calls change for those with the name of an existing item.
func add(list *krm.ResourceList, printed []*krm.Item, change func(have, item *krm.Item) error,
) error {
	existing := indexOf(list)
	for _, item := range printed {
		if have := existing.find(item); have != nil {
			if err := change(have, item); err != nil {
				return fmt.Errorf("%s: %w", have, err)
			}
			continue
		}
		added, err := fresh(item)
		if err != nil {
			return err
		}
		arrange(added.Doc)
		list.Items = append(list.Items, added)
		existing.add(added)
	}
	return nil
}

// replaceItem makes an existing item what the program printed.
func (o *Options) replaceItem(have, item *krm.Item) error {
	return have.Update(item.Doc, o.Provider)
}

// mergeInto merges what the program printed into an existing item.
func (o *Options) mergeInto(have, item *krm.Item) error {
	h, err := have.Doc.Header()
	if err != nil {
		return err
	}
	m := &resourceMerger{doc: have.Doc}
	keys := o.Provider.MergeKeys(api.ResourceType(h.APIVersion + "/" + h.Kind))
	return m.value(nil, have.Doc.Value(), item.Doc.Value(), keys)
}

// override merges the resources of KUST_OVERRIDE_DIR.
func (o *Options) override(ctx context.Context, list *krm.ResourceList) error {
	dir := o.variable("KUST_OVERRIDE_DIR")
	if dir == "" {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.y*ml"))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if _, err := os.Stat(dir); err != nil {
			return diag.Input(diag.FileName(dir), "", err)
		}
	}
	existing := indexOf(list)
	for _, file := range found {
		text, err := files.ReadFile(ctx, file)
		if err != nil {
			return diag.Input(diag.FileName(file), "", err)
		}
		stream, err := krm.ReadStream(text, diag.FileName(file))
		if err != nil {
			return err
		}
		for _, patch := range stream.List.Items {
			have := existing.find(patch)
			if have == nil {
				return diag.Input(diag.FileName(file), "", fmt.Errorf(
					"%s is not among the resources, so it cannot be changed", patch))
			}
			if err := o.mergeInto(have, patch); err != nil {
				return diag.Input(diag.FileName(file), "", err)
			}
		}
	}
	return nil
}

// setPaths gives items without a path one, below the directory of the functionConfig.
func setPaths(list *krm.ResourceList, pattern krm.PathPattern) {
	dir := path.Dir(cmp.Or(krm.Annotation(list.FunctionConfig, krm.PathAnnotation),
		krm.Annotation(list.FunctionConfig, krm.LegacyPathAnnotation)))
	next := map[string]int{}
	for _, item := range list.Items {
		next[item.Path] = max(next[item.Path], item.Index+1)
	}
	for _, item := range list.Items {
		if item.Path == "" {
			item.Path = pattern.Path(dir, item)
			item.Index = next[item.Path]
			next[item.Path]++
		}
	}
}
