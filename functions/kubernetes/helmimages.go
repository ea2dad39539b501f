package kubernetes

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// helmValues checks the images in the values of a Helm chart: a map, YAML text, or a list of
// parameters with name and value. Charts choose their own names for values. This recognizes the
// names that most of them use.
func (v *imageVetting) helmValues(f imageField) {
	switch f.value.Kind() {
	case gaby.Map:
		v.helmMap("", f, globalRegistry(f))
		v.helmParameters(dottedKeys(f))
	case gaby.List:
		v.helmParameters(parametersOf(f))
	case gaby.Scalar:
		docs, err := gaby.ParseAll([]byte(f.text()))
		for _, doc := range docs {
			if err == nil {
				err = doc.Check()
			}
		}
		if err != nil {
			pos := f.value.Position()
			v.call.Skipped(api.Position{Line: pos.Line, Column: pos.Column},
				fmt.Sprintf("%s: %s is not YAML: images in it are not checked", v.row.ResourceInfo,
					f.path))
			return
		}
		v.embedded = true
		for _, doc := range docs {
			text := imageField{path: f.path + "#", value: doc.Value()}
			v.helmMap("", text, globalRegistry(text))
		}
	}
}

// globalRegistry returns the registry that a chart uses for all images that do not name one, or "".
func globalRegistry(values imageField) string {
	global := values.beside()("global").beside()
	if registry := global.any("imageRegistry", "registry", "hub").text(); registry != "" {
		return registry
	}
	return global("image").beside()("registry").text()
}

// helmMap checks the values of a map. key is the key of the map itself.
func (v *imageVetting) helmMap(key string, m imageField, global string) {
	beside := m.beside()
	for entry := m.value.First(); entry.Exists(); entry = entry.Next() {
		v.helmValue(key, entry.Key(), beside(entry.Key()), beside, global)
	}
}

// helmValue checks a value and everything below it.
func (v *imageVetting) helmValue(
	parent, key string, f imageField, beside fieldsBeside, global string,
) {
	inside := key
	if isImagesKey(parent) {
		inside = parent // everything below an images key is an image
	}
	switch f.value.Kind() {
	case gaby.Map:
		v.helmMap(inside, f, global)
	case gaby.List:
		i := 0
		for item := f.value.First(); item.Exists(); item = item.Next() {
			at := imageField{path: f.path + "." + strconv.Itoa(i), value: item}
			v.helmValue(inside, "", at, at.beside(), global)
			i++
		}
	case gaby.Scalar:
		v.helmScalar(parent, key, f, beside, global)
	}
}

// parametersOf returns the values of a list of parameters by parameter name. The names are keys
// joined by dots.
func parametersOf(list imageField) map[string]imageField {
	parameters := map[string]imageField{}
	i := 0
	for item := list.value.First(); item.Exists(); item = item.Next() {
		parameters[item.Get("name").Text()] = imageField{
			path: fmt.Sprintf("%s.%d.value", list.path, i), value: item.Get("value"),
		}
		i++
	}
	return parameters
}

// dottedKeys returns the values of a map whose keys contain dots, as parameter names do.
func dottedKeys(m imageField) map[string]imageField {
	parameters, beside := map[string]imageField{}, m.beside()
	for entry := m.value.First(); entry.Exists(); entry = entry.Next() {
		if key := entry.Key(); strings.Contains(key, ".") {
			parameters[key] = beside(key)
		}
	}
	return parameters
}

// helmParameters checks parameters, whose names are paths of values, like the values themselves.
func (v *imageVetting) helmParameters(parameters map[string]imageField) {
	global := ""
	for _, name := range []string{
		"global.imageRegistry", "global.registry", "global.hub", "global.image.registry",
	} {
		if global == "" {
			global = parameters[name].text()
		}
	}
	for name, f := range parameters {
		before, key := "", name
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			before, key = name[:dot+1], name[dot+1:]
		}
		parent := strings.TrimSuffix(before, ".")
		parent = parent[strings.LastIndexByte(parent, '.')+1:]
		v.helmScalar(parent, key, f, func(key string) imageField { return parameters[before+key] },
			global)
	}
}

// helmScalar checks a scalar that may be an image or a part of one.
func (v *imageVetting) helmScalar(
	parent, key string, f imageField, beside fieldsBeside, global string,
) {
	text := f.text()
	if text == "" || strings.Contains(text, "://") || f.value.Tag() != "!!str" {
		return
	}
	switch {
	case isImageKey(key) && !isPicture(text), isRepositoryKey(parent, key, beside):
		at, image := wholeImageOf(f, beside)
		if at.path == f.path && global != "" && !hasRegistry(image) {
			image = asRegistry(global) + image
		}
		v.check(at, image)
	case isImagesKey(parent) && hasRegistry(text):
		v.check(f, text)
	case isRegistryKey(key) && hasRegistry(asRegistry(text)):
		if key == "hub" || beside.any("repository", "name", "image").text() == "" {
			v.check(f, asRegistry(text))
		}
	}
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
// of sources or charts.
func isRepositoryKey(parent, key string, beside fieldsBeside) bool {
	switch key {
	case "imageRepository", "imageRepo":
		return true
	case "repository", "repo":
		return isImageKey(parent) || isImagesKey(parent) ||
			beside.any("tag", "digest", "pullPolicy", "imagePullPolicy", "registry").text() != ""
	case "name":
		return isImageKey(parent) && beside.any("repository", "repo").text() == "" &&
			beside.any("tag", "digest", "pullPolicy", "registry").text() != ""
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
