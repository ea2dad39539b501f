package functionconfig

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/quantity"
)

func (d *decoder) podSection(f field) *Pod {
	if !d.keys(f, "tags", "serviceAccount", "resources", "timeToLive", "maxParallelExecutions",
		"preferredMaxQueueLength", "entrypoint", "templateOverrides") {
		return nil
	}
	p := &Pod{
		Tags: d.tags(f.get("tags"), true), TimeToLive: d.duration(f.get("timeToLive")),
		MaxParallelExecutions:   d.count(f.get("maxParallelExecutions")),
		PreferredMaxQueueLength: d.count(f.get("preferredMaxQueueLength")),
	}
	d.list(f.get("entrypoint"), func(e field) {
		text, ok := d.text(e)
		if !ok && !e.isSet() {
			_ = d.refuse(e, "a string is expected, not null")
		}
		p.Entrypoint = append(p.Entrypoint, text)
	})
	overrides := f.get("templateOverrides")
	d.keys(overrides, "serviceAccountName", "securityContext", "initContainer", "container")
	o := &p.Overrides
	account, _ := d.either(f.get("serviceAccount"), overrides.get("serviceAccountName"))
	if text, ok := d.text(account); ok {
		if !isSubdomain(text) {
			_ = d.fail(account, "%q is not the name of a service account", text)
		}
		o.ServiceAccount = text
	}
	security := overrides.get("securityContext")
	d.podSecurity(security)
	o.SecurityContext = raw(security)
	o.InitContainer = d.container(overrides.get("initContainer"), field{})
	o.Container = d.container(overrides.get("container"), f.get("resources"))
	return p
}

// container reads what changes one container. resources is the other spelling of its resources.
func (d *decoder) container(f, resources field) ContainerOverrides {
	d.keys(f, "resources", "env", "envFrom")
	chosen, other := d.either(resources, f.get("resources"))
	d.resources(chosen)
	d.resources(other)
	env, envFrom := f.get("env"), f.get("envFrom")
	names := map[string]bool{}
	d.list(env, func(e field) {
		if !d.keys(e, "name", "value", "valueFrom") {
			if !e.isSet() {
				_ = d.refuse(e, "a map is expected, not null")
			}
			return
		}
		name := e.get("name")
		switch text, ok := d.text(name); {
		case !ok && !name.isSet():
			_ = d.refuse(name, "it is missing")
		case ok && text == "":
			_ = d.refuse(name, "it is empty")
		case ok && names[text]:
			d.warn(name, "the variable %q is in the list twice", text)
		default:
			names[text] = true
		}
		value, from := e.get("value"), e.get("valueFrom")
		d.text(value)
		d.valueFrom(from)
		if value.isSet() && from.isSet() {
			_ = d.fail(from, "a variable has value or valueFrom, not both")
		}
	})
	d.list(envFrom, func(e field) {
		if !d.keys(e, "configMapRef", "prefix", "secretRef") && !e.isSet() {
			_ = d.refuse(e, "a map is expected, not null")
		}
	})
	return ContainerOverrides{Resources: raw(chosen), Env: raw(env), EnvFrom: raw(envFrom)}
}

// resources checks the quantities: each is valid and not negative, and a request is at most its
// limit.
func (d *decoder) resources(f field) {
	if !d.keys(f, "requests", "limits", "claims") {
		return
	}
	limits := d.quantities(f.get("limits"))
	for name, request := range d.quantities(f.get("requests")) {
		limit, ok := limits[name]
		if ok && request.amount.Compare(limit.amount) > 0 {
			_ = d.fail(request.field, "the request of %s is more than the limit of %s",
				request.field.Text(), limit.field.Text())
		}
	}
}

// amount is a quantity and its field.
type amount struct {
	field  field
	amount quantity.Quantity
}

func (d *decoder) quantities(f field) map[string]amount {
	if !d.keys(f) {
		return nil
	}
	d.few(f, maxQuantities)
	amounts := map[string]amount{}
	for v := f.First(); v.Exists(); v = v.Next() {
		e := f.get(v.Key())
		if v.Kind() != gaby.Scalar || v.IsNull() {
			_ = d.refuse(e, "a quantity is expected, not %s", shape(v))
			continue
		}
		if n, isFloat := v.Data().(float64); isFloat && n != math.Trunc(n) {
			d.refuse(e, "a quantity that is not a whole number is a string").Hint = fmt.Sprintf(
				"quote it: %q", v.Text())
			continue
		}
		q, ok := quantity.Parse(v.Text())
		if zero, _ := quantity.Parse("0"); !ok {
			problem := d.refuse(e, "%q is not a quantity", v.Text())
			problem.Hint = "quantities are written as 500m, 2 or 1Gi"
		} else if q.Compare(zero) < 0 {
			_ = d.fail(e, "%s is negative", v.Text())
		} else {
			amounts[v.Key()] = amount{e, q}
		}
	}
	return amounts
}

// raw returns a field as JSON, nil if it is not set.
func raw(f field) json.RawMessage {
	if !f.isSet() || !slices.Contains([]gaby.Kind{gaby.Map, gaby.List}, f.Kind()) {
		return nil
	}
	text, err := json.Marshal(f.Data())
	if err != nil { // a number such as .inf, which is in no field of these types
		return nil
	}
	return text
}

// podSecurity checks a PodSecurityContext.
func (d *decoder) podSecurity(f field) {
	types := map[string]string{
		"appArmorProfile": "a map", "fsGroup": "a whole number", "fsGroupChangePolicy": "a string",
		"runAsGroup": "a whole number", "runAsNonRoot": "true or false",
		"runAsUser": "a whole number", "seLinuxChangePolicy": "a string",
		"seLinuxOptions": "a map", "seccompProfile": "a map", "supplementalGroups": "a list",
		"supplementalGroupsPolicy": "a string", "sysctls": "a list", "windowsOptions": "a map",
	}
	if !d.keys(f, slices.Sorted(maps.Keys(types))...) {
		return
	}
	for v := f.First(); v.Exists(); v = v.Next() {
		e := f.get(v.Key())
		if kind := types[v.Key()]; kind != "" {
			d.of(e, kind)
		}
		if v.Key() == "supplementalGroups" && v.Kind() == gaby.List {
			d.list(e, func(group field) { d.of(group, "a whole number") })
		}
	}
}

// valueFrom checks the sources of a variable: each needs some fields.
func (d *decoder) valueFrom(f field) {
	needed := map[string][]string{
		"configMapKeyRef": {"key"}, "fieldRef": {"fieldPath"},
		"fileKeyRef": {"key", "path", "volumeName"}, "resourceFieldRef": {"resource"},
		"secretKeyRef": {"key"},
	}
	if !d.keys(f, slices.Sorted(maps.Keys(needed))...) {
		return
	}
	for v := f.First(); v.Exists(); v = v.Next() {
		source := f.get(v.Key())
		if d.of(source, "a map"); v.Kind() != gaby.Map {
			continue
		}
		for _, key := range needed[v.Key()] {
			if e := source.get(key); !e.isSet() {
				_ = d.refuse(e, "it is missing")
			} else {
				d.of(e, "a string")
			}
		}
	}
}
