package bundle_test

import (
	"slices"
	"strings"
	"testing"
)

// messy is an object as people write it: comments in all positions, quotes, odd indentation, block
// and flow collections, a block scalar, numbers in other notations.
const messy = `# above the first key
apiVersion: "v1"
kind:   ConfigMap # the kind

metadata:
    # about the name
    labels: {app: 'web',   tier: "!{n}" , "on": "yes"}   # flow
    name: target
    annotations:
      a.b/c: '!{n}'   # quoted
      text: "x-!{n}"  # stays
    namespace: default
data:

  # a block scalar
  script: |
    #!/bin/sh
      echo "!{n}"
  folded: >-
    one
    two
  list:
  -   "!{n}"   # first
  - a: 0x10
    b: !!str 1
    # between

    c: "!{n}"

  - [ 1,  2 , "!{n}" ]
  last: ~
# below the last key
`

// Lines without a reference are as they are in the Bundle, and those with one only differ in the
// substituted value.
func TestOnlySubstitutedLinesDiffer(t *testing.T) {
	text := head + `spec:
  resources:
  - name: source
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: source}}}
  - name: target
    references: [{resource: source, name: n, path: data.string}]
    spec:
      object:
` + strings.ReplaceAll("\n"+strings.TrimSuffix(messy, "\n"), "\n", "\n        ")[1:] + "\n"
	text = strings.ReplaceAll(text, "        \n", "\n") // empty lines
	result := scene{bundle: text, observed: []string{source}}.play(t)
	got := strings.Split(string(result.Resources[1].Bytes()), "\n")
	want := strings.Split(messy, "\n")
	for i, line := range want {
		trimmed := strings.TrimSpace(line)
		if !strings.Contains(line, "x-!{n}") && !strings.HasPrefix(trimmed, "echo") {
			line = strings.ReplaceAll(line, "!{n}", "text")
		}
		want[i] = line
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
