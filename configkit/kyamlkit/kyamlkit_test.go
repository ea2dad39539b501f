package kyamlkit_test

import (
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/kyamlkit"
)

// A function written with kyaml changes only what it changes.
func TestFunctionWrittenWithKyaml(t *testing.T) {
	const text = `# web
kind:   Deployment
metadata:
  name: web   # the name
  labels: {app: web}

spec:
  replicas: 3 # three
  template:
    spec:
      containers:
          - image: "nginx:1"
`
	const want = `# web
kind:   Deployment
metadata:
  name: web   # the name
  labels: {app: web}
  annotations:
    z: "1"
    a: two

spec:
  replicas: 5 # three
  template:
    spec:
      containers:
          - image: "nginx:2"
`
	d, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	n, err := kyamlkit.RNode(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.PipeE(yaml.SetAnnotation("z", "1")); err != nil {
		t.Fatal(err)
	}
	if err := n.PipeE(yaml.SetAnnotation("a", "two")); err != nil {
		t.Fatal(err)
	}
	if err := n.PipeE(yaml.Lookup("spec"), yaml.SetField("replicas",
		yaml.NewScalarRNode("5"))); err != nil {
		t.Fatal(err)
	}
	if err := n.PipeE(yaml.Lookup("spec", "template", "spec", "containers", "0"),
		yaml.SetField("image", yaml.NewStringRNode("nginx:2"))); err != nil {
		t.Fatal(err)
	}
	if err := kyamlkit.SetRNode(d, n); err != nil {
		t.Fatal(err)
	}
	if have := d.String(); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

// A node that was not changed changes nothing, and a place gives a node of its own.
func TestRNodeOfAPlace(t *testing.T) {
	const text = "a: &x {b: 0x1}\nc: [ *x, 'q' ] # d\n"
	d, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []*gaby.YamlDoc{d, d.Path("a"), d.Path("c")} {
		t.Run(place.String(), func(t *testing.T) {
			n, err := kyamlkit.RNode(place)
			if err != nil {
				t.Fatal(err)
			}
			if err := kyamlkit.SetRNode(place, n); err != nil {
				t.Fatal(err)
			}
		})
	}
	if have := d.String(); have != text {
		t.Errorf("have %q, want %q", have, text)
	}
}

func TestRNode(t *testing.T) {
	text := "# c\na: 1 # one\nb:\n- x   # two\n- y\n"
	d, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	n, err := kyamlkit.RNode(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := kyamlkit.SetRNode(d, n); err != nil || d.Changed() || d.String() != text {
		t.Fatalf("an unchanged node changes the document: %v, %q", err, d)
	}
	if err := n.PipeE(yaml.SetField("a", yaml.NewScalarRNode("2"))); err != nil {
		t.Fatal(err)
	}
	if err := n.PipeE(yaml.SetField("new",
		yaml.NewMapRNode(&map[string]string{"k": "v"}))); err != nil {
		t.Fatal(err)
	}
	if err := kyamlkit.SetRNode(d, n); err != nil {
		t.Fatal(err)
	}
	if want := "# c\na: 2 # one\nb:\n- x   # two\n- y\nnew:\n  k: v\n"; d.String() != want {
		t.Errorf("prints %q, want %q", d, want)
	}
}
