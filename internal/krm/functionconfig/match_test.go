package functionconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/fctl-dev/fctl/internal/process"
)

func setOf(t testing.TB, prefix string, specs ...string) *Set {
	t.Helper()
	var configs []*Config
	for i, spec := range specs {
		text := "apiVersion: " + APIVersion + "\nkind: " + Kind +
			fmt.Sprintf("\nmetadata: {name: f%d}\nspec: {%s}\n", i, spec)
		c, problems := Parse([]byte(text), fmt.Sprintf("f%d", i))
		if len(problems) > 0 {
			t.Fatal(lines(problems))
		}
		configs = append(configs, c...)
	}
	set, problems := NewSet(configs, prefix)
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	return set
}

// flow lists the tag v0.1.1 for pods and Go, v0.2.0 for pods, v0.2.3 for programs.
const flow = `image: apply-setters, prefixes: ["", gcr.io/kpt-fn],
 podExecutorConfig: {tags: [v0.1.1, v0.2.0]},
 binaryExecutorConfig: {tags: [v0.2, v0.2.3], relPath: apply-setters},
 goExecutorConfig: {tags: [v0.1.1], id: apply-setters}`

// describe lists the candidates of a request.
func describe(m *ConfigMatch) string {
	var all []string
	for _, c := range m.Candidates() {
		s := string(c.Kind)
		if c.Config == nil {
			s += ":default"
		} else if !c.Exact {
			s += "(" + c.Entry + ")"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

// TestFind looks up the requests of testdata/matches.txt.
func TestFind(t *testing.T) {
	text, err := os.ReadFile("testdata/matches.txt")
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("DEFAULT", process.DefaultPrefix,
		"DIGEST", "sha256:"+strings.Repeat("0a", 32))
	request := regexp.MustCompile(`(?m)^# (.*)\n(\S+)(?: tag (.*?))?(?: prefix (\S+))?` +
		`( ignore-digests)?\n  (.*?)(?: \| (.*))?$`)
	count := 0
	for _, block := range strings.Split(string(text), "\n=== ")[1:] {
		spec, _, _ := strings.Cut(block, "\n# ")
		for _, c := range request.FindAllStringSubmatch(block, -1) {
			count++
			t.Run(c[1], func(t *testing.T) {
				m, err := setOf(t, c[4], spec).Find(Lookup{fill.Replace(c[2]), c[3], c[5] != ""})
				if err != nil {
					t.Fatal(err)
				}
				if got := describe(&m); got != c[6] {
					t.Errorf("got %s, want %s", got, c[6])
				}
				if c[7] != "" && m.tag() != c[7] {
					t.Errorf("tag %s, want %s", m.tag(), c[7])
				}
			})
		}
	}
	if count != strings.Count(string(text), "\n# ") {
		t.Errorf("%d requests were read", count)
	}
	for _, r := range []Lookup{{Image: "x:"}, {Image: "f", Tag: "~"}, {Image: "f", Tag: "a b"}} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			if m, err := setOf(t, "").Find(r); err == nil {
				t.Errorf("%+v gives %+v", r, m)
			}
		})
	}
}

// fake is an executor that starts what it has.
type fake struct {
	has  func(Candidate) error
	err  error
	runs int
}

func (f *fake) Run(_ context.Context, c Candidate, _ process.Call) (process.Output, error) {
	if err := f.has(c); err != nil {
		return process.Output{}, err
	}
	f.runs++
	return process.Output{Stdout: []byte(c.Kind)}, f.err
}

