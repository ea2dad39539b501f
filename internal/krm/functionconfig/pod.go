package functionconfig

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/semantics"
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
	beyondTypes(v, semantics.CheckContainer(v.Value)) // its resources
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
	beyondTypes(v, semantics.CheckPodFields(v.Value))
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
	beyondTypes(v, semantics.CheckContainer(v.Value))
}

func variables(v strict.Value) json.RawMessage {
	names := map[string]bool{}
	for e := range v.List() {
		kubernetes(e, "EnvVar")
		name := e.Get("name")
		switch text, ok := name.Data().(string); {
		case !ok:
		case text == "":
			name.Fail("", "%s is empty", name.Path).Code = alsoServer
		case names[text]:
			name.Fail("", "%s: the variable %q is in the list twice", name.Path, text).Code = onlyWarning
		default:
			names[text] = true
		}
	}
	return raw(v)
}

func sources(v strict.Value) json.RawMessage {
	for e := range v.List() {
		kubernetes(e, "EnvFromSource")
	}
	return raw(v)
}

// resources refuses quantities that the schema allows: null, and fractions without quotes.
func resources(v strict.Value) json.RawMessage {
	kubernetes(v, "ResourceRequirements")
	for _, name := range []string{"requests", "limits"} {
		amounts := v.Get(name)
		if amounts.Kind() != gaby.Map {
			continue // the schema says so
		}
		few(amounts, maxQuantities)
		for e := range amounts.Map() {
			switch n, isFloat := e.Data().(float64); {
			case e.IsNull():
				e.Must("a quantity", "")
			case isFloat && n != math.Trunc(n):
				e.Fail(fmt.Sprintf("quote it: %q", e.Value.Text()),
					"%s: a quantity that is not a whole number is a string", e.Path).Code = alsoServer
			}
		}
	}
	return raw(v)
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
