package images

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/generic"
)

// TestImages compares the grammar of arguments with the registry's, which takes images apart.
func TestImages(t *testing.T) {
	const digest = "@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
	provider := k8skit.New()
	info := provider.PathInfo("v1/Pod", "spec.containers.0.image#uri")
	registered := regexp.MustCompile(info.EmbeddedAccessorConfig)
	pattern := func(attribute api.AttributeName, parameter string) *regexp.Regexp {
		return regexp.MustCompile(generic.ParameterOf(provider, attribute, parameter).Regexp)
	}
	uri := pattern("container-repository-uri", parameterRepositoryURI)
	reference := pattern("container-image-reference", parameterImageReference)
	// set-image-registry-by-registry recognizes the same parts.
	const repository = `(?:` + registryHost + `/)?` + repositoryPath
	for pattern, want := range map[*regexp.Regexp]string{
		uri:       wholeImage(repository),
		reference: `^(?:` + imageReference + `|[:@]` + withVariable + `)$`,
		pattern("container-image", "container-image"): wholeImage(repository + imageReference +
			`?`),
	} {
		t.Run(fmt.Sprint(pattern), func(t *testing.T) {
			if pattern.String() != want {
				t.Errorf("%s in resource_types.yaml, %s here", pattern, want)
			}
		})
	}
	for _, c := range []struct{ uri, reference string }{
		{"nginx", ""},
		{"nginx", ":1.27"},
		{"nginx", digest},
		{"nginx", ":1.27" + digest},
		{"library/nginx", ":_x-1.2"},
		{"localhost/nginx", ""},
		{"localhost:5000/nginx", ":1"},
		{"Registry.Example.COM:443/a/b-c/d__e.f", ":v1" + digest},
		{"10.0.0.1:5000/nginx", ":1"},
		{"[2001:db8::1]/nginx", ":1"},
		{"[::1]:5000/a/b", ":1" + digest},
		{"${IMAGE}", ""},
		{"${REGISTRY}/nginx", ":1.27" + digest},
		{"localhost:5000/${NAME}", ":${TAG}"},
		{"nginx", ":1.27-${SUFFIX}"},
		{"nginx", "@${DIGEST:-sha256:0}"},
		{"[::ffff:10.0.0.1]:5000/a/b", "@sha512+b64.x:" + strings.Repeat("a", 32)},
	} {
		t.Run(c.uri, func(t *testing.T) {
			parts := registered.FindStringSubmatch(c.uri + c.reference)
			if parts == nil || parts[1] != c.uri || parts[2] != c.reference {
				t.Errorf("%s%s is taken apart to %q", c.uri, c.reference, parts)
			}
			if !uri.MatchString(c.uri) || c.reference != "" && !reference.MatchString(c.reference) {
				t.Errorf("%s or %s is not taken", c.uri, c.reference)
			}
		})
	}
	for _, text := range []string{
		"", "/nginx", "nginx/", "Nginx", "a//b", "-a/b", "a_", "a___b", "a..b", "host:port/x",
		"[::1/x", "[::1]x", "[]/x", "${X Y}/nginx", "$X/nginx", "${X/nginx", "https://x/y", "a b",
		"nginx:", "nginx:1:2", "nginx:a/b", "nginx@sha256", "nginx@sha256:abc", "nginx:-1",
		"nginx" + digest + ":1", "nginx" + digest + digest,
	} {
		t.Run(text, func(t *testing.T) {
			if registered.MatchString(text) {
				t.Errorf("%q can be taken apart", text)
			}
			if uri.MatchString(text) {
				t.Errorf("%q is taken for a repository", text)
			}
		})
	}
	if reference.MatchString(":" + strings.Repeat("a", 129)) {
		t.Error("a tag of 129 characters is taken")
	}
}

func TestHasRegistry(t *testing.T) {
	for image, want := range map[string]bool{
		"nginx": false, "nginx:1.27": false, "library/nginx": false, "library/nginx.x:1": false,
		"localhost": false, "localhost:5000": false,
		"localhost/nginx": true, "registry:5000/nginx": true, "example.com/nginx": true,
		"[::1]/nginx": true, "Local/nginx": false,
	} {
		t.Run(image, func(t *testing.T) {
			if hasRegistry(image) != want {
				t.Errorf("%s: %t", image, !want)
			}
		})
	}
}

// TestVetImagesEverywhere checks that vet-images refuses every line of a file with a foreign image,
// and no other.
func TestVetImagesEverywhere(t *testing.T) {
	text, err := os.ReadFile("../../testdata/foreign-images.yaml")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		t.Fatal(err)
	}
	r := vetImagesFunction(k8skit.New())
	_, output, err := r.Function(nil, docs,
		[]api.FunctionArgument{
			{ParameterName: "image-filter", Value: `{"DenyRegexp": "^evil[.]example/"}`},
		}, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := map[int]bool{}
	for _, row := range output.(api.ValidationResult).FailedAttributes {
		refused[row.Position.Line] = true
	}
	for i, line := range strings.Split(string(text), "\n") {
		if foreign := strings.Contains(line, "evil.example"); foreign != refused[i+1] {
			t.Errorf("line %d: %s: refused %t", i+1, strings.TrimSpace(line), refused[i+1])
		}
	}
}
