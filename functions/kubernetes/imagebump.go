package kubernetes

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// imageBump sets the reference of the images of a repository where it is in other fields than a
// container's image: in the images of kustomizations and in the values of charts.
type imageBump struct {
	call        *handler.Call
	uri         string
	tag, digest string // of the new reference, without : and @; may be ""
	isReference func(string) bool

	// Found while looking at a document, applied afterwards so that no value moves meanwhile.
	edits []bumpEdit
	// matches counts images.
	matches int
}

// bumpEdit sets the value at a path, or deletes it if value is nil. The entry with the key replaced
// goes; the value gets its place and comments.
type bumpEdit struct {
	path     []string
	value    any
	replaced string
}

func newImageBump(
	call *handler.Call, uri, reference string, isReference func(string) bool,
) *imageBump {
	b := &imageBump{call: call, uri: uri, isReference: isReference}
	b.tag, b.digest, _ = strings.Cut(reference, "@")
	b.tag = strings.TrimPrefix(b.tag, ":")
	return b
}

// reference returns the new reference with its separators.
func (b *imageBump) reference() string {
	text := ""
	if b.tag != "" {
		text = ":" + b.tag
	}
	if b.digest != "" {
		text += "@" + b.digest
	}
	return text
}

func (b *imageBump) set(value any, path []string, key string) {
	b.edits = append(b.edits, bumpEdit{append(slices.Clone(path), key), value, ""})
}

// apply makes the edits in a document.
func (b *imageBump) apply(doc *gaby.YamlDoc) error {
	var problems []error
	var gone [][]string
	for _, e := range b.edits {
		if e.value == nil {
			gone = append(gone, e.path)
			continue
		}
		if e.replaced != "" {
			problems = append(problems, e.replace(doc))
			continue
		}
		_, err := doc.Set(e.value, e.path...)
		problems = append(problems, err)
	}
	if len(gone) > 0 {
		problems = append(problems, doc.DeleteAll(gone)...)
	}
	b.edits = nil
	return errors.Join(problems...)
}

// replace makes the edit in place of another entry, and keeps the comments of both.
func (e bumpEdit) replace(doc *gaby.YamlDoc) error {
	last := len(e.path) - 1
	at, key := e.path[:last:last], e.path[last]
	old := doc.Search(append(at, e.replaced)...).Value().Comments()
	var head []string
	own := doc.Search(e.path...)
	remarks := own.Value().Comments()
	line := remarks.Line
	if line == "" {
		line, old.Line = asMarkerOf(key, old.Line), ""
	}
	for _, text := range []string{old.Head, old.Line, remarks.Head} {
		if text != "" {
			head = append(head, strings.ReplaceAll(text, "\n", "\n# "))
		}
	}
	text := key + ": x"
	if line != "" {
		text += " # " + line
	}
	if len(head) > 0 {
		text = "# " + strings.Join(head, "\n# ") + "\n" + text
	}
	entry, err := gaby.ParseYAML([]byte(text + "\n"))
	if err != nil {
		return err
	}
	if _, err = entry.Set(e.value, key); err != nil {
		return err
	}
	if own != nil {
		if err = doc.Delete(e.path...); err != nil {
			return err
		}
	}
	if _, err = doc.Set(gaby.WithOwnComments(entry.Search(key).Value()), e.path...); err != nil {
		return err
	}
	if err = doc.MoveKeyAfter(e.replaced, e.path...); err != nil {
		return err
	}
	return doc.Delete(append(at, e.replaced)...)
}

// asMarkerOf returns a comment of newTag or digest for the other field. Flux sets the part of an
// image that its marker names.
func asMarkerOf(key, comment string) string {
	if !strings.Contains(comment, `"$imagepolicy"`) {
		return comment
	}
	if key == "digest" {
		return strings.Replace(comment, `:tag"`, `:digest"`, 1)
	}
	return strings.Replace(comment, `:digest"`, `:tag"`, 1)
}

// kustomizationImages returns the path of the images of a kustomization, nil for other types.
func kustomizationImages(t api.ResourceType) []string {
	switch group, _, _ := strings.Cut(string(t), "/"); {
	case group == "kustomize.config.k8s.io":
		return []string{"images"}
	case group == "kustomize.toolkit.fluxcd.io":
		return []string{"spec", "images"}
	}
	return nil
}

