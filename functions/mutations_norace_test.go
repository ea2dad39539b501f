//go:build !race

package functions_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestReplay applies the mutations of a chain to the input of the chain. The result must have the
// values of the chain's result, with lists in the same order.
func TestReplay(t *testing.T) {
	n := 300
	if os.Getenv("LONG") != "" {
		n = 10_000
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		var chain []string
		for range 1 + r.IntN(5) {
			chain = append(chain, randomInvocation(r))
		}
		response := mutate(t, shop, true, chain...)
		text, err := json.Marshal(response.Mutations)
		if err != nil {
			t.Fatal(err)
		}
		replay, err := standard.Run(context.Background(), &api.FunctionInvocationRequest{
			ConfigData: []byte(shop), FunctionInvocations: api.FunctionInvocationList{{
				FunctionName: "patch-mutations",
				Arguments:    []api.FunctionArgument{{Value: "[]"}, {Value: string(text)}},
			}},
		}, handler.Options{})
		if err != nil || !replay.Success {
			t.Fatalf("seed %d: %v %v\n%s", seed, err, replay.ErrorMessages, text)
		}
		if len(replay.Outputs) > 0 {
			t.Fatalf(
				"seed %d: conflicts: %v\n%s\n%s", seed, replay.Outputs[0].Value,
				strings.Join(chain, "\n"), text,
			)
		}
		if want, have := valuesOf(
			t, response.ConfigData,
		), valuesOf(t, replay.ConfigData); !sameUnits(want, have) {
			t.Fatalf(
				"seed %d: %s\n%s\n--- chain\n%s\n--- replay\n%s", seed, strings.Join(chain, "\n"),
				text, response.ConfigData, replay.ConfigData,
			)
		}
	}
}

// sameUnits compares documents. The order of new documents does not matter.
func sameUnits(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	left := append([]any(nil), b...)
	for _, x := range a {
		found := false
		for i, y := range left {
			if reflect.DeepEqual(x, y) {
				left = append(left[:i], left[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// valuesOf returns the values of the documents in data.
func valuesOf(t testing.TB, data []byte) []any {
	t.Helper()
	docs, err := gaby.ParseAll(data)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]any, len(docs))
	for i, d := range docs {
		if err := d.Check(); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		values[i] = d.Data()
	}
	return values
}

// randomInvocation returns a function with arguments that usually change something.
func randomInvocation(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	path := pick(
		"spec.template.spec.containers.?name=web", "spec.template.spec.containers.0",
		"spec.template.spec.containers.?name=proxy",
	)
	value := pick(
		"1", "two", "{}", "[]", "{a: 1}", "[1, {b: 2}]", "null", "'on'", "{a: {}, b: [x]}", "true",
	)
	list := pick(
		"spec.routes", "spec.routes.0.services", "spec.template.spec.containers.?name=web.args",
		"spec.template.spec.containers.?name=web.env", "spec.template.spec.containers",
	)
	switch r.IntN(14) {
	case 0:
		return "set-replicas " + pick("1", "3", "5")
	case 1:
		return "set-container-image " + pick("web", "proxy", "'*'") + " " +
			pick("nginx:1", "nginx:2", "envoy:1")
	case 2:
		return "set-annotation " + pick("a", "b.c/d", "x~1") + " " + pick("1", "two")
	case 3:
		return "set-label " + pick("app", "tier") + " " + pick("web", "front")
	case 4:
		return "set-env-var web " + pick("MODE", "NEW", "LEVEL") + " " + pick("slow", "1")
	case 5:
		return "set-path " +
			pick(
				path, "data", "spec", "metadata.annotations", "spec.strategy", "spec.routes.1",
				"spec.routes.0.services.0", path+".args.0",
			) +
			pick(".extra", "") + " " +
			pick("'"+strings.ReplaceAll(value, "'", "")+"'", "'{name: web, image: x}'")
	case 6:
		return "delete-path '*' " + pick(
			path+".args.0", path+".args", path+".env.0", "data.level", "spec.routes.0",
			"spec.routes.0.services.1", "metadata.labels", "spec.template.spec.containers.1",
		)
	case 7:
		return "set-yq '." + "data.text |= sub(\"two\"; \"2\")'"
	case 8:
		return "set-path data.text " +
			pick("\"one\\ntwo and more\\nthree\\n\"", "\"one\\n\"", "\"\\n\\nx\\n\"")
	case 9:
		return "set-starlark 'spec = r.get(\"spec\", {})\nfor p in [\"routes\", \"list\"]:\n" +
			"  if p in spec:\n    spec[p] = " +
			pick(
				"reversed(spec[p])", "spec[p] + [1]", "spec[p][1:]", "[0] + spec[p]",
				"spec[p] + spec[p]",
			) +
			"'"
	case 10:
		return "delete-resource " +
			pick("v1/ConfigMap settings", "traefik.io/v1alpha1/IngressRoute public")
	case 11:
		return "search-replace " + pick("web front", "1 2", "shop market")
	case 12:
		return "set-namespace " + pick("shop", "other")
	}
	return "set-path " + list + " '" +
		pick(
			"[]", "[{name: web, image: nginx:1}, {name: new, image: x}]", "[a, b, a]",
			"[{name: LEVEL, value: x}, {name: MODE, value: fast}]", "{}",
		) +
		"'"
}
