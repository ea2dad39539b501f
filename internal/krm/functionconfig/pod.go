package functionconfig

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	"github.com/fctl-dev/fctl/internal/strict"
)

// podExecutor reads the pods. Two fields of the proposal are those of templateOverrides in Porch.
func (c *Config) podExecutor(v strict.Value) {
	p := &Pod{}
	c.Pod = p
	o := &p.Overrides
	v.Object("a podExecutor",
		strict.To("tags", &p.Tags, func(v strict.Value) []Tag { return tags(v, true) }),
		strict.To("serviceAccount", &o.ServiceAccount, serviceAccount),
		strict.To("resources", &o.Container.Resources, resources),
		strict.To("timeToLive", &p.TimeToLive, duration),
		strict.To("maxParallelExecutions", &p.MaxParallelExecutions, count),
		strict.To("preferredMaxQueueLength", &p.PreferredMaxQueueLength, count),
		strict.Texts("entrypoint", &p.Entrypoint),
		strict.Field{Name: "templateOverrides", Read: o.read})
	overrides := v.Get("templateOverrides")
	same(v.Get("serviceAccount"), overrides.Get("serviceAccountName"))
	same(v.Get("resources"), overrides.Get("container").Get("resources"))
}

func (o *Overrides) read(v strict.Value) {
	v.Object("templateOverrides",
		strict.To("serviceAccountName", &o.ServiceAccount, serviceAccount),
		strict.To("securityContext", &o.SecurityContext, func(v strict.Value) json.RawMessage {
			kubernetes(v, "PodSecurityContext")
			return raw(v)
		}),
		strict.Field{Name: "initContainer", Read: o.InitContainer.read},
		strict.Field{Name: "container", Read: o.Container.read})
}

func serviceAccount(v strict.Value) string {
	text := v.Text()
	if !isSubdomain(text) {
		v.Must("the name of a service account", "")
	}
	return text
}

// read reads what changes one container.
func (c *ContainerOverrides) read(v strict.Value) {
	v.Object("a container", strict.To("resources", &c.Resources, resources),
		strict.To("env", &c.Env, variables), strict.To("envFrom", &c.EnvFrom, sources))
}

func variables(v strict.Value) json.RawMessage {
	names := map[string]bool{}
	for e := range v.List() {
		fits := kubernetes(e, "EnvVar")
		name, from := e.Get("name"), e.Get("valueFrom")
		switch text, ok := name.Data().(string); {
		case !ok:
		case text == "":
			name.Fail("", "%s is empty", name.Path).Code = alsoServer
		case names[text]:
			name.Fail("", "%s: the variable %q is in the list twice", name.Path, text).Code = onlyWarning
		default:
			names[text] = true
		}
		if e.Get("value").Exists() && from.Exists() {
			from.Fail("", "%s: a variable has value or valueFrom, not both", from.Path)
		}
		if fits {
			one(from, "configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef",
				"secretKeyRef")
		}
	}
	return raw(v)
}

func sources(v strict.Value) json.RawMessage {
	for e := range v.List() {
		if kubernetes(e, "EnvFromSource") {
			one(e, "configMapRef", "secretRef")
		}
	}
	return raw(v)
}

// resources checks the quantities: each is valid and not negative, and a request is at most its
// limit.
func resources(v strict.Value) json.RawMessage {
	kubernetes(v, "ResourceRequirements")
	limits := quantities(v.Get("limits"))
	for name, request := range quantities(v.Get("requests")) {
		limit, ok := limits[name]
		if ok && request.amount.Compare(limit.amount) > 0 {
			request.Fail("", "%s: the request of %s is more than the limit of %s", request.Path,
				request.Value.Value.Text(), limit.Value.Value.Text())
		}
	}
	return raw(v)
}

// amount is a value that is a quantity.
type amount struct {
	strict.Value
	amount quantity.Quantity
}

// quantities returns those of a map that are valid, and refuses what the schema allows: null,
// fractions without quotes, and negative ones.
func quantities(v strict.Value) map[string]amount {
	if v.Kind() != gaby.Map {
		return nil // the schema says so
	}
	few(v, maxQuantities)
	amounts := map[string]amount{}
	zero, _ := quantity.Parse("0")
	for e := range v.Map() {
		n, isFloat := e.Data().(float64)
		q, ok := quantity.Parse(e.Value.Text())
		switch {
		case e.IsNull():
			e.Must("a quantity", "")
		case isFloat && n != math.Trunc(n):
			e.Fail(fmt.Sprintf("quote it: %q", e.Value.Text()),
				"%s: a quantity that is not a whole number is a string", e.Path).Code = alsoServer
		case e.Kind() != gaby.Scalar || !ok: // the schema says so
		case q.Compare(zero) < 0:
			e.Fail("", "%s is negative: %s", e.Path, e.Value.Text())
		default:
			amounts[e.Key()] = amount{e, q}
		}
	}
	return amounts
}

// raw returns a map or list as JSON, nil for other values.
func raw(v strict.Value) json.RawMessage {
	if v.Kind() != gaby.Map && v.Kind() != gaby.List {
		return nil
	}
	text, err := json.Marshal(v.Data())
	if err != nil { // a number such as .inf, which is in no field of these types
		return nil
	}
	return text
}
