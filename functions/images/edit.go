package images

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// imageEditor finds images wherever they are written: in containers, in the images of
// kustomizations, in the values of charts, and in the lines of a Dockerfile. It replaces those for
// which visit returns another one.
type imageEditor struct {
	call *handler.Call
	// visit gets an image and the field that is reported for it. It returns the image that takes its
	// place, with the tag and the digest that are to be written, or false to leave it as it is.
	visit func(at imageField, image imageName) (imageName, bool)
	// elsewhere is called for an image that visit replaces and whose tag is in a field about which
	// nothing is known.
	elsewhere func(at imageField)
	// registry returns the registry that takes the place of one whose images are in other fields, or
	// false to leave it. nil leaves all.
	registry func(text string) (string, bool)

	provider configkit.ResourceProvider
	match    *yamlkit.Match // the one that is being visited; nil in values as a whole
	embedded bool           // whether its value is a text that was parsed
	list     []string       // the path of the list of parameters; nil if a map has them
	dotted   []string       // the path of the map of parameters
	edits    []imageEdit    // applied after a match, so that no value moves meanwhile
	matches  int            // images that were replaced
	renamed  []string       // names of entries of kustomizations that got a newName
}

// imageEdit sets the value at a path. The entry with the key replaced goes; the value gets its place
// and comments.
type imageEdit struct {
	path     []string
	value    any
	replaced string
	around   bool // the path is that of the document around the text that was parsed
}

// run visits all images of the documents, and applies the edits.
func (e *imageEditor) run(provider configkit.ResourceProvider) error {
	if e.provider = provider; e.registry != nil {
		e.inInput("")
	}
	known := configkit.ResourceProvider(configkit.Nameless{ResourceProvider: provider})
	if files, ok := provider.(interface {
		ForFile(file string) configkit.ResourceProvider
	}); ok {
		known = files.ForFile(handler.InputFile(e.call.FunctionContext))
	}
	_, err := yamlkit.EditPaths(e.call.Docs, provider.AttributePaths(attributeImageSources),
		[]any{"*"}, known, yamlkit.EditOptions{}, e.visitMatch)
	if known.ToolchainType() == api.ToolchainKubernetesYAML {
		return err
	}
	return errors.Join(err, yamlkit.EachDocument(e.call.Docs, known,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			if info.ResourceType != appkit.HelmValues {
				return nil
			}
			e.match = &yamlkit.Match{Doc: doc, Resource: info}
			return e.chart(doc)
		}))
}

// pathOf returns the path that is reported for a field.
func (e *imageEditor) pathOf(at imageField) api.ResolvedPath {
	path := at.path()
	if e.match.Segments == nil {
		return api.ResolvedPath(path)
	}
	if rest, ok := strings.CutPrefix(path, imageField{segments: e.match.Segments}.path()); ok {
		return e.match.Path() + api.ResolvedPath(rest)
	}
	return api.ResolvedPath(path)
}

// visitMatch visits the images at a match.
func (e *imageEditor) visitMatch(p *yamlkit.Match) error {
	e.match, e.embedded = p, false
	f := imageField{segments: p.Segments, value: p.Value}
	switch p.Info().AttributeName {
	case attributeHelmValues:
		return e.helmValues(f)
	case attributeOverride:
		e.override(f)
	case attributeImageLines:
		return e.lines(f)
	case attributeRepository, attributeImageName:
		e.repository(f)
	case attributeRegistry:
		if e.registry == nil {
			return nil
		}
		if changed, ok := e.registry(f.text()); ok {
			e.matches++
			e.set(changed, f)
		}
	default:
		part, ok := p.Scalar()
		if text, isText := part.(string); ok && isText {
			prefix, found := strings.CutSuffix(f.text(), text)
			if found {
				e.whole(f, prefix, text)
			}
		}
	}
	return e.apply(p.Doc)
}

// repository visits a repository whose tag is in a field that depends on the type.
func (e *imageEditor) repository(f imageField) {
	last := len(f.segments) - 1
	if f.segments[last] == "newName" {
		return // see override
	}
	parent := imageField{
		segments: f.segments[:last], value: e.match.Doc.Search(f.segments[:last]...).Value(),
	}
	beside := parent.beside()
	at, text := wholeImageOf(f, beside)
	old := imageNameOf(text)
	old.partial = true
	if beside.any("registry").text() == defaultRegistry {
		old.short = f.text()
	}
	changed, ok := e.visit(at, old)
	switch {
	case !ok:
	case changed.reference() != old.reference():
		e.elsewhere(f)
	case changed.repository != old.repository:
		e.matches++
		e.rename(f, at, old.repository, changed.repository, imageNameOf(f.text()))
	}
}

// whole visits an image that is one text, after a prefix that stays.
func (e *imageEditor) whole(f imageField, prefix, text string) {
	if !isImage(text) {
		return
	}
	if changed, ok := e.visit(f, imageNameOf(text)); ok {
		e.matches++
		e.set(prefix+changed.String(), f)
	}
}

