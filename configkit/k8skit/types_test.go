package k8skit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

func TestWorkloads(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		of                            api.ResourceType
		template, replicas, selectors string
	}{
		{"apps/v1/Deployment", "spec.template", "spec.replicas", "spec.selector.matchLabels"},
		{"apps/v1/ReplicaSet", "spec.template", "spec.replicas", "spec.selector.matchLabels"},
		{"apps/v1/StatefulSet", "spec.template", "spec.replicas", "spec.selector.matchLabels"},
		{"apps/v1/DaemonSet", "spec.template", "", "spec.selector.matchLabels"},
		{"batch/v1/Job", "spec.template", "", "spec.selector.|matchLabels"},
		{
			"batch/v1/CronJob", "spec.jobTemplate.spec.template", "",
			"spec.jobTemplate.spec.selector.|matchLabels",
		},
		{"v1/ReplicationController", "spec.template", "spec.replicas", "spec.selector"},
		{"v1/PodTemplate", "template", "", ""},
		{
			"argoproj.io/v1alpha1/Rollout", "spec.template", "spec.replicas",
			"spec.selector.|matchLabels",
		},
		{"actions.github.com/v1alpha1/AutoscalingListener", "spec.template", "", ""},
		{"serving.knative.dev/v1/Service", "spec.template", "", ""},
		{
			"apps.openshift.io/v1/DeploymentConfig", "spec.template", "spec.replicas",
			"spec.selector",
		},
	} {
		t.Run(string(c.of), func(t *testing.T) {
			if got, want := paths(p, "pod-template-labels", c.of), c.template+
				".|metadata.labels"; got != want {
				t.Errorf("%s: template labels %s, want %s", c.of, got, want)
			}
			if got := paths(p, "replicas", c.of); got != c.replicas {
				t.Errorf("%s: replicas %s, want %s", c.of, got, c.replicas)
			}
			if got := paths(p, "pod-label-selector", c.of); got != c.selectors {
				t.Errorf("%s: selectors %s, want %s", c.of, got, c.selectors)
			}
			for _, containers := range []string{
				"containers", "initContainers",
				"ephemeralContainers",
			} {
				for path, want := range map[string]api.AttributeName{
					"0.image": "container-image", "0.image#uri": "container-repository-uri",
					"0.name":                              "container-name",
					"0.resources":                         "container-resources",
					"0.env.0.valueFrom.secretKeyRef.name": "resource-name",
					"0.envFrom.1.configMapRef.name":       "resource-name",
					"0.args.2#value":                      "container-flag",
					"0.resources.requests.cpu":            "container-resources-defaults",
				} {
					path := c.template + ".spec." + containers + "." + path
					info := p.PathInfo(c.of, api.UnresolvedPath(path))
					if containers == "ephemeralContainers" &&
						want == "container-resources-defaults" {
						if info != nil {
							t.Errorf(
								"%s %s: %+v, but Kubernetes refuses ephemeral containers with "+
									"resources",
								c.of, path, info,
							)
						}
						continue
					}
					if info == nil || info.AttributeName != want {
						t.Errorf("%s %s: %+v, want %s", c.of, path, info, want)
					}
				}
			}
		})
	}
	if got := paths(
		p, "workload-labels", "apps/v1/Deployment",
	); got != "spec.template.|metadata.labels spec.selector.matchLabels" {
		t.Errorf("a group: %s", got)
	}
	if info := p.PathInfo(
		"apps/v1/Deployment", "spec.template.spec.containers.0.env.0.value",
	); info != nil {
		t.Errorf("the goldens of the reference do not name environment variables: %+v", info)
	}
	if len(p.AttributePaths("env-value").PathsOf("v1/Pod")) != 3 {
		t.Error("env-value has no paths")
	}
}

