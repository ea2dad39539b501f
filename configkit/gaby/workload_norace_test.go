//go:build !race

package gaby_test

import (
	"os"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Ordinary Kubernetes YAML is never refused, means the same as to yaml.v3, and keeps its bytes.
func TestOracleWorkload(t *testing.T) {
	n := 80
	if os.Getenv("LONG") != "" {
		n = 300
	}
	for name, text := range workloads(t, n) {
		v, err := checkUnit(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if v.Refused != nil || v.Library != nil || v.Oracle != nil {
			t.Errorf("%s: refused: %v, %v, by yaml.v3: %v", name, v.Refused, v.Library, v.Oracle)
		}
		if v.Docs < n {
			t.Errorf("%s: only %d documents compared", name, v.Docs)
		}
		if err := checkHeaders(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c, err := gaby.ParseAll(text)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range c {
			if h, err := d.Header(); err != nil || h.Kind == "" || h.Name == "" ||
				h.APIVersion == "" {
				t.Errorf("%s: document %d: header %+v, %v", name, i+1, h, err)
			}
		}
	}
}
