package bundle

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// use is a Secret or ConfigMap that an object uses, all of it or one key.
type use struct {
	kind, name, key string
	isOptional      bool
}

// uses returns the Secrets and ConfigMaps whose change Smith makes known to others by an annotation
// of an object: those in the environment of a Deployment, and those of a ServiceInstance's
// parameters.
func uses(gvk plugin.GroupVersionKind, object gaby.Value) []use {
	var list []use
	add := func(ref gaby.Value, kind string) {
		if ref.Kind() == gaby.Map {
			isOptional, _ := ref.Get("optional").Data().(bool)
			list = append(list, use{
				kind, ref.Get("name").Text(), ref.Get("key").Text(), isOptional,
			})
		}
	}
	each := func(in gaby.Value, visit func(gaby.Value)) {
		for _, v := range in.All() {
			visit(v)
		}
	}
	switch {
	case isDeployment(gvk):
		pod := object.Get("spec").Get("template").Get("spec")
		for _, containers := range []string{"containers", "initContainers"} {
			each(pod.Get(containers), func(container gaby.Value) {
				each(container.Get("envFrom"), func(from gaby.Value) {
					add(from.Get("secretRef"), "Secret")
					add(from.Get("configMapRef"), "ConfigMap")
				})
				each(container.Get("env"), func(variable gaby.Value) {
					from := variable.Get("valueFrom")
					add(from.Get("secretKeyRef"), "Secret")
					add(from.Get("configMapKeyRef"), "ConfigMap")
				})
			})
		}
	case isServiceInstance(gvk):
		each(object.Get("spec").Get("parametersFrom"), func(from gaby.Value) {
			add(from.Get("secretKeyRef"), "Secret")
		})
	}
	return list
}

func isDeployment(gvk plugin.GroupVersionKind) bool {
	return gvk.Group == "apps" && gvk.Kind == "Deployment"
}

func isServiceInstance(gvk plugin.GroupVersionKind) bool {
	return gvk.Group == "servicecatalog.k8s.io" && gvk.Kind == "ServiceInstance"
}

// annotate adds the checksum of what an object uses, as Smith does: pods start again when it
// changes, and a ServiceInstance is updated. An annotation that is disabled stays so.
func (p *run) annotate(res *ResourceResult) error {
	object := res.doc.Value()
	at, key := []string{"metadata", "annotations"}, smithv1.SecretParametersChecksum
	switch {
	case isDeployment(res.GVK):
		at = slices.Concat([]string{"spec", "template"}, at)
		key = smithv1.EnvRefHash
	case !isServiceInstance(res.GVK):
		return nil
	}
	path := append(at, key)
	if valueAt(object, path).Text() == smithv1.Disabled {
		return nil
	}
	h := sha256.New()
	for _, u := range uses(res.GVK, object) {
		if err := p.hash(h, u); err != nil {
			return err
		}
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if isServiceInstance(res.GVK) && res.actual.Exists() {
		if err := res.requestUpdate(valueAt(res.actual, path).Text() != sum); err != nil {
			return err
		}
	}
	return res.set(sum, "the Secrets and ConfigMaps that the object uses", path...)
}

// requestUpdate counts the updates that were asked for, one more if the parameters changed.
func (res *ResourceResult) requestUpdate(isChanged bool) error {
	actual := res.actual.Get("spec").Get("updateRequests")
	requests, _ := actual.Data().(int)
	switch own := res.doc.Value().Get("spec").Get("updateRequests"); {
	case isChanged:
		requests++
	case own.Exists() || !actual.Exists():
		return nil
	}
	return res.set(requests, "the changes of the parameters", "spec", "updateRequests")
}

func valueAt(v gaby.Value, path []string) gaby.Value {
	for _, key := range path {
		v = v.Get(key)
	}
	return v
}

// hash writes the keys and values of what an object uses, in the order of the keys.
func (p *run) hash(h hash.Hash, u use) error {
	gvk := plugin.GroupVersionKind{Version: "v1", Kind: u.kind}
	observed := p.Pool.find(gvk, p.bundle.Namespace, u.name)
	if observed == nil {
		if u.isOptional {
			return nil
		}
		return &missingError{"the", u.kind, u.name}
	}
	object, err := p.open(observed)
	if err != nil {
		return err
	}
	values, err := dataOf(u.kind, object)
	if err != nil {
		return fmt.Errorf("%s %s: %w", u.kind, u.name, err)
	}
	keys := slices.Sorted(maps.Keys(values))
	if _, ok := values[u.key]; u.key != "" {
		if !ok && !u.isOptional {
			return &missingError{"key " + u.key + " of", u.kind, u.name}
		}
		keys = slices.DeleteFunc(keys, func(key string) bool { return key != u.key })
	}
	for _, key := range keys {
		_, _ = io.WriteString(h, key+"\x00"+values[key]+"\x00") // never fails
	}
	return nil
}

// dataOf returns the values of a Secret or ConfigMap, as pods see them.
func dataOf(kind string, object gaby.Value) (map[string]string, error) {
	texts, encoded := object.Get("data"), object.Get("binaryData")
	if kind == "Secret" {
		texts, encoded = object.Get("stringData"), texts
	}
	values := map[string]string{}
	for _, v := range encoded.All() {
		value, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(v.Text()), ""))
		if err != nil {
			return nil, errors.New("the value of " + v.Key() + " is not base64")
		}
		values[v.Key()] = string(value)
	}
	for _, v := range texts.All() {
		values[v.Key()] = v.Text()
	}
	return values, nil
}
