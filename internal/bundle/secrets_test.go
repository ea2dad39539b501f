package bundle_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// everything returns all of a result that people read.
func everything(t *testing.T, r *bundle.Result) string {
	t.Helper()
	status, err := r.WithStatus(strings.TrimSpace)
	if err != nil {
		t.Fatal(err)
	}
	all := summary(r) + messages(r.Failures()) + string(status) + r.Text() + fmt.Sprint(r.Report())
	for _, res := range r.Resources {
		all += res.Describe()
		for _, n := range res.Notes {
			all += n.Text()
		}
		for _, e := range r.Explain(res, false) {
			all += e.Value + e.From
		}
	}
	return all
}

// assumeAll lets all resources count as ready.
func assumeAll(o *bundle.Options) { o.AssumeAll = true }

// A secret value is masked wherever it gets to and however its path is written.
func TestSecretsAreMaskedEverywhere(t *testing.T) {
	const (
		metadata = "metadata: {name: x}"
		password = "data.password"
	)
	configMap := bound(password, "ConfigMap")
	copied := configMap + `  - name: copy
    references: [{resource: target, name: n, path: data.value}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: y}, data: {again: "!{n}"}}}
`
	for name, text := range map[string]string{
		"name": strings.Replace(configMap, metadata, `metadata: {name: "!{n}"}`, 1),
		"kind": strings.Replace(configMap, "kind: ConfigMap", `kind: "!{n}"`, 1),
		"type": strings.Replace(configMap, "apiVersion: v1, kind: ConfigMap",
			`apiVersion: "!{n}", kind: ConfigMap`, 1),
		"recursive path": bound("..password", "ConfigMap"),
		"wildcard":       bound("*.password", "ConfigMap"),
		"copy of a copy": copied,
	} {
		t.Run(name, func(t *testing.T) {
			s := secretScene(text)
			s.change = assumeAll
			result := s.play(t)
			got := everything(t, result)
			if strings.Contains(got, "hunter2") || strings.Contains(got, "aHVudGVyMg") {
				t.Errorf("got %s", got)
			}
			if !strings.Contains(rendered(result), "hunter2") { // decoded
				t.Errorf("got %s", rendered(result))
			}
		})
	}
}

// Messages have one line, and the lines of a secret value are masked in them as well.
func TestSecretsOfSeveralLinesAreMasked(t *testing.T) {
	text := strings.Replace(bound("data.password", "ConfigMap"), "metadata: {name: x}",
		`metadata: {name: x, namespace: "!{n}"}`, 1)
	secret := base64.StdEncoding.EncodeToString([]byte("hunt\"er\nbegin\n\tend\n"))
	s := secretScene(text)
	s.observed[1] = strings.Replace(boundSecret, "aHVudGVyMg==", secret, 1)
	got := everything(t, s.play(t))
	for _, part := range []string{"hunt", "begin", "end"} {
		t.Run(part, func(t *testing.T) {
			if strings.Contains(strings.ReplaceAll(got, "depend", ""), part) {
				t.Errorf("%q is in %s", part, got)
			}
		})
	}
}

// explain masks the values that a Bundle itself has for a Secret.
func TestExplainMasksSecretsOfTheBundle(t *testing.T) {
	text := head + `spec:
  resources:
  - name: s
    spec: {object: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {p: hunter2}}}
`
	result := scene{bundle: text}.play(t)
	for _, e := range result.Explain(result.Resources[0], false) {
		if strings.Contains(e.Value, "hunter2") || e.Path == "stringData.p" && e.Value == "" {
			t.Errorf("got %v", e)
		}
	}
}

// echo is a plugin that fails with all that it was given.
func echo() (plugin.Plugin, error) {
	return custom{
		&plugin.Description{Name: "echo", GVK: plugin.NewGroupVersionKind("v1", "ConfigMap")},
		func(_ map[string]any, ctx *plugin.Context) plugin.ProcessResult {
			text := ""
			for _, o := range ctx.Dependencies["binding"].Outputs {
				data, _ := o.Get("data").(map[string]any)
				password, _ := data["password"].(string)
				decoded, _ := base64.StdEncoding.DecodeString(password)
				text += password + " " + string(decoded)
			}
			return &plugin.ProcessResultFailure{Error: errors.New("failed: " + text)}
		},
	}, nil
}

// Plugins see Secrets, and their messages do not show them.
func TestSecretsThatPluginsSeeAreMasked(t *testing.T) {
	text, _, _ := strings.Cut(bound("data.password", "ConfigMap"), "  - name: target")
	s := secretScene(text + `  - name: target
    references: [{resource: binding}]
    spec: {plugin: {name: echo, objectName: x}}
`)
	const spec, whole = "{secretName: secret}", "{secretName: secret, instanceRef: {name: i}}"
	s.bundle = strings.Replace(s.bundle, spec, whole, 1)
	s.observed = []string{
		strings.Replace(boundBinding, spec, whole, 1), boundSecret,
		"apiVersion: servicecatalog.k8s.io/v1beta1\nkind: ServiceInstance\n" +
			"metadata: {name: i, namespace: default}\n",
	}
	s.plugins = []plugin.NewFunc{echo}
	got := everything(t, s.play(t))
	if !strings.Contains(got, "failed: (sensitive) (sensitive)") {
		t.Errorf("got %s", got)
	}
}

