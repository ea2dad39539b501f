package krm

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/strict"
)

// The annotations that declare a function, in the order in which they count.
const (
	functionAnnotation       = "config.kubernetes.io/function"
	legacyFunctionAnnotation = "config.k8s.io/function"
	containerAnnotation      = "config.kubernetes.io/container"
)

// Declared is how a resource or a pipeline says that a function is run. Exactly one of Image, Exec
// and Builtin is set.
type Declared struct {
	Image   string
	Network bool
	Mounts  []process.Mount
	Exec    string
	Args    []string
	Envs    []string
	Builtin string // the name of one of fctl's own functions

	DeferFailure bool
	// Version is the version of the ResourceList that a function of this kind expects.
	Version string
	// Direct says that the command line declares it: a path of a program is relative to the working
	// directory and may be anywhere.
	Direct bool
	// Dir is the directory of the file that declares it, relative to the root. Tag is a version or
	// a range of versions of the image.
	Dir, Tag string
}

// Name returns the name of the function in messages.
func (d *Declared) Name() string {
	switch {
	case d.Image != "":
		return d.Image
	case d.Builtin != "":
		return d.Builtin
	}
	return strings.Join(append([]string{d.Exec}, d.Args...), " ")
}

// Declaration returns the function that a resource declares, nil if it declares none.
func Declaration(item *Item) (*Declared, error) {
	doc := item.Doc
	if !doc.MayContain("config.k") && !doc.MayContain("configFn") {
		return nil, nil
	}
	if err := doc.Check(); err != nil {
		return nil, item.located(err)
	}
	r := item.reader()
	r.Resource = item.name()
	declared := declaration(r, doc)
	if declared != nil {
		declared.Dir = path.Dir(item.Path)
	}
	return declared, diag.List(r.Failures()).Err()
}

func declaration(r *strict.Reader, doc *gaby.YamlDoc) *Declared {
	root := doc.Value()
	for _, key := range []string{functionAnnotation, legacyFunctionAnnotation} {
		v := annotations(doc).Get(key)
		if !v.Exists() {
			continue
		}
		return fromAnnotation(r, v, key)
	}
	if top := root.Get("configFn"); top.Exists() && root.Get("kind").Exists() {
		r.Report(top.KeyPosition(), "", "configFn belongs into metadata: metadata.configFn")
		return nil
	}
	if fn := root.Get("metadata").Get("configFn"); fn.Exists() {
		d := declared(r.Value(fn, ""))
		d.Version = V1Alpha1
		return d
	}
	v := annotations(doc).Get(containerAnnotation)
	switch {
	case !v.Exists():
		return nil
	case v.Text() == "":
		r.Report(v.Position(), "", "annotation %s: the image is missing", containerAnnotation)
	}
	return &Declared{Image: v.Text(), Version: V1Alpha1}
}

// fromAnnotation reads the YAML in an annotation. Its problems are at the annotation.
func fromAnnotation(r *strict.Reader, annotation gaby.Value, key string) *Declared {
	own := &strict.Reader{}
	var d *Declared
	if v := own.Document([]byte(annotation.Text())); own.Count() == 0 {
		d = declared(v)
	}
	for _, p := range own.Problems() {
		f := p.Failure
		at := r.Report(annotation.Position(), f.Hint, "annotation %s: line %d: %s", key,
			f.Pos.Line, f.Message)
		at.Kind, at.Failure.Class = p.Kind, f.Class
	}
	return d
}

// declared reads a declaration.
func declared(v strict.Value) *Declared {
	d := &Declared{}
	ways := 0
	way := func(name string, read func(strict.Value)) strict.Field {
		return strict.Field{Name: name, Read: func(v strict.Value) {
			if ways++; ways > 1 {
				v.FailKey("", "only one of container and exec can be declared")
			}
			read(v)
		}}
	}
	isMap := v.Object("a declaration",
		way("container", d.container), way("exec", d.exec),
		way("starlark", func(v strict.Value) {
			v.FailKey("", "starlark is not supported here; the image starlark runs a program")
		}),
		strict.Bool("deferFailure", &d.DeferFailure))
	if isMap && ways == 0 {
		v.Fail("", "container or exec is missing")
	}
	return d
}

func (d *Declared) container(v strict.Value) {
	v.Object("a container",
		strict.Need(strict.To("image", &d.Image, strict.Value.Scalar)),
		strict.To("network", &d.Network, func(v strict.Value) (network bool) {
			if v.Kind() != gaby.Map {
				return v.Bool()
			}
			// the oldest form
			v.Object("a network", strict.Bool("required", &network))
			return network
		}),
		strict.List("mounts", &d.Mounts, mount),
		scalars("envs", &d.Envs), strict.Field{Name: "env"})
}

func mount(v strict.Value) process.Mount {
	var m process.Mount
	v.Object("a mount",
		strict.To("type", &m.Type, strict.Value.Scalar),
		strict.To("src", &m.Source, strict.Value.Scalar),
		strict.To("source", &m.Source, strict.Value.Scalar),
		strict.To("dst", &m.Target, strict.Value.Scalar),
		strict.To("target", &m.Target, strict.Value.Scalar),
		strict.Bool("rw", &m.ReadWrite))
	return m
}

func (d *Declared) exec(v strict.Value) {
	v.Object("an exec", strict.Need(strict.To("path", &d.Exec, strict.Value.Scalar)),
		scalars("args", &d.Args), scalars("envs", &d.Envs))
}

func scalars(name string, to *[]string) strict.Field {
	return strict.List(name, to, strict.Value.Scalar)
}

// DeclaredStep is a function that an item declares.
type DeclaredStep struct {
	Item     *Item
	Declared *Declared
}

// Declarations returns the functions that the items declare, in the order in which they run: those
// in deeper directories first, then by directory, file and index.
func Declarations(items []*Item) ([]DeclaredStep, error) {
	var steps []DeclaredStep
	var problems []error
	for _, item := range items {
		d, err := Declaration(item)
		if err != nil {
			problems = append(problems, err)
		} else if d != nil {
			steps = append(steps, DeclaredStep{item, d})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(steps, func(a, b DeclaredStep) int {
		return compareScopes(a.Item, b.Item)
	})
	return steps, nil
}

// scopeDir returns the directory whose resources a function in a file gets: that of the file, or
// the one above a directory called functions.
func scopeDir(file string) string {
	dir := path.Dir(file)
	if path.Base(dir) == "functions" {
		dir = path.Dir(dir)
	}
	return dir
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// compareScopes orders functions by where they are declared.
func compareScopes(a, b *Item) int {
	dirA, dirB := scopeDir(a.Path), scopeDir(b.Path)
	if a.Path == "" || b.Path == "" {
		return strings.Compare(b.Path, a.Path)
	}
	for _, order := range []int{
		depth(dirB) - depth(dirA), strings.Compare(dirA, dirB), strings.Compare(a.Path, b.Path),
		a.Index - b.Index,
	} {
		if order != 0 {
			return order
		}
	}
	return 0
}

// Scope returns which items a function gets that is declared in a file: those in its directory and
// below. A function without a file and one in the root get all.
func Scope(file string) func(*Item) bool {
	dir := scopeDir(file)
	if file == "" || dir == "." {
		return nil
	}
	return func(item *Item) bool { return item.Path != "" && below(item.Path, dir) }
}
