package lsp

import (
	"cmp"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/references"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// attributeImage is the attribute of images.
const attributeImage = "container-image"

// resourceOffers returns what may be written in a resource.
func resourceOffers(executor *functions.Executor, path string, s spot) (offers, error) {
	provider := providerOf(executor)
	segments := s.path()
	if len(segments) == 0 {
		return offers{}, nil
	}
	last := segments[len(segments)-1]
	if len(segments) == 1 && !s.key && (last == "apiVersion" || last == "kind") {
		types := executor.ResourceTypes(api.ToolchainKubernetesYAML)
		if inputs, ok := provider.(schemas.InputProvider); ok {
			types = append(types, inputs.Inputs().Types()...)
		}
		other := map[string]string{"apiVersion": "kind", "kind": "apiVersion"}[last]
		return typeNames(types, last, s.doc.Value().Get(other).Text()), nil
	}
	t := typeOf(s.doc)
	fields, ok := provider.(yamlpath.FieldProvider)
	if !ok {
		return offers{}, nil
	}
	if s.key {
		return keysOf(fields, t, segments[:len(segments)-1]), nil
	}
	field := fields.Field(t, yamlpath.Exactly(segments))
	var o offers
	switch {
	case len(field.Values) > 0:
		for _, value := range field.Values {
			o.add(value, "")
		}
		return o, nil
	case field.Type == "boolean":
		o.add("false", "")
		o.add("true", "")
		return o, nil
	case len(field.Keys) > 0:
		return keysOf(fields, t, segments), nil
	}
	if o, err := referenceOffers(provider, path, s); len(o.all) > 0 || err != nil {
		return o, err
	}
	return imageOffers(provider, s)
}

// keysOf returns the keys of the map at a path.
func keysOf(fields yamlpath.FieldProvider, t api.ResourceType, path []string) offers {
	o := offers{keys: true}
	for _, key := range fields.Field(t, yamlpath.Exactly(path)).Keys {
		field := fields.Field(t, yamlpath.Exactly(append(slices.Clip(path), key)))
		o.all = append(o.all, offer{
			name: key, about: describe(field), block: field.Type == "object" || field.Type == "array",
		})
	}
	return o
}

// reference returns the reference at a spot, nil if there is none.
func (s spot) reference(provider configkit.ResourceProvider) (found *references.Reference, err error) {
	segments := s.path()
	err = references.Visit(gaby.Container{s.doc}, provider, func(ref *references.Reference) {
		if slices.Equal(ref.Match.Segments, segments) && len(ref.Types) > 0 {
			found = ref
		}
	})
	return found, err
}

// index returns the resources of the documents of a file and those of all files.
func index(provider configkit.ResourceProvider, docs gaby.Container, path string,
) []*schemas.ResourceIndex {
	var own []schemas.InputResource
	for _, doc := range docs {
		if info, err := provider.ResourceInfo(doc); err == nil {
			own = append(own, schemas.InputResource{
				ResourceInfo: info, File: diag.FileName(path), Line: doc.FirstLine(),
			})
		}
	}
	all := []*schemas.ResourceIndex{schemas.IndexResources(own)}
	if inputs, ok := provider.(schemas.InputProvider); ok {
		all = append(all, inputs.Inputs())
	}
	return all
}

// targets returns the resources to which the reference at a spot leads.
func (s spot) targets(provider configkit.ResourceProvider, path string,
) (found []schemas.InputResource, err error) {
	ref, err := s.reference(provider)
	if ref == nil || err != nil {
		return nil, err
	}
	for _, t := range ref.Types {
		for _, namespace := range []string{cmp.Or(ref.Namespace, schemas.Anywhere), ""} {
			for _, all := range index(provider, s.docs, path) {
				found = append(found, all.In(configkit.GroupKind(t), namespace, ref.Name)...)
				if len(found) > 0 {
					return found, nil
				}
			}
		}
	}
	return nil, nil
}

// referenceOffers returns the names of the resources to which a reference can refer.
func referenceOffers(provider configkit.ResourceProvider, path string, s spot) (offers, error) {
	var o offers
	ref, err := s.reference(provider)
	if ref == nil || err != nil {
		return o, err
	}
	namespace := cmp.Or(ref.Namespace, schemas.Anywhere)
	for _, t := range ref.Types {
		kind := configkit.GroupKind(t)
		for _, all := range index(provider, s.docs, path) {
			for _, name := range all.Names(kind) {
				if name != marker && all.Has(kind, namespace, name) {
					o.add(name, string(t))
				}
			}
		}
	}
	return o, nil
}

// imageOffers returns the images of a file, if the spot is one.
func imageOffers(provider configkit.ResourceProvider, s spot) (offers, error) {
	var o offers
	isImage, segments := false, s.path()
	_, err := yamlkit.VisitPathsDoc(s.docs, provider.AttributePaths(attributeImage),
		references.EveryKey(), nil, provider,
		func(doc *gaby.YamlDoc, _ any, at yamlkit.VisitorContext, v *gaby.YamlDoc) (any, error) {
			switch text := v.Value().Text(); {
			case doc == s.doc && slices.Equal(at.Segments, segments):
				isImage = true
			case text != "" && text != marker:
				o.add(text, "")
			}
			return nil, nil
		}, false)
	if !isImage || err != nil {
		return offers{}, err
	}
	return o, nil
}

// describe returns what is known about a field, in one line.
func describe(f yamlpath.Field) string {
	switch {
	case len(f.Values) > 0:
		return strict.Or(f.Values)
	case len(f.Keys) > 0 && f.Type == "object":
		return "a map"
	}
	return map[string]string{
		"object": "a map", "array": "a list", "string": "a text", "boolean": "true or false",
		"integer": "a whole number", "number": "a number",
	}[f.Type]
}