func TestDispatch(t *testing.T) {
	yes := func(Candidate) error { return nil }
	no := func(err error) func(Candidate) error { return func(Candidate) error { return err } }
	unknown := no(process.Refuse(process.OtherCause, `id "apply-setters" not built in`))
	for _, c := range []struct {
		name, image     string
		goHas, binHas   func(Candidate) error
		podHas, contHas func(Candidate) error
		err             error
		want            string
	}{
		{
			name: "go", image: "apply-setters:v0.1.1", goHas: yes, binHas: yes, podHas: yes,
			want: "go: tag v0.1.1 matches → run",
		},
		{
			name: "no such id", image: "apply-setters:v0.1.1", goHas: unknown, binHas: yes,
			podHas: yes,
			want: "go: tag v0.1.1 matches, id \"apply-setters\" not built in → next\n" +
				"binary: tag v0.1.1 is not in [v0.2, v0.2.3] → next\npod: tag v0.1.1 matches → run",
		},
		{
			name: "binary", image: "apply-setters:v0.2.3", goHas: yes, binHas: yes, podHas: yes,
			want: "go: tag v0.2.3 is not in [v0.1.1] → next\nbinary: tag v0.2.3 matches → run",
		},
		{
			name: "exec is not allowed", image: "apply-setters:v0.2.3", podHas: yes,
			goHas: yes, binHas: no(process.Refuse(process.NotAllowed, "exec is not allowed (--allow-exec)")),
			want: "go: tag v0.2.3 is not in [v0.1.1] → next\n" +
				"binary: exec is not allowed (--allow-exec) → next\n" +
				"pod: tag v0.2.3 is not in [v0.1.1, v0.2.0] → next\n" +
				"pod: no executor above was taken; default configuration → run",
		},
		{
			name: "program missing, no cluster", image: "apply-setters:v0.2", contHas: yes,
			goHas: yes, binHas: no(process.StartProblem("/f/x", fs.ErrNotExist)),
			want: "go: tag v0.2 is not in [v0.1.1] → next\n" +
				"binary: tag v0.2 matches, program /f/x does not exist → next\n" +
				"pod: tag v0.2 is not in [v0.1.1, v0.2.0] → next\n" +
				"pod: no executor above was taken; default configuration, not available here → " +
				"next\n" +
				"container: no executor above was taken; default configuration → run",
		},
		{
			name: "unknown image", image: "other:v1", goHas: yes, binHas: yes, podHas: yes,
			want: "pod: no FunctionConfig has the image other; default configuration → run",
		},
		{
			name: "failed", image: "apply-setters:v0.1.1", goHas: yes, binHas: yes, podHas: yes,
			err:  &process.ExitError{Function: "f", Code: 1},
			want: "go: tag v0.1.1 matches → run",
		},
		{
			name: "timed out", image: "apply-setters:v0.2.3", goHas: yes, binHas: yes, podHas: yes,
			err:  &process.TimeoutError{Function: "f"},
			want: "go: tag v0.2.3 is not in [v0.1.1] → next\nbinary: tag v0.2.3 matches → run",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := setOf(t, "", flow).Find(Lookup{Image: c.image})
			if err != nil {
				t.Fatal(err)
			}
			executors := map[ExecutorKind]Executor{}
			var all []*fake
			for kind, has := range map[ExecutorKind]func(Candidate) error{
				KindGo: c.goHas, KindBinary: c.binHas, KindPod: c.podHas, KindContainer: c.contHas,
			} {
				if has != nil {
					f := &fake{has: has, err: c.err}
					executors[kind] = f.Run
					all = append(all, f)
				}
			}
			out, trace, err := Dispatch(t.Context(), &m, executors, process.Call{})
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if got := strings.TrimSuffix(trace.String(), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if last := trace[len(trace)-1]; string(out.Stdout) != string(last.Kind) {
				t.Errorf("%s ran", out.Stdout)
			}
			runs := 0
			for _, f := range all {
				runs += f.runs
			}
			if runs != 1 {
				t.Errorf("%d runs", runs)
			}
		})
	}
}

func TestNothingCanRun(t *testing.T) {
	m, err := setOf(t, "", flow).Find(Lookup{Image: "apply-setters:v0.1.1"})
	if err != nil {
		t.Fatal(err)
	}
	none := process.Refuse(process.NoEngine, "no container engine answers: docker is not on PATH")
	_, trace, err := Dispatch(t.Context(), &m, map[ExecutorKind]Executor{
		KindContainer: (&fake{has: func(Candidate) error { return none }}).Run,
	}, process.Call{})
	if !errors.As(err, new(*NoExecutorError)) || !errors.Is(err, none) || len(trace) != 4 {
		t.Errorf("got %v\n%s", err, trace)
	}
}

// TestSwap replaces the set while requests run: every request sees the old objects or the new ones.
func TestSwap(t *testing.T) {
	a := setOf(t, "", `image: f, goExecutor: {tags: [v1]}`, `image: g, goExecutor: {tags: [v1]}`)
	b := setOf(t, "", `image: f, binaryExecutor: {tags: [v1], path: f}`)
	cache := NewCache(a)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 20_000 {
				set := cache.Set()
				f, err := set.Find(Lookup{Image: "f:v1"})
				g, err2 := set.Find(Lookup{Image: "g:v1"})
				if err != nil || err2 != nil {
					t.Error(err, err2)
					return
				}
				got := describe(&f) + "," + describe(&g)
				if got != "go pod:default,go pod:default" &&
					got != "binary pod:default,pod:default" {
					t.Error(got)
					return
				}
			}
		})
	}
	for range 1000 {
		cache.Swap(b)
		cache.Swap(a)
	}
	wait.Wait()
}

// many returns a set of n configs with three executors each.
func many(t testing.TB, n int) *Set {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `---
apiVersion: %s
kind: %s
metadata: {name: f%d}
spec:
  image: function-%d
  prefixes: ["", registry.example:5000/functions, gcr.io/kpt-fn]
  goExecutor: {tags: [v0.1.1, v0.1.2, "~0.4"]}
  binaryExecutor: {tags: [v0.2, v0.2.3], path: f}
  podExecutor: {tags: [v0.1.1, v0.2.0, ">=0.3 <0.5"]}
`, APIVersion, Kind, i, i)
	}
	configs, problems := Parse([]byte(b.String()), "f")
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	set, problems := NewSet(configs, "")
	if len(problems) > 0 || len(configs) != n {
		t.Fatal(lines(problems))
	}
	return set
}

// BenchmarkFind looks up images in 10,000 FunctionConfigs: a listed tag, a tag that a constraint
// allows, and images that have none.
func BenchmarkFind(b *testing.B) {
	cache := NewCache(many(b, 10_000))
	for name, format := range map[string]string{
		"exact":      "registry.example:5000/functions/function-%d:v0.2.3",
		"constraint": "function-%d:v0.4.7",
		"unlisted":   "gcr.io/kpt-fn/function-%d:v9.1",
		"unknown":    "registry.example:5000/functions/other-%d:v1",
	} {
		b.Run(name, func(b *testing.B) {
			images := make([]string, 10_000)
			for i := range images {
				images[i] = fmt.Sprintf(format, i)
			}
			i := 0
			for b.Loop() {
				if _, err := cache.Set().Find(Lookup{Image: images[i%len(images)]}); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// BenchmarkParse reads 10,000 FunctionConfigs and makes a set of them.
func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		many(b, 10_000)
	}
}
