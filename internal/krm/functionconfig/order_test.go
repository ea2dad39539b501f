package functionconfig

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/process"
)

// TestOrder tries the executors of a FunctionConfig in orders of the caller.
func TestOrder(t *testing.T) {
	const spec = `image: f, goExecutor: {tags: [v1, "~2"]},
 binaryExecutor: {tags: [v1, v2.0.0], path: f}, podExecutor: {tags: [v1, "*"]}`
	configs, problems := Parse([]byte("apiVersion: "+APIVersion+"\nkind: "+Kind+
		"\nmetadata: {name: f}\nspec: {"+spec+"}\n"), "f")
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	for _, c := range []struct{ name, order, image, want string }{
		{"usual", "", "f:v1", "go binary pod"},
		{"written out", "go,binary,pod", "f:v1", "go binary pod"},
		{"reversed", "pod,binary,go", "f:v1", "pod binary go"},
		{"one first", "binary", "f:v1", "binary go pod"},
		{"a container is a pod", "container,go", "f:v1", "pod go binary"},
		{
			"an exact tag comes first nevertheless", "pod,go,binary", "f:v2.0.0",
			"binary pod(*) go(~2)",
		},
		{"of constraints", "pod,go", "f:v2.1.0", "pod(*) go(~2)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			order, err := ParseKinds(c.order, KindGo, KindBinary, KindPod, KindContainer)
			if err != nil {
				t.Fatal(err)
			}
			set, _ := NewSet(configs, "", order...)
			m, err := set.Find(Lookup{Image: c.image})
			if err != nil || describe(&m) != c.want {
				t.Errorf("%s, want %s, %v", describe(&m), c.want, err)
			}
		})
	}
	set, _ := NewSet(configs, "", KindPod, KindBinary)
	m, err := set.Find(Lookup{Image: "f:v1"})
	if err != nil {
		t.Fatal(err)
	}
	no := func(context.Context, Candidate) (int, error) {
		return 0, &process.NotStartedError{Err: errors.New("no")}
	}
	attempts := NewAttempts(&m, func(kind ExecutorKind,
	) func(context.Context, Candidate) (int, error) {
		if kind == KindContainer {
			return nil // so it is not in the trace
		}
		return no
	})
	_, err = attempts.Next(t.Context())
	if _, ok := errors.AsType[*NoExecutorError](err); !ok {
		t.Error(err)
	}
	trace := attempts.Trace()
	var kinds []string
	for _, s := range trace {
		kinds = append(kinds, string(s.Kind))
	}
	if want := []string{"pod", "binary", "go"}; !slices.Equal(kinds, want) {
		t.Errorf("%s\n%s", strings.Join(kinds, " "), trace)
	}
	for _, text := range []string{"x", "go,", "go,go", ",", "exec,binary"} {
		t.Run("not "+text, func(t *testing.T) {
			if kinds, err := ParseKinds(text, KindGo, KindBinary); err == nil {
				t.Errorf("%v", kinds)
			}
		})
	}
}
