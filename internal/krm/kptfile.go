package krm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/shellwords"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/runtime/functionconfig"
)

// The annotations of a Kptfile that change how it is rendered.
const (
	parentsFirstAnnotation  = "kpt.dev/bfs-rendering"
	saveOnFailureAnnotation = "kpt.dev/save-on-render-failure"
)

// kptPackage is a directory with a Kptfile, and the packages below it.
type kptPackage struct {
	dir     string // relative to the root, "." for the root
	kptfile *Item
	items   []*Item // its own, without those of the packages below
	below   []*kptPackage

	mutators, validators []*pipelineFunction
}

// pipelineFunction is an entry of a pipeline.
type pipelineFunction struct {
	declared           *Declared
	name               string
	at                 gaby.Position
	configPath         string
	configMap          gaby.Value
	configRef          *Selector
	selectors, exclude []Selector
	files              *regexp.Regexp
	when               string
	whenAt             gaby.Position
	whenKey            string // when or condition

	step      *Step
	condition func(context.Context, []*Item) (bool, error)
}

// kptPackages returns the tree of packages of some items. Items outside of the packages are those
// of the root.
func kptPackages(items []*Item) (*kptPackage, error) {
	byDir := map[string]*kptPackage{}
	var dirs []string
	for _, item := range items {
		if path.Base(item.Path) != KptfileName {
			continue
		}
		dir := path.Dir(item.Path)
		if byDir[dir] != nil {
			return nil, item.located(errors.New("a Kptfile is one resource"))
		}
		byDir[dir] = &kptPackage{dir: dir, kptfile: item}
		dirs = append(dirs, dir)
	}
	root := byDir["."]
	if root == nil {
		return nil, errors.New("the directory has no Kptfile")
	}
	slices.Sort(dirs)
	nearest := func(dir string) *kptPackage {
		for {
			if p := byDir[dir]; p != nil {
				return p
			}
			dir = path.Dir(dir)
		}
	}
	for _, dir := range dirs {
		if dir != "." {
			above := nearest(path.Dir(dir))
			above.below = append(above.below, byDir[dir])
		}
	}
	for _, item := range items {
		p := nearest(path.Dir(item.Path))
		p.items = append(p.items, item)
	}
	return root, nil
}

// readPipelines reads the pipelines of the package and of those below it.
func (p *kptPackage) readPipelines() error {
	problems := []error{p.readPipeline()}
	for _, sub := range p.below {
		problems = append(problems, sub.readPipelines())
	}
	return errors.Join(problems...)
}

// readPipeline reads the pipeline of the Kptfile. Fields that are not known are errors.
func (p *kptPackage) readPipeline() error {
	doc := p.kptfile.Doc
	if err := doc.Check(); err != nil {
		return p.kptfile.located(err)
	}
	root := doc.Value()
	if err := doctext.UniqueKeys(root); err != nil {
		return p.kptfile.located(err)
	}
	if kind := root.Get("kind"); !kind.EqualText(KptfileName) {
		return p.kptfile.located(at(kind.Position(), "the kind of a Kptfile is Kptfile, not %q",
			kind.Text()))
	}
	if v := root.Get("apiVersion"); !v.EqualText("kpt.dev/v1") && !v.EqualText("kpt.dev/v1alpha2") {
		return p.kptfile.located(at(v.Position(),
			"the apiVersion %q of the Kptfile is not supported; kpt.dev/v1 is", v.Text()))
	}
	if err := (strict{}).keys(root, "apiVersion", "kind", "metadata", "upstream", "upstreamLock",
		"pipeline", "info", "inventory", "status"); err != nil {
		return p.kptfile.located(err)
	}
	pipeline := root.Get("pipeline")
	if !pipeline.Exists() || pipeline.IsNull() {
		return nil
	}
	if err := (strict{}).keys(pipeline, "mutators", "validators"); err != nil {
		return p.kptfile.located(err)
	}
	var problems []error
	for _, list := range []struct {
		key string
		to  *[]*pipelineFunction
	}{{"mutators", &p.mutators}, {"validators", &p.validators}} {
		v := pipeline.Get(list.key)
		if v.Exists() && !v.IsNull() && v.Kind() != gaby.List {
			problems = append(problems, p.kptfile.located(at(v.Position(), "%s must be a list",
				list.key)))
			continue
		}
		for entry := range v.Entries() {
			f, mistakes := p.readFunction(entry)
			for _, err := range mistakes {
				problems = append(problems, p.kptfile.located(err))
			}
			*list.to = append(*list.to, f)
		}
	}
	return errors.Join(problems...)
}

