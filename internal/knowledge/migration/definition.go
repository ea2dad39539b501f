package migration

import (
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// splitDefinition moves the parts of a CustomResourceDefinition that hold for all versions into the
// versions.
func splitDefinition(doc *gaby.YamlDoc) error {
	spec := func(path ...string) gaby.Value { return valueAt(doc, []string{"spec"}, path) }
	if name := spec("version"); name.Exists() {
		if !spec("versions").Exists() {
			version := gaby.Entries{
				{Key: "name", Value: gaby.WithOwnComments(name)},
				{Key: "served", Value: true},
				{Key: "storage", Value: true},
			}
			if _, err := doc.Set([]any{version}, "spec", "versions"); err != nil {
				return err
			}
			if err := doc.MoveKeyAfter("version", "spec", "versions"); err != nil {
				return err
			}
		}
		if err := doc.Delete("spec", "version"); err != nil {
			return err
		}
	}
	keepsUnknown := spec("preserveUnknownFields")
	prunes := keepsUnknown.Exists() && keepsUnknown.Data() == false
	if keepsUnknown.Exists() {
		if err := doc.Delete("spec", "preserveUnknownFields"); err != nil {
			return err
		}
	}
	versions := spec("versions")
	if versions.Kind() != gaby.List || versions.Len() == 0 {
		return &IncompleteError{Pos: spec().Position(), Path: "spec.versions"}
	}
	for i := range versions.Len() {
		if err := completeVersion(doc, []string{"spec", "versions", strconv.Itoa(i)}, prunes); err != nil {
			return err
		}
	}
	for _, key := range []string{"validation", "subresources", "additionalPrinterColumns"} {
		if spec(key).Exists() {
			if err := doc.Delete("spec", key); err != nil {
				return err
			}
		}
	}
	webhook := &apiStep{move: [][2][]string{
		{{"webhookClientConfig"}, {"webhook", "clientConfig"}},
		{{"conversionReviewVersions"}, {"webhook", "conversionReviewVersions"}},
	}}
	if spec("conversion", "strategy").Text() != "Webhook" {
		webhook = &apiStep{deleted: [][]string{{"webhookClientConfig"}, {"conversionReviewVersions"}}}
	} else if !spec("conversion", "conversionReviewVersions").Exists() {
		webhook.missing = []pathValue{{[]string{"webhook", "conversionReviewVersions"}, v1beta1()}}
	}
	return webhook.apply(doc, []string{"spec", "conversion"})
}

// v1beta1 returns the versions of reviews that a webhook gets by default.
func v1beta1() gaby.Value {
	doc, _ := gaby.ParseYAML([]byte("[v1beta1]\n"))
	return doc.Value()
}

// completeVersion gives a version what the definition has for all versions.
func completeVersion(doc *gaby.YamlDoc, at []string, prunes bool) error {
	for _, part := range [][2]string{
		{"validation", "schema"},
		{"subresources", "subresources"},
		{"additionalPrinterColumns", "additionalPrinterColumns"},
	} {
		v := valueAt(doc, []string{"spec"}, part[:1])
		if !v.Exists() || v.IsNull() || valueAt(doc, at, part[1:]).Exists() {
			continue
		}
		if _, err := doc.Set(gaby.WithComments(v), append(slices.Clone(at), part[1])...); err != nil {
			return err
		}
	}
	columns := valueAt(doc, at, []string{"additionalPrinterColumns"})
	column := &apiStep{move: [][2][]string{{{"JSONPath"}, {"jsonPath"}}}}
	err := each(columns, []string{"*"}, append(slices.Clone(at), "additionalPrinterColumns"),
		func(at []string) error { return column.apply(doc, at) })
	if err != nil {
		return err
	}
	schema := append(slices.Clone(at), "schema", "openAPIV3Schema")
	set := func(value any, key string) error {
		_, err := doc.Set(value, append(slices.Clone(schema), key)...)
		return err
	}
	root := valueAt(doc, schema, nil)
	if of := root.Get("type"); of.Exists() && of.Text() != "object" {
		return &IncompleteError{
			Pos: of.Position(), Path: yamlpath.Join(append(schema, "type")), Allowed: []string{"object"},
		}
	}
	if !root.Get("type").Exists() {
		if err := set("object", "type"); err != nil {
			return err
		}
	}
	if !prunes && !valueAt(doc, schema, []string{"x-kubernetes-preserve-unknown-fields"}).Exists() {
		return set(true, "x-kubernetes-preserve-unknown-fields")
	}
	return nil
}
