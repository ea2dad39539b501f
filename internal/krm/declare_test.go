package krm

import (
	"strings"
	"testing"
)

// D1 to D3: the forms in which a resource declares a function, and what is wrong in one.
func TestD1ToD3Declarations(t *testing.T) {
	const head = "apiVersion: v1\nkind: Nginx\nmetadata:\n  name: n\n"
	annotated := func(key, value string) string {
		return "    " + key + ": |\n      " + strings.ReplaceAll(value, "\n", "\n      ") + "\n"
	}
	const (
		function = "config.kubernetes.io/function"
		legacy   = "config.k8s.io/function"
		old      = "config.kubernetes.io/container"
	)
	const configFn = "  configFn:\n    container: {image: c}\n"
	for _, c := range []struct {
		name, text string
		want       string // the name of the function, or what the error ends in after "error "
	}{
		{"D1 configFn in metadata", head + configFn, "c"},
		{
			"D1 configFn at the top", head + "configFn: {container: {image: c}}\n",
			"error a.yaml:5:1: Nginx n: configFn belongs into metadata: metadata.configFn",
		},
		{"D2 container", head + "  annotations:\n" + annotated(function,
			"container:\n  image: a\n  network: true\n"+
				"  mounts: [{type: bind, src: x, dst: /x, rw: true}]\n  envs: [A=b]"), "a"},
		{
			"D2 exec",
			head + "  annotations:\n" +
				annotated(function, "exec: {path: ./a, args: [b, 'c d'], envs: [A]}"),
			"./a b c d",
		},
		{
			"D2 the old key",
			head + "  annotations:\n" + annotated(legacy, "container: {image: b}"), "b",
		},
		{"D2 the oldest form", head + "  annotations: {" + old + ": d}\n", "d"},
		{
			"D2 function before the old key",
			head + "  annotations:\n" + annotated(legacy, "container: {image: b}") +
				annotated(function, "container: {image: a}"), "a",
		},
		{"D2 the old key before configFn", head + configFn + "  annotations:\n" +
			annotated(legacy, "container: {image: b}"), "b"},
		{
			"D2 configFn before the oldest form",
			head + configFn + "  annotations: {" + old + ": d}\n", "c",
		},
		{
			"D2 an unknown key",
			head + "  annotations:\n" + annotated(function, "exec: {path: a}\ndefer: true"),
			`error a.yaml:6:36: Nginx n: annotation config.kubernetes.io/function: line 2: ` +
				`a declaration has no field "defer"`,
		},
		{
			"D2 invalid YAML", head + "  annotations:\n" + annotated(function, "exec: [path"),
			"error a.yaml:6:36: Nginx n: annotation config.kubernetes.io/function: line 1: unclosed [",
		},
		{
			"D2 a key twice",
			head + "  annotations:\n" + annotated(function, "exec: {path: a}\nexec: {path: b}"),
			`line 2: exec is given twice, first in line 1`,
		},
		{
			"D2 both",
			head + "  annotations:\n" +
				annotated(function, "exec: {path: a}\ncontainer: {image: b}"),
			"only one of container and exec can be declared",
		},
		{
			"D2 starlark",
			head + "  annotations:\n" + annotated(function, "starlark: {path: a, name: b}"),
			"the image starlark runs a program",
		},
		{
			"D3 no image",
			head + "  annotations:\n" + annotated(function, "container: {}"),
			"container.image is missing",
		},
		{
			"D3 no path",
			head + "  annotations:\n" + annotated(function, "exec: {}"), "exec.path is missing",
		},
		{
			"D3 nothing", head + "  annotations:\n" + annotated(function, "deferFailure: true"),
			"container or exec is missing",
		},
		{"none", head, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := readPackage(t, map[string]string{"a.yaml": c.text})
			got := ""
			switch d, err := Declaration(p.Items()[0]); {
			case err != nil:
				got = "error " + strings.ReplaceAll(err.Error(), p.Root+"/", "")
			case d != nil:
				got = d.Name()
			}
			if got != c.want && (c.want == "" || !strings.HasPrefix(got, "error") ||
				!strings.Contains(got, c.want)) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
