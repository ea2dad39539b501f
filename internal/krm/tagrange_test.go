package krm_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// A range of versions in a Kptfile is resolved by the registry, here one on this machine, when the
// engine has no image: the newest version that fits runs.
func TestRenderTagRange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not run: the engine is a shell script")
	}
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/team/fn/tags/list" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, `{"tags": ["v0.1.9", "v0.2.3", "v0.2.11", "v0.3.0", `+
			`"latest", "v0.2.12-rc1"]}`)
	}))
	defer registry.Close()
	bin := t.TempDir()
	engine := "#!/bin/sh\ncase $1 in\n" +
		"run) cat; for w in \"$@\"; do image=$w; done; echo \"ran $image\" >&2;;\n" +
		"images) ;;\n*) echo 1;;\nesac\n"
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(engine), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	image := strings.TrimPrefix(registry.URL, "http://") + "/team/fn"
	for _, c := range []struct{ name, tag, want string }{
		{"patch versions", "~0.2", "v0.2.11"},
		{"minor versions", ">=0.1 <0.4", "v0.3.0"},
		{"an exact version", "v0.1.9", "v0.1.9"},
		{"none fits", ">=0.4", "error " + image + " has no version >=0.4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{
				"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n" +
					"pipeline:\n" +
					"  mutators:\n  - image: " + image + "\n    tag: \"" + c.tag + "\"\n",
				"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
			})
			p, err := krm.ReadPackage(t.Context(), dir, krm.ReadOptions{
				Reader: &source.Reader{RegularOnly: true}, Kptfile: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			r := &krm.Render{
				Pipeline: &krm.Pipeline{Provider: k8skit.New()},
				Executors: &krm.Executors{
					Root: dir, Engine: "docker", Client: registry.Client(),
				},
			}
			got := ""
			if rendered, err := r.Run(t.Context(), p.Items()); err != nil {
				got = "error " + err.Error()
			} else {
				got = rendered.Results[0].Stderr
			}
			want := "ran " + image + ":" + c.want + "\n"
			if message, failed := strings.CutPrefix(c.want, "error "); failed {
				want = message
			}
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