// TestReferences checks that a reference may mean any version of the type.
func TestReferences(t *testing.T) {
	const secretStores = "external-secrets.io/v1/ClusterSecretStore,external-secrets.io/v1/SecretStore," +
		"external-secrets.io/v1beta1/ClusterSecretStore,external-secrets.io/v1beta1/SecretStore"
	p := k8skit.New()
	for _, c := range []struct {
		of     api.ResourceType
		path   api.UnresolvedPath
		target string
	}{
		{"example.com/v1/Any", "metadata.namespace", "v1/Namespace"},
		{"v1/Pod", "spec.serviceAccountName", "v1/ServiceAccount"},
		{"v1/Pod", "spec.volumes.0.projected.sources.1.secret.name", "v1/Secret"},
		{
			"v1/Pod", "spec.volumes.0.ephemeral.volumeClaimTemplate.spec.storageClassName",
			"storage.k8s.io/v1/StorageClass",
		},
		{
			"v1/Pod", "spec.resourceClaims.0.resourceClaimTemplateName",
			"resource.k8s.io/v1/ResourceClaimTemplate,resource.k8s.io/v1beta1/ResourceClaimTemplate",
		},
		{"apps/v1/StatefulSet", "spec.serviceName", "v1/Service"},
		{
			"autoscaling/v2/HorizontalPodAutoscaler", "spec.scaleTargetRef.name",
			"apps/v1/Deployment,apps/v1/ReplicaSet,apps/v1/StatefulSet,v1/ReplicationController",
		},
		{
			"rbac.authorization.k8s.io/v1/RoleBinding", "roleRef.name",
			"rbac.authorization.k8s.io/v1/ClusterRole,rbac.authorization.k8s.io/v1/Role",
		},
		{"rbac.authorization.k8s.io/v1/RoleBinding", "subjects.0.namespace", "v1/Namespace"},
		{
			"admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
			"webhooks.?name=x.clientConfig.service.namespace", "v1/Namespace",
		},
		{
			"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding", "spec.policyName",
			"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
		},
		{
			"networking.k8s.io/v1/Ingress", "spec.rules.0.http.paths.0.backend.service.name",
			"v1/Service",
		},
		{
			"cert-manager.io/v1/Certificate", "spec.issuerRef.name",
			"cert-manager.io/v1/ClusterIssuer,cert-manager.io/v1/Issuer",
		},
		{"cert-manager.io/v1/ClusterIssuer", "spec.ca.secretName", "v1/Secret"},
		{
			"gateway.networking.k8s.io/v1beta1/HTTPRoute", "spec.rules.0.backendRefs.0.name",
			"v1/Service",
		},
		{"kustomize.toolkit.fluxcd.io/v1/Kustomization", "spec.targetNamespace", "v1/Namespace"},
		{"source.toolkit.fluxcd.io/v1beta2/GitRepository", "spec.secretRef.name", "v1/Secret"},
		{"traefik.io/v1alpha1/IngressRoute", "spec.routes.0.services.0.name", "v1/Service"},
		{
			"networking.istio.io/v1beta1/VirtualService", "spec.http.0.route.0.destination.host#name",
			"v1/Service",
		},
		{"projectcontour.io/v1/HTTPProxy", "spec.virtualhost.tls.secretName", "v1/Secret"},
		{"external-secrets.io/v1beta1/ExternalSecret", "spec.secretStoreRef.name", secretStores},
		{
			"argoproj.io/v1alpha1/CronWorkflow",
			"spec.workflowSpec.templates.0.container.env.0.valueFrom.secretKeyRef.name",
			"v1/Secret",
		},
		{
			"monitoring.coreos.com/v1/ServiceMonitor", "spec.endpoints.0.basicAuth.password.name",
			"v1/Secret",
		},
		{
			"apiextensions.crossplane.io/v1/Composition", "spec.pipeline.0.functionRef.name",
			"pkg.crossplane.io/v1/Function,pkg.crossplane.io/v1beta1/Function",
		},
		{
			"eks.services.k8s.aws/v1alpha1/Cluster", "spec.roleRef.from.name",
			"iam.services.k8s.aws/v1alpha1/Role",
		},
	} {
		t.Run(string(c.of)+" "+string(c.path), func(t *testing.T) {
			info := p.PathInfo(c.of, c.path)
			if info == nil || info.AttributeName != "resource-name" || !info.Details.IsNeeded ||
				info.Details.NeededRequired["ResourceType"] != c.target {
				t.Errorf("%s %s: %+v, want a reference to %s", c.of, c.path, info, c.target)
			}
		})
	}
}

