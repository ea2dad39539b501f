//go:build !race

package mutation_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// modelScript runs the reference model on triples of units, one JSON line each.
const modelScript = `
import json, sys
sys.path.insert(0, sys.argv[1])
import refmodel as m
for line in sys.stdin:
    c = json.loads(line)
    try:
        diff = [[e["type"] + " " + e["name"], e["op"], {m.pstr(k): [v["MutationType"], v["Value"]] for k, v in e["paths"].items()},
                 {m.pstr(k): v for k, v in e["orders"].items()}] for e in m.diff(c["base"], c["source"])]
        docs, patch, conflicts = m.merge(c["base"], c["source"], c["target"], c["subtract"])
        print(json.dumps({"diff": diff, "docs": docs, "conflicts": [[x[0], x[1], x[2]] for x in conflicts]}))
    except Exception as e:
        print(json.dumps({"failed": repr(e)}))
    sys.stdout.flush()
`

type modelAnswer struct {
	Failed    string
	Diff      [][]any
	Docs      []any
	Conflicts [][3]string
}

// model starts the reference model, which is not part of the project.
func model(t *testing.T) (ask func(any) modelAnswer) {
	t.Helper()
	dir, err := filepath.Abs("../../../shared/spec")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "refmodel.py")); err != nil {
		t.Skipf("the reference model is not there: %v", err)
	}
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import yaml").Run(); err != nil {
		t.Skipf("the reference model needs %s with PyYAML: %v", python, err)
	}
	cmd := exec.Command(python, "-B", "-c", modelScript, dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	return func(question any) modelAnswer {
		text, err := json.Marshal(question)
		if err == nil {
			_, err = in.Write(append(text, '\n'))
		}
		if err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var answer modelAnswer
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// normal returns v as JSON decodes it.
func normal(t testing.TB, v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var n any
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

var elementIndex = regexp.MustCompile(`;@\d+`)

// TestMergeAsTheModel compares diffs, merges and conflicts with those of the reference model.
func TestMergeAsTheModel(t *testing.T) {
	ask := model(t)
	compared, leftOut := 0, map[string]int{}
	for seed := range mutationtest.Cases(200, 10_000) {
		m := mutationtest.NewMaker(uint64(seed))
		base := m.Unit()
		source, target := m.Variant(base, m.IntN(5)), m.Variant(base, m.IntN(5))
		for _, docs := range [][]mutationtest.Object{base, source, target} {
			for _, doc := range docs {
				forTheModel(doc)
			}
		}
		subtract := m.IntN(4) > 0
		b, u, d := mutationtest.Text(t, base), mutationtest.Text(t, source),
			mutationtest.Text(t, target)
		answer := ask(map[string]any{
			"base": base, "source": source, "target": target, "subtract": subtract,
		})
		if answer.Failed != "" {
			// This happens if the target turned a list to which something is added into a map.
			leftOut["the model crashes: "+answer.Failed]++
			continue
		}
		fail := func(what string, have, want any) {
			t.Fatalf(
				"seed %d: %s\n--- base\n%s\n--- source\n%s\n--- target\n%s\n--- have\n%v\n"+
					"--- want\n%v",
				seed, what, b, u, d, have, want,
			)
		}
		have, err := mutation.DiffLines(
			mutationtest.Parse(t, b), mutationtest.Parse(t, u), k8skit.K8sResourceProvider,
		)
		if err != nil {
			t.Fatal(err)
		}
		want := modelLines(t, answer.Diff)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			fail("diff", strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
		result, err := mutation.Merge(
			mutationtest.Parse(t, b), mutationtest.Parse(t, u), mutationtest.Parse(t, d),
			k8skit.K8sResourceProvider, mutation.Options{NoSubtraction: !subtract},
		)
		if err != nil {
			t.Fatal(err)
		}
		diff, err := mutation.Compute(
			mutationtest.Parse(t, b), mutationtest.Parse(t, u), 0, k8skit.K8sResourceProvider,
		)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(diff, renames) {
			leftOut["renames, which the model does not have"]++
			continue
		}
		compared++
		docs := normal(t, mutationtest.Data(result.Docs))
		if slices.ContainsFunc(answer.Conflicts, func(c [3]string) bool {
			return c[0] == string(api.ConflictUnresolvedPath)
		}) {
			withoutRemains(answer.Docs, docs)
		}
		if !reflect.DeepEqual(docs, any(answer.Docs)) && len(answer.Docs) > 0 {
			text, _ := json.MarshalIndent(answer.Docs, "", " ")
			fail("merge", result.Docs.String(), string(text))
		}
		var conflicts, wanted []string
		for _, c := range result.Conflicts {
			if c.Reason == api.ConflictUnresolvedPath && slices.ContainsFunc(result.Conflicts,
				func(r api.MutationConflict) bool {
					return r.Reason == c.Reason && r.Path == "" && r.Resource == c.Resource &&
						c.Path != ""
				}) {
				continue // the model reports the resource only
			}
			conflicts = append(conflicts, fmt.Sprintf(
				"%s %s %s %s", c.Reason, c.Resource.ResourceType,
				c.Resource.ResourceNameWithoutScope,
				elementIndex.ReplaceAllString(string(c.Path), ""),
			))
		}
		for _, c := range answer.Conflicts {
			wanted = append(
				wanted,
				fmt.Sprintf("%s %s %s", c[0], c[1], elementIndex.ReplaceAllString(c[2], "")),
			)
		}
		slices.Sort(conflicts)
		slices.Sort(wanted)
		if wanted = slices.Compact(wanted); !slices.Equal(slices.Compact(conflicts), wanted) {
			fail("conflicts", strings.Join(conflicts, "\n"), strings.Join(wanted, "\n"))
		}
	}
	t.Logf("%d compared, left out: %v", compared, leftOut)
}

// withoutRemains removes the empty maps that only the model's result has. The model creates maps on
// the way to a path, and they stay if it cannot get there.
func withoutRemains(model, ours any) {
	switch model := model.(type) {
	case []any:
		list, _ := ours.([]any)
		for i := range min(len(model), len(list)) {
			withoutRemains(model[i], list[i])
		}
	case mutationtest.Object:
		known, _ := ours.(mutationtest.Object)
		for k, v := range model {
			if other, ok := known[k]; ok {
				withoutRemains(v, other)
			} else if isHollow(v) {
				delete(model, k)
			}
		}
	}
}

// isHollow reports whether v is a map that contains only maps like itself.
func isHollow(v any) bool {
	o, ok := v.(mutationtest.Object)
	for k := range o {
		ok = ok && isHollow(o[k])
	}
	return ok
}

// forTheModel removes list elements equal to earlier ones, because the model inserts one too few of
// them, and replaces booleans, which the model treats as numbers.
func forTheModel(v any) any {
	switch v := v.(type) {
	case bool:
		return fmt.Sprint("it is ", v)
	case mutationtest.Object:
		for k := range v {
			v[k] = forTheModel(v[k])
		}
	case []any:
		var left []any
		for _, e := range v {
			e = forTheModel(e)
			if !slices.ContainsFunc(left, func(o any) bool { return reflect.DeepEqual(o, e) }) {
				left = append(left, e)
			}
		}
		if left != nil {
			return left
		}
	}
	return v
}

// renames reports whether m renames the resource or list elements.
func renames(m api.ResourceMutation) bool {
	return len(m.ArrayElementAliases) > 0 || len(m.AliasesWithoutScopes) > 1
}

// modelLines returns a diff of the model in the form of DiffLines.
func modelLines(t testing.TB, diff [][]any) []string {
	var all []string
	for _, e := range diff {
		name := e[0].(string)
		all = append(all, fmt.Sprintf("%s %s", name, e[1]))
		for path, change := range e[2].(map[string]any) {
			c := change.([]any)
			text, err := json.Marshal(c[1])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%s %s %s %s", name, path, c[0], text))
		}
		for path, keys := range e[3].(map[string]any) {
			var order []string
			for _, k := range keys.([]any) {
				order = append(order, k.(string))
			}
			all = append(all, fmt.Sprintf("%s %s order %q", name, path, order))
		}
	}
	slices.Sort(all)
	return all
}