// kustomization looks for the images that a kustomization sets. One that has a new name is the
// image with this name.
func (b *imageBump) kustomization(doc *gaby.YamlDoc, path []string) {
	i := -1
	list := doc.Search(path...).Value()
	for item := list.First(); item.Exists(); item = item.Next() {
		i++
		b.override(item, append(slices.Clone(path), strconv.Itoa(i)))
	}
}

// override looks at an image that a kustomization sets, which is at a path.
func (b *imageBump) override(item gaby.Value, at []string) {
	beside := imageField{value: item}.beside()
	if beside.any("newName", "name").text() != b.uri {
		return
	}
	b.matches++
	parts := []struct{ key, value, other string }{
		{"newTag", b.tag, "digest"}, {"digest", b.digest, "newTag"},
	}
	for _, part := range parts {
		if part.value == "" {
			continue
		}
		b.set(part.value, at, part.key)
		// kustomize would use an old one beside the new one
		if (b.tag == "" || b.digest == "") && item.Get(part.other).Exists() {
			b.edits[len(b.edits)-1].replaced = part.other
		}
	}
}

// overrides sets the images that other types hand to kustomize: as a kustomization has them, or as
// [NAME=]IMAGE.
func (b *imageBump) overrides(docs gaby.Container, provider configkit.ResourceProvider) error {
	_, err := yamlkit.EditPaths(docs, provider.AttributePaths(attributeOverride), []any{"*"},
		provider, yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
			switch {
			case kustomizationImages(p.Resource.ResourceType) != nil: // see kustomization
			case p.Value.Kind() == gaby.Map:
				b.override(p.Value, p.Segments)
				return b.apply(p.Doc)
			case p.Value.Kind() == gaby.Scalar && p.Value.Tag() == "!!str":
				name, image, named := strings.Cut(p.Value.Text(), "=")
				if !named {
					name, image = "", name
				} else {
					name += "="
				}
				rest, ok := strings.CutPrefix(image, b.uri)
				if !ok || rest != "" && !b.isReference(rest) {
					return nil
				}
				b.matches++
				_, err := p.Doc.Set(name+b.uri+b.reference(), p.Segments...)
				return err
			}
			return nil
		})
	return err
}

// values looks for images in a map of a chart's values. key is that of the map.
func (b *imageBump) values(key string, m imageField, path []string, global string) {
	beside := m.beside()
	for entry := m.value.First(); entry.Exists(); entry = entry.Next() {
		at, inside := append(slices.Clone(path), entry.Key()), entry.Key()
		if isImagesKey(key) {
			inside = key
		}
		switch entry.Kind() {
		case gaby.Map:
			b.values(inside, imageField{value: entry}, at, global)
		case gaby.List:
			i := 0
			for item := entry.First(); item.Exists(); item = item.Next() {
				below := append(slices.Clone(at), strconv.Itoa(i))
				if item.Kind() == gaby.Map {
					b.values(inside, imageField{value: item}, below, global)
				} else if isImagesKey(inside) {
					b.whole(item, at, strconv.Itoa(i))
				}
				i++
			}
		case gaby.Scalar:
			if entry.Tag() == "!!str" {
				b.scalar(key, entry, beside, m.value, path, global)
			}
		}
	}
}

// scalar looks at a text that may be an image or its repository.
func (b *imageBump) scalar(
	parent string, v gaby.Value, beside fieldsBeside, m gaby.Value, path []string, global string,
) {
	key := v.Key()
	switch {
	case isRepositoryKey(parent, key, beside),
		isRepositoryKey(parent, key, withTag(beside)) && m.Get("tag").Exists(),
		isImageKey(key) && m.Get("tag").Exists():
		b.parts(v, beside, m, path, global)
	case isImageKey(key) && !isPicture(v.Text()), isImagesKey(parent) && hasRegistry(v.Text()):
		b.whole(v, path, key)
	}
}

// withTag returns a group of fields in which the tag has a text. A chart whose tag is empty uses
// its version of the application.
func withTag(beside fieldsBeside) fieldsBeside {
	doc, err := gaby.ParseYAML([]byte("tag\n"))
	if err != nil {
		return beside
	}
	return func(key string) imageField {
		if key == "tag" {
			return imageField{value: doc.Value()}
		}
		return beside(key)
	}
}

// whole replaces the reference in an image that is one text.
func (b *imageBump) whole(v gaby.Value, path []string, key string) {
	rest, ok := strings.CutPrefix(v.Text(), b.uri)
	if !ok || rest != "" && !b.isReference(rest) {
		return
	}
	b.matches++
	b.set(b.uri+b.reference(), path, key)
}

