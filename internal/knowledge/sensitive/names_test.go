package sensitive_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

// TestNamesStayReadable checks that messages keep the names of resources, types, paths and variables
// in their places, though secret values have the same texts, and mask these values elsewhere.
func TestNamesStayReadable(t *testing.T) {
	values := find(secret + `stringData:
  word: service
  namespace: shop
  key: replicas
  type: v1/Service
  alone: ${ALONE}
  url: "postgres://u:${DB_PASSWORD}@host.example/${NAME:=hunter2}"
  broken: "xyz${tail"
---
apiVersion: v1
kind: Service
metadata: {name: service, namespace: shop}
spec: {replicas: 3}
`)
	for message, want := range map[string]string{
		"v1/Service shop/servic is missing":           "v1/Service shop/servic is missing",
		"not found; did you mean service?":            "not found; did you mean service?",
		"resource shop/service failed":                "resource shop/service failed",
		"v1/Service shop/service: spec.replicas is 3": "v1/Service shop/service: spec.replicas is 3",
		"unknown field replicas":                      "unknown field replicas",
		"namespace shop is full":                      "namespace shop is full",
		// values
		"the password is service":         "the password is (sensitive)",
		`field "service" is bad`:          `field "(sensitive)" is bad`,
		"got shop, want service":          "got (sensitive), want (sensitive)",
		"https://shop/x":                  "https://(sensitive)/x",
		"replicas=3":                      "(sensitive)=3",
		"apps/Deployment (service)":       "apps/Deployment ((sensitive))",
		"resource shop-service":           "resource (sensitive)",
		"variable ALONE, like ${ALONE}":   "variable ALONE, like ${ALONE}",
		"as in ${DB_PASSWORD:=x}":         "as in ${DB_PASSWORD:=x}",
		"variables in xyz${tail are torn": "variables in (sensitive) are torn",
	} {
		t.Run(message, func(t *testing.T) {
			if got := values.Message(message); got != want {
				t.Errorf("%s: got %s, want %s", message, got, want)
			}
		})
	}
	message := "variable NAME has no value: ${NAME:=x}, hunter2"
	if got, want := values.About("v1/Secret", "stringData.url", message),
		"variable NAME has no value: ${NAME:=x}, (sensitive)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNamesOfFiles checks that everything that is printed keeps the names of files and of what
// changed in them.
func TestNamesOfFiles(t *testing.T) {
	var s sensitive.SecretSet
	s.Add(secretValues(t, "envs/prod/web"), true)
	s.Add(secretValues(t, "correct-horse-battery"), true)
	s.Show("envs/prod/web.yaml", api.ResourceMutationList{{
		Resource:        api.ResourceInfo{ResourceType: "v1/Pod", ResourceName: "/correct-horse-battery"},
		PathMutationMap: api.MutationMap{"data.correct-horse-battery": {}},
	}})
	for text, want := range map[string]string{
		"./envs/prod/web.yaml:3:4: v1/Pod /correct-horse-battery: data.correct-horse-battery: x": "",
		"--- a/envs/prod/web.yaml":                               "",
		"envs/prod/web  v1/Pod   correct-horse-battery  changed": "",
		"renamed from envs/prod/web.yaml":                        "",
		"x: envs/prod/webs":                                      "x: (sensitive)s",
		"a: correct-horse-battery":                               "a: (sensitive)",
		"https://envs/prod/web.yaml":                             "https://(sensitive).yaml",
		"envs/prod/web.yaml@correct-horse-battery":               "(sensitive).yaml@(sensitive)",
	} {
		t.Run(text, func(t *testing.T) {
			if want == "" {
				want = text
			}
			if got := s.Mask(text); got != want {
				t.Errorf("%s: got %s, want %s", text, got, want)
			}
		})
	}
	if got := s.Found("./envs/prod/web.yaml"); len(got) != 1 {
		t.Errorf("found %q, want the value: a copy is looked for everywhere", got)
	}
}
