package appkit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/appkit"
)

func TestFileType(t *testing.T) {
	for file, want := range map[string]api.ResourceType{
		"values.yaml": appkit.HelmValues, "a/values-prod.yml": appkit.HelmValues,
		"prod.Values.yaml": appkit.HelmValues, "values_eu.yaml": appkit.HelmValues,
		"valuesx.yaml": "", "values.json": "", "values": "",
		"a/kustomization.yaml": "", "kustomization.yml": "",
		"compose.yaml": "Compose", "docker-compose.yml": "Compose",
		"docker-compose.override.yml": "Compose", "compose-dev.yaml": "Compose",
		"web.compose.yml": "Compose", "composer.yaml": "", "docker-compose.json": "",
		".github/workflows/ci.yml": "GitHubWorkflow", "a/.github/workflows/ci.yaml": "GitHubWorkflow",
		"workflows/ci.yml": "", ".github/workflows/a/ci.yml": "", "x.github/workflows/ci.yml": "",
		"action.yml": "GitHubAction", "build/action.yaml": "GitHubAction",
		".gitlab-ci.yml": "GitLabPipeline", "ci/build.gitlab-ci.yml": "GitLabPipeline",
		"Dockerfile": "Dockerfile", "a/Dockerfile.dev": "Dockerfile", "web.dockerfile": "Dockerfile",
		"Containerfile": "Dockerfile", "Dockerfile.yaml": "", "": "",
	} {
		if got := appkit.FileType(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestFileTypePaths lists the paths of images of each type.
func TestFileTypePaths(t *testing.T) {
	provider := appkit.New(api.ToolchainAppConfigYAML)
	if err := provider.Check(); err != nil {
		t.Error(err)
	}
	for of, want := range map[api.ResourceType]string{
		"Compose":        "services.*.image",
		"GitHubWorkflow": "jobs.*.container jobs.*.container.image jobs.*.services.*.image jobs.*.steps.*.uses#image",
		"GitHubAction":   "runs.image#image runs.steps.*.uses#image",
		"GitLabPipeline": "*.image *.image.name *.services.* *.services.*.name image image.name services.* services.*.name",
		"Dockerfile":     "text",
	} {
		var paths []string
		for path := range provider.RegisteredPaths()["image-sources"][of] {
			paths = append(paths, string(path))
		}
		slices.Sort(paths)
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
}
