package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// TestMeant has command lines whose words are in another order, or those of another program. The
// answer is the right command line, which works as it is.
func TestMeant(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n" +
		"  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n" +
		"    spec: {containers: [{name: web, image: nginx}]}\n"
	if err := os.Mkdir("apps", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d.yaml", filepath.Join("apps", "d.yaml")} {
		if err := os.WriteFile(name, []byte(deployment), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	executor := functions.NewStandardExecutor()
	for line, want := range map[string]string{
		"do set-replicas 5 d.yaml":                            "fctl do d.yaml set-replicas 5",
		"do set-replicas d.yaml 5":                            "fctl do d.yaml set-replicas 5",
		"do get-replicas d.yaml":                              "fctl do d.yaml get-replicas",
		"do d.yaml replicas":                                  "fctl do d.yaml get-replicas",
		"do d.yaml .spec.replicas":                            "fctl do d.yaml get-path spec.replicas",
		"do d.yaml set-replicas=5":                            "fctl do d.yaml set-replicas 5",
		"do d.yaml spec.replicas=5":                           "fctl do d.yaml set-path spec.replicas 5",
		"rename d.yaml web shop":                              "'fctl list rename' shows the functions, and fctl do FILE FUNCTION runs one",
		"do d.yaml get":                                       "'fctl list get' shows the functions, and fctl do FILE FUNCTION runs one",
		"set-replicas 5 d.yaml":                               "fctl do d.yaml set-replicas 5",
		"set-image web nginx:1 d.yaml":                        "fctl do d.yaml set-container-image web nginx:1",
		"vet-schemas d.yaml":                                  "fctl vet d.yaml vet-schemas",
		"vet vet-schemas d.yaml":                              "fctl vet d.yaml vet-schemas",
		"get replicas d.yaml":                                 "fctl do d.yaml get-replicas",
		"get d.yaml replicas":                                 "fctl do d.yaml get-replicas",
		"set replicas 5 d.yaml":                               "fctl do d.yaml set-replicas 5",
		"edit set image web nginx:1 d.yaml":                   "fctl do d.yaml set-container-image web nginx:1",
		"validate d.yaml":                                     "fctl vet d.yaml",
		"lint apps":                                           "fctl vet -f apps -R",
		"kubeconform d.yaml":                                  "fctl vet d.yaml",
		"eval .spec.replicas d.yaml":                          "fctl do d.yaml get-path spec.replicas",
		"yq '.spec.template.spec.containers[0].image' d.yaml": "fctl do d.yaml get-path spec.template.spec.containers.0.image",
		"set spec.replicas=7 d.yaml":                          "fctl do d.yaml set-path spec.replicas 7",
		"set spec.replicas 7 d.yaml":                          "fctl do d.yaml set-path spec.replicas 7",
		"set 'spec.template.metadata.labels.a=b c' d.yaml":    "fctl do d.yaml set-path spec.template.metadata.labels.a 'b c'",
		"get":               "'fctl list get' shows the functions, and fctl do FILE FUNCTION runs one",
		"frobnicate d.yaml": "'fctl help' shows the commands and topics",
		"vett d.yaml":       "did you mean fctl vet?",
		"set-replicas 5":    "fctl do FILE set-replicas 5",
		"set 'spec.template.metadata.annotations.x/y=z' d.yaml": "'fctl list set' shows the functions, and fctl do FILE FUNCTION runs one",
	} {
		words, err := shellwords.Split(line)
		if err != nil {
			t.Fatal(err)
		}
		streams, _, _, said := iostreams.Test()
		status := Run(t.Context(), &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
			return executor, nil
		}}, words)
		_, hint, _ := strings.Cut(strings.TrimSpace(said.String()), "\nhint: ")
		if status != diag.ExitUsage || hint != want {
			t.Errorf("fctl %s: status %d, %s\nwant %s", line, status, said, want)
		}
		if answer, ok := strings.CutPrefix(want, "fctl "); ok && !strings.Contains(answer, "FILE") {
			if words, err = shellwords.Split(answer); err != nil {
				t.Fatal(err)
			}
			ran(t, executor, diag.ExitDone, words...)
		}
	}
}
