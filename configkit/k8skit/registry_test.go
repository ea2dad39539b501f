package k8skit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
)

// podNeeds is what a pod refers to: paths below its specification, and the types.
const podNeeds = `
volumes.*.configMap.name v1/ConfigMap
volumes.*.projected.sources.*.configMap.name v1/ConfigMap
volumes.*.secret.secretName v1/Secret
volumes.*.projected.sources.*.secret.name v1/Secret
volumes.*.persistentVolumeClaim.claimName v1/PersistentVolumeClaim
imagePullSecrets.*.name v1/Secret
serviceAccountName v1/ServiceAccount
priorityClassName scheduling.k8s.io/v1/PriorityClass
`

// containerNeeds is what containers refer to.
const containerNeeds = `
env.*.valueFrom.configMapKeyRef.name v1/ConfigMap
envFrom.*.configMapRef.name v1/ConfigMap
env.*.valueFrom.secretKeyRef.name v1/Secret
envFrom.*.secretRef.name v1/Secret
`

// TestNeededRegistry checks that the registry has every reference between built-in types.
func TestNeededRegistry(t *testing.T) {
	p := k8skit.New()
	plain := strings.NewReplacer("|", "", "?kind=ServiceAccount", "")
	const (
		rbac      = "rbac.authorization.k8s.io/v1/"
		admission = "admissionregistration.k8s.io/v1/"
		namespace = "metadata.namespace v1/Namespace\n"
		ns        = " v1/Namespace\n"
		secret    = " v1/Secret\n"
		service   = " v1/Service\n"
	)
	rows := map[api.ResourceType]string{
		rbac + "RoleBinding": namespace + "subjects.*.namespace" + ns +
			"subjects.*.name v1/ServiceAccount\n" +
			"roleRef.name " + rbac + "ClusterRole," + rbac + "Role\n",
		rbac + "ClusterRoleBinding": "subjects.*.namespace" + ns +
			"subjects.*.name v1/ServiceAccount\n" + "roleRef.name " + rbac + "ClusterRole\n",
		"apiextensions.k8s.io/v1/CustomResourceDefinition": "spec.conversion.webhook." +
			"clientConfig.service.namespace" + ns,
		"apiregistration.k8s.io/v1/APIService": "spec.service.namespace" + ns +
			"spec.service.name" + service,
		"kustomize.toolkit.fluxcd.io/v1/Kustomization": "spec.targetNamespace" + ns,
		"helm.toolkit.fluxcd.io/v2/HelmRelease":        "spec.chartRef.namespace" + ns,
		"autoscaling/v2/HorizontalPodAutoscaler": namespace + "spec.scaleTargetRef.name " +
			"apps/v1/Deployment,apps/v1/ReplicaSet,apps/v1/StatefulSet,v1/ReplicationController\n",
		"apps/v1/StatefulSet": "spec.serviceName" + service +
			"spec.volumeClaimTemplates.*.spec.storageClassName storage.k8s.io/v1/StorageClass\n",
		"networking.k8s.io/v1/Ingress": "spec.rules.*.http.paths.*.backend.service.name" + service +
			"spec.defaultBackend.service.name" + service + "spec.tls.*.secretName" + secret +
			"spec.ingressClassName networking.k8s.io/v1/IngressClass\n" +
			"metadata.annotations.nginx~1ingress~1kubernetes~1io/auth-secret#name" + secret +
			"metadata.annotations.nginx~1ingress~1kubernetes~1io/auth-tls-secret#name" + secret +
			"metadata.annotations.ingress~1kubernetes~1io/auth-secret#name" + secret +
			"metadata.annotations.nginx~1ingress~1kubernetes~1io/fastcgi-params-configmap#name " +
			"v1/ConfigMap\n" + "spec.rules.*.host#domain \n",
		rbac + "Role": "rules.*.resourceNames.* v1/ConfigMap,v1/Secret\n",
		rbac + "ClusterRole": "rules.*.resourceNames.* v1/ConfigMap,v1/PersistentVolume," +
			"v1/Secret\n",
		"v1/ServiceAccount": "imagePullSecrets.*.name" + secret,
		"v1/PersistentVolumeClaim": "spec.storageClassName storage.k8s.io/v1/StorageClass\n" +
			"spec.volumeName v1/PersistentVolume\n",
		"v1/PersistentVolume": "spec.storageClassName storage.k8s.io/v1/StorageClass\n" +
			"spec.azureFile.secretName" + secret,
		"storage.k8s.io/v1/StorageClass": "parameters.secretName" + secret +
			"parameters.adminSecretName" + secret + "parameters.userSecretName" + secret +
			"parameters.secretRef" + secret,
		admission + "MutatingWebhookConfiguration": "webhooks.*.clientConfig.service.name" +
			service,
		admission + "ValidatingWebhookConfiguration": "webhooks.*.clientConfig.service.name" +
			service,
		admission + "ValidatingAdmissionPolicyBinding": "spec.policyName " + admission +
			"ValidatingAdmissionPolicy\n",
		"serving.knative.dev/v1/Service": "spec.template.spec.containers.*.env.*.valueFrom." +
			"secretKeyRef.name" + secret,
	}
	for t, prefix := range map[api.ResourceType]string{
		"v1/Pod": "spec.", "apps/v1/Deployment": "spec.template.spec.",
		"apps/v1/ReplicaSet": "spec.template.spec.", "apps/v1/DaemonSet": "spec.template.spec.",
		"apps/v1/StatefulSet": "spec.template.spec.", "batch/v1/Job": "spec.template.spec.",
		"v1/ReplicationController":     "spec.template.spec.",
		"argoproj.io/v1alpha1/Rollout": "spec.template.spec.",
		"batch/v1/CronJob":             "spec.jobTemplate.spec.template.spec.",
		"v1/PodTemplate":               "template.spec.",
	} {
		for line := range strings.Lines(strings.TrimPrefix(podNeeds, "\n")) {
			rows[t] += prefix + line
		}
		for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
			for line := range strings.Lines(strings.TrimPrefix(containerNeeds, "\n")) {
				rows[t] += prefix + list + ".*." + line
			}
		}
		if strings.Contains(prefix, "template.") {
			rows[t] += strings.TrimSuffix(prefix, "spec.") +
				"metadata.annotations.confighub~1com/Hash \n"
		}
	}
	for resource, want := range rows {
		t.Run(string(resource), func(t *testing.T) {
			var have []string
			for _, info := range p.NeededPaths().PathsOf(resource) {
				types := strings.Split(info.Details.NeededRequired["ResourceType"], ",")
				slices.Sort(types)
				path := plain.Replace(string(info.Path))
				have = append(have, path+" "+strings.Join(types, ",")+"\n")
			}
			for line := range strings.Lines(want) {
				if !slices.Contains(have, line) {
					t.Errorf("%s does not need %q; it needs\n%s", resource, line,
						strings.Join(have, ""))
				}
			}
		})
	}
}

