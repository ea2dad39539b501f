package images

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// imageField is a field that holds an image or a part of one.
type imageField struct {
	in        string   // the path of what segments lead through
	segments  []string // nil if there is no such parameter
	parameter string   // the name of the parameter whose value the field is, if it is one
	value     gaby.Value
	pos       gaby.Position // of a part of the value; zero for the whole value
}

// position returns the position of the field.
func (f imageField) position() gaby.Position {
	if !f.pos.IsZero() {
		return f.pos
	}
	return f.value.Position()
}

// fieldsBeside returns the field with a key from a group of fields that belong together.
type fieldsBeside func(key string) imageField

// path returns the path of the field.
func (f imageField) path() string {
	path := f.in
	for i, segment := range f.segments {
		if path != "" && (i > 0 || !strings.HasSuffix(path, "#")) {
			path += "."
		}
		path += yamlkit.EscapeDotsInPathSegment(segment)
	}
	return path
}

// below returns the field at segments below f.
func (f imageField) below(value gaby.Value, segments ...string) imageField {
	return imageField{
		in: f.in, segments: append(f.segments[:len(f.segments):len(f.segments)], segments...),
		value: value,
	}
}

// text returns the scalar of the field, or "".
func (f imageField) text() string {
	if f.value.Kind() != gaby.Scalar || f.value.Tag() == "!!null" {
		return ""
	}
	return f.value.Text()
}

// beside returns the lookup of the entries of a map.
func (f imageField) beside() fieldsBeside {
	return func(key string) imageField { return f.below(f.value.Get(key), key) }
}

// any returns the first of the fields that has a text.
func (beside fieldsBeside) any(keys ...string) imageField {
	for _, key := range keys {
		if f := beside(key); f.text() != "" {
			return f
		}
	}
	return imageField{}
}

// wholeImageOf combines the name of an image with the registry, tag and digest beside it. at is the
// field of the registry if there is one, and otherwise the name.
func wholeImageOf(name imageField, beside fieldsBeside) (at imageField, image string) {
	at, image = name, name.text()
	registry := beside.any("registry", "imageRegistry")
	if registry.text() == "" && !strings.HasSuffix(name.path(), "epository") &&
		!hasRegistry(image) {
		// the registry's field is called repository, and name is one of its repositories
		registry = beside.any("repository")
	}
	if registry.text() == "" && !strings.Contains(image, "/") {
		registry = beside.any("hub") // Istio's: it does not contain a name with a path
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
