package bundle_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/process"
)

// answers returns a step whose program writes text and ends with a status.
func answers(stdout, stderr string, exit int, err error, got *string) *krm.Step {
	return &krm.Step{Runner: krm.Runner{
		Program: func(_ context.Context, stdin []byte) (process.Output, error) {
			if got != nil {
				*got = string(stdin)
			}
			return process.Output{
				Stdout: []byte(stdout), Stderr: []byte(stderr), ExitCode: exit,
			}, err
		},
	}}
}

type exitError struct{}

func (exitError) Error() string { return "exit code 1" }

const described = `apiVersion: fctl.dev/v1
kind: PluginDescription
metadata: {name: p}
spec:
  apiVersion: v1
  kind: ConfigMap
  schema: {type: object, required: [k]}
`

const programBundle = head + `spec:
  resources:
  - name: source
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: source}}}
  - name: a
    references: [{resource: source}]
    spec: {plugin: {name: p, objectName: x, spec: {k: v}}}
`

// playProgram runs the Bundle with a plugin whose calls have the given answers.
func playProgram(t *testing.T, text string, describe, process *krm.Step) string {
	t.Helper()
	s := scene{bundle: text, observed: []string{strings.Replace(source, "  noText: !!binary "+
		"/w==\n", "", 1)}}
	s.change = func(o *bundle.Options) {
		p, err := bundle.NewProgram(context.Background(), "p", describe, process)
		if err == nil {
			err = o.Plugins.Add(p, "./p.sh")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	result := s.play(t)
	_, status, _ := strings.Cut(summary(result), "\n")
	if res := result.Resources[1]; res.Rendered() {
		status += string(res.Bytes())
	}
	return status
}

// TestProgram has what a program reads, and the forms in which it may answer.
func TestProgram(t *testing.T) {
	describe := answers(described, "", 0, nil, nil)
	const object = "apiVersion: v1\nkind: ConfigMap # mine\nmetadata: {name: any}\n" +
		"data: {z: 1, a: 2}\n"
	const want = "a InProgress: not observed\napiVersion: v1\nkind: ConfigMap # mine\n" +
		"metadata: {name: x, namespace: default}\ndata: {z: 1, a: 2}\n"
	list := func(rest string) string {
		return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" + rest
	}
	item := "- " + strings.ReplaceAll(strings.TrimSpace(object), "\n", "\n  ") + "\n"
	input := "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: s, annotations: " +
		"{smith.fctl.dev/role: actual}}\n"
	failed := func(text string) string { return "a Error: " + text + ")\n" }
	for name, c := range map[string]struct {
		stdout, stderr string
		exit           int
		err            error
		want           string
	}{
		"a document":      {object, "", 0, nil, want},
		"a ResourceList":  {list("items:\n" + item), "", 0, nil, want},
		"with its inputs": {list("items:\n" + input + item), "", 0, nil, want},
		"nothing": {
			"", "", 0, nil,
			failed("plugin p: the plugin succeeded and returned no object (retriable false, " +
				"external false"),
		},
		"only inputs": {
			list("items:\n" + input), "", 0, nil,
			failed("plugin p: the plugin succeeded and returned no object (retriable false, " +
				"external false"),
		},
		"two objects": {
			object + "---\n" + object, "", 0, nil,
			failed("the plugin returned 2 objects, and one is expected (retriable false, " +
				"external false"),
		},
		"another type": {
			strings.Replace(object, "ConfigMap", "Secret", 1), "", 0, nil,
			failed("plugin p: unexpected GVK from plugin: wanted v1, Kind=ConfigMap, got v1, " +
				"Kind=Secret (retriable false, external false"),
		},
		"not YAML": {"a: [", "", 0, nil, "a Error: <output of plugin p>:1:4: "},
		"fails": {
			"", "it is wrong\n", 1,
			exitError{},
			failed("it is wrong (exit code 1) (retriable false, external false"),
		},
		"fails silently": {
			"", "", 1, exitError{}, failed("exit code 1 (retriable false, external false"),
		},
		"the user's fault": {
			"", "no k\n", 65,
			exitError{},
			failed("no k (exit code 1) (retriable false, external true"),
		},
		"later": {
			"", "wait\n", 75,
			exitError{},
			failed("wait (exit code 1) (retriable true, external true"),
		},
		"a result": {
			list("items: []\nresults:\n- {message: bad k, severity: error, tags: {external: " +
				"'true'}}\n"), "",
			0, nil, failed("bad k (retriable false, external true"),
		},
		"a result, retriable": {
			list("items: []\nresults:\n- {message: wait, severity: error, tags: {retriable: " +
				"'true'}}\n"), "",
			1,
			exitError{},
			failed("wait (retriable true, external false"),
		},
		"a warning is not a failure": {
			list("items:\n" + item + "results:\n- {message: hm, severity: warning}\n"), "", 0, nil,
			want,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := playProgram(t, programBundle, describe, answers(c.stdout, c.stderr, c.exit,
				c.err, nil))
			if got != c.want && (!strings.HasSuffix(c.want, " ") ||
				!strings.HasPrefix(got, c.want)) {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestProgramInput(t *testing.T) {
	var got, asked string
	playProgram(t, programBundle,
		answers(described, "", 0, nil, &asked), answers("", "", 0, nil, &got))
	want := `apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: fctl.dev/v1
  kind: PluginInvocation
  metadata:
    name: p
  namespace: default
  plugin: p
  spec:
    k: v
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: source
    namespace: default
    annotations:
      a.b/c: dotted
      smith.fctl.dev/resource: source
      smith.fctl.dev/role: actual
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s", got)
	}
	if !strings.Contains(asked, "kind: PluginDescription\n") {
		t.Errorf("asked\n%s", asked)
	}
	// a spec that is an object is the functionConfig
	text := strings.Replace(programBundle, "{k: v}", "{apiVersion: v1, kind: ConfigMap, k: v}", 1)
	playProgram(t, text, answers(described, "", 0, nil, nil), answers("", "", 0, nil, &got))
	if !strings.Contains(got, "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  k: v\n") {
		t.Errorf("got\n%s", got)
	}
}

// The schema that a program describes is checked; a program need not describe itself.
func TestProgramDescription(t *testing.T) {
	text := strings.Replace(programBundle, "{k: v}", "{}", 1)
	got := playProgram(t, text, answers(described, "", 0, nil, nil), answers("", "", 0, nil, nil))
	if got != "a Error: spec failed validation against schema: spec: k is required (retriable "+
		"false, external true)\n" {
		t.Errorf("got %s", got)
	}
	got = playProgram(t, text, answers("", "", 0, nil, nil), answers("apiVersion: v1\nkind: "+
		"Secret\n", "", 0, nil, nil))
	if !strings.HasPrefix(got, "a InProgress: not observed\napiVersion: v1\nkind: Secret\n") {
		t.Errorf("got %s", got)
	}
	for name, c := range map[string]struct {
		describe *krm.Step
		want     string
	}{
		"fails": {
			answers("", "no\n", 1, exitError{}, nil),
			`plugin "p" does not describe itself: no (exit code 1)`,
		},
		"another name": {
			answers(strings.Replace(described, "name: p", "name: q", 1), "", 0, nil, nil),
			`plugin "p" describes itself as "q"`,
		},
		"no kind": {
			answers(strings.Replace(described, "kind: ConfigMap", "", 1), "", 0, nil, nil),
			`plugin "p" (./p.sh): its description has no version or kind`,
		},
		"bad schema": {
			answers(strings.Replace(described, "object", "objec", 1), "", 0, nil, nil),
			`plugin "p" (./p.sh): its schema: `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			plugins := &bundle.Plugins{}
			p, err := bundle.NewProgram(context.Background(), "p", c.describe,
				answers("", "", 0, nil, nil))
			if err == nil {
				err = plugins.Add(p, "./p.sh")
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A KRM function in this process is a plugin whose spec is its functionConfig.
func TestProgramInProcess(t *testing.T) {
	run := func(_ context.Context, list *krm.ResourceList) error {
		item, err := krm.NewItem([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n"),
			"", 0)
		list.Items = append(list.Items, item)
		return err
	}
	step := &krm.Step{Runner: krm.Runner{InProcess: run}}
	got := playProgram(t, programBundle, step, step)
	if !strings.HasPrefix(got, "a InProgress: not observed\napiVersion: v1\nkind: ConfigMap\n"+
		"metadata: {name: x, namespace: default}\n") {
		t.Errorf("got %s", got)
	}
}