// readFunction reads one entry of a pipeline. All its mistakes are returned.
func (p *kptPackage) readFunction(v gaby.Value) (*pipelineFunction, []error) {
	f := &pipelineFunction{
		declared: &Declared{Image: text(v.Get("image")), Tag: text(v.Get("tag")), Dir: p.dir},
		name:     text(v.Get("name")), at: v.Position(), configPath: text(v.Get("configPath")),
		configMap: v.Get("configMap"),
	}
	known := (strict{}).keys(v, "image", "exec", "configPath", "configMap", "configRef", "name",
		"tag", "selectors", "exclude", "when", "condition", "resourceFileRegexp", "resourceRegexp")
	if v.Kind() != gaby.Map {
		return f, []error{cmp.Or(known, at(v.Position(), "a function needs image or exec"))}
	}
	mistakes := []error{
		known, f.readCondition(v), f.readCommand(v), f.checkTag(v.Get("tag")),
		f.readConfig(v, p.dir),
	}
	for _, list := range []struct {
		key string
		to  *[]Selector
	}{{"selectors", &f.selectors}, {"exclude", &f.exclude}} {
		selectors, err := readSelectors(v.Get(list.key))
		*list.to, mistakes = selectors, append(mistakes, err)
	}
	if files := text(v.Get("resourceFileRegexp")) + text(v.Get("resourceRegexp")); files != "" {
		var err error
		if f.files, err = pattern.Compile(files); err != nil {
			mistakes = append(mistakes, at(v.Position(), "resourceFileRegexp: %w", err))
		}
	}
	return f, slices.DeleteFunc(mistakes, func(err error) bool { return err == nil })
}

// readCondition reads the expression that decides whether the function runs.
func (f *pipelineFunction) readCondition(v gaby.Value) error {
	if v.Get("condition").Exists() && v.Get("when").Exists() {
		return at(v.Position(), "when and condition are the same; give one of them")
	}
	for _, key := range []string{"condition", "when"} {
		if c := v.Get(key); c.Exists() {
			f.when, f.whenAt, f.whenKey = text(c), c.Position(), key
			if f.when == "" {
				return at(f.whenAt, "%s must be an expression", key)
			}
		}
	}
	return nil
}

// readCommand reads which image or program is run.
func (f *pipelineFunction) readCommand(v gaby.Value) error {
	command := text(v.Get("exec"))
	switch {
	case f.declared.Image == "" && command == "":
		return at(v.Position(), "a function needs image or exec")
	case f.declared.Image != "" && command != "":
		return at(v.Position(), "image and exec exclude each other")
	case command == "":
		return nil
	}
	words, err := shellwords.Split(command)
	if err != nil || len(words) == 0 {
		return at(v.Get("exec").Position(), "exec: %q is not a command", command)
	}
	f.declared.Exec, f.declared.Args = words[0], words[1:]
	if f.declared.Tag != "" {
		return at(v.Get("tag").Position(), "tag goes with image")
	}
	return nil
}

// checkTag returns an error for a tag that is neither a version nor a range of versions.
func (f *pipelineFunction) checkTag(v gaby.Value) error {
	if f.declared.Tag == "" {
		return nil
	}
	tag, err := functionconfig.ParseTag(f.declared.Tag)
	if err != nil || !tag.IsVersion() && !tag.IsConstraint() {
		return at(v.Position(), "the tag %q is neither a version nor a range of versions",
			f.declared.Tag)
	}
	return nil
}

