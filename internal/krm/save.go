package krm

import (
	"errors"
	"path/filepath"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/process"
)

// Saved is a function that is added to the pipeline of a Kptfile.
type Saved struct {
	Declared           *Declared
	Config             *gaby.YamlDoc // written as configMap if it is a ConfigMap with data
	ConfigPath         string        // in place of Config
	Selectors, Exclude []Selector
	Validator          bool
	Prefix             string // of images without a repository; empty for the default
}

// Save adds a function to the pipeline of the root's Kptfile. A function with the same image or
// command takes the position of the one that is there. If there is no Kptfile, Save returns a new
// one.
func (p *Package) Save(s *Saved) (created *Item, err error) {
	f := p.file(KptfileName)
	if f == nil {
		if created, err = p.newKptfile(); err == nil {
			err = s.addTo(created)
		}
		return created, err
	}
	if len(f.Items()) != 1 {
		return nil, located(fileName(p.Root, KptfileName),
			errors.New("a Kptfile has one document"))
	}
	return nil, s.addTo(f.Items()[0])
}

// newKptfile returns a Kptfile that names the package as its directory.
func (p *Package) newKptfile() (*Item, error) {
	root, err := filepath.Abs(p.Root)
	if err != nil {
		return nil, err
	}
	item, err := NewItem([]byte("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\n"+
		"  annotations:\n    config.kubernetes.io/local-config: \"true\"\n"), KptfileName, 0)
	if err == nil {
		_, err = item.Doc.Set(filepath.Base(root), "metadata", "name")
	}
	return item, err
}

// addTo adds the function to the pipeline of a Kptfile.
func (s *Saved) addTo(item *Item) error {
	doc := item.Doc
	key := "mutators"
	if s.Validator {
		key = "validators"
	}
	entry := s.entry()
	list := doc.Value().Get("pipeline").Get(key)
	for i, old := range list.All() {
		if s.same(old) {
			if name := old.Get("name"); name.Exists() {
				entry = append(entry, gaby.Entry{Key: "name", Value: name})
			}
			_, err := doc.Set(entry, "pipeline", key, strconv.Itoa(i))
			return item.orLocated(err)
		}
	}
	if list.Kind() == gaby.List {
		return item.orLocated(doc.ArrayAppendP(entry, "pipeline."+key))
	}
	_, err := doc.Set([]any{entry}, "pipeline", key)
	return item.orLocated(err)
}

// orLocated is located for an error that may be nil.
func (item *Item) orLocated(err error) error {
	if err == nil {
		return nil
	}
	return item.located(err)
}

// same reports whether an entry of a pipeline is this function, whatever its tag.
func (s *Saved) same(v gaby.Value) bool {
	if s.Declared.Image == "" {
		return v.Get("exec").EqualText(s.Declared.Name())
	}
	return withoutTag(process.FullImage(v.Get("image").Text(), s.Prefix)) == withoutTag(s.image())
}

// image returns the image with its repository, as kpt saves it.
func (s *Saved) image() string { return process.FullImage(s.Declared.Image, s.Prefix) }

func withoutTag(image string) string {
	if tag := tagOf(image); tag != "" {
		return image[:len(image)-len(tag)-1]
	}
	return image
}

// entry returns the function as an entry of a pipeline.
func (s *Saved) entry() gaby.Entries {
	entry := fnresult.Present("image", s.image(), "tag", s.Declared.Tag)
	if s.Declared.Exec != "" {
		entry = fnresult.Present("exec", s.Declared.Name())
	}
	add := func(key string, value any) {
		entry = append(entry, gaby.Entry{Key: key, Value: value})
	}
	switch {
	case s.ConfigPath != "":
		add("configPath", s.ConfigPath)
	case s.Config != nil:
		if data := s.Config.Value().Get("data"); data.Len() > 0 {
			add("configMap", data)
		}
	}
	for _, list := range []struct {
		key       string
		selectors []Selector
	}{{"selectors", s.Selectors}, {"exclude", s.Exclude}} {
		var entries []any
		for _, sel := range list.selectors {
			e := fnresult.Present("apiVersion", sel.APIVersion, "kind", sel.Kind, "name", sel.Name,
				"namespace", sel.Namespace)
			for _, m := range []struct {
				key    string
				values map[string]string
			}{{"labels", sel.Labels}, {"annotations", sel.Annotations}} {
				if len(m.values) > 0 {
					e = append(e, gaby.Entry{Key: m.key, Value: m.values})
				}
			}
			entries = append(entries, e)
		}
		if len(entries) > 0 {
			add(list.key, entries)
		}
	}
	return entry
}
