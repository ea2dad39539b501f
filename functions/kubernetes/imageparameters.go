package kubernetes

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// parameters sets the images in a list of parameters of a chart. Their names are paths of values
// joined by dots:
//
//   - name: image.tag
//     value: "1.0"
//
// The values are arranged as the parameters say, and what is set there is set in the list. A value
// that has no parameter yet, such as a digest, gets one.
func (b *imageBump) parameters(p *yamlkit.Match) error {
	values, err := gaby.ParseYAML([]byte("{}\n"))
	if err != nil {
		return err
	}
	items := map[string]int{} // by name
	i := -1
	for item := p.Value.First(); item.Exists(); item = item.Next() {
		i++
		name, value := item.Get("name").Text(), item.Get("value")
		if name == "" || value.Kind() != gaby.Scalar || value.Tag() == "!!null" {
			continue
		}
		if _, err := values.Set(value.Text(), strings.Split(name, ".")...); err == nil {
			items[name] = i // a name that is a value and a map at once is not of this form
		}
	}
	root := imageField{value: values.Value()}
	b.values("", root, nil, globalRegistry(root))
	edits := b.edits
	b.edits = nil
	var problems []error
	var gone [][]string
	for _, e := range edits {
		name := strings.Join(e.path, ".")
		at, known := items[name]
		switch path := append(slices.Clone(p.Segments), strconv.Itoa(at)); {
		case known && e.value == nil:
			gone = append(gone, path)
		case known:
			_, err := p.Doc.Set(e.value, append(path, "value")...)
			problems = append(problems, err)
		case e.value != nil:
			added := gaby.Entries{{Key: "name", Value: name}, {Key: "value", Value: e.value}}
			_, err := p.Doc.Set(added, append(slices.Clone(p.Segments), "-")...)
			problems = append(problems, err)
		}
	}
	if len(gone) > 0 {
		problems = append(problems, p.Doc.DeleteAll(gone)...)
	}
	return errors.Join(problems...)
}

// notYAML notes a text of values that cannot be read, so that images in it keep their references.
func (b *imageBump) notYAML(p *yamlkit.Match) {
	pos := p.Value.Position()
	b.call.Note(api.Position{Line: pos.Line, Column: pos.Column},
		p.Resource.String()+": "+string(p.Path())+" is not YAML: images in it are not set")
}
