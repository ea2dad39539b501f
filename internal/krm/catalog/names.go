package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/references"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docNameSubstring = `functionConfig: a ConfigMap with one of these keys in data:

  prepend: dev-
  append: -dev

or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: EnsureNameSubstring
  substring: dev-
  editMode: prepend   # or append
  additionalNameFields: [{kind: MyKind, path: spec/name}]

Adds the substring to names that do not contain it, and to the references to them. Names of
CustomResourceDefinitions, Namespaces and APIServices stay. fieldSpecs is an older name of
additionalNameFields.`

// nameEdit is how names change.
type nameEdit struct {
	substring string
	append    bool
}

func (e *nameEdit) edit(name string) string {
	switch {
	case strings.Contains(name, e.substring) || name == "":
		return name
	case e.append:
		return name + e.substring
	}
	return e.substring + name
}

func ensureNameSubstring(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "EnsureNameSubstring")
	if err != nil {
		return err
	}
	var fields []fieldSpec
	e, err := nameEditOf(c, &fields)
	if err != nil {
		return err
	}
	if err := checkIdentities(list.Items); err != nil {
		return err
	}
	type key struct{ kind, name string }
	renamed := map[key][]gaby.Header{}
	for _, item := range list.Items {
		if h, err := item.Doc.Header(); err == nil && isRenamed(&h) && e.edit(h.Name) != h.Name {
			k := key{groupKind(&h), h.Name}
			renamed[k] = append(renamed[k], h)
		}
	}
	_, err = references.Set(list.Docs(), k8skit.K8sResourceProvider,
		func(r *references.Reference) (string, bool) {
			if slices.Equal(r.Match.Segments, []string{"metadata", "name"}) {
				return "", false
			}
			for _, t := range r.Types {
				for _, h := range renamed[key{configkit.GroupKind(t), r.Name}] {
					if h.Namespace == "" || r.Namespace == "" || h.Namespace == r.Namespace {
						return e.edit(r.Name), true
					}
				}
			}
			return "", false
		})
	changed := 0
	err = errors.Join(err, each(list.Items, func(item *krm.Item) error {
		n, err := e.item(item, fields, func(kind, name string) bool {
			return len(renamed[key{kind, name}]) > 0
		})
		changed += n
		return err
	}))
	if changed == 0 && len(list.Items) > 0 {
		info(list, "all names contain %q already", e.substring)
	}
	return err
}

func nameEditOf(c *config, fields *[]fieldSpec) (*nameEdit, error) {
	e := &nameEdit{}
	if !c.isConfigMap() {
		mode := ""
		err := c.read(strict.Text("substring", &e.substring),
			strict.OneOf("editMode", &mode, "prepend", "append"),
			fieldSpecs("additionalNameFields", fields), fieldSpecs("fieldSpecs", fields))
		if err != nil {
			return nil, err
		}
		e.append = mode == "append"
	} else {
		data := pairs(c.data)
		if len(data) != 1 || data[0].key != "prepend" && data[0].key != "append" {
			return nil, errors.New("functionConfig: data must have one key, prepend or append")
		}
		e.substring, e.append = data[0].value, data[0].key == "append"
	}
	if e.substring == "" {
		return nil, errors.New("functionConfig: the substring is empty")
	}
	return e, nil
}

// isRenamed reports whether resources of a type get the substring.
func isRenamed(h *gaby.Header) bool {
	return isResource(h) &&
		!slices.Contains([]string{"CustomResourceDefinition", "Namespace", "APIService"}, h.Kind)
}

func groupKind(h *gaby.Header) string {
	return configkit.GroupKind(api.ResourceType(h.APIVersion + "/" + h.Kind))
}

// item changes the names in one item; references to others are changed already. It returns the
// number of names that changed.
func (e *nameEdit) item(item *krm.Item, fields []fieldSpec, renamed func(kind, name string) bool,
) (changed int, err error) {
	h, err := item.Doc.Header()
	if err != nil {
		return 0, err
	}
	set := func(path []string, v gaby.Value) error {
		now := e.edit(text(v))
		if v.Kind() != gaby.Scalar || now == text(v) {
			return nil
		}
		changed++
		_, err := item.Doc.Set(now, path...)
		return err
	}
	if isRenamed(&h) {
		if err := set([]string{"metadata", "name"},
			item.Doc.Value().Get("metadata").Get("name")); err != nil {
			return changed, err
		}
	}
	for i := range fields {
		if fields[i].matches(&h) {
			if err := fields[i].visit(item.Doc, set); err != nil {
				return changed, err
			}
		}
	}
	value := krm.Annotation(item.Doc, dependsOn)
	if value == "" {
		return changed, nil
	}
	references := strings.Split(value, ",")
	for i, reference := range references {
		parts := strings.Split(reference, "/")
		n := len(parts)
		if n < 3 || !renamed(strings.Trim(parts[0]+"/"+parts[n-2], "/"), parts[n-1]) {
			continue
		}
		parts[n-1] = e.edit(parts[n-1])
		references[i] = strings.Join(parts, "/")
	}
	if now := strings.Join(references, ","); now != value {
		changed++
		_, err = item.Doc.Set(now, "metadata", "annotations", dependsOn)
	}
	return changed, err
}
