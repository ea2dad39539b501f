package semantics_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/semantics"
)

// mutation is one change of a resource, and whether an API server accepts the result, at all and in
// a dry run.
type mutation struct {
	line             string
	accepted, dryRun bool
	doc              *gaby.YamlDoc
}

// resources returns testdata/resources.yaml.
func resources(t *testing.T) gaby.Container {
	t.Helper()
	text, err := os.ReadFile("testdata/resources.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// mutations returns the changed resources of testdata/mutations.txt.
func mutations(t *testing.T) (all []mutation) {
	t.Helper()
	list, err := os.ReadFile("testdata/mutations.txt")
	if err != nil {
		t.Fatal(err)
	}
	docs := resources(t)
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		words, accepted := strings.CutPrefix(line, "+ ")
		words, dryRun := strings.CutPrefix(words, "~ ")
		kind, rest, _ := strings.Cut(words, " ")
		path, value, set := strings.Cut(rest, " ")
		m := mutation{line: line, accepted: accepted, dryRun: accepted || dryRun}
		for _, doc := range docs {
			if h, err := doc.Header(); err == nil && h.Kind == kind {
				m.doc = changed(t, doc, path, value, set)
			}
		}
		if m.doc == nil {
			t.Fatalf("%s: no such resource", line)
		}
		all = append(all, m)
	}
	return all
}

// changed returns a copy of a document with another value at a path, or without the path.
func changed(t *testing.T, doc *gaby.YamlDoc, path, value string, set bool) *gaby.YamlDoc {
	t.Helper()
	copied, err := gaby.ParseYAML(doc.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !set {
		err = copied.DeleteP(path)
	} else {
		var v *gaby.YamlDoc
		if v, err = gaby.ParseYAML([]byte(value)); err == nil {
			_, err = copied.SetP(v.Data(), path)
		}
	}
	if err != nil {
		t.Fatalf("%s %s: %v", path, value, err)
	}
	return copied
}

// check returns the problems of a document as text.
func check(t *testing.T, doc *gaby.YamlDoc) string {
	t.Helper()
	h, err := doc.Header()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range semantics.Check(h.APIVersion+"/"+h.Kind, doc.Value(), "") {
		b.WriteString(strings.Join(p.FullPath(), ".") + ": " + p.Keyword + ": " + p.String() + "\n")
	}
	return b.String()
}

func TestResourcesAreAccepted(t *testing.T) {
	for _, doc := range resources(t) {
		if problems := check(t, doc); problems != "" {
			h, _ := doc.Header()
			t.Errorf("%s:\n%s", h.Kind, problems)
		}
	}
}

func TestMutations(t *testing.T) {
	for _, m := range mutations(t) {
		t.Run(m.line, func(t *testing.T) {
			if problems := check(t, m.doc); (problems == "") != m.accepted {
				t.Errorf("accepted: %v, problems:\n%s", m.accepted, problems)
			}
		})
	}
}

// TestAPIServer compares the verdicts of mutations.txt with those of an API server: set
// FCTL_TEST_KUBECTL to a command such as "kubectl --kubeconfig FILE".
func TestAPIServer(t *testing.T) {
	kubectl := strings.Fields(os.Getenv("FCTL_TEST_KUBECTL"))
	if len(kubectl) == 0 {
		t.Skip("FCTL_TEST_KUBECTL is not set: no API server to compare with")
	}
	apply := func(doc *gaby.YamlDoc) (string, bool) {
		cmd := exec.Command(kubectl[0], append(kubectl[1:], "create", "--dry-run=server",
			"--validate=strict", "-f", "-")...)
		cmd.Stdin = bytes.NewReader(doc.Bytes())
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	for _, doc := range resources(t) {
		if out, accepted := apply(doc); !accepted {
			t.Error(out)
		}
	}
	for _, m := range mutations(t) {
		t.Run(m.line, func(t *testing.T) {
			if out, accepted := apply(m.doc); accepted != m.dryRun {
				t.Errorf("the API server accepts it: %v\n%s", accepted, out)
			}
		})
	}
}

func TestServiceNamesOfOlderReleases(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: 1s}\n" +
		"spec: {ports: [{port: 80}]}\n"
	const ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\n" +
		"spec: {defaultBackend: {service: {name: 1s, port: {number: 80}}}}\n"
	for _, test := range []struct {
		kind, text, release string
		want                int
	}{
		{"v1/Service", service, "1.33", 1},
		{"v1/Service", service, "1.35", 1},
		{"v1/Service", service, "1.36", 0},
		{"v1/Service", service, "", 0},
		{"networking.k8s.io/v1/Ingress", ingress, "1.34", 1},
		{"networking.k8s.io/v1/Ingress", ingress, "1.36", 0},
	} {
		t.Run(test.kind+" "+test.release, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			got := semantics.Check(test.kind, doc.Value(), test.release)
			if len(got) != test.want {
				t.Errorf("got %v, want %d problems", got, test.want)
			}
		})
	}
}