// readConfig checks what says where the functionConfig is.
func (f *pipelineFunction) readConfig(v gaby.Value, dir string) error {
	ways := 0
	for _, key := range []string{"configPath", "configMap", "configRef"} {
		if v.Get(key).Exists() {
			ways++
		}
	}
	if ways > 1 {
		return at(v.Position(), "only one of configPath, configMap and configRef can be given")
	}
	if m := f.configMap; m.Exists() && m.Kind() != gaby.Map && !m.IsNull() {
		return at(m.Position(), "configMap must be a map")
	}
	for c := range f.configMap.Entries() {
		if c.Kind() != gaby.Scalar {
			return at(c.Position(), "the values of configMap must be strings")
		}
	}
	if c := v.Get("configPath"); c.Exists() {
		file := f.configPath
		switch {
		case file == "":
			return at(c.Position(), "configPath is empty")
		case path.IsAbs(file) || filepath.IsAbs(file):
			return at(c.Position(), "configPath %q must be relative to the package", file)
		case !filepath.IsLocal(filepath.FromSlash(file)) || path.Clean(file) == ".":
			return at(c.Position(), "configPath %q leads out of the package", file)
		}
		f.configPath = path.Join(dir, file)
	}
	if r := v.Get("configRef"); r.Exists() {
		list, err := readSelector(r, "apiVersion", "kind", "name", "namespace")
		if err != nil {
			return err
		}
		if list.Kind == "" || list.Name == "" {
			return at(r.Position(), "configRef needs kind and name")
		}
		f.configRef = &list
	}
	return nil
}

func readSelectors(v gaby.Value) ([]Selector, error) {
	if !v.Exists() || v.IsNull() {
		return nil, nil
	}
	if v.Kind() != gaby.List {
		return nil, at(v.Position(), "a list of selectors is expected")
	}
	list := make([]Selector, 0, v.Len())
	for entry := range v.Entries() {
		s, err := readSelector(entry, "apiVersion", "kind", "name", "namespace", "labels",
			"annotations")
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func readSelector(v gaby.Value, keys ...string) (Selector, error) {
	if err := (strict{}).keys(v, keys...); err != nil {
		return Selector{}, err
	}
	s := Selector{
		APIVersion: text(v.Get("apiVersion")), Kind: text(v.Get("kind")),
		Name: text(v.Get("name")), Namespace: text(v.Get("namespace")),
	}
	for _, m := range []struct {
		key string
		to  *map[string]string
	}{{"labels", &s.Labels}, {"annotations", &s.Annotations}} {
		for c := range v.Get(m.key).Entries() {
			if *m.to == nil {
				*m.to = map[string]string{}
			}
			(*m.to)[c.Key()] = text(c)
		}
	}
	return s, nil
}

// isTrue reports whether an annotation of the Kptfile is "true".
func (p *kptPackage) isTrue(annotation string) bool {
	return strings.EqualFold(Annotation(p.kptfile.Doc, annotation), "true")
}

// config returns the functionConfig of a function among the items of the package, and its item.
func (p *kptPackage) config(f *pipelineFunction, items []*Item) (*gaby.YamlDoc, *Item, error) {
	switch {
	case f.configMap.Exists():
		args := gaby.Entries{}
		for c := range f.configMap.Entries() {
			value := c.Text()
			if c.IsNull() {
				value = ""
			}
			args = append(args, gaby.Entry{Key: c.Key(), Value: value})
		}
		doc, err := configMapOf(args)
		return doc, nil, err
	case f.configRef != nil:
		for _, item := range items {
			if f.configRef.Matches(item) {
				return item.Doc, item, nil
			}
		}
		return nil, nil, p.problem(f, "no resource is %s %s, which configRef names",
			f.configRef.Kind, f.configRef.Name)
	case f.configPath == "":
		return nil, nil, nil
	}
	var found *Item
	for _, item := range items {
		if item.Path != f.configPath {
			continue
		}
		if found != nil {
			return nil, nil, p.problem(f, "the file %s of configPath has several resources",
				f.configPath)
		}
		found = item
	}
	if found == nil {
		return nil, nil, p.problem(f, "the package has no resource in %s, which configPath names",
			f.configPath)
	}
	return found.Doc, found, nil
}

// looseValues returns an error for each value of a configMap that is not written as a string. The
// function gets it as one, as with kpt: 1.10 as "1.10", and null as "".
func (p *kptPackage) looseValues() error {
	var problems []error
	for _, f := range p.functions() {
		for c := range f.configMap.Entries() {
			if _, isString := c.Data().(string); !isString {
				problems = append(problems, p.kptfile.located(at(c.Position(),
					"configMap: the value of %s is not a string; write it in quotes", c.Key())))
			}
		}
	}
	for _, sub := range p.below {
		problems = append(problems, sub.looseValues())
	}
	return errors.Join(problems...)
}

// problem returns an error about a function of the pipeline.
func (p *kptPackage) problem(f *pipelineFunction, format string, args ...any) error {
	return p.kptfile.located(at(f.at, "%s: %s", f.declared.Name(), fmt.Sprintf(format, args...)))
}
