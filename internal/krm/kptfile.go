package krm

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/strict"
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
	configMap          gaby.Entries // nil if there is none
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

// CheckKptfile returns what is wrong with the text of a Kptfile, without the files that it names.
// name is its name in messages.
func CheckKptfile(text []byte, name string) error {
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		return located(name, err)
	}
	p := &kptPackage{dir: ".", kptfile: &Item{Doc: doc, file: &InputFile{Name: name}}}
	return p.readPipeline(false)
}

// readPipelines reads the pipelines of the package and of those below it. If quoted is set, values
// of a configMap must be written as texts: the function gets 1.10 as "1.10", and null as "".
func (p *kptPackage) readPipelines(quoted bool) error {
	problems := []error{p.readPipeline(quoted)}
	for _, sub := range p.below {
		problems = append(problems, sub.readPipelines(quoted))
	}
	return errors.Join(problems...)
}

// readPipeline reads the pipeline of the Kptfile.
func (p *kptPackage) readPipeline(quoted bool) error {
	r := p.kptfile.reader()
	var apiVersion, kind string
	if err := p.kptfile.Doc.Check(); err != nil {
		r.Syntax(err)
		return diag.List(r.Failures())
	}
	read := func(v strict.Value) *pipelineFunction { return p.readFunction(v, quoted) }
	r.Value(p.kptfile.Doc.Value(), "").Object("a Kptfile", append(
		strict.Unread("metadata", "upstream", "upstreamLock", "info", "inventory", "status"),
		strict.Need(strict.OneOf("apiVersion", &apiVersion, "kpt.dev/v1", "kpt.dev/v1alpha2")),
		strict.Need(strict.OneOf("kind", &kind, KptfileName)),
		strict.Field{Name: "pipeline", Read: func(v strict.Value) {
			v.Object("a pipeline", strict.List("mutators", &p.mutators, read),
				strict.List("validators", &p.validators, read))
		}})...)
	return diag.List(r.Failures()).Err()
}

// readFunction reads one entry of a pipeline.
func (p *kptPackage) readFunction(v strict.Value, quoted bool) *pipelineFunction {
	f := &pipelineFunction{declared: &Declared{Dir: p.dir}, at: v.Position()}
	var command string
	v.Object("a function",
		strict.To("image", &f.declared.Image, strict.Value.Scalar),
		strict.To("exec", &command, strict.Value.Scalar),
		strict.Field{Name: "configPath", Read: func(v strict.Value) { f.readConfigPath(v, p.dir) }},
		strict.Field{Name: "configMap", Read: func(v strict.Value) { f.readConfigMap(v, quoted) }},
		strict.Field{Name: "configRef", Read: f.readConfigRef},
		strict.To("name", &f.name, strict.Value.Scalar),
		strict.Field{Name: "tag", Read: f.readTag},
		strict.List("selectors", &f.selectors, readSelector),
		strict.List("exclude", &f.exclude, readSelector),
		strict.Field{Name: "when", Read: f.readCondition},
		strict.Field{Name: "condition", Read: f.readCondition},
		strict.Field{Name: "resourceFileRegexp", Read: f.readFiles},
		strict.Field{Name: "resourceRegexp", Read: f.readFiles})
	given := func(name string) bool {
		field := v.Get(name)
		return field.Kind() != gaby.Scalar && field.Exists() || field.Value.Text() != ""
	}
	switch {
	case v.Kind() != gaby.Map:
	case !given("image") && !given("exec"):
		v.Fail("", "a function needs image or exec")
	case f.declared.Image != "" && command != "":
		v.Fail("", "image and exec exclude each other")
	case command != "":
		f.readCommand(v.Get("exec"), command)
		if f.declared.Tag != "" {
			v.Get("tag").Fail("", "tag goes with image")
		}
	}
	ways := 0
	for _, key := range []string{"configPath", "configMap", "configRef"} {
		if v.Get(key).Exists() {
			ways++
		}
	}
	if ways > 1 {
		v.Fail("", "only one of configPath, configMap and configRef can be given")
	}
	return f
}

