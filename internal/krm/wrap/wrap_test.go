package wrap

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/process"
)

// nginx is the generator of the acceptance case: a Deployment and a Service for an Nginx.
const nginx = `#!/bin/sh
cat <<END
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${NAME}
  labels:
    app: nginx
    instance: ${NAME}
spec:
  replicas: ${REPLICAS}
  selector:
    matchLabels:
      app: nginx
      instance: ${NAME}
  template:
    metadata:
      labels:
        app: nginx
        instance: ${NAME}
    spec:
      containers:
      - name: nginx
        image: nginx:1.7.9
        ports:
        - containerPort: 80
---
apiVersion: v1
kind: Service
metadata:
  name: ${NAME}
spec:
  selector:
    app: nginx
    instance: ${NAME}
  ports:
  - port: 80
    targetPort: 80
END
`

const nginxList = `apiVersion: config.kubernetes.io/v1alpha1
kind: ResourceList
items: []
functionConfig:
  apiVersion: v1
  kind: Nginx
  metadata:
    name: my-instance
    annotations:
      config.kubernetes.io/path: sub/nginx.yaml
      config.kubernetes.io/local-config: "true"
  spec:
    replicas: 5
`

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "function.sh")
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// wrapped runs a program on a list and returns the list after it.
func wrapped(t *testing.T, list string, o Options) (string, error) {
	t.Helper()
	parsed, err := krm.Parse([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	o.Provider = k8skit.K8sResourceProvider
	o.Environ = append([]string{"PATH=" + os.Getenv("PATH")}, o.Environ...)
	if err := Run(t.Context(), parsed, o); err != nil {
		return "", err
	}
	text, err := parsed.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

func must(t *testing.T, list string, o Options) string {
	t.Helper()
	text, err := wrapped(t, list, o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestX4AcceptanceCase is the end-to-end case of the document: generate, keep the user's limit,
// take the new number of replicas, change nothing on the next run.
func TestX4AcceptanceCase(t *testing.T) {
	o := Options{Command: []string{script(t, nginx)}}
	first := must(t, nginxList, o)
	for _, want := range []string{
		"apiVersion: config.kubernetes.io/v1alpha1", "replicas: 5", "image: nginx:1.7.9",
		"internal.config.kubernetes.io/path: sub/config/my-instance_deployment.yaml",
		"config.kubernetes.io/path: sub/config/my-instance_service.yaml",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(first, want) {
				t.Errorf("X8, F3: the first run does not give %q:\n%s", want, first)
			}
		})
	}
	edited := strings.Replace(first, "image: nginx:1.7.9",
		"image: nginx:1.7.9 # checked\n          resources: {limits: {cpu: 500m}}", 1)
	edited = strings.Replace(edited, "containers:",
		"containers:\n        - {name: sidecar, image: side:1}", 1)
	edited = strings.Replace(edited, "replicas: 5\n", "replicas: 3 # user\n", 1)
	i := strings.LastIndex(edited, "replicas: 5")
	edited = edited[:i] + "replicas: 6" + edited[i+len("replicas: 5"):]
	second := must(t, edited, o)
	want := strings.Replace(edited, "replicas: 3 # user", "replicas: 6 # user", 1)
	if second != want {
		t.Errorf("X4, F7: the second run gives\n%s\nwant\n%s", second, want)
	}
	if third := must(t, second, o); third != second {
		t.Errorf("the third run changes the list to\n%s", third)
	}
}

func TestF3FilenamePattern(t *testing.T) {
	text := must(t, nginxList, Options{Command: []string{script(t, nginx)}, Pattern: "%n_%k.yaml"})
	if !strings.Contains(text, "internal.config.kubernetes.io/path: sub/my-instance_service.yaml") {
		t.Error(text)
	}
}

func TestX2Environment(t *testing.T) {
	list := `{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [], functionConfig: {
  kind: X, metadata: {name: m, annotations: {a: b}}, spec: {name: s, foo-bar: "1 2", on: true, list: [1]}}}`
	o := Options{
		Environ: []string{"CALLER=yes"},
		Command: []string{"sh", "-c", `env | grep -v -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL= ` +
			`>&2; true`},
	}
	var stderr bytes.Buffer
	o.Stderr = &stderr
	must(t, list, o)
	for _, want := range []string{
		"NAME=s\n", "ANNOTATIONS=\n", "FOO_BAR=1 2\n", "ON=true\n", "LIST=\n", "CALLER=yes\n",
		"KUST_FUNCTION_CONFIG=", "spec: {name: s",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%q is missing in\n%s", want, stderr.String())
			}
		})
	}
	if strings.Contains(stderr.String(), "NAME=m") {
		t.Error("spec does not win")
	}
}

