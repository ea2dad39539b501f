//go:build !race

package mutation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

func TestDiffPatch(t *testing.T) {
	e := func(text string, pairs ...string) string { return replaced(t, text, pairs...) }
	docs, conflicts, err := mutation.DiffPatch(
		mutationtest.Parse(t, baseDeployment+separator+baseService),
		mutationtest.Parse(t, e(baseDeployment, "2 #", "3 #")+proxy),
		mutationtest.Parse(
			t,
			e(baseDeployment, "dev", "prod", "2 #", "5 #")+separator+baseSettings+separator+
				e(baseService, "dev", "prod"),
		),
		k8skit.K8sResourceProvider,
	)
	if err != nil || len(conflicts) > 0 {
		t.Fatal(err, conflicts)
	}
	want := e(baseDeployment, "dev", "prod", "2 #", "3 #") + proxy + separator + baseSettings
	if diff := cmp.Diff(want, docs.String()); diff != "" {
		t.Error(diff)
	}
}

// TestDiffPatchTakesAllEncrypted checks that everything that SOPS has encrypted in a resource comes
// from the modified state, whatever the target has encrypted, and nothing else.
func TestDiffPatchTakesAllEncrypted(t *testing.T) {
	secret := func(app, one, two, list, mac string) string {
		text := "apiVersion: v1\nkind: Secret\nmetadata: {name: a, labels: {app: APP}}\n" +
			"stringData:\n  one: ENC[AES256_GCM,ONE]\n  two: ENC[AES256_GCM,TWO]\n" +
			"  list: [LIST]\nsops: {mac: \"ENC[AES256_GCM,MAC]\"}\n"
		return strings.NewReplacer("APP", app, "ONE", one, "TWO", two, "LIST", list, "MAC",
			mac).Replace(text)
	}
	const x, y = `"ENC[AES256_GCM,x]"`, `"ENC[AES256_GCM,y]"`
	docs, conflicts, err := mutation.DiffPatch(
		mutationtest.Parse(t, secret("a", "1", "1", x, "1")),
		mutationtest.Parse(t, secret("a", "2", "1", x, "2")),
		mutationtest.Parse(t, secret("b", "1", "3", y+", "+x, "3")), k8skit.K8sResourceProvider,
	)
	if err != nil || len(conflicts) > 0 {
		t.Fatal(err, conflicts)
	}
	if diff := cmp.Diff(secret("b", "2", "1", x, "2"), docs.String()); diff != "" {
		t.Error(diff)
	}
}
