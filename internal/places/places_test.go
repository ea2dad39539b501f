package places_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/places"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]places.Place{
		"spec.replicas":                       {Path: "spec.replicas"},
		"data.@a:key":                         {Path: "data.@a:key"},
		"DATABASE_URL":                        {Path: "DATABASE_URL"},
		"Title":                               {Path: "Title"},
		"Deployment:spec":                     {Type: "Deployment", Path: "spec"},
		"Deployment/web:spec":                 {Type: "Deployment", Name: "web", Path: "spec"},
		"Deployment/shop/web:spec":            {Type: "Deployment", Namespace: "shop", Name: "web", Path: "spec"},
		"apps/v1/Deployment:shop/*:spec":      {Type: "apps/v1/Deployment", Namespace: "shop", Name: "*", Path: "spec"},
		"v1/ConfigMap:web:data.a~1b":          {Type: "v1/ConfigMap", Name: "web", Path: "data.a~1b"},
		"v1/ConfigMap:spec.?name=a.b":         {Type: "v1/ConfigMap", Path: "spec.?name=a.b"},
		"deploy:spec":                         {Type: "apps/v1/Deployment", Path: "spec"},
		"Secret/db-*":                         {Type: "Secret", Name: "db-*"},
		"Event:":                              {Type: "Event"},
		"example.com/v1/Cache/shop/sessions:": {Type: "example.com/v1/Cache", Namespace: "shop", Name: "sessions"},
	} {
		if got, err := places.Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a.?b", "a#b", "a.%s", "Secret/a/b/c:data", "Secret/[:data"} {
		if got, err := places.Parse(text); err == nil {
			t.Errorf("%s: %+v is accepted", text, got)
		}
	}
}

func TestMatches(t *testing.T) {
	info := &api.ResourceInfo{
		ResourceType: "apps/v1/Deployment", ResourceName: "shop/web", ResourceNameWithoutScope: "web",
	}
	for text, want := range map[string]bool{
		"spec": true, "Deployment:spec": true, "apps/v1/Deployment:spec": true, "Deployment/w*": true,
		"Deployment/shop/web": true, "Deployment/*/web": true, "deployment:spec": true,
		"Service:spec": false, "apps/v1beta1/Deployment:spec": false, "Deployment/we": false,
		"Deployment/prod/web": false,
	} {
		if p, err := places.Parse(text); err != nil || p.Matches(info) != want {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}