// readFiles reads the expression for the files whose resources the function gets.
func (f *pipelineFunction) readFiles(v strict.Value) {
	var err error
	if text := v.Scalar(); text != "" {
		if f.files, err = pattern.Compile(text); err != nil {
			v.Fail("", "%s: %w", v.Key(), err)
		}
	}
}

// readCondition reads the expression that decides whether the function runs.
func (f *pipelineFunction) readCondition(v strict.Value) {
	if f.whenKey != "" {
		v.Fail("", "when and condition are the same; give one of them")
	}
	f.when, f.whenAt, f.whenKey = v.Scalar(), v.Position(), v.Key()
	if f.when == "" {
		v.Must("an expression", "")
	}
}

// readCommand reads which program is run.
func (f *pipelineFunction) readCommand(v strict.Value, command string) {
	words, err := shellwords.Split(command)
	if err != nil || len(words) == 0 {
		v.Must("a command", "")
		return
	}
	f.declared.Exec, f.declared.Args = words[0], words[1:]
}

// readTag reads a version or a range of versions.
func (f *pipelineFunction) readTag(v strict.Value) {
	if f.declared.Tag = v.Scalar(); f.declared.Tag == "" {
		return
	}
	tag, err := functionconfig.ParseTag(f.declared.Tag)
	if err != nil || !tag.IsVersion() && !tag.IsConstraint() {
		v.Must("a version or a range of versions", "")
	}
}

// readConfigPath reads the file with the functionConfig.
func (f *pipelineFunction) readConfigPath(v strict.Value, dir string) {
	file := v.Scalar()
	switch {
	case file == "":
		v.Must("a path", "")
	case path.IsAbs(file) || filepath.IsAbs(file):
		v.Fail("", "configPath %q must be relative to the package", file)
	case !filepath.IsLocal(filepath.FromSlash(file)) || path.Clean(file) == ".":
		v.Fail("", "configPath %q leads out of the package", file)
	}
	f.configPath = path.Join(dir, file)
}

// readConfigMap reads the data of the functionConfig.
func (f *pipelineFunction) readConfigMap(v strict.Value, quoted bool) {
	f.configMap = gaby.Entries{}
	for c := range v.Map() {
		var value string
		switch {
		case quoted:
			value = c.Text()
		case !c.IsNull():
			value = c.Scalar()
		}
		f.configMap = append(f.configMap, gaby.Entry{Key: c.Key(), Value: value})
	}
}

// readConfigRef reads which resource is the functionConfig.
func (f *pipelineFunction) readConfigRef(v strict.Value) {
	s := &Selector{}
	f.configRef = s
	v.Object("a configRef",
		strict.To("apiVersion", &s.APIVersion, strict.Value.Scalar),
		strict.Need(strict.To("kind", &s.Kind, strict.Value.Scalar)),
		strict.Need(strict.To("name", &s.Name, strict.Value.Scalar)),
		strict.To("namespace", &s.Namespace, strict.Value.Scalar))
}

func readSelector(v strict.Value) Selector {
	var s Selector
	v.Object("a selector",
		strict.To("apiVersion", &s.APIVersion, strict.Value.Scalar),
		strict.To("kind", &s.Kind, strict.Value.Scalar),
		strict.To("name", &s.Name, strict.Value.Scalar),
		strict.To("namespace", &s.Namespace, strict.Value.Scalar),
		strict.Map("labels", &s.Labels, strict.Value.Scalar),
		strict.Map("annotations", &s.Annotations, strict.Value.Scalar))
	return s
}

// isTrue reports whether an annotation of the Kptfile is "true".
func (p *kptPackage) isTrue(annotation string) bool {
	return strings.EqualFold(Annotation(p.kptfile.Doc, annotation), "true")
}

// config returns the functionConfig of a function among the items of the package, and its item.
func (p *kptPackage) config(f *pipelineFunction, items []*Item) (*gaby.YamlDoc, *Item, error) {
	switch {
	case f.configMap != nil:
		doc, err := ConfigMapOf(f.configMap)
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

// problem returns an error about a function of the pipeline.
func (p *kptPackage) problem(f *pipelineFunction, format string, args ...any) error {
	return p.kptfile.located(at(f.at, "%s: %s", f.declared.Name(), fmt.Sprintf(format, args...)))
}
