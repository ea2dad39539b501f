package images

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// vetImagesFunction returns vet-values for everything that decides which images run. If the parts
// of an image are in several fields, the image is checked as a whole.
func vetImagesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := generic.VetFunction("vet-images", "image-filter", `{"DenyRegexp": ":latest$"}`,
		func(c *handler.Call, refuses func(any) string) (int, api.AttributeValueList, error) {
			v := imageVetting{refuses: refuses, call: c, failed: api.AttributeValueList{}}
			err := yamlkit.VisitMatches(c.Docs, provider.AttributePaths(attributeImageSources),
				[]any{"*"}, configkit.Nameless{ResourceProvider: provider}, v.visit)
			return v.matches, yamlkit.SortRows(v.failed), err
		})
	r.AttributeName = attributeImageSources
	r.Nameless = true
	r.Description = "Check that images, those of kustomizations and of the values of Helm charts " +
		"included, are among those that are allowed"
	r.Examples = []string{
		`vet-images '{"AllowRegexp": "^(registry\\.example\\.com/|nginx:|envoyproxy/)"}'`,
		`vet-images '{"DenyRegexp": ":latest$"}'`,
	}
	return r
}

// imageVetting collects refused images.
type imageVetting struct {
	refuses func(any) string
	call    *handler.Call
	matches int
	failed  api.AttributeValueList

	row      api.AttributeValue // of the match that is being checked
	embedded bool               // whether its value is text that was parsed
}

// visit checks the images at a match.
func (v *imageVetting) visit(p *yamlkit.Match) {
	row, ok := p.Row()
	if !ok {
		return
	}
	v.row, v.embedded = row, false
	f := imageField{in: string(row.Path), value: p.Value}
	switch p.Info().AttributeName {
	case attributeHelmValues:
		v.helmValues(f)
	case attributeOverride:
		v.override(f)
	case attributeRegistry:
		v.check(f, asRegistry(f.text()))
	case attributeRepository, attributeImageName:
		parent := imageField{
			in:    string(row.Path[:max(strings.LastIndexByte(string(row.Path), '.'), 0)]),
			value: p.Doc.Search(p.Segments[:len(p.Segments)-1]...).Value(),
		}
		at, image := wholeImageOf(f, parent.beside())
		v.check(at, image)
	default:
		v.check(f, row.Value)
	}
}

// check reports an image that is not allowed as a finding at field f.
func (v *imageVetting) check(f imageField, image any) {
	v.matches++
	reason := v.refuses(image)
	if reason == "" {
		return
	}
	row := v.row
	row.Reason, row.Path = reason, api.ResolvedPath(f.path())
	if row.Path != v.row.Path {
		row.Value, row.DataType, row.Comment = f.text(), api.DataTypeString, ""
		if pos := f.value.Position(); !v.embedded && pos.Line > 0 {
			row.Position = &api.Position{Line: pos.Line, Column: pos.Column}
		}
	}
	v.failed = append(v.failed, row)
}

// override checks an override in a kustomization: NAME=IMAGE or IMAGE, or a map. If a map has a
// newName, that is checked as a repository at its own path instead.
func (v *imageVetting) override(f imageField) {
	if f.value.Kind() == gaby.Scalar {
		image := f.text()
		if _, replacement, ok := strings.Cut(image, "="); ok {
			image = replacement
		}
		v.check(f, image)
		return
	}
	beside := f.beside()
	if name := beside("name"); name.text() != "" && beside("newName").text() == "" {
		at, image := wholeImageOf(name, beside)
		v.check(at, image)
	}
}

// helmValues checks the images in the values of a Helm chart: a map, YAML text, or a list of
// parameters with name and value.
func (v *imageVetting) helmValues(f imageField) {
	c := &chart{visit: v.helmText}
	switch f.value.Kind() {
	case gaby.Map:
		c.values(f)
		c.parameters(dottedKeys(f))
	case gaby.List:
		c.parameters(parametersOf(f))
	case gaby.Scalar:
		docs, ok := chartText(f.text())
		if !ok {
			v.call.Skipped(f.value.Position(), fmt.Sprintf(
				"%s: %s is not YAML: images in it are not checked", v.row.ResourceInfo, f.in))
			return
		}
		v.embedded = true
		for _, doc := range docs {
			c.values(imageField{in: f.in + "#", value: doc.Value()})
		}
	}
}

// helmText checks a text that may be an image or a part of one.
func (v *imageVetting) helmText(
	c *chart, parent, key string, f imageField, beside fieldsBeside,
) {
	text := f.text()
	switch {
	case strings.Contains(text, "://"):
	case isImageKey(key) && !isPicture(text), isRepositoryKey(parent, key, beside, false):
		at, image := wholeImageOf(f, beside)
		if at.path() == f.path() && c.global.text() != "" && !hasRegistry(image) {
			image = asRegistry(c.global.text()) + image
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
