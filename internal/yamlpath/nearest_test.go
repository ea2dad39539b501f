package yamlpath_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func TestNearest(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte(`metadata:
  annotations: {example.com/owner: shop}
  labels: {app.kubernetes.io/name: shop}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - {name: web, image: nginx:1, ports: [{containerPort: 80}]}
      - {name: proxy, image: envoy:1}
`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"spec.replica": "spec.replicas",
		"spec.template.spec.containers.web.image":          "spec.template.spec.containers.?name=web.image",
		"spec.template.spec.containers.web.image#uri":      "spec.template.spec.containers.?name=web.image#uri",
		"spec.template.spec.containers.web.tty":            "spec.template.spec.containers.?name=web.tty",
		"spec.template.spec.containers.other.tty":          "",
		"spec.template.spec.containers.image":              "spec.template.spec.containers.*.image",
		"spec.template.spec.containers.?name=wbe.image":    "spec.template.spec.containers.?name=web.image",
		"spec.template.spec.container.proxy.imag":          "spec.template.spec.containers.?name=proxy.image",
		"spec.template.spec.containers.*.port.*":           "spec.template.spec.containers.*.ports.*",
		"metadata.annotations.example.com/owner":           "metadata.annotations.example~1com/owner",
		"metadata.annotations.example.com/ownr":            "",
		"spec.template.spec.containers.7.image":            "spec.template.spec.containers.1.image",
		"spec.template.spec.containers.?nam=web.image":     "spec.template.spec.containers.?name=web.image",
		"containers.?nam=web.image":                        "spec.template.spec.containers.?name=web.image",
		"containers.?name=web.image":                       "spec.template.spec.containers.?name=web.image",
		"containers.9.image":                               "spec.template.spec.containers.1.image",
		"image":                                            "spec.template.spec.containers.*.image",
		"replicas":                                         "spec.replicas",
		"name":                                             "spec.template.spec.containers.*.name",
		"spec/replicas":                                    "spec.replicas",
		"spec[replicas]":                                   "spec.replicas",
		"metadata.labels.app.kubernetes.io/name":           "metadata.labels.app~1kubernetes~1io/name",
		"spec.template.spec.containers.?name=other.image":  "",
		"spec.replicas":                                    "",
		"spec.nothing":                                     "",
		"spec.replicas.x":                                  "",
		"spec.template.spec.containers.?name=web.imag#uri": "spec.template.spec.containers.?name=web.image#uri",
	} {
		t.Run(path, func(t *testing.T) {
			p, err := yamlpath.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := yamlpath.Nearest(p, doc.Value()); got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		})
	}
}
