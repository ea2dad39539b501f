package yamlkit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

func TestMerge(t *testing.T) {
	const text = `apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 3  # enough
  paused: false
  template:
    spec:
      containers:
        - name: web   # first
          image: web:1
          ports:
            - {containerPort: 80, protocol: TCP}
            - {containerPort: 80, protocol: UDP}
        - name: proxy
          image: proxy:1
`
	type m = map[string]any
	type l = []any
	in := func(containers any) m {
		return m{"spec": m{"template": m{"spec": m{"containers": containers}}}}
	}
	for name, c := range map[string]struct {
		part     m
		from, to string // of the text
	}{
		"nothing": {m{}, "", ""},
		"equal":   {m{"spec": m{"replicas": 3, "paused": false}}, "", ""},
		"scalar":  {m{"spec": m{"replicas": 5}}, "3  #", "5  #"},
		"removed": {
			m{"spec": m{"paused": nil, "gone": nil, "none": m{"at": m{"all": nil}}}},
			"  paused: false\n", "",
		},
		"new": {
			m{"metadata": m{
				"name":   "web",
				"labels": m{"b": "1", "a": "2", "c": nil},
			}},
			"proxy:1\n",
			"proxy:1\nmetadata:\n  labels:\n    a: \"2\"\n    b: \"1\"\n  name: web\n",
		},
		"element": {in(l{m{"name": "proxy", "image": "proxy:2"}}), "proxy:1", "proxy:2"},
		"two keys": {
			in(l{m{
				"name":  "web",
				"ports": l{m{"containerPort": 80, "protocol": "UDP", "name": "dns"}},
			}}), "UDP}",
			"UDP, name: dns}",
		},
		"one of two": {in(l{m{
			"name":  "web",
			"ports": l{m{"containerPort": 80, "name": "http"}},
		}}), "TCP}", "TCP, name: http}"},
		"new element": {
			in(l{m{"image": "logs:1", "name": "logs", "args": l{"a"}, "env": nil}}),
			"proxy:1\n",
			"proxy:1\n        - name: logs\n          args:\n            - a\n" +
				"          image: logs:1\n",
		},
		"no key": {
			in(l{m{"image": "logs:1"}}),
			text[strings.Index(text, "        - name: web"):], "        - image: logs:1\n",
		},
		"another shape": {
			m{"spec": m{"replicas": m{"a": 1}}},
			"replicas: 3  # enough\n",
			"replicas:  # enough\n    a: 1\n",
		},
		"empty": {
			m{"spec": m{"strategy": m{}, "list": l{}}},
			"proxy:1\n",
			"proxy:1\n  list: []\n  strategy: {}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := yamlkit.Merge(doc, k8skit.New().MergeKeys("apps/v1/Deployment"),
				c.part, nil); err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(text, c.from, c.to, 1); doc.String() != want {
				t.Errorf("got\n%s\nwant\n%s", doc, want)
			}
		})
	}
	// Values of a document replace as a whole: the list has only the remaining elements.
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	left := l{doc.Path("spec.template.spec.containers.1").Value()}
	if err := yamlkit.Merge(doc, k8skit.New().MergeKeys("apps/v1/Deployment"),
		in(left), nil); err != nil {
		t.Fatal(err)
	}
	web := text[strings.Index(text, "        - name: web"):strings.Index(text,
		"        - name: proxy")]
	if want := strings.Replace(text, web, "", 1); doc.String() != want {
		t.Errorf("got\n%s\nwant\n%s", doc, want)
	}
}
