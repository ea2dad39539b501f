package catalog

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docImage = `functionConfig: a ConfigMap with name, newName, newTag and digest in data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetImage
  image: {name: nginx, newName: bitnami/nginx, newTag: 1.21.4}
  additionalImageFields: [{kind: MyKind, path: "spec/images[]/image"}]

name is the image to replace. Of newTag and digest the digest is used; if neither is given, those of
the image stay. Like the published program, it sets the containers of Pods, Deployments,
StatefulSets, ReplicaSets and DaemonSets, and the additional fields: no init containers, no Jobs and
no CronJobs. fctl do set-image-reference-by-uri sets these too.`

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
	}
	updated := 0
	err = each(list.Items, func(item *krm.Item) error {
		h, err := item.Doc.Header()
		if err != nil || !isResource(&h) {
			return err
		}
		changed, err := n.containers(item, h.Kind)
		updated += changed
		if err != nil {
			return err
		}
		before := item.Doc.Checkpoint()
		err = eachField(item, fields, isResource,
			func(_ *fieldSpec, path []string, v gaby.Value) error {
				if v.Exists() && v.Kind() != gaby.Scalar {
					return fmt.Errorf("%s: neither a map nor a list can be an image", fieldPath(path))
				}
				changed, err := n.set(item.Doc, path, v)
				if changed {
					updated++
				}
				return err
			})
		if err != nil { // the published program goes on, and ends with status 0
			item.Doc.Rollback(before)
			report(list, item, fnresult.SeverityError, nil, "%v", err)
		}
		return nil
	})
	info(list, "summary: updated a total of %d image(s)", updated)
	return err
}

// containers sets the images of the containers of an item and returns their number.
func (n *newImage) containers(item *krm.Item, kind string) (updated int, err error) {
	path := []string{"spec", "template", "spec", "containers"}
	switch kind {
	case "Pod":
		path = []string{"spec", "containers"}
	case "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet":
	default:
		return 0, nil
	}
	list := item.Doc.Search(path...).Value()
	if list.Exists() && list.Kind() != gaby.List {
		return 0, fmt.Errorf("%s is not a list", fieldPath(path))
	}
	for i, c := range list.All() {
		at := append(path[:len(path):len(path)], strconv.Itoa(i), "image")
		changed, err := n.set(item.Doc, at, c.Get("image"))
		if err != nil {
			return updated, err
		}
		if changed {
			updated++
		}
	}
	return updated, nil
}

// set sets one image, unless it is equal already or has another name.
func (n *newImage) set(doc *gaby.YamlDoc, path []string, v gaby.Value) (changed bool, err error) {
	was := text(v)
	now, ok := n.replace(was)
	if v.Kind() != gaby.Scalar || !ok || now == was {
		return false, nil
	}
	_, err = doc.Set(now, path...)
	return err == nil, err
}

// replace returns what an image becomes, and whether it has the name. A name with a tag is the name
// of the images with this tag only.
func (n *newImage) replace(image string) (string, bool) {
	name, tag, digest := splitImage(image)
	if name != n.name && name+tag != n.name {
		return "", false
	}
	if n.newName != "" {
		name = n.newName
	}
	switch {
	case n.digest != "":
		return name + "@" + n.digest, true
	case n.newTag != "":
		return name + ":" + n.newTag, true
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
