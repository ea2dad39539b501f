package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docImage = `functionConfig: a ConfigMap with name, newName, newTag and digest in data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetImage
  image: {name: nginx, newName: bitnami/nginx, newTag: 1.21.4}
  additionalImageFields: [{kind: MyKind, path: "spec/images[]/image"}]

name is the image to replace, without tag and digest. newTag and digest exclude each other; what is
not given stays. Containers and init containers are found in every resource.`

// newImage is what images of a name become.
type newImage struct{ name, newName, newTag, digest string }

func setImage(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "SetImage")
	if err != nil {
		return err
	}
	var n newImage
	var fields []fieldSpec
	image := []strict.Field{
		strict.Text("name", &n.name), strict.Text("newName", &n.newName),
		strict.Text("newTag", &n.newTag), strict.Text("digest", &n.digest),
	}
	if c.isConfigMap() {
		err = c.read(image...)
	} else {
		err = c.read(fieldSpecs("additionalImageFields", &fields), strict.Field{
			Name: "image", Read: func(v strict.Value) { v.Object("image", image...) },
		})
	}
	if err != nil {
		return err
	}
	switch {
	case n.name == "":
		return errors.New("must specify `name`")
	case n.newName == "" && n.newTag == "" && n.digest == "":
		return errors.New("must specify one of `newName`, `newTag`, or `digest`")
	case n.newTag != "" && n.digest != "":
		return errors.New("cannot specify both `newTag` and `digest`")
	}
	updated := 0
	err = each(list.Items, func(item *krm.Item) error {
		return n.item(item, fields, func(path []string, v gaby.Value) error {
			was := text(v)
			now, ok := n.replace(was)
			if v.Kind() != gaby.Scalar || !ok || now == was {
				return nil
			}
			updated++
			_, err := item.Doc.Set(now, path...)
			return err
		})
	})
	if updated == 0 {
		info(list, "no image %q was changed", n.name)
	} else {
		info(list, "summary: updated a total of %d image(s)", updated)
	}
	return err
}

// item calls set for the images of an item.
func (n *newImage) item(item *krm.Item, fields []fieldSpec,
	set func(path []string, v gaby.Value) error,
) error {
	h, err := item.Doc.Header()
	if err != nil || !isResource(&h) {
		return err
	}
	for i := range fields {
		if fields[i].matches(&h) {
			if err := fields[i].visit(item.Doc, set); err != nil {
				return err
			}
		}
	}
	if h.Kind == "CustomResourceDefinition" || !item.Doc.MayContain(n.name) {
		return nil
	}
	return eachValue(item.Doc.Value(), nil, func(path []string, v gaby.Value) error {
		count := len(path)
		if count < 3 || path[count-1] != "image" ||
			path[count-3] != "containers" && path[count-3] != "initContainers" {
			return nil
		}
		return set(path, v)
	})
}

// replace returns what an image becomes, and whether it has the name.
func (n *newImage) replace(image string) (string, bool) {
	name, tag, digest := splitImage(image)
	if name != n.name {
		return "", false
	}
	if n.newName != "" {
		name = n.newName
	}
	switch {
	case n.newTag != "":
		return name + ":" + n.newTag, true
	case n.digest != "":
		return name + "@" + n.digest, true
	}
	return name + tag + digest, true
}

// splitImage splits an image into its name, tag with the colon, and digest with the @.
func splitImage(image string) (name, tag, digest string) {
	name = image
	if at := strings.IndexByte(name, '@'); at >= 0 {
		name, digest = name[:at], name[at:]
	}
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		name, tag = name[:colon], name[colon:]
	}
	return name, tag, digest
}
