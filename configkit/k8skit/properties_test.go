package k8skit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
)

func parse(t *testing.T, text string) *gaby.YamlDoc {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestNeededProperties(t *testing.T) {
	p := k8skit.New()
	pod := func(namespace, volume string) *gaby.YamlDoc {
		return parse(t, `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: `+namespace+`}
spec:
  containers:
  - volumeMounts:
    - {name: files, subPath: web.conf}
    - {name: files}
    - {name: other, subPath: x}
  initContainers:
  - volumeMounts: [{name: files, subPath: mime}]
  volumes:
  - {name: files, `+volume+`}
`)
	}
	configMap := map[string]string{"ResourceType": "v1/ConfigMap"}
	for _, c := range []struct {
		doc        *gaby.YamlDoc
		path       string
		registered map[string]string
		want       string
	}{
		{
			pod("shop", "configMap: {name: a}"), "spec.volumes.0.configMap.name", configMap,
			"map[Namespace:shop ResourceType:v1/ConfigMap SubPath-mime:true SubPath-web.conf:true]",
		},
		{
			pod(
				"confighubplaceholder",
				"configMap: {name: a, items: [{key: main, path: web.conf}]}",
			),
			"spec.volumes.0.configMap.name", configMap,
			"map[ResourceType:v1/ConfigMap SubPath-main:true]",
		},
		{
			pod("''", "configMap: {name: a}"), "spec.containers.0.envFrom.0.configMapRef.name",
			configMap, "map[ResourceType:v1/ConfigMap]",
		},
		{
			pod("shop", "secret: {secretName: a}"), "spec.volumes.0.secret.secretName",
			map[string]string{"ResourceType": "v1/Secret"},
			"map[ResourceType:v1/Secret]",
		},
	} {
		t.Run(c.path, func(t *testing.T) {
			if have := fmt.Sprint(p.NeededProperties(
				c.doc, strings.Split(c.path, "."), c.registered,
			)); have != c.want {
				t.Errorf("%s: have %s, want %s", c.path, have, c.want)
			}
		})
	}
	if len(configMap) != 1 {
		t.Errorf("what is registered was changed: %v", configMap)
	}
}

func TestPreferredProperties(t *testing.T) {
	p := k8skit.New()
	doc := parse(t, `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  serviceAccountName: a
  imagePullSecrets: [{name: a}]
  containers:
  - name: main
    envFrom: [{configMapRef: {name: a}}]
    env: [{name: MODE, valueFrom: {configMapKeyRef: {name: a, key: b}}}]
    ports: [{containerPort: 80}]
  volumes:
  - {name: files, configMap: {name: a}}
  - {name: all, projected: {sources: [{secret: {name: a}}]}}
  - {configMap: {name: a}}
`)
	for path, want := range map[string]string{
		"spec.serviceAccountName":      "map[]",
		"spec.imagePullSecrets.0.name": "map[]", // the merge key itself
		// The list has no merge key.
		"spec.containers.0.envFrom.0.configMapRef.name":          "map[]",
		"spec.containers.0.env.0.valueFrom.configMapKeyRef.name": "map[Name:MODE]",
		"spec.volumes.0.configMap.name":                          "map[Name:files]",
		"spec.volumes.1.projected.sources.0.secret.name":         "map[]",
		"spec.volumes.2.configMap.name":                          "map[]", // the element has no key
		"spec.volumes.7.configMap.name":                          "map[]",
	} {
		t.Run(path, func(t *testing.T) {
			if have := fmt.Sprint(p.PreferredProperties(
				doc, "v1/Pod", strings.Split(path, "."),
			)); have != want {
				t.Errorf("%s: have %s, want %s", path, have, want)
			}
		})
	}
}

func TestTargetTypes(t *testing.T) {
	p := k8skit.New()
	scale := []api.ResourceType{
		"apps/v1/Deployment", "apps/v1/StatefulSet", "v1/ReplicationController",
	}
	roles := []api.ResourceType{
		"rbac.authorization.k8s.io/v1/ClusterRole", "rbac.authorization.k8s.io/v1/Role",
	}
	named := []api.ResourceType{"v1/ConfigMap", "v1/Secret"}
	for _, c := range []struct {
		text, path string
		registered []api.ResourceType
		want       []api.ResourceType
	}{
		{"ref: {apiVersion: apps/v1, kind: Deployment, name: a}", "ref.name", scale, scale[:1]},
		{
			"ref: {apiVersion: apps/v1beta1, kind: Deployment, name: a}", "ref.name", scale,
			scale[:1],
		},
		{"ref: {apiVersion: example.com/v1, kind: Deployment, name: a}", "ref.name", scale, nil},
		{
			"ref: {apiVersion: v1, kind: ReplicationController, name: a}", "ref.name", scale,
			scale[2:],
		},
		{"ref: {kind: StatefulSet, name: a}", "ref.name", scale, scale[1:2]},
		{"ref: {name: a}", "ref.name", scale, scale},
		{
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}", "roleRef.name",
			roles, roles[1:],
		},
		{
			"rules: [{resources: [secrets, pods], resourceNames: [a]}]", "rules.0.resourceNames.0",
			named, named[1:],
		},
		{
			"rules: [{resources: ['*'], resourceNames: [a]}]", "rules.0.resourceNames.0", named,
			named,
		},
		{
			"rules: [{resources: [configmaps/status], resourceNames: [a]}]",
			"rules.0.resourceNames.0", named, named[:1],
		},
		{"rules: [{resourceNames: [a]}]", "rules.0.resourceNames.0", named, named},
		// There is nothing to choose from.
		{
			"parameters: {kind: Managed, secretName: a}", "parameters.secretName", named[1:],
			named[1:],
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			if have := p.TargetTypes(
				parse(t, c.text), strings.Split(c.path, "."), c.registered,
			); !slices.Equal(have, c.want) {
				t.Errorf("%s: have %v, want %v", c.text, have, c.want)
			}
		})
	}
}