// What the Bundle says is not masked because a Secret has the same text, or a short one.
func TestNamesOfTheBundleAreNotMasked(t *testing.T) {
	text, _, _ := strings.Cut(bound("data.password", "ConfigMap"), "  - name: target")
	s := secretScene(text + `  - name: target
    references: [{resource: binding, name: n, path: data.noText, modifier: bindsecret}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: hunter2}, data: {a: "!{n}"}}}
`)
	for name, value := range map[string]string{"same": "aHVudGVyMg==", "short": "dg=="} {
		t.Run(name, func(t *testing.T) {
			s.observed[1] = strings.Replace(boundSecret, "/w==", value, 1)
			result := s.play(t)
			if got := result.Report().Resources[1].Object; got != "hunter2" {
				t.Errorf("got %s", got)
			}
			if got := result.Explain(result.Resources[1], false)[0].Value; got != "v1" {
				t.Errorf("got %s", got)
			}
		})
	}
}

// A short value of a Secret that a plugin sees does not mask what the plugin makes.
func TestShortSecretsDoNotMaskPlugins(t *testing.T) {
	s := scene{bundle: filterBundle, observed: []string{observedA, observedBinding, observedSecret}}
	result := s.play(t)
	for _, e := range result.Explain(result.Resources[2], false) {
		if strings.Contains(e.Value, "sensitive") {
			t.Errorf("got %v", e)
		}
	}
}

// The metadata can be one reference, which is checked once it has a value.
func TestMetadataIsAReference(t *testing.T) {
	text := head + `spec:
  resources:
  - name: a
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {m: {name: b}}}}
  - name: b
    references: [{resource: a, name: m, path: data.m}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: "!{m}"}}
`
	for from, want := range map[string]string{
		"{name: b}":   "name: b",
		"{labels: x}": "the object has no metadata.name",
	} {
		t.Run(from, func(t *testing.T) {
			result := scene{
				bundle: strings.Replace(text, "{name: b}", from, 1), change: assumeAll,
			}.play(t)
			if got := rendered(result) + summary(result); !strings.Contains(got, want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// Objects that copy each other twice do not fill the memory.
func TestSizeOfReferencesIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + `spec:
  resources:
  - name: r0
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: r0}, data: {a: ` +
		strings.Repeat("x", 1<<19) + "}}}\n")
	for i := range 8 {
		fmt.Fprintf(&b, `  - name: r%d
    references: [{resource: r%d, name: d, path: data}]
    spec:
      object: {apiVersion: v1, kind: X, metadata: {name: r%[1]d}, data: {a: "!{d}", b: "!{d}"}}
`, i+1, i)
	}
	result := scene{bundle: b.String(), change: assumeAll}.play(t)
	got := messages(result.Failures())
	if !strings.Contains(got, "the values of the references have more than 8 MiB") {
		t.Errorf("got %.300s", got)
	}
}

// A message shows the beginning of a long name.
func TestLongNamesAreCutInMessages(t *testing.T) {
	text := reference("data.int", `"!{`+strings.Repeat("x", 100_000)+`}"`)
	if _, err := read(t, text); err == nil || len(err.Error()) > 400 {
		t.Errorf("got %.500v", err)
	}
}

// A rule of --ready about a Secret does not show what the Secret has.
func TestReadyRulesHideSecrets(t *testing.T) {
	rule, err := ready.ParseRule("Secret=data.password=foo")
	if err != nil {
		t.Fatal(err)
	}
	result := scene{
		bundle: head + `spec:
  resources:
  - name: s
    spec: {object: {apiVersion: v1, kind: Secret, metadata: {name: s}, data: {password: aHVudGVyMg==}}}
`,
		observed: []string{`apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default, uid: u}
data: {password: aHVudGVyMg==}
`},
		change: func(o *bundle.Options) { o.ReadyRules = append(o.ReadyRules, rule) },
	}.play(t)
	got := result.Text() + fmt.Sprint(result.Report())
	if strings.Contains(got, "aHVudGVyMg") || !strings.Contains(got, "(sensitive)") {
		t.Errorf("got %s", got)
	}
}

// A plugin that copies a value of a Secret gives the note that a reference gives, and a path that
// has the value is masked.
func TestPluginsThatCopySecrets(t *testing.T) {
	copies := func() (plugin.Plugin, error) { return copier{}, nil }
	result := scene{
		bundle: head + `spec:
  resources:
  - name: s
    spec: {object: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: correct-horse}}}
  - name: c
    references: [{resource: s}]
    spec: {plugin: {name: copier, objectName: c}}
`,
		plugins: []plugin.NewFunc{copies}, change: assumeAll,
		observed: []string{`apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default, uid: u}
data: {correct-horse: other}
`},
	}.play(t)
	got := result.Text() + fmt.Sprint(result.Report())
	for _, res := range result.Resources {
		for _, n := range res.Notes {
			got += n.Text()
		}
	}
	if strings.Contains(got, "correct-horse") || !strings.Contains(got,
		"c: the secret value that the plugin copier copied to data.copy is in clear text") {
		t.Errorf("got %s", got)
	}
}

// copier makes a ConfigMap with the value of a Secret.
type copier struct{}

func (copier) Describe() *plugin.Description {
	return &plugin.Description{
		Name: "copier", GVK: plugin.NewGroupVersionKind("v1", "ConfigMap"),
	}
}

func (copier) Process(_ map[string]any, c *plugin.Context) plugin.ProcessResult {
	value := c.Dependencies["s"].Actual.Object["stringData"].(map[string]any)["k"]
	return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c"},
		"data": map[string]any{"copy": value, value.(string): "x"},
	}}}
}