// parts replaces the tag and the digest beside the repository of an image.
func (b *imageBump) parts(
	name gaby.Value, beside fieldsBeside, m gaby.Value, path []string, global string,
) {
	text := name.Text()
	base := text
	if i := strings.IndexAny(text[strings.LastIndexByte(text, '/')+1:], ":@"); i >= 0 {
		base = text[:strings.LastIndexByte(text, '/')+1+i]
	}
	registry := beside.any("registry", "imageRegistry", "hub").text()
	if registry == "" && !hasRegistry(base) {
		registry = global
	}
	repository := base
	if registry != "" {
		repository = asRegistry(registry) + base
	}
	if b.uri != repository && (b.uri != base || registry != "" && registry != defaultRegistry) {
		return
	}
	b.matches++
	if base != text { // the reference is in the repository itself
		b.set(base+b.reference(), path, name.Key())
		return
	}
	find := func(keys ...string) string {
		for _, key := range keys {
			if m.Get(key).Exists() {
				return key
			}
		}
		return ""
	}
	tag, digest := find("tag", "newTag", "imageTag", "version"), find("digest", "sha")
	switch {
	case digest == "" && b.digest != "": // the chart puts the tag after a colon
		was, _, _ := strings.Cut(m.Get(tag).Text(), "@")
		if b.tag != "" {
			was = b.tag
		}
		b.set(was+"@"+b.digest, path, orTag(tag))
		return
	case digest != "" && (b.digest != "" || beside(digest).text() != ""):
		value := b.digest // the old one would win over the new tag
		if old := beside(digest).text(); old != "" && !strings.Contains(old, ":") {
			value = strings.TrimPrefix(value, "sha256:")
		}
		b.set(value, path, digest)
	}
	if b.tag != "" {
		b.set(b.tag, path, orTag(tag))
	}
}

// orTag returns the key of a tag, which is tag if it has none yet.
func orTag(key string) string {
	if key == "" {
		return "tag"
	}
	return key
}

// chart looks for images in the values of a chart, and sets them.
func (b *imageBump) chart(doc *gaby.YamlDoc) error {
	root := imageField{value: doc.Value()}
	b.values("", root, nil, globalRegistry(root))
	return b.apply(doc)
}

// helmReleases sets the images in the values of HelmReleases and the like: in a map, in a list of
// parameters, or in a text that is YAML.
func (b *imageBump) helmReleases(docs gaby.Container, provider configkit.ResourceProvider) error {
	_, err := yamlkit.EditPaths(docs, provider.AttributePaths(attributeHelmValues), []any{"*"},
		provider, yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
			switch p.Value.Kind() {
			case gaby.Map:
				f := imageField{value: p.Value}
				b.values("", f, p.Segments, globalRegistry(f))
				return b.apply(p.Doc)
			case gaby.List:
				return b.parameters(p)
			case gaby.Scalar:
				return b.text(p)
			}
			return nil
		})
	return err
}

// text sets the images in a text that is YAML.
func (b *imageBump) text(p *yamlkit.Match) error {
	inner, err := gaby.ParseAll([]byte(p.Value.Text()))
	if err != nil {
		b.notYAML(p)
		return nil
	}
	for _, doc := range inner {
		if doc.Check() != nil {
			b.notYAML(p)
			return nil
		}
	}
	for _, doc := range inner {
		if err := b.chart(doc); err != nil {
			return err
		}
	}
	if !inner.Changed() {
		return nil
	}
	_, err = p.Doc.Set(string(inner.Text()), p.Segments...)
	return err
}

// SetImageReferenceOfValuesFunction returns set-image-reference-by-uri for the values of charts,
// which are configuration without resources.
func SetImageReferenceOfValuesFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	repository := textParameter(parameterRepositoryURI, "nginx", "repository of the images", "")
	reference := textParameter(parameterImageReference, ":1.27",
		"new reference: :tag, @digest or both", `^(?:`+imageReference+`)$`)
	r := imageReferenceSignature(repository, reference)
	r.Description = "Set the tag and the digest of all images of a repository, in the fields " +
		"that charts use for them"
	isReference := referenceMatcher(reference)
	return handler.Editing(r, func(c *handler.Call) (int, error) {
		b := newImageBump(c, c.Args.String(parameterRepositoryURI),
			c.Args.String(parameterImageReference), isReference)
		var problems []error
		for _, doc := range c.Docs {
			if err := doc.Check(); err != nil {
				problems = append(problems, err)
				continue
			}
			problems = append(problems, b.chart(doc))
		}
		return b.matches, errors.Join(problems...)
	})
}
