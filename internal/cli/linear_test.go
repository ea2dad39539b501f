//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// resource returns one of n resources of a shop. Most refer to something that is missing.
func resource(i, n int, sameName bool) string {
	name, namespace := fmt.Sprintf("item-%04d", i), fmt.Sprint("area-", i%(n/50))
	if sameName {
		name, namespace = "item", fmt.Sprint("area-", i)
	}
	head := fmt.Sprintf("metadata:\n  name: %s\n  namespace: %s\n  labels: {app: %s}\n", name,
		namespace, name)
	switch i % 4 {
	case 0:
		return "apiVersion: v1\nkind: Service\n" + head + "spec:\n  selector: {app: " + name +
			"}\n  ports:\n  - port: 80\n"
	case 1:
		return "apiVersion: policy/v1\nkind: PodDisruptionBudget\n" + head +
			"spec:\n  minAvailable: 1\n  selector:\n    matchLabels: {app: " + name + "}\n"
	case 2:
		return "apiVersion: example.com/v1\nkind: Item\n" + head + "spec:\n  interval: 5m\n"
	}
	return "apiVersion: apps/v1\nkind: Deployment\n" + head + "spec:\n  replicas: 3\n" +
		"  selector:\n    matchLabels: {app: " + name + "}\n  template:\n    metadata:\n" +
		"      labels: {app: " + name + "}\n    spec:\n      serviceAccountName: " + name + "\n" +
		"      containers:\n      - name: main\n        image: registry.example.com/" + name +
		":1.0\n        env:\n        - {name: HOST, value: http://" + name + "." + namespace +
		".svc}\n        envFrom:\n        - configMapRef: {name: " + name + "-settings}\n"
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// list returns n resources as the items of a List.
func list(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range n {
		text := strings.ReplaceAll(strings.TrimSuffix(resource(i, n, false), "\n"), "\n", "\n  ")
		b.WriteString("- " + text + "\n")
	}
	return b.String()
}

// oneLine returns a YAML document as JSON on one line.
func oneLine(t *testing.T, text string) string {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(doc.Data())
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

// lists makes a directory of n resources: half of them in a List in block style, the others in one
// on a single line.
func lists(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	writeFile(t, filepath.Join(dir, "block.yaml"), list(n/2))
	writeFile(t, filepath.Join(dir, "line.json"), oneLine(t, list(n-n/2)))
	return dir
}

// other makes a directory beside dir in which some resources differ.
func other(t *testing.T, dir string) {
	t.Helper()
	to := filepath.Join(filepath.Dir(dir), "other")
	if _, err := os.Stat(to); err == nil {
		return
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		writeFile(t, filepath.Join(to, name), strings.ReplaceAll(string(text), "replicas: 3",
			"replicas: 4"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