func TestVisitorOptions(t *testing.T) {
	p := k8skit.New()
	for text, want := range map[string]string{
		"metadata: {name: a}": "[]",
		"metadata: {annotations: {confighub.com/VisitorOptions: 'IgnoreProvided, Other'}}": "[IgnoreProvided Other]",
		"metadata: {annotations: {fctl.dev/options: 'ignore-needed,ignore-provided'}}":     "[IgnoreNeeded IgnoreProvided]",
		"metadata: {annotations: {confighub.com/VisitorOptions: IgnoreNeeded, fctl.dev/options: " +
			"ignore-provided}, name: a}": "[IgnoreNeeded IgnoreProvided]",
	} {
		t.Run(text, func(t *testing.T) {
			if have := fmt.Sprint(p.VisitorOptions(parse(t, text))); have != want {
				t.Errorf("%s: have %s, want %s", text, have, want)
			}
		})
	}
}

// TestNeededAndProvidedPaths checks references and names in types of users' files, with the
// properties that these state.
func TestNeededAndProvidedPaths(t *testing.T) {
	p := k8skit.New()
	show := func(infos []*api.PathVisitorInfo) string {
		var all []string
		for _, info := range infos {
			all = append(all, fmt.Sprintf(
				"%s %s %v%v", info.Path, info.AttributeName, info.Details.NeededRequired,
				info.Details.ProvidedProperties,
			))
		}
		return strings.Join(all, "; ")
	}
	for _, c := range []struct {
		t              api.ResourceType
		needs, provide string
	}{
		{
			"autoscaling/v2/HorizontalPodAutoscaler",
			"metadata.namespace resource-name map[ResourceType:v1/Namespace]map[]; " +
				"spec.scaleTargetRef.name resource-name " +
				"map[ResourceType:apps/v1/Deployment,apps/v1/ReplicaSet,apps/v1/StatefulSet,v1/ReplicationController]map[]",
			"",
		},
		{
			"v1/ConfigMap", "metadata.namespace resource-name map[ResourceType:v1/Namespace]map[]",
			"metadata.annotations.confighub~1com/Hash configmap-hash " +
				"map[]map[ResourceType:v1/ConfigMap]; metadata.name resource-name " +
				"map[]map[ResourceType:v1/ConfigMap]",
		},
		{"v1/Namespace", "", "metadata.name resource-name map[]map[ResourceType:v1/Namespace]"},
	} {
		t.Run(string(c.t), func(t *testing.T) {
			if have := show(p.NeededPaths().PathsOf(c.t)); have != c.needs {
				t.Errorf("%s needs %s, want %s", c.t, have, c.needs)
			}
			if have := show(p.ProvidedPaths().PathsOf(c.t)); have != c.provide {
				t.Errorf("%s provides %s, want %s", c.t, have, c.provide)
			}
		})
	}
	if have := show(p.NeededPaths().PathsOf("v1/Pod")); !strings.Contains(
		have,
		"spec.volumes.*.configMap.name resource-name map[ConfigMapFormat:File "+
			"ResourceType:v1/ConfigMap]",
	) ||
		!strings.Contains(
			have,
			"spec.initContainers.*.envFrom.*.configMapRef.name resource-name "+
				"map[ConfigMapFormat:KeyValue ResourceType:v1/ConfigMap]",
		) {
		t.Errorf("v1/Pod needs %s", have)
	}
}
