package krm

import (
	"errors"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Saved is a function that is added to the pipeline of a Kptfile.
type Saved struct {
	Declared           *Declared
	Config             *gaby.YamlDoc // written as configMap if it is a ConfigMap with data
	ConfigPath         string        // in place of Config
	Selectors, Exclude []Selector
	Validator          bool
}

// Save adds a function to the pipeline of the root's Kptfile. A function with the same image or
// command takes the position of the one that is there.
func (p *Package) Save(s *Saved) error {
	f := p.file(KptfileName)
	if f == nil || len(f.Items()) != 1 {
		return located(fileName(p.Root, KptfileName), errors.New("no such file; --save needs a "+
			"Kptfile"))
	}
	item := f.Items()[0]
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
	return withoutTag(v.Get("image").Text()) == withoutTag(s.Declared.Image)
}

func withoutTag(image string) string {
	if tag := tagOf(image); tag != "" {
		return image[:len(image)-len(tag)-1]
	}
	return image
}

// entry returns the function as an entry of a pipeline.
func (s *Saved) entry() gaby.Entries {
	entry := present("image", s.Declared.Image, "tag", s.Declared.Tag)
	if s.Declared.Exec != "" {
		entry = present("exec", s.Declared.Name())
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
			e := present("apiVersion", sel.APIVersion, "kind", sel.Kind, "name", sel.Name,
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
