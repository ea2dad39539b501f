package appkit

import (
	_ "embed"
	"path"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// HelmValues is the type of the values of charts. The types of files that their names tell have their
// paths in file_types.yaml.
const HelmValues api.ResourceType = "HelmValues"

//go:embed file_types.yaml
var fileTypes []byte

// namedFiles lists the names of the files of each type, as patterns of package path. They have no
// extension, which is .yaml or .yml, unless text is set. Those with a slash name the directory, too.
func namedFiles() []struct {
	t     api.ResourceType
	text  bool
	names []string
} {
	return []struct {
		t     api.ResourceType
		text  bool
		names []string
	}{
		{HelmValues, false, []string{"values", `values[\-._]*`, `*[\-._]values`}},
		{"Compose", false, []string{
			"compose", `compose[\-._]*`, "docker-compose", `docker-compose[\-._]*`, "*.compose",
		}},
		{"GitHubWorkflow", false, []string{".github/workflows/*"}},
		{"GitHubAction", false, []string{"action"}},
		{"GitLabPipeline", false, []string{".gitlab-ci", "*.gitlab-ci"}},
		{"Dockerfile", true, []string{
			"dockerfile", "dockerfile.*", "*.dockerfile", "containerfile", "containerfile.*",
			"*.containerfile",
		}},
	}
}

// FileType returns the type of a file that its name tells, or "". HelmValues is values.yaml,
// values-prod.yaml, prod.values.yml and the like.
func FileType(file string) api.ResourceType {
	full := strings.ToLower(filepath.ToSlash(file))
	base := path.Base(full)
	name, extension := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
	yaml := extension == ".yaml" || extension == ".yml"
	for _, known := range namedFiles() {
		if known.text == yaml {
			continue
		}
		text := name
		if known.text {
			text = base
		}
		for _, pattern := range known.names {
			subject := text
			if n := strings.Count(pattern, "/"); n > 0 {
				parts := strings.Split(path.Dir(full), "/")
				subject = strings.Join(parts[max(len(parts)-n, 0):], "/") + "/" + text
			}
			if match, err := path.Match(pattern, subject); match && err == nil {
				return known.t
			}
		}
	}
	return ""
}

// ForFile returns the provider for the contents of a file. If the name does not tell the type, the
// contents may be the values of a chart.
func (p *ResourceProvider) ForFile(file string) configkit.ResourceProvider {
	t := FileType(file)
	if t == "" {
		t = HelmValues
	}
	return typedProvider{p, t}
}

// typedProvider is a provider for documents of one type, which do not say that.
type typedProvider struct {
	*ResourceProvider
	t api.ResourceType
}

func (p typedProvider) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	_, err := p.ResourceProvider.ResourceTypeGetter(doc)
	return p.t, err
}

func (p typedProvider) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	info, err := p.ResourceProvider.ResourceInfo(doc)
	info.ResourceType = p.t
	return info, err
}
