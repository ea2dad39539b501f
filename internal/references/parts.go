package references

import (
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

const attributeResourceKey api.AttributeName = "resource-key"

// Parts returns a row for each key of a ConfigMap or Secret, and for each port of a Service, that
// the resource in the input does not have to which the reference around it leads. It also returns
// how many it compared. Keep must have been called for the references of the documents.
func (s *Survey) Parts(docs gaby.Container) (rows api.AttributeValueList, matches int, err error) {
	rows, err = rowsOf(docs, s.provider,
		[]api.AttributeName{attributeResourceKey, attributeServicePort},
		func(p *yamlkit.Match) string {
			ref := s.around(p)
			if ref == nil || isOpen(p.Value) {
				return ""
			}
			reason, compared := s.partReason(ref, p.Value.Text())
			if compared {
				matches++
			}
			return reason
		})
	return rows, matches, err
}

// Keep keeps a reference for Parts: with a copy of what its match says.
func (s *Survey) Keep(ref *Reference) {
	if len(s.provider.AttributePaths(attributeResourceKey).PathsOf(
		ref.Match.Resource.ResourceType)) == 0 &&
		len(s.provider.AttributePaths(attributeServicePort).PathsOf(
			ref.Match.Resource.ResourceType)) == 0 {
		return
	}
	if s.kept == nil {
		s.kept = map[*gaby.YamlDoc]map[string]*Reference{}
	}
	of := s.kept[ref.Match.Doc]
	if of == nil {
		of = map[string]*Reference{}
		s.kept[ref.Match.Doc] = of
	}
	kept, match := *ref, *ref.Match
	kept.Match = &match
	of[placeOf(ref.Match.Segments[:len(ref.Match.Segments)-1])] = &kept
}

// placeOf returns the place of a map as a text.
func placeOf(segments []string) string { return strings.Join(segments, "\x00") }

// around returns the reference in the innermost map around a match that has one, nil if there is
// none or if what it leads to is optional.
func (s *Survey) around(p *yamlkit.Match) *Reference {
	for n := len(p.Segments) - 1; n > 0; n-- {
		if p.Doc.Search(p.Segments[:n]...).Value().Get("optional").Text() == "true" {
			return nil
		}
		if ref := s.kept[p.Doc][placeOf(p.Segments[:n])]; ref != nil {
			return ref
		}
	}
	return nil
}

// partReason returns why the resource to which a reference leads has no such key or port. compared
// is false if the resource is not in the input, or if others may fill it.
func (s *Survey) partReason(ref *Reference, wanted string) (reason string, compared bool) {
	if s.isMade(ref, ref.Name) {
		return "", false
	}
	var names []string
	for _, t := range ref.Types {
		for _, doc := range s.documents(configkit.GroupKind(t), ref.Namespace, ref.Name) {
			v := doc.Value()
			spec := v.Get("spec")
			found, has := portsOf(spec, wanted)
			for _, field := range []string{"data", "stringData", "binaryData"} {
				for _, e := range v.Get(field).All() {
					has = has || e.Key() == wanted
					found = append(found, e.Key())
				}
			}
			if has {
				return "", true
			}
			if len(found) == 0 && spec.Get("ports").Len() == 0 {
				return "", false // filled in the cluster
			}
			names, compared = append(names, found...), true
		}
	}
	if !compared {
		return "", false
	}
	noun := "key "
	if slices.Contains(ref.Types, "v1/Service") {
		noun = "port "
	}
	name := string(ref.Types[0]) + " " + strings.TrimPrefix(ref.Namespace+"/"+ref.Name, "/")
	return name + " has no " + noun + wanted + didYouMean(wanted, names), true
}

// documents returns the documents of the input with a kind and name in a namespace. A namespace that
// is not known is not any other: a resource of the same name elsewhere may be another one.
func (s *Survey) documents(kind, namespace, name string) (docs gaby.Container) {
	if s.byName == nil {
		s.byName = map[[2]string]gaby.Container{}
		for _, doc := range s.unit {
			if info, err := s.provider.ResourceInfo(doc); err == nil && doc.Check() == nil {
				key := [2]string{
					configkit.GroupKind(info.ResourceType), string(info.ResourceNameWithoutScope),
				}
				s.byName[key] = append(s.byName[key], doc)
			}
		}
	}
	for _, doc := range s.byName[[2]string{kind, name}] {
		if doc.Value().Get("metadata").Get("namespace").Text() == namespace {
			docs = append(docs, doc)
		}
	}
	if s.others == nil {
		return docs
	}
	elsewhere := s.inputs.In(kind, namespace, name)
	if len(docs) == 0 && len(elsewhere) > 1 {
		// Files of several installations: that of another directory is another one.
		elsewhere = slices.DeleteFunc(slices.Clone(elsewhere), func(in schemas.InputResource) bool {
			return path.Dir(in.File) != s.dir
		})
	}
	for _, in := range elsewhere {
		if doc := s.others.InputDocument(in); doc.Check() == nil {
			docs = append(docs, doc)
		}
	}
	return docs
}
