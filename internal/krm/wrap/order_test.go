package wrap

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestX5Order(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte(`status: {}
# what it is
kind: Deployment
spec:
  template:
    spec:
      containers:
      - image: b
        name: web # the name
        env:
        - value: x
          name: X
      - {image: c, name: d}
    metadata:
      labels: {b: "1", a: "2"}
      name: inner
metadata:
  labels: {app: web}
  name: web
apiVersion: apps/v1
`))
	if err != nil {
		t.Fatal(err)
	}
	doc.DropPositions()
	arrange(doc)
	want := `apiVersion: apps/v1
# what it is
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  template:
    spec:
      containers:
      - image: b
        name: web # the name
        env:
        - value: x
          name: X
      - {image: c, name: d}
    metadata:
      name: inner
      labels: {b: "1", a: "2"}
status: {}
`
	if got := doc.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	if out, err := gaby.ParseYAML([]byte(doc.String())); err != nil || out.Check() != nil {
		t.Error(err)
	}
}