func TestX3StdinAndFlags(t *testing.T) {
	list := `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: v1, kind: Service, metadata: {name: x}}
functionConfig:
  kind: X
  metadata: {name: m}
  spec: {a: b c, n: 3, m: {}}
  items: [one, two]
`
	o := Options{
		Replace: true, Flags: true, Kind: "MyList", Version: "v9",
		Command: []string{"sh", "-c", `head -2 >&2; printf '%s\n' "$@" >&2; echo '{apiVersion: ` +
			`v1, kind: New, metadata: {name: y}}'`, "sh", "--", "own"},
	}
	var stderr bytes.Buffer
	o.Stderr = &stderr
	text := must(t, list, o)
	want := "apiVersion: v9\nkind: MyList\n--\nown\n--a=b c\n--n=3\none\ntwo\n"
	if stderr.String() != want {
		t.Errorf("X5b: the program got\n%s\nwant\n%s", stderr.String(), want)
	}
	if strings.Contains(text, "Service") || !strings.Contains(text, "kind: New") {
		t.Errorf("the output of the program is not the result:\n%s", text)
	}
}

func TestX4Merge(t *testing.T) {
	list := `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Service
  metadata:
    name: x
  spec:
    externalIPs: [a, b]
    clusterIP: None
    sessionAffinity: None # mine
    ports:
    - port: 80
      name: kept # by the user
    - port: 81
- apiVersion: v1
  kind: Service
  metadata: {name: stays}
functionConfig: {kind: X, metadata: {name: m}}
`
	print := []string{"sh", "-c", `cat <<END
apiVersion: v1
kind: Service
metadata:
  name: x
spec:
  externalIPs: [c]
  clusterIP: null
  sessionAffinity: ClientIP # theirs
  ports:
  - port: 80
    targetPort: 8080
  - port: 82
END`}
	text := must(t, list, Options{Command: print})
	want := `  spec:
    externalIPs: [c]
    sessionAffinity: ClientIP # mine
    ports:
    - port: 80
      targetPort: 8080
      name: kept # by the user
    - port: 81
    - port: 82
`
	if !strings.Contains(text, want) || !strings.Contains(text, "{name: stays") {
		t.Errorf("merged to\n%s", text)
	}
	text = must(t, list, Options{Command: print, Environ: []string{"KUST_MERGE=false"}})
	if strings.Contains(text, "kept") || !strings.Contains(text, "port: 82") {
		t.Errorf("KUST_MERGE=false gives\n%s", text)
	}
	dir := t.TempDir()
	patch := "{apiVersion: v1, kind: Service, metadata: {name: stays}, spec: {type: NodePort}}\n"
	if err := os.WriteFile(filepath.Join(dir, "p.yaml"), []byte(patch), 0o644); err != nil {
		t.Fatal(err)
	}
	text = must(t, list, Options{Command: print, Environ: []string{"KUST_OVERRIDE_DIR=" + dir}})
	if !strings.Contains(text, "type: NodePort") {
		t.Errorf("KUST_OVERRIDE_DIR gives\n%s", text)
	}
}

func TestX6Failures(t *testing.T) {
	config := "functionConfig: {kind: X, metadata: {name: m}}\n"
	head := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
	for _, c := range []struct {
		name, list, program, want string
	}{
		{"X1", head, "true", "no functionConfig"},
		{"X6 status", head + config, "echo '{'; exit 7", "exit status 7"},
		{"X6 broken YAML", head + config, "echo 'a: b'; echo 'c: [}'", ": 2:5: "},
		{"no resource", head + config, "echo 'a: b'", "without apiVersion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := wrapped(t, c.list, Options{Command: []string{"sh", "-c", c.program}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %s", err, c.want)
			}
			var exit *process.ExitError
			if strings.Contains(c.want, "7") && (!errors.As(err, &exit) || exit.Code != 7) {
				t.Errorf("error is %T", err)
			}
		})
	}
}

// X4: with KUST_MERGE=false a resource is replaced in its file; annotations of the user go.
func TestReplacedResourcesKeepTheirFile(t *testing.T) {
	const list = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: x
    annotations:
      config.kubernetes.io/path: sub/mine.yaml # here
      team: shop
  data: {a: b}
functionConfig: {kind: X, metadata: {name: m}}
`
	want := strings.Replace(list, "      team: shop\n", "", 1)
	want = strings.Replace(want, "{a: b}", "{c: d}", 1)
	text := must(t, list, Options{
		Command: []string{"echo", "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: " +
			"{c: d}}"},
		Environ: []string{"KUST_MERGE=false"},
	})
	if text != want {
		t.Errorf("replaced to\n%s\nwant\n%s", text, want)
	}
}
