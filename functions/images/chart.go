package images

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// chart finds the texts in the values of a Helm chart that may be images or parts of them. Charts
// choose their own names for values. The functions here recognize those that most of them use.
type chart struct {
	// visit gets a text with its key and that of the map around it. Everything below a key such as
	// images counts as inside it; elements of lists have the key "".
	visit func(c *chart, parent, key string, f imageField, beside fieldsBeside)
	// global has the registry that the chart uses for all images that do not name one, if there is
	// such a field.
	global imageField
	// parameters take the place of values, by name. root is the number of segments of the values.
	over map[string]imageField
	root int
}

// beside returns the lookup of the entries of a map, or of the parameters in their place.
func (c *chart) beside(m imageField) fieldsBeside {
	own := m.beside()
	if len(c.over) == 0 {
		return own
	}
	before := strings.Join(append(slices.Clone(m.segments[c.root:]), ""), ".")
	return func(key string) imageField {
		if f, ok := c.over[before+key]; ok {
			return f
		}
		return own(key)
	}
}

// values visits the values in a map.
func (c *chart) values(root imageField) {
	c.root = len(root.segments)
	global := root.beside()("global").beside()
	c.global = global.any("imageRegistry", "registry", "hub")
	if c.global.text() == "" {
		c.global = global("image").beside().any("registry")
	}
	c.below("", root)
}

// below visits the entries of a map. key is the map's own key.
func (c *chart) below(key string, m imageField) {
	beside := c.beside(m)
	for _, entry := range m.value.All() {
		c.value(key, entry.Key(), m.below(entry, entry.Key()), beside)
	}
}

// value visits a value and everything below it.
func (c *chart) value(parent, key string, f imageField, beside fieldsBeside) {
	inside := key
	if isImagesKey(parent) {
		inside = parent
	}
	switch f.value.Kind() {
	case gaby.Map:
		c.below(inside, f)
	case gaby.List:
		for i, item := range f.value.All() {
			at := f.below(item, strconv.Itoa(i))
			c.value(inside, "", at, c.beside(at))
		}
	case gaby.Scalar:
		if f.value.Tag() == "!!str" && f.text() != "" {
			c.visit(c, parent, key, f, beside)
		}
	}
}

// parameters visits the values of parameters. Their names are keys joined by dots.
func (c *chart) parameters(parameters []imageField) {
	byName := byName(parameters)
	named := func(name string) imageField {
		f := byName[name]
		f.parameter = name
		return f
	}
	c.global = fieldsBeside(named).any("global.imageRegistry", "global.registry", "global.hub",
		"global.image.registry")
	for _, f := range parameters {
		dot := strings.LastIndexByte(f.parameter, '.') + 1
		before := f.parameter[:dot]
		parent := strings.TrimSuffix(before, ".")
		parent = parent[strings.LastIndexByte(parent, '.')+1:]
		if f.value.Tag() == "!!str" && f.text() != "" {
			c.visit(c, parent, f.parameter[dot:], f,
				func(key string) imageField { return named(before + key) })
		}
	}
}

// byName returns parameters by their names.
func byName(parameters []imageField) map[string]imageField {
	all := make(map[string]imageField, len(parameters))
	for _, f := range parameters {
		all[f.parameter] = f
	}
	return all
}

// parametersOf returns the parameters in a list:
//
//   - name: image.tag
//     value: "1.0"
func parametersOf(list imageField) (parameters []imageField) {
	for i, item := range list.value.All() {
		f := list.below(item.Get("value"), strconv.Itoa(i), "value")
		f.parameter = item.Get("name").Text()
		parameters = append(parameters, f)
	}
	return parameters
}

// dottedKeys returns the values of a map whose keys contain dots, as parameter names do.
func dottedKeys(m imageField) (parameters []imageField) {
	for _, entry := range m.value.All() {
		if key := entry.Key(); strings.Contains(key, ".") {
			f := m.below(entry, key)
			f.parameter = key
			parameters = append(parameters, f)
		}
	}
	return parameters
}

// chartText parses values that are a text. It reports false if the text is not YAML.
func chartText(text string) (gaby.Container, bool) {
	docs, err := gaby.ParseAll([]byte(text))
	for _, doc := range docs {
		if err == nil {
			err = doc.Check()
		}
	}
	return docs, err == nil
}

// isImageKey reports whether the value of a key is an image.
func isImageKey(key string) bool {
	lower := strings.ToLower(key)
	return lower == "image" || lower == "imagename" || strings.HasSuffix(key, "Image") ||
		strings.HasSuffix(lower, "_image") || strings.HasSuffix(lower, "-image")
}

// isImagesKey reports whether the value of a key contains images.
func isImagesKey(key string) bool { return key == "images" || strings.HasSuffix(key, "Images") }

// isRepositoryKey reports whether the value of a key is the repository of an image, rather than one
// of sources or charts. tagged says that a tag is beside it, even an empty one.
func isRepositoryKey(parent, key string, beside fieldsBeside, tagged bool) bool {
	switch key {
	case "imageRepository", "imageRepo":
		return true
	case "repository", "repo":
		return isImageKey(parent) || isImagesKey(parent) || tagged ||
			beside.any("tag", "digest", "pullPolicy", "imagePullPolicy", "registry").text() != ""
	case "name":
		return isImageKey(parent) && beside.any("repository", "repo").text() == "" &&
			(tagged || beside.any("tag", "digest", "pullPolicy", "registry").text() != "")
	}
	return false
}

// isRegistryKey reports whether the value of a key is a registry.
func isRegistryKey(key string) bool {
	return slices.Contains([]string{
		"registry", "imageRegistry", "image_registry", "dockerRegistry", "containerRegistry", "hub",
	}, key)
}

// isPicture reports whether a text is the file name of a picture. Web pages have those as image.
func isPicture(text string) bool {
	return slices.Contains([]string{".png", ".svg", ".jpg", ".jpeg", ".gif", ".ico", ".webp"},
		strings.ToLower(path.Ext(text)))
}
