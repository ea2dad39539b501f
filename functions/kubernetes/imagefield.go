package kubernetes

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// imageField is a field that has an image or a part of one.
type imageField struct {
	path  string
	value gaby.Value
}

// fieldsBeside finds the field with a key among those that belong together.
type fieldsBeside func(key string) imageField

// text is the scalar of the field, "" when there is none.
func (f imageField) text() string {
	if f.value.Kind() != gaby.Scalar || f.value.Tag() == "!!null" {
		return ""
	}
	return f.value.Text()
}

// beside finds the entries of a map.
func (f imageField) beside() fieldsBeside {
	return func(key string) imageField {
		path := yamlkit.EscapeDotsInPathSegment(key)
		if f.path != "" && !strings.HasSuffix(f.path, "#") {
			path = "." + path
		}
		return imageField{path: f.path + path, value: f.value.Get(key)}
	}
}

// any is the first of the fields that has a text.
func (beside fieldsBeside) any(keys ...string) imageField {
	for _, key := range keys {
		if f := beside(key); f.text() != "" {
			return f
		}
	}
	return imageField{}
}

// wholeImageOf puts together an image of its name and the registry, tag and digest beside it. The field is that of the registry, if it
// has one.
func wholeImageOf(name imageField, beside fieldsBeside) (at imageField, image string) {
	at, image = name, name.text()
	registry := beside.any("registry", "imageRegistry")
	if registry.text() == "" && !strings.HasSuffix(name.path, "epository") && !hasRegistry(image) {
		registry = beside.any("repository") // of which this is one
	}
	if registry.text() == "" && !strings.Contains(image, "/") {
		registry = beside.any("hub") // Istio's: a name with a path is not in it
	}
	if registry.text() != "" {
		at, image = registry, asRegistry(registry.text())+image
	}
	if strings.ContainsAny(image[strings.LastIndexByte(image, '/')+1:], ":@") {
		return at, image
	}
	if tag := beside.any("tag", "newTag", "imageTag", "version").text(); tag != "" {
		image += ":" + strings.TrimPrefix(tag, ":")
	}
	if digest := beside.any("digest", "sha").text(); digest != "" {
		if !strings.Contains(digest, ":") {
			digest = "sha256:" + digest
		}
		image += "@" + strings.TrimPrefix(digest, "@")
	}
	return at, image
}

// asRegistry is a registry, with a path or without, as images in it begin.
func asRegistry(text string) string { return strings.TrimSuffix(text, "/") + "/" }
