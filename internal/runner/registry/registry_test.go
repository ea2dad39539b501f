package registry

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// local starts a registry on the loopback address. asked counts the requests.
func local(t *testing.T) (host string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), asked
}

func push(t *testing.T, image string, config v1.Config) {
	t.Helper()
	img, err := mutate.Config(empty.Image, config)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, img); err != nil {
		t.Fatal(err)
	}
}

func TestEntrypoint(t *testing.T) {
	host, asked := local(t)
	client := &Client{Fresh: time.Minute}
	for image, c := range map[string]struct {
		config v1.Config
		want   []string
		err    string
	}{
		"a:v1": {v1.Config{Entrypoint: []string{"/fn"}}, []string{"/fn"}, ""},
		"b:v1": {v1.Config{Cmd: []string{"/fn", "x"}}, []string{"/fn", "x"}, ""},
		"c:v1": {
			v1.Config{Entrypoint: []string{"/fn"}, Cmd: []string{"arg"}},
			[]string{"/fn", "arg"},
			"",
		},
		"d:v1": {v1.Config{}, nil, "has neither an entrypoint nor a command"},
	} {
		t.Run(image, func(t *testing.T) {
			push(t, host+"/"+image, c.config)
			got, err := client.Entrypoint(t.Context(), host+"/"+image)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Error(err)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v", got, err)
			}
			before := asked.Load()
			if _, err := client.Entrypoint(t.Context(), host+"/"+image); err != nil ||
				asked.Load() != before {
				t.Errorf("the registry was asked again, %v", err)
			}
		})
	}
	_, err := client.Entrypoint(t.Context(), host+"/missing:v1")
	if err == nil || !strings.Contains(err.Error(), "the registry "+host+": ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("missing: %v", err)
	}
	if _, err := client.Entrypoint(t.Context(), "not an image"); err == nil {
		t.Error("a wrong name gives no error")
	}
}

func TestTags(t *testing.T) {
	host, _ := local(t)
	client := &Client{}
	for _, tag := range []string{"v0.4.1", "v0.4.7", "v0.5.0", "latest"} {
		t.Run(tag, func(t *testing.T) {
			push(t, host+"/fn/set-labels:"+tag, v1.Config{Cmd: []string{"/fn"}})
		})
	}
	got, err := client.Tags(t.Context(), host+"/fn/set-labels")
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []string{"latest", "v0.4.1", "v0.4.7", "v0.5.0"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := client.Tags(t.Context(), host+"/fn/missing"); err == nil {
		t.Error("a missing repository gives no error")
	}
}

func TestARegistryThatDoesNotAnswer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	host := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	_, err := (&Client{}).Entrypoint(t.Context(), host+"/a:v1")
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
}
