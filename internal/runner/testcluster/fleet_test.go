//go:build cluster

package testcluster

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	fleetFiles = 20000
	example    = "../../../examples/fleet/"
)

// volume is a directory of the node as the repository of the pods.
const volume = `apiVersion: v1
kind: PersistentVolume
metadata: {name: repository}
spec:
  accessModes: [ReadOnlyMany]
  capacity: {storage: 1Gi}
  storageClassName: ""
  hostPath: {path: DIR}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: repository}
spec:
  accessModes: [ReadOnlyMany]
  storageClassName: ""
  volumeName: repository
  resources: {requests: {storage: 1Gi}}
`

// writeFleet writes a repository of Deployments.
func writeFleet(t *testing.T, dir string) {
	t.Helper()
	for i := range fleetFiles {
		text := fmt.Sprintf(`# app %[1]d
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d
spec:
  replicas: 1 # for a start
  selector: {matchLabels: {app: app-%[1]d}}
  template:
    metadata: {labels: {app: app-%[1]d}}
    spec:
      containers:
      - name: main
        image: registry.example/app-%[1]d:v1
%s`, i, strings.Repeat("        # padding\n", i%50))
		path := filepath.Join(dir, fmt.Sprint(i/200), fmt.Sprintf("app-%d.yaml", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// testFleet runs the example: the patches of four pods together are the change of one process.
func testFleet(t *testing.T, e *env) {
	repository, single := filepath.Join(e.work, "repository"), filepath.Join(e.work, "single")
	writeFleet(t, repository)
	writeFleet(t, single)
	// The pods are not root.
	for dir := e.work; len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	job, err := os.ReadFile(example + "job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(job), "image: fctl", "image: "+e.registry.Host+"/fctl:test")
	e.kubectl(t, strings.ReplaceAll(volume, "DIR", repository), "apply", "-f", "-")
	began := time.Now()
	e.kubectl(t, text, "apply", "-f", "-")
	out := filepath.Join(e.work, "out")
	run := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "KUBECONFIG="+e.Kubeconfig,
			"KUBECTL="+filepath.Join(e.Cluster.bin, "kubectl"))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, text)
		}
	}
	run(".", example+"collect.sh", out)
	took := time.Since(began)
	began = time.Now()
	run(single, filepath.Join(e.bin, "fctl"), "do", "-f", ".", "-R", "-i", "set-replicas", "3",
		"then", "set-annotation", "example.com/team", "shop")
	alone := time.Since(began)
	var sizes []string
	for i := range 4 {
		patch := filepath.Join(out, fmt.Sprint(i, ".patch"))
		info, err := os.Stat(patch)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, fmt.Sprintf("%d KiB", info.Size()>>10))
		run(repository, "git", "apply", patch)
		report, err := os.ReadFile(filepath.Join(out, fmt.Sprint(i, ".json")))
		var parsed struct{ Passed bool }
		if err == nil {
			err = json.Unmarshal(report, &parsed)
		}
		if err != nil || !parsed.Passed {
			t.Errorf("report %d: %v\n%.500s", i, err, report)
		}
	}
	run(e.work, "diff", "-r", "repository", "single")
	t.Logf("%d files in 4 pods: %v until everything was collected; one process writes them in %v; "+
		"patches of %s", fleetFiles, took.Round(time.Millisecond), alone.Round(time.Millisecond),
		strings.Join(sizes, ", "))
	e.kubectl(t, "", "delete", "job", "fleet")
}
