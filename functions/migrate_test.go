package functions_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/knowledge/migration"
)

// TestMigratedResourcesAreValid checks for each removed API that the input has a resource of it, and
// that the resource of the successor is valid.
func TestMigratedResourcesAreValid(t *testing.T) {
	text, err := os.ReadFile("../testdata/migration/removed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run := func(text []byte, function string) *api.FunctionInvocationResponse {
		response, err := functions.NewStandardExecutor().Invoke(t.Context(),
			&api.FunctionInvocationRequest{
				ConfigData:          text,
				FunctionInvocations: api.FunctionInvocationList{{FunctionName: function}},
			})
		if err != nil || !response.Success {
			t.Fatal(err, response.ErrorMessages)
		}
		return response
	}
	types := func(text []byte) map[api.ResourceType]bool {
		docs, err := gaby.ParseAll(text)
		if err != nil {
			t.Fatal(err)
		}
		all := map[api.ResourceType]bool{}
		for _, doc := range docs {
			root := doc.Value()
			all[api.ResourceType(root.Get("apiVersion").Text()+"/"+root.Get("kind").Text())] = true
		}
		return all
	}
	before, migrated := types(text), run(text, "migrate-api").ConfigData
	after := types(migrated)
	for _, of := range migration.Types() {
		a := migration.Of(of)
		if (a.To == "") == (a.Why == "") {
			t.Errorf("%s has a successor and a reason why not, or neither", of)
		}
		if a.To != "" && (!before[of] || after[of]) {
			t.Errorf("%s: in the input %v, in the result %v", of, before[of], after[of])
		}
	}
	for _, vet := range []string{"vet-schemas", "vet-api"} {
		for _, o := range run(migrated, vet).Outputs {
			for _, result := range o.Value.(api.ValidationResultList) {
				if !result.Passed {
					t.Errorf("%s:\n%s", vet, strings.Join(result.Details, "\n"))
				}
			}
		}
	}
	if again := run(migrated, "migrate-api").ConfigData; !bytes.Equal(again, migrated) {
		t.Error("a second run changes the result")
	}
}
