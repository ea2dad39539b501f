package krm

import (
	"strings"
	"testing"
)

// F12: what Kubernetes only takes as a string is one in the file, in new resources and in changed
// ones, however the function writes it. Values of other fields, and what the user wrote, stay.
func TestStringsAreQuoted(t *testing.T) {
	const resource = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: d
`
	const metadata = `  annotations:
    word: yes # why
    number: 3
    flag: true
    octal: 0o7
    quoted: 'on'
    plain: text
  labels: {short: y, float: 1.10}
`
	const quotedMetadata = `  annotations:
    word: "yes" # why
    number: "3"
    flag: "true"
    octal: "0o7"
    quoted: 'on'
    plain: text
  labels: {short: "y", float: "1.10"}
`
	const spec = `spec:
  template:
    metadata:
      labels: {x: off, z: 3}
    spec:
      containers:
      - name: c
        args: [3, 1e3]
        env:
        - name: A
          value: no
        - {name: B, value: 3}
`
	quotedSpec := strings.NewReplacer("off", `"off"`, "z: 3", `z: "3"`, "value: no", `value: "no"`,
		"value: 3", `value: "3"`).Replace(spec)
	const unquoted = resource + "  annotations:\n    flag: true\n    word: yes\n"
	sent := func(s string) string { // the item as a function returns it
		return "- " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
	}
	for _, c := range []struct{ name, file, returns, want string }{
		{
			"a new resource", "", resource + metadata + spec,
			resource + quotedMetadata + quotedSpec,
		},
		{
			"a new field", resource, resource + "spec:\n  template:\n    metadata:\n" +
				"      labels:\n        x: off\n        z: 3\n",
			resource + "spec:\n  template:\n    metadata:\n" +
				"      labels:\n        x: \"off\"\n        z: \"3\"\n",
		},
		{
			"a new variable",
			resource + "spec:\n  env:\n  - name: A\n    value: a\n",
			resource + "spec:\n  env:\n  - name: A\n    value: 7\n  - name: B\n    value: yes\n",
			resource + "spec:\n  env:\n  - name: A\n    value: \"7\"\n" +
				"  - name: B\n    value: \"yes\"\n",
		},
		{
			"an alias of a number", "",
			resource + "spec:\n  size: &n 7\n  env:\n  - name: A\n    value: *n\n",
			resource + "spec:\n  size: &n 7\n  env:\n  - name: A\n    value: \"7\"\n",
		},
		{
			"an alias of a quoted number", "",
			resource + "spec:\n  env:\n  - name: A\n    value: &n '7'\n  - name: B\n" +
				"    value: *n\n",
			resource + "spec:\n  env:\n  - name: A\n    value: &n '7'\n  - name: B\n" +
				"    value: *n\n",
		},
		{
			"labels are an alias", "",
			resource + "spec:\n  m: &l {a: 1}\n  template:\n    metadata:\n      labels: *l\n",
			resource + "spec:\n  m:\n    a: 1\n  template:\n    metadata:\n" +
				"      labels:\n        a: \"1\"\n",
		},
		{"a new annotation", unquoted, unquoted + "    no: no\n", unquoted +
			"    \"no\": \"no\"\n"},
		{"nothing new", unquoted, unquoted, unquoted},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			path := "deployment_d.yaml" // where F3 puts it
			if c.file != "" {
				files[path] = c.file
			}
			step := &Step{
				PathOf: func(item *Item) string { return DefaultPath("", item) },
				Runner: program(func(string) string {
					return "apiVersion: " + V1 + "\nkind: ResourceList\nitems:\n" + sent(c.returns)
				}),
			}
			have, result := runStep(t, &Pipeline{}, files, step)
			want := "== " + path + "\n" + c.want
			if c.want == c.file {
				want = ""
			}
			if have != want || result.Err != nil {
				t.Errorf("%v\n%s\nwant\n%s", result.Err, have, want)
			}
		})
	}
}