// TestProvidedRegistry checks which built-in types provide their names.
func TestProvidedRegistry(t *testing.T) {
	p := k8skit.New()
	for _, resource := range []api.ResourceType{
		"v1/Namespace", "v1/ConfigMap", "v1/Secret", "v1/Service", "v1/ServiceAccount",
		"v1/PersistentVolume", "v1/PersistentVolumeClaim", "v1/ReplicationController",
		"apps/v1/Deployment", "apps/v1/ReplicaSet", "apps/v1/StatefulSet",
		"rbac.authorization.k8s.io/v1/Role", "rbac.authorization.k8s.io/v1/ClusterRole",
		"storage.k8s.io/v1/StorageClass", "scheduling.k8s.io/v1/PriorityClass",
		"networking.k8s.io/v1/IngressClass",
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
	} {
		t.Run(string(resource), func(t *testing.T) {
			if !slices.ContainsFunc(p.ProvidedPaths().PathsOf(resource),
				func(info *api.PathVisitorInfo) bool {
					return info.Path == "metadata.name" && info.AttributeName == "resource-name" &&
						info.Details.ProvidedProperties["ResourceType"] == string(resource)
				}) {
				t.Errorf("%s does not provide its name", resource)
			}
		})
	}
}

// TestMergeKeyRegistry checks by which fields the elements of lists are known.
func TestMergeKeyRegistry(t *testing.T) {
	p := k8skit.New()
	pods := map[string]string{
		"volumes": "name", "imagePullSecrets": "name", "resourceClaims": "name",
		"schedulingGates": "name", "hostAliases": "ip",
		"topologySpreadConstraints": "topologyKey,whenUnsatisfiable",
	}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		pods[list] = "name"
		pods[list+".*.env"] = "name"
		pods[list+".*.ports"] = "containerPort,protocol"
		pods[list+".*.volumeMounts"] = "mountPath"
		pods[list+".*.volumeDevices"] = "devicePath"
	}
	rows := map[api.ResourceType]map[string]string{
		"v1/Service":        {"spec.ports": "port,protocol", "metadata.ownerReferences": "uid"},
		"v1/ServiceAccount": {"secrets": "name"},
		"admissionregistration.k8s.io/v1/MutatingWebhookConfiguration": {
			"webhooks": "name", "webhooks.*.matchConditions": "name",
		},
		"admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration": {
			"webhooks": "name", "webhooks.*.matchConditions": "name",
		},
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy": {
			"spec.matchConditions": "name", "spec.variables": "name",
		},
		"admissionregistration.k8s.io/v1/MutatingAdmissionPolicy": {
			"spec.matchConditions": "name",
		},
		"storage.k8s.io/v1/CSINode": {"spec.drivers": "name"},
		"example.com/v1/Anything":   {"metadata.ownerReferences": "uid"},
	}
	for resource, prefix := range map[api.ResourceType]string{
		"v1/Pod": "spec.", "apps/v1/Deployment": "spec.template.spec.",
		"apps/v1/ReplicaSet": "spec.template.spec.", "apps/v1/DaemonSet": "spec.template.spec.",
		"apps/v1/StatefulSet": "spec.template.spec.", "batch/v1/Job": "spec.template.spec.",
		"v1/ReplicationController":     "spec.template.spec.",
		"argoproj.io/v1alpha1/Rollout": "spec.template.spec.",
		"batch/v1/CronJob":             "spec.jobTemplate.spec.template.spec.",
		"v1/PodTemplate":               "template.spec.",
	} {
		rows[resource] = map[string]string{"metadata.ownerReferences": "uid"}
		for path, keys := range pods {
			rows[resource][prefix+path] = keys
		}
	}
	keysOf := func(tree *configkit.MergeKeyTree, path string) string {
		for segment := range strings.SplitSeq(path, ".") {
			if tree = tree.Child(segment); tree == nil {
				return ""
			}
		}
		return strings.Join(tree.Keys, ",")
	}
	for resource, want := range rows {
		t.Run(string(resource), func(t *testing.T) {
			have := map[string]string{}
			for path := range want {
				have[path] = keysOf(p.MergeKeys(resource), path)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}
