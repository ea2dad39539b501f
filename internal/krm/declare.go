package krm

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/runtime"
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
	Mounts  []runtime.Mount
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
	declared, err := declaration(doc)
	if err != nil {
		return nil, item.locatedByName(err)
	}
	if declared != nil {
		declared.Dir = path.Dir(item.Path)
	}
	return declared, nil
}

func declaration(doc *gaby.YamlDoc) (*Declared, error) {
	root := doc.Value()
	for _, key := range []string{functionAnnotation, legacyFunctionAnnotation} {
		v := annotations(doc).Get(key)
		if !v.Exists() {
			continue
		}
		d, err := fromAnnotation(v)
		if err != nil {
			return nil, at(v.Position(), "annotation %s: %w", key, err)
		}
		return d, nil
	}
	if top := root.Get("configFn"); top.Exists() && root.Get("kind").Exists() {
		return nil, at(top.KeyPosition(), "configFn belongs into metadata: metadata.configFn")
	}
	if fn := root.Get("metadata").Get("configFn"); fn.Exists() {
		d, err := strict{}.declared(fn)
		if err != nil {
			return nil, err
		}
		d.Version = V1Alpha1
		return d, nil
	}
	if v := annotations(doc).Get(containerAnnotation); v.Exists() {
		if v.Text() == "" {
			return nil, at(v.Position(), "annotation %s: the image is missing", containerAnnotation)
		}
		return &Declared{Image: v.Text(), Version: V1Alpha1}, nil
	}
	return nil, nil
}

// fromAnnotation parses the YAML in an annotation.
func fromAnnotation(v gaby.Value) (*Declared, error) {
	doc, err := gaby.ParseYAML([]byte(v.Text()))
	if err != nil {
		return nil, err
	}
	if err := doctext.UniqueKeys(doc.Value()); err != nil {
		return nil, err
	}
	d, err := strict{}.declared(doc.Value())
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		return nil, fmt.Errorf("line %d: %s", syntax.Pos.Line, syntax.Msg)
	}
	return d, err
}

// strict reads values and rejects what it does not know.
type strict struct{}

// declared reads a declaration.
func (s strict) declared(v gaby.Value) (*Declared, error) {
	d := &Declared{}
	container, exec, starlark := v.Get("container"), v.Get("exec"), v.Get("starlark")
	if err := s.keys(v, "container", "exec", "starlark", "deferFailure"); err != nil {
		return nil, err
	}
	ways := 0
	for _, way := range []gaby.Value{container, exec, starlark} {
		if way.Exists() {
			ways++
		}
	}
	var err error
	switch {
	case ways > 1:
		return nil, at(v.Position(), "only one of container and exec can be declared")
	case starlark.Exists():
		return nil, at(starlark.KeyPosition(), "starlark is not supported here; "+
			"the image starlark runs a program")
	case container.Exists():
		err = s.container(container, d)
	case exec.Exists():
		err = s.exec(exec, d)
	default:
		return nil, at(v.Position(), "container or exec is missing")
	}
	if err != nil {
		return nil, err
	}
	d.DeferFailure, err = s.boolean(v.Get("deferFailure"))
	return d, err
}

func (s strict) container(v gaby.Value, d *Declared) error {
	if err := s.keys(v, "image", "network", "mounts", "envs", "env"); err != nil {
		return err
	}
	d.Image = text(v.Get("image"))
	if d.Image == "" {
		return at(v.Position(), "container has no image")
	}
	// the oldest form is network: {required: true}
	network, err := v.Get("network"), error(nil)
	if network.Kind() == gaby.Map {
		if err := s.keys(network, "required"); err != nil {
			return err
		}
		network = network.Get("required")
	}
	if d.Network, err = s.boolean(network); err != nil {
		return err
	}
	if d.Envs, err = s.texts(v.Get("envs")); err != nil {
		return err
	}
	mounts := v.Get("mounts")
	if mounts.Exists() && mounts.Kind() != gaby.List && !mounts.IsNull() {
		return at(mounts.Position(), "mounts must be a list")
	}
	for m := range mounts.Entries() {
		if err := s.keys(m, "type", "src", "source", "dst", "target", "rw"); err != nil {
			return err
		}
		rw, err := s.boolean(m.Get("rw"))
		if err != nil {
			return err
		}
		mount := runtime.Mount{
			Type: text(m.Get("type")), Source: text(m.Get("src")) + text(m.Get("source")),
			Target: text(m.Get("dst")) + text(m.Get("target")), ReadWrite: rw,
		}
		d.Mounts = append(d.Mounts, mount)
	}
	return nil
}

func (s strict) exec(v gaby.Value, d *Declared) error {
	if err := s.keys(v, "path", "args", "envs"); err != nil {
		return err
	}
	if d.Exec = text(v.Get("path")); d.Exec == "" {
		return at(v.Position(), "exec has no path")
	}
	var err error
	if d.Args, err = s.texts(v.Get("args")); err != nil {
		return err
	}
	d.Envs, err = s.texts(v.Get("envs"))
	return err
}

// keys returns an error if v is not a map or has a key other than those known.
func (s strict) keys(v gaby.Value, known ...string) error {
	if v.IsNull() {
		return nil
	}
	if v.Kind() != gaby.Map {
		return at(v.Position(), "a map is expected")
	}
	for c := v.First(); c.Exists(); c = c.Next() {
		if !slices.Contains(known, c.Key()) {
			return at(c.KeyPosition(), "unknown field %q; known are %s", c.Key(),
				strings.Join(known, ", "))
		}
	}
	return nil
}

func (s strict) boolean(v gaby.Value) (bool, error) {
	if !v.Exists() || v.IsNull() {
		return false, nil
	}
	b, ok := v.Data().(bool)
	if !ok {
		return false, at(v.Position(), "true or false is expected")
	}
	return b, nil
}

func (s strict) texts(v gaby.Value) ([]string, error) {
	if !v.Exists() || v.IsNull() {
		return nil, nil
	}
	if v.Kind() != gaby.List {
		return nil, at(v.Position(), "a list is expected")
	}
	var list []string
	for c := range v.Entries() {
		if c.Kind() != gaby.Scalar {
			return nil, at(c.Position(), "a string is expected")
		}
		list = append(list, c.Text())
	}
	return list, nil
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
