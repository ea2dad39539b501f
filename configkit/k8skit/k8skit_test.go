package k8skit_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

func TestBuiltInTypesAreValid(t *testing.T) {
	if err := k8skit.New().Check(); err != nil {
		t.Error(err)
	}
}

func paths(p *k8skit.ResourceProvider, name api.AttributeName, t api.ResourceType) string {
	var all []string
	for _, info := range p.AttributePaths(name).PathsOf(t) {
		all = append(all, string(info.Path))
	}
	return strings.Join(all, " ")
}

func TestAttributePaths(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		name api.AttributeName
		t    api.ResourceType
		want string
	}{
		{"replicas", "apps/v1/Deployment", "spec.replicas"},
		{"replicas", "argoproj.io/v1alpha1/Rollout", "spec.replicas"},
		{"replicas", "apps/v1/DaemonSet", ""},
		{"replicas", "example.com/v1/Unknown", ""},
		{
			"container-image", "v1/Pod",
			"spec.containers.?name:container-name=%s.image " +
				"spec.ephemeralContainers.?name:container-name=%s.image " +
				"spec.initContainers.?name:container-name=%s.image",
		},
		{
			"container-name", "batch/v1/CronJob",
			"spec.jobTemplate.spec.template.spec.containers.*.name " +
				"spec.jobTemplate.spec.template.spec.ephemeralContainers.*.name " +
				"spec.jobTemplate.spec.template.spec.initContainers.*.name",
		},
		{"metadata-name", "example.com/v1/Unknown", "metadata.name"},
		{"label-value", "apps/v1/Deployment", "metadata.labels.@%s:label-key"},
	} {
		t.Run(string(c.name), func(t *testing.T) {
			if got := paths(p, c.name, c.t); got != c.want {
				t.Errorf("%s of %s: %s, want %s", c.name, c.t, got, c.want)
			}
		})
	}
}

func TestPathInfo(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		t    api.ResourceType
		path api.UnresolvedPath
		want api.AttributeName
	}{
		{"apps/v1/Deployment", "spec.replicas", "replicas"},
		{"apps/v1/Deployment", "spec.template.spec.containers.0.image", "container-image"},
		{
			"apps/v1/Deployment", "spec.template.spec.containers.?name=web.image#uri",
			"container-repository-uri",
		},
		{
			"apps/v1/Deployment", "spec.template.spec.containers.*.image#reference",
			"container-image-reference",
		},
		{"apps/v1/Deployment", "metadata.labels.app~1kubernetes~1io/name", "label-value"},
		{"example.com/v1/Unknown", "metadata.name", "default-name"},
		{"example.com/v1/Unknown", "metadata.namespace", "resource-name"},
		{"example.com/v1/Unknown", "spec.replicas", ""},
	} {
		t.Run(string(c.t), func(t *testing.T) {
			var got api.AttributeName
			if info := p.PathInfo(c.t, c.path); info != nil {
				got = info.AttributeName
			}
			if got != c.want {
				t.Errorf("%s %s: %q, want %q", c.t, c.path, got, c.want)
			}
		})
	}
}

func TestMergeKeys(t *testing.T) {
	keys := k8skit.New().MergeKeys("apps/v1/Deployment")
	for _, segment := range []string{"spec", "template", "spec", "containers", "*", "ports"} {
		keys = keys.Child(segment)
	}
	if keys == nil || strings.Join(keys.Keys, ",") != "containerPort,protocol" {
		t.Errorf("merge keys of ports: %v", keys)
	}
}

func TestResourceNames(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		text, want, without string
	}{
		{
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n",
			"apps/v1/Deployment shop/web", "web",
		},
		{"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n", "v1/Service /web", "web"},
		{
			"apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: run-\n",
			"batch/v1/Job /run-", "run-",
		},
		{"kind: Service\nmetadata:\n  name: web\n", "the document has no apiVersion", ""},
		{
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: 5\n",
			"the document has no metadata.name that is a string", "",
		},
		{
			"apiVersion: v1\nmetadata:\n  name: {a: b}\n",
			"the document has no kind or metadata.name that is a string", "",
		},
		{
			"apiVersion: v1\nkind: Service\nmetadata:\n  name:\n",
			"v1/Service", "",
		},
		{"a: 1\n", "the document has no apiVersion, kind or metadata.name", ""},
		{"# nothing\n", "the document is empty", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			docs, err := gaby.ParseAll([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			info, err := p.ResourceInfo(docs[0])
			got := info.String()
			if err != nil {
				if _, ok := errors.AsType[*configkit.NoResourceError](err); !ok {
					t.Errorf("%q: %T is not a NoResourceError", c.text, err)
				}
				got = err.Error()
			}
			if got != c.want || string(info.ResourceNameWithoutScope) != c.without {
				t.Errorf(
					"%q: %s (%s), want %s (%s)", c.text, got, info.ResourceNameWithoutScope, c.want,
					c.without,
				)
			}
		})
	}
}

func TestRegisteringPaths(t *testing.T) {
	p := k8skit.New()
	if paths(p, "size", "example.com/v1/Cache") != "" {
		t.Fatal("known before it was registered")
	}
	before := p.Snapshot()
	register := func(path api.UnresolvedPath) error {
		return resourcetypes.RegisterPathsByAttributeName(p, "size", "example.com/v1/Cache",
			api.PathToVisitorInfoType{path: {DataType: api.DataTypeInt}},
			&api.FunctionInvocation{FunctionName: "get-size"}, nil, false)
	}
	if err := register("spec.size"); err != nil {
		t.Fatal(err)
	}
	if err := register("spec..size"); err == nil {
		t.Error("a path that cannot be parsed was registered")
	}
	if got := paths(p, "size", "example.com/v1/Cache"); got != "spec.size" {
		t.Errorf("registered: %q", got)
	}
	info := p.PathInfo("example.com/v1/Cache", "spec.size")
	if info == nil || info.AttributeName != "size" ||
		info.Details.GetterInvocation.FunctionName != "get-size" {
		t.Errorf("path info: %+v", info)
	}
	if got := paths(before, "size", "example.com/v1/Cache"); got != "" {
		t.Errorf("a snapshot sees what was registered after it was taken: %q", got)
	}
	if got := paths(p.Snapshot(), "size", "example.com/v1/Cache"); got != "spec.size" {
		t.Errorf("a later snapshot: %q", got)
	}
}

func TestProviderIsSafeForConcurrentUse(t *testing.T) {
	p := k8skit.New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, kind := range []api.ResourceType{"apps/v1/Deployment", "v1/Pod", "v1/Service"} {
				p.PathInfo(kind, "metadata.name")
				paths(p, "container-image", kind)
				p.MergeKeys(kind)
			}
		})
	}
	wg.Wait()
}
