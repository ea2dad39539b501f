package functionconfig

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
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
	d.kubernetes(security, "PodSecurityContext")
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
		fits := d.kubernetes(e, "EnvVar")
		name, value, from := e.get("name"), e.get("value"), e.get("valueFrom")
		switch text, ok := name.Data().(string); {
		case !ok:
		case text == "":
			_ = d.refuse(name, "it is empty")
		case names[text]:
			d.warn(name, "the variable %q is in the list twice", text)
		default:
			names[text] = true
		}
		if value.isSet() && from.isSet() {
			_ = d.fail(from, "a variable has value or valueFrom, not both")
		}
		if fits {
			d.one(from, "configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef",
				"secretKeyRef")
		}
	})
	d.list(envFrom, func(e field) {
		if d.kubernetes(e, "EnvFromSource") {
			d.one(e, "configMapRef", "secretRef")
		}
	})
	return ContainerOverrides{Resources: raw(chosen), Env: raw(env), EnvFrom: raw(envFrom)}
}

// resources checks the quantities: each is valid and not negative, and a request is at most its
// limit.
func (d *decoder) resources(f field) {
	d.kubernetes(f, "ResourceRequirements")
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

// quantities returns those of a map that are valid, and refuses what the schema allows: null,
// fractions without quotes, and negative ones.
func (d *decoder) quantities(f field) map[string]amount {
	if f.Kind() != gaby.Map {
		return nil
	}
	d.few(f, maxQuantities)
	amounts := map[string]amount{}
	zero, _ := quantity.Parse("0")
	for v := f.First(); v.Exists(); v = v.Next() {
		e := f.get(v.Key())
		n, isFloat := v.Data().(float64)
		q, ok := quantity.Parse(v.Text())
		switch {
		case v.IsNull():
			_ = d.fail(e, "a quantity is expected, not null")
		case isFloat && n != math.Trunc(n):
			d.refuse(e, "a quantity that is not a whole number is a string").Hint = fmt.Sprintf(
				"quote it: %q", v.Text())
		case v.Kind() != gaby.Scalar || !ok: // the schema says so
		case q.Compare(zero) < 0:
			_ = d.fail(e, "%s is negative", v.Text())
		default:
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
