package exceptions_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/do/exceptions"
)

func TestProvided(t *testing.T) {
	for entry, lines := range map[string]string{
		"Secret db":          "Secret shop/db\nSecret db\nConfigMap,Secret shop/db",
		"Secret shop/d*":     "Secret shop/db\nSecret db",
		"Secret */db":        "Secret shop/db",
		"StorageClass fast":  "storage.k8s.io/StorageClass fast",
		"a.example/Issuer x": "a.example/Issuer shop/x",
	} {
		p, err := exceptions.ParseProvided(entry)
		if err != nil {
			t.Fatal(err)
		}
		for missing := range strings.SplitSeq(lines, "\n") {
			if !p.Has(missing) {
				t.Errorf("%s has no %s", entry, missing)
			}
		}
		for _, missing := range []string{
			"ConfigMap shop/db", "Secret tools/dc", "b.example/Issuer shop/x", "Secret",
		} {
			if p.Has(missing) {
				t.Errorf("%s has %s", entry, missing)
			}
		}
	}
	for _, entry := range []string{
		"", "Secret", "Secret a b", "Secret /a", "Secret a/", "Secret a/b/c", "Secret [a", "* a",
	} {
		if _, err := exceptions.ParseProvided(entry); err == nil {
			t.Errorf("%q is accepted", entry)
		}
	}
}

func TestPropose(t *testing.T) {
	got := exceptions.Propose([]string{
		"Secret shop/db", "Secret shop/db", "apps/Deployment shop/web", "Secret a/keys",
		"Secret b/keys", "storage.k8s.io/StorageClass fast", "a.example/Issuer shop/x",
		"Service,serving.knative.dev/Service shop/api",
	})
	want := "Deployment shop/web, Secret keys, Secret shop/db, Service shop/api, StorageClass fast, " +
		"a.example/Issuer shop/x"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	for _, entry := range got {
		if _, err := exceptions.ParseProvided(entry); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
	}
}
