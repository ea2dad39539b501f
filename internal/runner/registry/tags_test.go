package registry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/fctl-dev/fctl/internal/process"
)

// TestRegistryTags asks registries for tags with the client of fctl, which has no library for them.
func TestRegistryTags(t *testing.T) {
	host, _ := local(t)
	for _, tag := range []string{"v0.4.1", "v0.4.7", "latest"} {
		t.Run(tag, func(t *testing.T) {
			push(t, host+"/fn/set-labels:"+tag, v1.Config{Cmd: []string{"/fn"}})
		})
	}
	// A registry with a token and two pages of tags.
	var asked []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		switch {
		case r.URL.Path == "/token":
			_, _ = fmt.Fprint(w, `{"token": "t0k"}`)
		case r.Header.Get("Authorization") != "Bearer t0k":
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://`+r.Host+
				`/token",service="s"`)
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Query().Get("last") == "":
			w.Header().Set("Link", `</v2/a/b/tags/list?last=v1>; rel="next"`)
			_, _ = fmt.Fprint(w, `{"tags": ["v1"]}`)
		default:
			_, _ = fmt.Fprint(w, `{"tags": ["v2"]}`)
		}
	}
	paged := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(paged.Close)
	pages := strings.TrimPrefix(paged.URL, "http://")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<http://`+pages+`/v2/a/b/tags/list>; rel="next"`)
		_, _ = fmt.Fprint(w, `{"tags": ["v1"]}`)
	}))
	t.Cleanup(elsewhere.Close)
	for _, c := range []struct {
		name, repository string
		want             []string
		err              string
	}{
		{
			"of go-containerregistry", host + "/fn/set-labels",
			[]string{"latest", "v0.4.1", "v0.4.7"},
			"",
		},
		{"missing", host + "/fn/missing", nil, host + " answers 404 Not Found"},
		{"with a token and pages", pages + "/a/b", []string{"v1", "v2"}, ""},
		{
			"pages elsewhere", strings.TrimPrefix(elsewhere.URL, "http://") + "/a/b", nil,
			"the next page of tags is elsewhere",
		},
		{"without a registry", "fn/set-labels", nil, "does not name a registry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := process.RegistryTags(t.Context(), http.DefaultClient, c.repository)
			slices.Sort(got)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	want := []string{
		"/v2/a/b/tags/list", "/token?scope=repository%3Aa%2Fb%3Apull&service=s",
		"/v2/a/b/tags/list", "/v2/a/b/tags/list?last=v1",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("the registry was asked for %q", asked)
	}
}