// override visits an image that kustomize puts in place of another one: a map, or [NAME=]IMAGE. One
// that has a new name is the image with this name.
func (e *imageEditor) override(item imageField) {
	if item.value.Kind() == gaby.Scalar {
		prefix, text := "", item.text()
		if i := strings.IndexByte(text, '='); i >= 0 {
			prefix, text = text[:i+1], text[i+1:]
		}
		e.whole(item, prefix, text)
		return
	}
	beside := item.beside()
	at := beside.any("newName", "name")
	old := imageName{
		repository: at.text(), tag: strings.TrimPrefix(beside("newTag").text(), ":"),
		digest: strings.TrimPrefix(beside("digest").text(), "@"), partial: true,
	}
	changed, ok := e.visit(at, old)
	if !ok || old.repository == "" {
		return
	}
	e.matches++
	if changed.repository != old.repository {
		e.move(beside, changed.repository)
	}
	if changed.reference() == old.reference() {
		return
	}
	parts := []struct{ key, value, other string }{
		{"newTag", changed.tag, "digest"}, {"digest", changed.digest, "newTag"},
	}
	for _, part := range parts {
		if part.value == "" {
			continue
		}
		e.set(part.value, beside(part.key))
		// kustomize would use an old one beside the new one
		if (changed.tag == "" || changed.digest == "") && beside(part.other).value.Exists() {
			e.edits[len(e.edits)-1].replaced = part.other
		}
	}
}

// move writes another repository into an entry of a kustomization. The name of the entry is that of
// images in its bases: it changes if these are in the input, where they change as well.
func (e *imageEditor) move(entry fieldsBeside, to string) {
	name := entry("name")
	moved, ok := e.visit(name, imageName{repository: name.text(), partial: true})
	inInput := ok && e.inInput(name.text())
	if inInput {
		e.set(moved.repository, name)
	}
	switch named := entry("newName").text() != ""; {
	case inInput && !named:
		return
	case !named:
		e.renamed = append(e.renamed, name.text())
	}
	e.set(to, entry("newName"))
}

// inInput reports whether a container of the input has an image of a repository, as it is written.
// Its first call reads the input, so it comes before anything is written.
func (e *imageEditor) inInput(repository string) bool {
	p, ok := e.provider.(schemas.InputProvider)
	if !ok {
		return false
	}
	type key struct{}
	all, _ := p.FromInputs(key{}, func() any {
		all := map[string]bool{}
		_ = yamlkit.VisitMatches(p.InputDocuments(), e.provider.AttributePaths(attributeContainerImage),
			[]any{"*"}, e.provider, func(m *yamlkit.Match) {
				all[imageNameOf(m.Value.Text()).repository] = true
			})
		return all
	}).(map[string]bool)
	return all[repository]
}

// newChart returns the visit of values at the match. Parameters in a list beside them take their
// place.
func (e *imageEditor) newChart() *chart {
	c := &chart{visit: e.found}
	if last := len(e.match.Segments) - 1; last >= 0 && e.match.Segments[last] != "parameters" {
		list := append(slices.Clone(e.match.Segments[:last]), "parameters")
		c.over = byName(parametersOf(imageField{
			segments: list, value: e.match.Doc.Search(list...).Value(),
		}))
	}
	return c
}

// helmValues visits the images in the values of a chart: a map, a list of parameters, or a text
// that is YAML.
func (e *imageEditor) helmValues(f imageField) error {
	c := e.newChart()
	switch f.value.Kind() {
	case gaby.Map:
		c.values(f)
		e.list, e.dotted = nil, f.segments
		c.parameters(dottedKeys(f))
	case gaby.List:
		e.list = f.segments
		c.parameters(parametersOf(f))
	case gaby.Scalar:
		return e.text(f)
	}
	return e.apply(e.match.Doc)
}

// text visits the images in a text that is YAML. Those in another text are left alone.
func (e *imageEditor) text(f imageField) error {
	inner, ok := chartText(f.text())
	if !ok {
		e.call.Note(f.value.Position(), e.match.Resource.String()+": "+f.path()+
			" is not YAML: images in it are not found")
		return nil
	}
	e.embedded = true
	for _, doc := range inner {
		if err := e.chart(doc); err != nil {
			return err
		}
	}
	if !inner.Changed() {
		return nil
	}
	_, err := e.match.Doc.Set(string(inner.Text()), f.segments...)
	return err
}

// chart visits the images in the values of a chart.
func (e *imageEditor) chart(doc *gaby.YamlDoc) error {
	in := ""
	if e.embedded {
		in = imageField{segments: e.match.Segments}.path() + "#"
	}
	e.newChart().values(imageField{in: in, value: doc.Value()})
	return e.apply(doc)
}

