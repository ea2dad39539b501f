package catalog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/filters/imagetag"
	kustomize "sigs.k8s.io/kustomize/api/filters/replacement"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// oracle makes a configuration of a function and says what the library of which the published
// program is made gives for it. The resources are documents.
type oracle struct {
	function string
	// config returns a functionConfig.
	config func(*choices) string
	// want returns the resources after it.
	want func(resources, config string) (string, error)
}

// TestOracles compares functions by value with the filters of kustomize, on random packages and
// configurations: a few, and with LONG=1 10,000 for each function.
func TestOracles(t *testing.T) {
	runs := 30
	if os.Getenv("LONG") != "" {
		runs = 10_000
	}
	for _, o := range []oracle{
		{"set-image", imageConfig, filteredImages},
		{"apply-replacements", replacementConfig, filteredReplacements},
		{"set-annotations", annotationConfig, built(func(c *gaby.YamlDoc) string {
			return "commonAnnotations: " + c.Value().Get("data").YAML()
		})},
		{"ensure-name-substring", substringConfig, built(func(c *gaby.YamlDoc) string {
			data := c.Value().Get("data").First()
			return map[string]string{
				"prepend": "namePrefix: ", "append": "nameSuffix: ",
			}[data.Key()] + strconv.Quote(data.Text())
		})},
	} {
		t.Run(o.function, func(t *testing.T) {
			t.Parallel()
			changed := 0
			for seed := range uint64(runs) {
				c := &choices{rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // for tests
				resources, config := c.resources(), o.config(c)
				if o.check(t, resources, config) {
					changed++
				}
				if t.Failed() {
					t.Fatalf("seed %d:\n%s\n%s", seed, config, resources)
				}
			}
			if changed < runs/20 {
				t.Errorf("only %d of %d configurations change something", changed, runs)
			}
		})
	}
}

// check compares the function with the library, and reports whether something changed.
func (o *oracle) check(t *testing.T, resources, config string) (changed bool) {
	t.Helper()
	want, wantErr := o.want(resources, config)
	list := listFrom(t, resources, config)
	f, ok := Find(o.function, "")
	if !ok {
		t.Fatalf("%s is missing", o.function)
	}
	err := f(t.Context(), list)
	if err != nil && strings.Contains(err.Error(), "a map or list cannot") {
		return false // the library writes an empty text, which loses data
	}
	if (err != nil) != (wantErr != nil) {
		t.Errorf("error %v, of the library %v", err, wantErr)
	}
	if err != nil || wantErr != nil {
		return false
	}
	// A field keeps its type there, and a text that has another type gets a tag.
	want = strings.NewReplacer("!!int ", "", "!!bool ", "").Replace(want)
	docs, err := gaby.ParseAll([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != len(list.Items) {
		t.Fatalf("%d resources, want %d", len(list.Items), len(docs))
	}
	for i, item := range list.Items {
		if !sameValues(item.Doc, item.Doc.Value(), docs[i].Value(), nil) {
			t.Errorf("have\n%s\nwant\n%s", item.Doc.Bytes(), docs[i].Bytes())
		}
		changed = changed || item.Doc.Changed()
	}
	return changed
}

// sameValues compares values. A text is the same as a number or truth value where resources have
// texts only: the functions write what Kubernetes takes there.
func sameValues(doc *gaby.YamlDoc, have, want gaby.Value, path []string) bool {
	if have.Kind() != gaby.Map && have.Kind() != gaby.List || have.Kind() != want.Kind() ||
		have.Len() != want.Len() {
		return have.Equal(want) || have.Tag() == "!!str" && have.EqualText(want.Text()) &&
			mustBeString(doc, path)
	}
	other := want.First()
	for i, c := range have.All() {
		key := strconv.Itoa(i)
		if have.Kind() == gaby.Map {
			key, other = c.Key(), want.Get(c.Key())
		}
		if !sameValues(doc, c, other, append(path[:len(path):len(path)], key)) {
			return false
		}
		other = other.Next()
	}
	return true
}

// filtered returns resources after a filter.
func filtered(resources string, filter kio.Filter) (string, error) {
	nodes, err := kio.ParseAll(resources)
	if err != nil {
		return "", err
	}
	if nodes, err = filter.Filter(nodes); err != nil {
		return "", err
	}
	return kio.StringAll(nodes)
}

// filteredImages returns the images of the published program after kustomize changed them.
func filteredImages(resources, config string) (string, error) {
	var c struct{ Data types.Image }
	if err := yaml.Unmarshal([]byte(config), &c); err != nil {
		return "", err
	}
	f := imagetag.Filter{ImageTag: c.Data}
	f.ImageTag.Name = c.Data.Name
	for _, kind := range []string{"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"} {
		f.FsSlice = append(f.FsSlice, types.FieldSpec{Path: "spec/template/spec/containers[]/image"})
		f.FsSlice[len(f.FsSlice)-1].Kind = kind
	}
	f.FsSlice = append(f.FsSlice, types.FieldSpec{Path: "spec/containers[]/image"})
	f.FsSlice[len(f.FsSlice)-1].Kind = "Pod"
	return filtered(resources, f)
}

// filteredReplacements returns what kustomize makes of replacements.
func filteredReplacements(resources, config string) (string, error) {
	var f kustomize.Filter
	if err := yaml.Unmarshal([]byte(config), &f); err != nil {
		return "", err
	}
	return filtered(resources, f)
}

// built returns what kustomize builds with the fields that a functionConfig becomes.
func built(fields func(*gaby.YamlDoc) string) func(resources, config string) (string, error) {
	k := krusty.MakeKustomizer(krusty.MakeDefaultOptions())
	return func(resources, config string) (string, error) {
		doc, err := gaby.ParseYAML([]byte(config))
		if err != nil {
			return "", err
		}
		fs := filesys.MakeFsInMemory()
		for name, text := range map[string]string{
			"resources.yaml":     resources,
			"kustomization.yaml": "resources: [resources.yaml]\n" + fields(doc) + "\n",
		} {
			if err := fs.WriteFile(name, []byte(text)); err != nil {
				return "", err
			}
		}
		m, err := k.Run(fs, ".")
		if err != nil {
			return "", err
		}
		return kio.StringAll(m.ToRNodeSlice()) // AsYaml goes through JSON, and takes as long as Run
	}
}

// choices makes random resources and configurations.
type choices struct{ *rand.Rand }

// of returns one of some words.
func (c *choices) of(words ...string) string { return words[c.IntN(len(words))] }

// some returns some of the entries of a map, in brackets: the first, and others.
func (c *choices) some(entries ...string) string {
	first := true
	entries = slices.DeleteFunc(entries, func(string) bool {
		gone := !first && c.IntN(3) == 0
		first = false
		return gone
	})
	return "{" + strings.Join(entries, ", ") + "}"
}

// names are the names of resources; labels and images have them too.
func (c *choices) name() string { return c.of("web", "api", "db", "cache", "job", "web-2") }

func (c *choices) image() string {
	return c.of("nginx", "nginx", "docker.io/library/nginx", "localhost:5000/nginx", "nginx-extra",
		"busybox", "example.com/a/b") +
		c.of("", ":1.25", ":latest", ":v1.2.3-rc.1", "@sha256:"+strings.Repeat("a", 64),
			":1@sha256:"+strings.Repeat("b", 64))
}

// resources returns a package.
func (c *choices) resources() string {
	var b strings.Builder
	seen := map[string]bool{}
	first := []string{
		"apps/v1 Deployment", "v1 Pod", "v1 Service", "v1 ConfigMap", "example.com/v1 Widget",
	}
	for i := range len(first) + c.IntN(4) {
		kind := c.of("apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1 DaemonSet", "v1 Pod",
			"batch/v1 CronJob", "batch/v1 Job", "v1 Service", "v1 ConfigMap", "v1 Secret",
			"v1 ServiceAccount", "example.com/v1 Widget", "networking.k8s.io/v1 Ingress")
		if i < len(first) {
			kind = first[i]
		}
		version, kind, _ := strings.Cut(kind, " ")
		name := c.name()
		if seen[kind+name] {
			continue
		}
		seen[kind+name] = true
		fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n", version, kind, name)
		if c.IntN(2) == 0 {
			b.WriteString("  annotations: " + c.some("team: red", "note: \"1\"",
				"example.com/owner: me") + "\n")
		}
		if c.IntN(2) == 0 {
			b.WriteString("  labels: " + c.some("app: "+c.name(), "tier: back") + "\n")
		}
		b.WriteString(c.body(kind))
	}
	return b.String()
}

// body returns the rest of a resource.
func (c *choices) body(kind string) string {
	switch kind {
	case "Pod":
		return "spec:\n" + c.pod("  ")
	case "Deployment", "StatefulSet", "DaemonSet":
		return fmt.Sprintf("spec:\n  replicas: %d\n  selector: {matchLabels: {app: web}}\n", c.IntN(5)) +
			c.template("  ")
	case "Job":
		return "spec:\n" + c.template("  ")
	case "CronJob":
		return "spec:\n  schedule: \"0 0 * * *\"\n  jobTemplate:\n    spec:\n" + c.template("      ")
	case "Service":
		return "spec:\n  selector: {app: " + c.name() + "}\n  ports:\n  - {name: http, port: " +
			c.of("80", "8080") + "}\n  - {name: admin, port: 9000}\n"
	case "ConfigMap":
		return "data: " + c.some("host: a.example.com", "size: \"3\"", "image: nginx:1.25",
			"url: http-api-v1", "dotted.key: x") + "\n"
	case "Ingress":
		return "spec:\n  rules:\n  - host: a.example.com\n    http:\n      paths:\n" +
			"      - path: /\n        pathType: Prefix\n        backend: {service: {name: " +
			c.name() + ", port: {number: 80}}}\n"
	case "Widget":
		return "spec: " + c.some("list: [a, b, a]", "size: 3", "on: true", "image: nginx:1.25",
			"ref: {name: web}", "empty: \"\"") + "\n"
	}
	return ""
}

// template returns a pod template.
func (c *choices) template(indent string) string {
	text := indent + "template:\n"
	if c.IntN(2) == 0 {
		text += indent + "  metadata: " + c.some("labels: {app: web}", "annotations: {team: red}") +
			"\n"
	}
	return text + indent + "  spec:\n" + c.pod(indent+"    ")
}

// pod returns the specification of a pod.
func (c *choices) pod(indent string) string {
	var b strings.Builder
	if c.IntN(3) == 0 {
		b.WriteString(indent + "serviceAccountName: " + c.name() + "\n")
	}
	if c.IntN(3) == 0 {
		b.WriteString(indent + "volumes:\n" + indent + "- name: v\n" + indent +
			c.of("  configMap: {name: ", "  secret: {secretName: ") + c.name() + "}\n")
	}
	for _, list := range []string{"initContainers", "containers"} {
		if list == "initContainers" && c.IntN(2) == 0 {
			continue
		}
		b.WriteString(indent + list + ":\n")
		for i := range 1 + c.IntN(2) {
			fmt.Fprintf(&b, "%s- name: %s\n%s  image: %s\n", indent, []string{"main", "side"}[i],
				indent, c.image())
			if c.IntN(3) == 0 {
				fmt.Fprintf(&b, "%s  env:\n%s  - {name: A, value: \"1\"}\n%s  - {name: B, valueFrom: "+
					"{configMapKeyRef: {name: %s, key: k}}}\n", indent, indent, indent, c.name())
			}
		}
	}
	return b.String()
}

// configMap returns a functionConfig.
func configMap(data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: " + data + "\n"
}

func imageConfig(c *choices) string {
	data := "{name: " + c.of("nginx", "nginx", "docker.io/library/nginx", "localhost:5000/nginx",
		"busybox", "absent")
	if c.IntN(2) == 0 {
		data += ", newName: " + c.of("mirror.example.com/nginx", "caddy", "localhost:5000/x")
	}
	return configMap(data + c.of(", newTag: \"1.27\"}", ", newTag: v2}",
		", digest: \"sha256:"+strings.Repeat("c", 64)+"\"}"))
}

func annotationConfig(c *choices) string {
	values := []string{
		"red", `"2"`, `"yes"`, `"1e3"`, `"null"`, `""`, `"x: y"`, `" x "`, `"# x"`, `"a\nb\n"`, "ü",
		`"2024-01-02"`, "a.example.com/b", strings.Repeat("word ", 30) + "end",
	}
	keys := []string{
		"team", "note", "example.com/owner", "new", `"on"`, `"3"`, "example.com/a.b_c-d",
	}
	c.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i, key := range keys {
		keys[i] = key + ": " + c.of(values...)
	}
	return configMap(c.some(keys[:1+c.IntN(len(keys))]...))
}

func substringConfig(c *choices) string {
	return configMap("{" + c.of("prepend: ", "append: ") + c.of("dev-", "-prod", `"1"`, "x.y-", `"01-"`) +
		"}") // no name has one of these: the function leaves such names alone
}

func replacementConfig(c *choices) string {
	options := func(create bool) string {
		var parts []string
		if c.IntN(4) == 0 {
			parts = append(parts, fmt.Sprintf("delimiter: %q, index: %d", c.of(":", "-", ".", "/"),
				c.IntN(4)-1))
		}
		if create && c.IntN(3) == 0 {
			parts = append(parts, "create: true")
		}
		return ", options: {" + strings.Join(parts, ", ") + "}"
	}
	kind := c.kind()
	selects := "kind: " + kind
	if c.IntN(6) == 0 {
		selects += ", name: " + c.name()
	}
	if c.IntN(6) == 0 {
		selects += ", labelSelector: " + c.of("app=web", `"app in (web, api)"`, "tier", `"!tier"`)
	}
	if c.IntN(8) == 0 {
		selects += ", annotationSelector: team=red"
	}
	reject := ""
	if c.IntN(4) == 0 {
		reject = ", reject: [{" + c.of("name: web", "kind: Pod", "labelSelector: tier=back") + "}]"
	}
	from, target := c.kind(), c.path(kind)
	source := c.path(from)
	if from == kind { // the library goes on with a source that it changed
		source = `"metadata.name"`
	}
	return "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata: {name: config}\n" +
		"replacements:\n- source: {kind: " + from + ", fieldPath: " + source + options(false) +
		"}\n  targets:\n  - {select: {" + selects + "}" + reject + ", fieldPaths: [" + target + "]" + options(true) + "}\n"
}

// kind returns a kind of which every package has one.
func (c *choices) kind() string { return c.of("Deployment", "Pod", "Service", "ConfigMap", "Widget") }

// path returns a field of most resources of a kind, in quotes.
func (c *choices) path(kind string) string {
	paths := []string{
		"metadata.name", "metadata.labels.app", "metadata.annotations.team",
		"metadata.annotations.[example.com/owner]", "spec.absent.field",
	}
	switch kind {
	case "Deployment":
		paths = append(paths, "spec.replicas", "spec.template.spec.containers.0.image",
			"spec.template.spec.containers.[name=main].image",
			"spec.template.spec.containers.[name=side].image",
			"spec.template.spec.containers.*.image", "spec.selector.matchLabels",
			"spec.template.metadata.labels.app", "spec.template.spec.containers.[name=main].env")
	case "Pod":
		paths = append(paths, "spec.containers.[name=main].image", "spec.containers.1.name",
			"spec.containers.[name=added].image", "spec.serviceAccountName")
	case "Service":
		paths = append(paths, "spec.ports.[name=http].port", "spec.ports.0.port", "spec.ports",
			"spec.selector.app", "spec.ports.[port=9000].name", "spec.selector")
	case "ConfigMap":
		paths = append(paths, "data.host", "data.size", "data.[dotted.key]", `data.dotted\\.key`,
			"data.url", "data.new")
	case "Widget":
		paths = append(paths, "spec.size", "spec.image", "spec.list", "spec.list.1", "spec.ref",
			"spec.ref.name", "spec.on", "spec.list.[=a]", "spec.list.-")
	}
	return `"` + c.of(paths...) + `"`
}
