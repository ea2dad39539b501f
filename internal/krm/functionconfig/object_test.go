package functionconfig

import (
	"reflect"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

// TestPodObject reads what PodObject writes: the pods are the same.
func TestPodObject(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"all fields, proposed", proposed},
		{"all fields, today", today},
		{"no field", head + "  image: f\n  podExecutor: {}\n"},
		{"an entrypoint", head + "  image: f\n  podExecutor: {entrypoint: [/f, \"a b\"]}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			configs, problems := Parse([]byte(c.text), "f")
			if len(configs) == 0 || len(problems) > 0 {
				t.Fatal(lines(problems))
			}
			want := *configs[0]
			object, err := want.PodObject("my.io/fn")
			if err != nil {
				t.Fatal(err)
			}
			got, problems := Parse(object, "f")
			if len(got) != 1 || len(problems) > 0 {
				t.Fatalf("%s\n%s", object, lines(problems))
			}
			pod := *want.Pod
			pod.Tags = nil
			want.Pod, want.Go, want.Binary, want.Prefixes = &pod, nil, nil, []string{"my.io/fn"}
			want.Namespace, want.Generation = "", 0
			want.Pos, want.ImagePos = api.Position{}, api.Position{}
			got[0].Pos, got[0].ImagePos = want.Pos, want.ImagePos
			if !reflect.DeepEqual(*got[0], want) {
				t.Errorf("got\n%+v\nwant\n%+v\n%+v\n%+v", *got[0], want, *got[0].Pod, *want.Pod)
			}
		})
	}
	if _, err := (&Config{Name: "f"}).PodObject(""); err == nil {
		t.Error("a config without pods gives no error")
	}
}
