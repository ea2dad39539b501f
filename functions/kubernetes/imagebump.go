package kubernetes

import (
	"cmp"
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
	list  []string // the path of the list of parameters
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

// set sets a field, adds a parameter that is missing, or deletes what the field is if value is nil.
func (b *imageBump) set(value any, f imageField) {
	path := f.segments
	switch {
	case f.parameter == "":
	case path == nil:
		path = append(slices.Clone(b.list), "-")
		value = gaby.Entries{{Key: "name", Value: f.parameter}, {Key: "value", Value: value}}
	case value == nil:
		path = path[:len(path)-1] // the whole parameter
	}
	b.edits = append(b.edits, bumpEdit{path, value, ""})
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
	list := imageField{segments: path, value: doc.Search(path...).Value()}
	for i, item := range list.value.All() {
		b.override(list.below(item, strconv.Itoa(i)))
	}
}

// override looks at an image that a kustomization sets.
func (b *imageBump) override(item imageField) {
	beside := item.beside()
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
		b.set(part.value, beside(part.key))
		// kustomize would use an old one beside the new one
		if (b.tag == "" || b.digest == "") && beside(part.other).value.Exists() {
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
				b.override(imageField{segments: p.Segments, value: p.Value})
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

// found looks at a text that may be an image or its repository. A chart whose tag is empty uses its
// version of the application.
func (b *imageBump) found(c *chart, parent, key string, f imageField, beside fieldsBeside) {
	tagged := beside("tag").value.Exists()
	switch {
	case isRepositoryKey(parent, key, beside, tagged), isImageKey(key) && tagged:
		b.parts(f, beside, c.global)
	case isImageKey(key) && !isPicture(f.text()),
		isImagesKey(parent) && (key == "" || hasRegistry(f.text())):
		b.whole(f)
	}
}

// whole replaces the reference in an image that is one text.
func (b *imageBump) whole(f imageField) {
	rest, ok := strings.CutPrefix(f.text(), b.uri)
	if ok && (rest == "" || b.isReference(rest)) {
		b.matches++
		b.set(b.uri+b.reference(), f)
	}
}

// parts replaces the tag and the digest beside the repository of an image.
func (b *imageBump) parts(name imageField, beside fieldsBeside, global string) {
	text := name.text()
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
		b.set(base+b.reference(), name)
		return
	}
	find := func(fallback string, keys ...string) imageField {
		for _, key := range keys {
			if f := beside(key); f.value.Exists() {
				return f
			}
		}
		return beside(fallback)
	}
	tag, digest := find("tag", "tag", "newTag", "imageTag", "version"), find("digest", "digest",
		"sha")
	switch old := digest.text(); {
	case !digest.value.Exists() && b.digest != "": // the chart puts the tag after a colon
		was, _, _ := strings.Cut(tag.value.Text(), "@")
		b.set(cmp.Or(b.tag, was)+"@"+b.digest, tag)
		return
	case digest.value.Exists() && (b.digest != "" || old != ""):
		value := b.digest // the old one would win over the new tag
		if old != "" && !strings.Contains(old, ":") {
			value = strings.TrimPrefix(value, "sha256:")
		}
		b.set(value, digest)
	}
	if b.tag != "" {
		b.set(b.tag, tag)
	}
}

// chart sets the images in the values of a chart.
func (b *imageBump) chart(doc *gaby.YamlDoc) error {
	(&chart{visit: b.found}).values(imageField{value: doc.Value()})
	return b.apply(doc)
}

// helmReleases sets the images in the values of HelmReleases and the like: in a map, in a list of
// parameters, or in a text that is YAML.
func (b *imageBump) helmReleases(docs gaby.Container, provider configkit.ResourceProvider) error {
	_, err := yamlkit.EditPaths(docs, provider.AttributePaths(attributeHelmValues), []any{"*"},
		provider, yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
			f, c := imageField{segments: p.Segments, value: p.Value}, &chart{visit: b.found}
			switch p.Value.Kind() {
			case gaby.Map:
				c.values(f)
			case gaby.List:
				b.list = p.Segments
				c.parameters(parametersOf(f))
			case gaby.Scalar:
				return b.text(p)
			}
			return b.apply(p.Doc)
		})
	return err
}

// text sets the images in a text that is YAML. Those in another text keep their references.
func (b *imageBump) text(p *yamlkit.Match) error {
	inner, ok := chartText(p.Value.Text())
	if !ok {
		b.call.Note(p.Value.Position(), p.Resource.String()+": "+string(p.Path())+
			" is not YAML: images in it are not set")
		return nil
	}
	for _, doc := range inner {
		if err := b.chart(doc); err != nil {
			return err
		}
	}
	if !inner.Changed() {
		return nil
	}
	_, err := p.Doc.Set(string(inner.Text()), p.Segments...)
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