// TestReferredResourcesAreProvided checks that the names of resources are registered wherever
// references to them are: renaming a resource must rename the references.
func TestReferredResourcesAreProvided(t *testing.T) {
	p := k8skit.New()
	missing := map[string]bool{}
	for _, paths := range p.RegisteredPaths()["resource-name"] {
		for _, info := range paths {
			if info.Details == nil || info.Details.NeededRequired == nil {
				continue
			}
			for target := range strings.SplitSeq(info.Details.NeededRequired["ResourceType"], ",") {
				name := p.PathInfo(api.ResourceType(target), "metadata.name")
				if name == nil || name.Details == nil || !name.Details.IsProvided ||
					name.Details.ProvidedProperties["ResourceType"] != target {
					missing[target] = true
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("targets of references without a provided name: %v", missing)
	}
}

func TestNamespaces(t *testing.T) {
	p := k8skit.New()
	const injected = "metadata.annotations.cert-manager~1io/inject-ca-from#namespace " +
		"metadata.annotations.cert-manager~1io/inject-ca-from-secret#namespace "
	for of, want := range map[api.ResourceType]string{
		"v1/ConfigMap":       "metadata.namespace",
		"example.com/v1/Any": "metadata.namespace",
		"v1/Namespace":       "metadata.name",
		"v1/Node":            "",
		"rbac.authorization.k8s.io/v1/ClusterRoleBinding": "subjects.*?kind=ServiceAccount.|namespace",
		"rbac.authorization.k8s.io/v1/RoleBinding": "metadata.namespace " +
			"subjects.*?kind=ServiceAccount.|namespace",
		"apiextensions.k8s.io/v1/CustomResourceDefinition": injected +
			"spec.conversion.webhook.clientConfig.service.|namespace",
		"apiregistration.k8s.io/v1/APIService": injected + "spec.service.|namespace",
		"cert-manager.io/v1/CertificateRequest": "metadata.namespace " +
			"spec.issuerRef.namespace",
		"snapshot.storage.k8s.io/v1/VolumeSnapshotClass": "parameters.clusterID " +
			"parameters.csi~1storage~1k8s~1io/snapshotter-secret-namespace",
		"argoproj.io/v1alpha1/Application":                          "metadata.namespace spec.destination.namespace",
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy": "",
	} {
		t.Run(string(of), func(t *testing.T) {
			if got := paths(p, "namespace-name-reference", of); got != want {
				t.Errorf("%s: %s, want %s", of, got, want)
			}
		})
	}
}

func TestOtherAttributes(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		name api.AttributeName
		of   api.ResourceType
		want string
	}{
		{"hostname", "networking.k8s.io/v1/Ingress", "spec.rules.*.host spec.tls.*.hosts.*"},
		{
			"domain", "networking.k8s.io/v1/Ingress",
			"spec.rules.*.host#domain spec.tls.*.hosts.*#domain",
		},
		{
			"subdomain", "v1/Service",
			"metadata.annotations.external-dns~1alpha~1kubernetes~1io/hostname#subdomain",
		},
		{"hostname", "cert-manager.io/v1/Certificate", "spec.commonName spec.dnsNames.*"},
		{"hostname", "gateway.networking.k8s.io/v1/GRPCRoute", "spec.hostnames.*"},
		{"hostname", "externaldns.k8s.io/v1alpha1/DNSEndpoint", "spec.endpoints.*.dnsName"},
		{
			"immutable", "apps/v1/StatefulSet",
			"spec.podManagementPolicy spec.selector spec.serviceName spec.volumeClaimTemplates",
		},
		{
			"immutable", "storage.k8s.io/v1/StorageClass",
			"parameters provisioner reclaimPolicy volumeBindingMode",
		},
		{"immutable", "v1/Secret", "type"},
		{
			"app-label", "apps/v1/Deployment",
			"metadata.labels.app spec.selector.matchLabels.app spec.template.metadata.labels.app",
		},
		{"app-label", "v1/Service", "spec.selector.app"},
		{
			"default-name", "apps/v1/Deployment",
			"metadata.labels.app metadata.name spec.selector.matchLabels.app " +
				"spec.template.metadata.labels.app",
		},
		{
			"pod-label-selector", "networking.k8s.io/v1/NetworkPolicy",
			"spec.podSelector.matchLabels",
		},
		{"automount-service-account-token", "v1/Pod", "spec.automountServiceAccountToken"},
		{"configmap-hash", "v1/Pod", "metadata.annotations.confighub~1com/Hash"},
	} {
		t.Run(string(c.name), func(t *testing.T) {
			if got := paths(p, c.name, c.of); got != c.want {
				t.Errorf("%s of %s: %s, want %s", c.name, c.of, got, c.want)
			}
		})
	}
	for path, want := range map[api.UnresolvedPath]api.DataType{
		"spec.replicas": "int", "spec.template.spec.automountServiceAccountToken": "bool",
		"metadata.name": "string", "spec.template.metadata.labels": "YAML",
	} {
		t.Run(string(path), func(t *testing.T) {
			if got := p.PathInfo("apps/v1/Deployment", path).DataType; got != want {
				t.Errorf("data type of %s: %s, want %s", path, got, want)
			}
		})
	}
	defaults := map[string]any{}
	for _, info := range p.AttributePaths("pod-container-security-context-defaults").PathsOf(
		"v1/Pod",
	) {
		defaults[string(info.Path)] = info.Details.DefaultValue
	}
	if defaults["spec.securityContext.runAsUser"] != 1000 ||
		fmt.Sprint(defaults["spec.containers.*.securityContext.capabilities.drop"]) != "[ALL]" ||
		defaults["spec.initContainers.*.securityContext.readOnlyRootFilesystem"] != true ||
		len(defaults) != 17 {
		t.Errorf("%v", defaults)
	}
}

func TestExclusiveFields(t *testing.T) {
	p := k8skit.New()
	find := func(of api.ResourceType, path api.UnresolvedPath) *configkit.ExclusiveFields {
		all := p.ExclusiveFields(of)
		i := slices.IndexFunc(all, func(x configkit.ExclusiveFields) bool { return x.Path == path })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	for _, c := range []struct {
		of      api.ResourceType
		path    api.UnresolvedPath
		members int
	}{
		{"apps/v1/Deployment", "spec.template.spec.containers.*.livenessProbe", 4},
		{"apps/v1/Deployment", "spec.template.spec.initContainers.*.lifecycle.preStop", 4},
		{"apps/v1/Deployment", "spec.template.spec.containers.*.env.*", 2},
		{"apps/v1/Deployment", "spec.template.spec.containers.*.env.*.valueFrom", 5},
		{"v1/Pod", "spec.volumes.*", 30},
		{"v1/PersistentVolume", "spec", 31},
		{"v1/Pod", "spec.resourceClaims.*", 2},
	} {
		t.Run(string(c.of), func(t *testing.T) {
			if x := find(c.of, c.path); x == nil || len(x.Members) != c.members {
				t.Errorf("%s %s: %+v", c.of, c.path, x)
			}
		})
	}
	x := find("apps/v1/DaemonSet", "spec.updateStrategy")
	if x == nil || x.Discriminator != "type" ||
		x.AllowedMember["RollingUpdate"] != "rollingUpdate" {
		t.Errorf("%+v", x)
	}
}

const cacheTypes = `# resource types of a user
accessors:
  size:
    type: Regexp
    config: '^(?P<number>[0-9]+)(?P<unit>[A-Z]i)$'
shapes:
  Node:
    attributes:
      cache-size:
        - {path: "?name:node-name=%s.size", description: memory of a node}
      cache-unit:
        - {path: "?name:node-name=%s.size#unit", accessor: size}
resourceTypes:
  example.com/v1/Cache:
    embeds:
      - {shape: Node, path: spec.nodes}
      - {shape: PodTemplate, path: spec.template}
    mergeKeys:
      - {path: spec.nodes, key: name}
    exclusiveFields:
      - {path: spec, members: [disk, memory]}
    attributes:
      replicas:
        - {path: spec.size, dataType: int}
      resource-name:
        - {path: spec.className, target: example.com/v1/CacheClass}
  example.com/v1beta1/Cache:
    sameAs: example.com/v1/Cache
  example.com/v1/CacheClass:
    scope: Cluster
    attributes:
      resource-name: [{path: metadata.name, provided: true}]
attributes:
  cache-size:
    description: the size of cache nodes
    regexp: '^[0-9]+[KMG]i$'
    example: 64Mi
    parameters:
      - {name: node-name, description: "name of the node, or *", example: a}
  cache-unit:
    description: the unit of the size of cache nodes
    enum: [Ki, Mi, Gi]
    upsert: false
`

func TestUsersFiles(t *testing.T) {
	p := k8skit.New()
	builtIn := len(p.Attributes())
	if builtIn == 0 {
		t.Error("no built-in attribute has functions")
	}
	if err := p.AddFiles(resourcetypes.TypesFile{
		Name: "cache.yaml", Text: []byte(cacheTypes),
	}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []api.ResourceType{"example.com/v1/Cache", "example.com/v1beta1/Cache"} {
		t.Run(string(of), func(t *testing.T) {
			for name, want := range map[api.AttributeName]string{
				"cache-size":    "spec.nodes.?name:node-name=%s.size",
				"replicas":      "spec.size",
				"metadata-name": "metadata.name",
				"container-image": "spec.template.spec.containers.?name:container-name=%s.image " +
					"spec.template.spec.ephemeralContainers.?name:container-name=%s.image " +
					"spec.template.spec.initContainers.?name:container-name=%s.image",
			} {
				if got := paths(p, name, of); got != want {
					t.Errorf("%s of %s: %s", name, of, got)
				}
			}
			if keys := p.MergeKeys(of).Child("spec").Child("nodes"); keys == nil ||
				keys.Keys[0] != "name" {
				t.Errorf("%s: merge keys %v", of, keys)
			}
			if x := p.ExclusiveFields(of); len(x) == 0 ||
				!slices.ContainsFunc(x, func(x configkit.ExclusiveFields) bool {
					return x.Path == "spec"
				}) {
				t.Errorf("%s: exclusive fields %v", of, x)
			}
		})
	}
	if got := paths(p, "namespace-name-reference", "example.com/v1/CacheClass"); got != "" {
		t.Errorf("a cluster-scoped type has a namespace at %s", got)
	}
	if n := len(p.Attributes()) - builtIn; n != 2 {
		t.Fatalf("%d attributes were added", n)
	}
	size, unit := p.Attributes()[1], p.Attributes()[2] // after annotation-value
	if size.Name != "cache-size" || size.Description != "the size of cache nodes" || !size.Upsert ||
		size.File != "cache.yaml" || size.Pos.Line != 34 {
		t.Errorf("%+v", size)
	}
	if len(size.Parameters) != 2 || size.Parameters[0].ParameterName != "node-name" ||
		size.Parameters[1].ParameterName != "cache-size" ||
		size.Parameters[1].Regexp == "" || size.Parameters[1].DataType != api.DataTypeString ||
		size.Parameters[1].Example != "64Mi" {
		t.Errorf("%+v", size.Parameters)
	}
	if unit.Upsert || len(unit.Parameters) != 2 ||
		unit.Parameters[0].ParameterName != "node-name" ||
		unit.Parameters[0].Description != "node name, or * for all" ||
		unit.Parameters[1].DataType != api.DataTypeEnum || len(unit.Parameters[1].EnumValues) != 3 {
		t.Errorf("%+v", unit)
	}
	if all := p.RegisteredPaths(); all["cache-size"]["example.com/v1/Cache"]["spec.nodes.*.size"] == nil ||
		all["metadata-name"]["*"]["metadata.name"] == nil ||
		all["metadata-name"]["apps/v1/Deployment"] != nil {
		t.Error("the registry is not listed as it is")
	}
	if k8skit.New().AttributePaths("cache-size").PathsOf("example.com/v1/Cache") != nil {
		t.Error("the types of one provider are known to others")
	}
}

func TestAttributeInfo(t *testing.T) {
	p := k8skit.New()
	for name, want := range map[api.AttributeName]string{
		"env-value":      "container-name env-var env-value",
		"container-flag": "container-name container-flag flag-value",
		"replicas":       "replicas",
		"label-value":    "label-key label-value",
	} {
		t.Run(string(name), func(t *testing.T) {
			info, ok := p.AttributeInfo(name)
			var parameters []string
			for _, parameter := range info.Parameters {
				parameters = append(parameters, parameter.ParameterName)
			}
			if got := strings.Join(parameters, " "); !ok || got != want || info.Description == "" {
				t.Errorf("%s: %v %s, want %s", name, ok, got, want)
			}
		})
	}
	if _, ok := p.AttributeInfo("gone"); ok {
		t.Error("an attribute that nothing is registered for is known")
	}
	err := resourcetypes.RegisterPathsByAttributeName(
		p, "size", "example.com/v1/Cache", api.PathToVisitorInfoType{"spec.size": {}}, nil, nil,
		false,
	)
	if info, ok := p.AttributeInfo("size"); err != nil || !ok || len(info.Parameters) != 1 {
		t.Errorf("an attribute registered in Go: %+v %v", info, err)
	}
	err = resourcetypes.RegisterPathsByAttributeName(
		p, "weight", "example.com/v1/Cache",
		api.PathToVisitorInfoType{"spec.?name=%s.?id=%s.weight": {}}, nil, nil, false,
	)
	if info, ok := p.AttributeInfo("weight"); err != nil || !ok || len(info.Parameters) != 3 {
		t.Errorf("an attribute whose arguments have no names: %+v %v", info, err)
	}
	err = resourcetypes.RegisterPathsByAttributeName(
		p, "replicas", "example.com/v1/Cache", api.PathToVisitorInfoType{"spec.size": {}}, nil, nil,
		false,
	)
	paths := p.AttributePaths("replicas").PathsOf("example.com/v1/Cache")
	if err != nil || len(paths) != 1 || paths[0].DataType != api.DataTypeInt {
		t.Errorf("a path without a data type does not have that of the attribute: %+v %v", paths,
			err)
	}
}

func TestFileErrors(t *testing.T) {
	const cache = "resourceTypes:\n  example.com/v1/Cache:\n"
	for _, c := range []struct{ text, want, hint string }{
		{"a: [", "f.yaml:1:4: unclosed [", ""},
		{
			cache + "    attributes:\n      a: [{path: a, where: \"b = \"}]\n",
			"f.yaml:4:28: where: ", "",
		},
		{"- a", "f.yaml:1:1: a file must be a map, not a list", ""},
		{
			"resourceType: {}\n", "f.yaml:1:1: a file has no field \"resourceType\"",
			"did you mean resourceTypes?",
		},
		{
			"families: []\nresourceTypes: {}\nfamilies: []\n",
			"f.yaml:3:1: families is given twice, first in line 1", "",
		},
		{
			"clusterScoped: [example.com/v1/Cache]\n",
			"f.yaml:1:1: clusterScoped: write scope: Cluster into the entry", "",
		},
		{
			cache + "    scope: cluster\n", "f.yaml:3:12: scope must be Cluster or Namespaced, not \"cluster\"",
			"did you mean Cluster?",
		},
		{
			cache + "    mergeKeys: []\n  example.com/v1/Cache: {}\n",
			"f.yaml:4:3: resourceTypes.example.com/v1/Cache is given twice, first in line 2", "",
		},
		{
			cache + "    mergekeys: []\n", "f.yaml:3:5: a resource type has no field \"mergekeys\"",
			"did you mean mergeKeys?",
		},
		{
			cache + "    mergeKeys: {path: a}\n",
			"f.yaml:3:16: mergeKeys must be a list, not a map", "",
		},
		{cache + "    mergeKeys:\n    - {path: a}\n", "f.yaml:4:7: key: it is missing", ""},
		{cache + "    mergeKeys:\n    - {key: a}\n", "f.yaml:4:7: path: it is missing", ""},
		{
			cache + "    mergeKeys:\n    - {path: [a], key: a}\n",
			"f.yaml:4:14: path must be a text, not a list", "",
		},
		{
			cache + "    mapKeyPaths: [a.b]\n",
			"f.yaml:3:19: mapKeyPaths: path a.b does not end in .*", "",
		},
		{
			cache + "    sameAs: v1/Pods\n",
			"f.yaml:3:13: sameAs: nothing is said about type v1/Pods", "did you mean v1/Pod?",
		},
		{cache + "    sameAs: example.com/v1/Cache\n", "more than 8 deep", ""},
		{
			cache + "    embeds: [{shape: PodTemplat}]\n",
			"f.yaml:3:22: shape: there is no shape PodTemplat", "did you mean PodTemplate?",
		},
		{cache + "    embeds: [{path: a}]\n", "f.yaml:3:14: shape: it is missing", ""},
		{
			cache + "    attributes: {size: [{path: a, datatype: int}]}\n",
			"f.yaml:3:35: an entry of size has no field \"datatype\"", "did you mean dataType?",
		},
		{
			cache + "    attributes: {size: [{path: a, dataType: integer}]}\n",
			"f.yaml:3:45: dataType must be string, int, bool, YAML or []string, not " +
				"\"integer\"", "",
		},
		{
			cache + "    attributes: {size: [{path: a..b}]}\n",
			"f.yaml:3:32: path: path a..b: column 3: a segment is empty", "",
		},
		{
			cache + "    attributes: {size: [\"?a\"]}\n",
			"f.yaml:3:25: size: path ?a: column 3: invalid associative lookup", "",
		},
		{
			cache + "    attributes: {size: [{dataType: int}]}\n",
			"f.yaml:3:25: path: it is missing", "",
		},
		{
			cache + "    attributes: {size: [{path: \"a#b\"}]}\n",
			"f.yaml:3:25: accessor: it is missing", "",
		},
		{
			cache + "    attributes: {size: [{path: \"a#b\", accessor: imag}]}\n",
			"f.yaml:3:49: accessor: there is no accessor imag", "did you mean image?",
		},
		{
			cache + "    attributes: {size: [\"a#b\"]}\n",
			"f.yaml:3:25: size: the path asks for an embedded part: {path, accessor} is expected",
			"",
		},
		{
			cache +
				"    attributes: {size: [{path: \"a#reference\", accessor: image, dataType: " +
				"int}]}\n",
			"f.yaml:3:25: dataType: a part that Regexp reaches is a string, not int", "",
		},
		{
			cache +
				"    attributes: {size: [{path: \"a#1\", accessor: line}]}\nattributes:\n" +
				"  size: {description: x, dataType: int}\n",
			"f.yaml:3:25: dataType: a part that Line reaches is a string", "",
		},
		{
			cache + "    attributes: {hostname: [\"a.?b:c=%s.d\"]}\n",
			"f.yaml:3:29: path: it has 1 %s, but functions of attribute hostname fill in 0",
			"every element",
		},
		{
			cache +
				"    attributes: {container-image: [\"a\", \"a.?b=%s.c\", \"a.?b=%s.?c=%s\"]}\n",
			"f.yaml:3:54: path: it has 2 %s, but functions of attribute container-image fill in 1",
			"",
		},
		{
			cache + "    attributes: {size: [{path: a, needed: maybe}]}\n",
			"f.yaml:3:43: needed must be true or false, not \"maybe\"", "",
		},
		{
			cache + "    attributes: {replica: [a]}\n",
			"f.yaml:3:18: replica: no file describes this attribute", "did you mean replicas?",
		},
		{
			cache + "    attributes: {nodesize: [a]}\nattributes:\n  node-size: {description: x}\n",
			"f.yaml:3:18: nodesize: no file describes", "did you mean node-size?",
		},
		{
			"shapes:\n  S:\n    attributes: {container-imgae: [a]}\n",
			"f.yaml:3:18: container-imgae: no file describes", "did you mean container-image?",
		},
		{cache + "    exclusiveFields: [{path: a}]\n", "f.yaml:3:23: members: it is missing", ""},
		{
			cache +
				"    exclusiveFields: [{path: a, members: [b], discriminator: t, allowedMember: " +
				"{x: c}}]\n",
			"c is not one of the members", "",
		},
		{
			cache + "    exclusiveFields: [{path: a, members: [b], discriminator: t}]\n",
			"belong together", "",
		},
		{
			"resourceTypes:\n  Cache: {}\n",
			"f.yaml:2:3: Cache: a resource type is apiVersion/kind", "",
		},
		{
			"accessors:\n  x: {type: regexp}\n", "f.yaml:2:13: type must be Regexp, Line, JSON, YAML or Text, not \"regexp\"",
			"did you mean Regexp?",
		},
		{
			"accessors:\n  x: {type: Regexp, config: \"(\"}\n",
			"f.yaml:2:6: accessors: embedded accessor: error parsing regexp", "",
		},
		{
			"shapes:\n  S:\n    attribute: {}\n", "f.yaml:3:5: a resource type has no field \"attribute\"",
			"did you mean attributes?",
		},
		{
			"attributes:\n  replicas: {description: x}\n",
			"f.yaml:2:3: replicas: the attribute is built in",
			"register paths for it under resourceTypes",
		},
		{"attributes:\n  Size: {description: x}\n", "f.yaml:2:3: Size: a name consists of", ""},
		{"attributes:\n  size: {dataType: int}\n", "f.yaml:2:9: description: it is missing", ""},
		{"attributes:\n  size: {description: x, min: 1}\n", "f.yaml:2:31: min: only a number", ""},
		{
			"attributes:\n  size: {description: x, dataType: string, max: 1}\n",
			"f.yaml:2:49: max: only a number", "",
		},
		{
			"attributes:\n  size: {description: x, dataType: int, min: 3, max: 1}\n",
			"f.yaml:2:46: min: the minimum 3 is greater than the maximum 1", "",
		},
		{
			"attributes:\n  size: {description: x, dataType: int, min: a}\n",
			"f.yaml:2:46: min must be a whole number, not \"a\"", "",
		},
		{
			"attributes:\n  size: {description: x, dataType: int, regexp: a}\n",
			"f.yaml:2:49: regexp: only a string", "",
		},
		{"attributes:\n  size: {description: x, regexp: (}\n", "regexp: error parsing regexp", ""},
		{"attributes:\n  size: {description: x, enum: []}\n", "f.yaml:2:32: enum: it is empty", ""},
		{
			"attributes:\n  size: {description: x, members: [a]}\n",
			"only attributes of the program are groups", "",
		},
		{
			"attributes:\n  size: {description: x, parameters: [{name: a}]}\n",
			"f.yaml:2:39: description: it is missing", "",
		},
		{
			"attributes:\n  size: {description: x, parameters: [{name: a, description: b}, " +
				"{name: a, description: b}]}\n",
			"two parameters a", "",
		},
		{
			cache +
				"    attributes: {size: [\"?a=%s.b\"]}\nattributes:\n  size: {description: x}\n",
			"f.yaml:5:9: parameters: it is missing: path ?a=%s.b does not name its arguments", "",
		},
		{
			cache +
				"    attributes: {size: [\"?a:p=%s.b\"]}\nattributes:\n" +
				"  size: {description: x, parameters: []}\n",
			"0 are listed, but path ?a:p=%s.b has 1 places", "",
		},
		{
			cache +
				"    attributes: {size: [\"?a:size=%s.b\"]}\nattributes:\n" +
				"  size: {description: x}\n",
			"f.yaml:5:9: parameters: size is the parameter for the value", "",
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			p := k8skit.New()
			err := p.AddFiles(resourcetypes.TypesFile{Name: "f.yaml", Text: []byte(c.text)})
			e, ok := errors.AsType[*api.Failure](err)
			if !ok || !strings.Contains(err.Error(), c.want) || !strings.Contains(e.Hint, c.hint) ||
				e.Pos.File != "f.yaml" || e.Pos.Line == 0 {
				t.Errorf(
					"%q:\n%v (hint %s), want\n%s (hint %s)", c.text, err, hintOf(e), c.want, c.hint,
				)
			}
			if got := paths(p, "replicas", "apps/v1/Deployment"); got != "spec.replicas" ||
				paths(p, "size", "example.com/v1/Cache") != "" {
				t.Errorf("%q: what is wrong was added, or what was known forgotten", c.text)
			}
		})
	}
}

// TestAllErrorsAreReported checks that all errors are reported, each once, and that the amount
// read is bounded.
func TestAllErrorsAreReported(t *testing.T) {
	laughs := "shapes:\n"
	for i := range 7 {
		laughs += fmt.Sprintf(
			"  S%d: {embeds: [%s]}\n", i,
			strings.Repeat(fmt.Sprintf("{shape: S%d, path: a}, ", i+1), 30),
		)
	}
	for _, c := range []struct{ text, want string }{
		{
			"shapes:\n  S: {mergeKey: []}\nresourceTypes:\n  v1/A: {embeds: [{shape: S, path: " +
				"a}, {shape: S, path: b}], at: b}\n" +
				"  v1/B: {sameAs: v1/A}\nattributes: {Size: {}}\n",
			"f.yaml:2:7: a resource type has no field \"mergeKey\"\n" +
				"f.yaml:4:62: a resource type has no field \"at\"\n" +
				"f.yaml:6:14: Size: a name consists of small letters, digits and dashes and " +
				"begins with a letter",
		},
		{
			laughs + "  S7: {}\nresourceTypes:\n  v1/A: {embeds: [{shape: S0, path: a}]}\n",
			"f.yaml:9:7: it consists of more than 2000 shapes",
		},
		{
			laughs + "  S7: {embeds: [{shape: S0, path: a}]}\n",
			"f.yaml:2:7: shapes are embedded more than 8 deep",
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			err := k8skit.New().
				AddFiles(resourcetypes.TypesFile{Name: "f.yaml", Text: []byte(c.text)})
			if err == nil || err.Error() != c.want {
				t.Errorf("%.80q:\n%v, want\n%s", c.text, err, c.want)
			}
		})
	}
}

func hintOf(e *api.Failure) string {
	if e == nil {
		return ""
	}
	return e.Hint
}

// TestOperators checks what is known about the resources of operators: images, replicas, labels and
// selectors of pods.
func TestOperators(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		name api.AttributeName
		of   api.ResourceType
		want string
	}{
		{
			"container-image", "monitoring.coreos.com/v1alpha1/PrometheusAgent",
			"spec.containers.?name:container-name=%s.image spec.image " +
				"spec.initContainers.?name:container-name=%s.image spec.thanos.|image",
		},
		{
			"images", "operator.victoriametrics.com/v1beta1/VMAgent",
			"spec.configReloaderImageTag spec.containers.?name:container-name=%s.image " +
				"spec.initContainers.?name:container-name=%s.image spec.image.repository " +
				"spec.vmBackup.image.repository spec.volumes.*.image.|reference",
		},
		{
			"container-repository-uri", "solr.apache.org/v1beta1/SolrPrometheusExporter",
			"spec.image.repository",
		},
		{"container-image-reference", "postgresql.cnpg.io/v1/Cluster", "spec.imageName#reference"},
		{
			"container-image", "tekton.dev/v1beta1/TaskRun",
			"spec.taskSpec.sidecars.?name:container-name=%s.image " +
				"spec.taskSpec.stepTemplate.|image " +
				"spec.taskSpec.steps.?name:container-name=%s.image",
		},
		{"container-image", "tekton.dev/v1alpha1/Condition", "spec.check.image"},
		{
			"container-image", "triggers.tekton.dev/v1alpha1/TriggerTemplate",
			"spec.resourcetemplates.*.spec.pipelineSpec.finally.*.taskSpec.sidecars.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.finally.*.taskSpec.stepTemplate.|image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.finally.*.taskSpec.steps.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.tasks.*.pipelineSpec.tasks.*.taskSpec.sidecars.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.tasks.*.pipelineSpec.tasks.*.taskSpec.stepTemplate.|image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.tasks.*.pipelineSpec.tasks.*.taskSpec.steps.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.tasks.*.taskSpec.sidecars.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.tasks.*.taskSpec.stepTemplate.|image " +
				"spec.resourcetemplates.*.spec.pipelineSpec.tasks.*.taskSpec.steps.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.taskSpec.sidecars.?name:container-name=%s.image " +
				"spec.resourcetemplates.*.spec.taskSpec.stepTemplate.|image " +
				"spec.resourcetemplates.*.spec.taskSpec.steps.?name:container-name=%s.image",
		},
		{"replicas", "elasticsearch.k8s.elastic.co/v1/Elasticsearch", "spec.nodeSets.*.count"},
		{"replicas", "kafka.strimzi.io/v1/KafkaNodePool", "spec.replicas"},
		{"replicas", "batch.volcano.sh/v1alpha1/Job", "spec.tasks.*.replicas"},
		{"replicas", "kubevirt.io/v1/VirtualMachineInstanceReplicaSet", "spec.replicas"},
		{
			"volume-image", "kubevirt.io/v1/VirtualMachine",
			"spec.dataVolumeTemplates.*.spec.source.registry.url#image " +
				"spec.template.spec.volumes.*.containerDisk.image",
		},
		{
			"image-registry", "install.istio.io/v1alpha1/IstioOperator",
			"spec.components.*.*.hub spec.components.*.hub spec.hub",
		},
		{
			"pod-template-labels", "agones.dev/v1/Fleet",
			"spec.template.spec.template.|metadata.labels",
		},
		{"pod-template-labels", "monitoring.coreos.com/v1/ThanosRuler", "spec.|podMetadata.labels"},
		{
			"pod-label-selector", "security.istio.io/v1beta1/PeerAuthentication",
			"spec.selector.matchLabels",
		},
	} {
		t.Run(string(c.name), func(t *testing.T) {
			if got := paths(p, c.name, c.of); got != c.want {
				t.Errorf("%s of %s: %s, want %s", c.name, c.of, got, c.want)
			}
		})
	}
	for of, want := range map[api.ResourceType]configkit.Scope{
		"crd.projectcalico.org/v1/IPPool":                            configkit.ScopeCluster,
		"templates.gatekeeper.sh/v1beta1/ConstraintTemplate":         configkit.ScopeCluster,
		"constraints.gatekeeper.sh/v1beta1/K8sRequiredLabels":        configkit.ScopeCluster,
		"security.openshift.io/v1/SecurityContextConstraints":        configkit.ScopeCluster,
		"apps.openshift.io/v1/DeploymentConfig":                      configkit.ScopeNamespaced,
		"traefik.containo.us/v1alpha1/IngressRoute":                  configkit.ScopeNamespaced,
		"tekton.dev/v1beta1/ClusterTask":                             configkit.ScopeCluster,
		"operator.openshift.io/v1/IngressController":                 configkit.ScopeNamespaced,
		"operator.tigera.io/v1/Installation":                         configkit.ScopeCluster,
		"config.gatekeeper.sh/v1alpha1/Config":                       configkit.ScopeNamespaced,
		"example.gatekeeper.sh/v1/Anything":                          configkit.ScopeUnknown,
		"machineconfiguration.openshift.io/v1/MachineConfig":         configkit.ScopeCluster,
		"networking.internal.knative.dev/v1beta1/ClusterDomainClaim": configkit.ScopeCluster,
	} {
		t.Run(string(of), func(t *testing.T) {
			if got := p.Scope(of); got != want {
				t.Errorf("scope of %s: %q, want %q", of, got, want)
			}
		})
	}
}

// TestSensitiveTypesAreFoundWithoutReadingEverything checks that mayHaveSensitive is right for
// built-in documents.
func TestSensitiveTypesAreFoundWithoutReadingEverything(t *testing.T) {
	p := k8skit.New(resourcetypes.TypesFile{Name: "own.yaml", Text: []byte(`
shapes:
  Login: {attributes: {x: [{path: password, sensitive: true}]}}
resourceTypes:
  example.com/v1/A: {embeds: [{shape: Login, path: spec.login}]}
  example.com/v1/B: {sameAs: v1/Secret}
  example.com/v1/C: {embeds: [{shape: PodTemplate, path: spec.template}]}
  v1/Secret: {attributes: {disruption-medium: [data]}}
`)})
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if got, want := p.SensitiveKinds(), []string{"A", "B", "Secret", "SecretList"}; !slices.Equal(
		got, want,
	) {
		t.Errorf("the kinds are %v, want %v", got, want)
	}
	for path, want := range map[string]configkit.Sensitivity{
		"data": configkit.IsSensitive, "data.a.b#json": configkit.IsSensitive,
		"": configkit.AboveSensitive, "type": configkit.NotSensitive,
		"metadata.annotations":      configkit.AboveSensitive,
		"metadata.annotations.team": configkit.NotSensitive,
	} {
		t.Run(path, func(t *testing.T) {
			for _, of := range []api.ResourceType{"v1/Secret", "example.com/v1/B"} {
				if got := p.Sensitive(of, api.ResolvedPath(path)); got != want {
					t.Errorf("%s of %s is %d, want %d", path, of, got, want)
				}
			}
		})
	}
	if p.Sensitive("example.com/v1/A", "spec.login.password.x") != configkit.IsSensitive {
		t.Error("a shape marks no path")
	}
	// The registered paths read everything and must agree.
	for _, types := range p.RegisteredPaths() {
		for of, paths := range types {
			for path, info := range paths {
				if got := p.Sensitive(
					of, api.ResolvedPath(path),
				) == configkit.IsSensitive; info.Sensitive &&
					!got {
					t.Errorf("%s of %s is not found to be sensitive", path, of)
				}
			}
		}
	}
}