// found visits a text that may be an image or its repository. A chart whose tag is empty uses its
// version of the application.
func (e *imageEditor) found(c *chart, parent, key string, f imageField, beside fieldsBeside) {
	tagged := beside("tag").value.Exists()
	switch {
	case strings.Contains(f.text(), "://"):
	case isRepositoryKey(parent, key, beside, tagged), isImageKey(key) && tagged:
		e.parts(f, beside, c.global)
	case isImageKey(key) && !isPicture(f.text()),
		isImagesKey(parent) && (key == "" || hasRegistry(f.text())):
		e.whole(f, "", f.text())
	}
}

// parts visits an image whose registry, tag and digest may be beside its repository. global is the
// field with the registry of images that name none.
func (e *imageEditor) parts(name imageField, beside fieldsBeside, global imageField) {
	own := imageNameOf(name.text())
	registry := beside.any("registry", "imageRegistry", "hub")
	if registry.text() == "" && !hasRegistry(own.repository) {
		registry = global
	}
	old := own
	if registry.text() != "" {
		old.repository = asRegistry(registry.text()) + own.repository
		if registry.text() == defaultRegistry {
			old.short = own.repository
		}
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
	inOne := own.reference() != "" // the reference is in the repository itself
	if old.partial = !inOne; old.partial {
		old.tag, old.digest, _ = strings.Cut(strings.TrimPrefix(tag.text(), ":"), "@")
		if text := digest.text(); text != "" {
			old.digest = text
			if !strings.Contains(text, ":") {
				old.digest = "sha256:" + text
			}
		}
	}
	if !isImage(old.String()) && !isImage(old.repository) {
		return
	}
	changed, ok := e.visit(name, old)
	if !ok {
		return
	}
	if prefix, keeps := strings.CutSuffix(changed.repository, "/"+own.repository); registry.text() != "" &&
		registry.path() == global.path() && changed.repository != old.repository &&
		!(keeps && hasRegistry(prefix+"/")) {
		e.call.Note(name.position(), e.match.Resource.String()+": "+string(e.pathOf(name))+
			" is left alone: its registry is that of other images, too")
		return
	}
	e.matches++
	if inOne {
		own.tag, own.digest = changed.tag, changed.digest
	}
	if inOne || changed.repository != old.repository {
		e.rename(name, registry, old.repository, changed.repository, own)
	}
	if !inOne && changed.reference() != old.reference() {
		e.reference(changed, tag, digest)
	}
}

// rename writes another repository into the fields of its name and of its registry, if it has one.
// own is the image that the field of the name has.
func (e *imageEditor) rename(name, registry imageField, from, to string, own imageName) {
	prefix, keepsName := strings.CutSuffix(to, "/"+own.repository)
	switch {
	case from == to:
	case registry.text() == "" || registry.path() == name.path():
		own.repository = to
	case keepsName && hasRegistry(prefix+"/"):
		e.set(prefix, registry)
	default:
		host, path, _ := strings.Cut(to, "/")
		e.set(host, registry)
		own.repository = path
	}
	if text := own.String(); text != name.text() {
		e.set(text, name)
	}
}

// reference writes another tag and digest into their fields.
func (e *imageEditor) reference(image imageName, tag, digest imageField) {
	switch old := digest.text(); {
	case !digest.value.Exists() && image.digest != "": // the chart puts the tag after a colon
		was, _, _ := strings.Cut(tag.value.Text(), "@")
		e.set(cmp.Or(image.tag, was)+"@"+image.digest, tag)
		return
	case digest.value.Exists() && (image.digest != "" || old != ""):
		value := image.digest // the old one would win over the new tag
		if old != "" && !strings.Contains(old, ":") {
			value = strings.TrimPrefix(value, "sha256:")
		}
		e.set(value, digest)
	}
	if image.tag != "" {
		e.set(image.tag, tag)
	}
}

// set sets a field, or adds a parameter that is missing.
func (e *imageEditor) set(value any, f imageField) {
	path := f.segments
	switch missing := f.parameter != "" && path == nil; {
	case missing && e.list != nil:
		path = append(slices.Clone(e.list), "-")
		value = gaby.Entries{{Key: "name", Value: f.parameter}, {Key: "value", Value: value}}
	case missing:
		path = append(slices.Clone(e.dotted), f.parameter)
	}
	e.edits = append(e.edits, imageEdit{path, value, "", e.embedded && f.in == ""})
}

// apply makes the edits in a document.
func (e *imageEditor) apply(doc *gaby.YamlDoc) error {
	var problems []error
	for _, edit := range e.edits {
		if edit.replaced != "" {
			problems = append(problems, edit.replace(doc))
			continue
		}
		of := doc
		if edit.around {
			of = e.match.Doc
		}
		_, err := of.Set(edit.value, edit.path...)
		problems = append(problems, err)
	}
	e.edits = nil
	return errors.Join(problems...)
}

// replace makes the edit in place of another entry, and keeps the comments of both.
func (e imageEdit) replace(doc *gaby.YamlDoc) error {
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
