package mutation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

func TestChangesHavePositions(t *testing.T) {
	parse := func(text string) gaby.Container {
		docs, err := gaby.ParseAll([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return docs
	}
	before := parse(`apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  hostNetwork: true
  containers:
    - name: x
      image: x:1
      args: [one, two, three]
    - name: y
      image: y:1
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gone}
`)
	after := parse(`apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - name: new
    - name: x
      image: x:2
      args: [one, three, four]
    - name: y
      image: y:1
---
apiVersion: v1
kind: ConfigMap
metadata: {name: made}
data: {a: "1"}
`)
	list, err := mutation.Compute(before, after, 0, k8skit.K8sResourceProvider)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := mutation.Changes(list, before, after, k8skit.K8sResourceProvider)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, strings.TrimSpace(fmt.Sprint(c.Position.Line, ":", c.Position.Column, " ",
			c.Mutation.MutationType, " ", c.Resource.ResourceNameWithoutScope, " ",
			mutation.PlainPath(c.Path))))
	}
	want := []string{
		"5:3 Delete a spec.hostNetwork",
		"6:5 Add a spec.containers.?name=new",
		"8:7 Update a spec.containers.?name=x.image",
		"9:19 Delete a spec.containers.?name=x.args.1",
		"9:26 Add a spec.containers.?name=x.args.2",
		"15:12 Update made metadata.name", // the resource is renamed
		"16:8 Add made data.a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
