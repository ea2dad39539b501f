package semantics

import "github.com/fctl-dev/fctl/configkit/gaby"

// rules are the checks of a resource type.
type rules struct {
	fields   []field
	pod      string   // path of the PodSpec of a Pod
	template string   // path of the pod template
	restart  []string // restart policies that the template allows
	check    func(c *checker, resource gaby.Value)
}

// rulesOf returns the checks of a type, given without its version.
func rulesOf(name string) (rules, bool) {
	always := []string{"Always"}
	switch name {
	case "Pod":
		return rules{pod: "spec"}, true
	case "PodTemplate":
		return rules{template: "template"}, true
	case "apps/Deployment":
		return rules{deploymentFields(), "", "spec.template", always, (*checker).deployment}, true
	case "apps/ReplicaSet":
		return rules{replicaFields(), "", "spec.template", always, (*checker).selected}, true
	case "ReplicationController":
		return rules{replicaFields(), "", "spec.template", always, (*checker).selectedByMap}, true
	case "apps/StatefulSet":
		return rules{statefulSetFields(), "", "spec.template", always, (*checker).statefulSet}, true
	case "apps/DaemonSet":
		return rules{daemonSetFields(), "", "spec.template", always, (*checker).daemonSet}, true
	case "batch/Job":
		return rules{
			jobFields("spec."), "", "spec.template",
			[]string{"OnFailure", "Never"},
			(*checker).job,
		}, true
	case "batch/CronJob":
		return rules{
			cronJobFields(), "", "spec.jobTemplate.spec.template",
			[]string{"OnFailure", "Never"},
			(*checker).cronJob,
		}, true
	case "autoscaling/HorizontalPodAutoscaler":
		return rules{fields: autoscalerFields(), check: (*checker).autoscaler}, true
	case "policy/PodDisruptionBudget":
		return rules{fields: disruptionFields(), check: (*checker).disruption}, true
	case "Service":
		return rules{fields: serviceFields(), check: (*checker).service}, true
	case "networking.k8s.io/Ingress":
		return rules{fields: ingressFields(), check: (*checker).ingress}, true
	case "networking.k8s.io/NetworkPolicy":
		return rules{fields: networkPolicyFields(), check: (*checker).networkPolicy}, true
	case "ConfigMap":
		return rules{fields: dataFields("binaryData"), check: (*checker).configMap}, true
	case "Secret":
		return rules{fields: dataFields("stringData"), check: (*checker).secret}, true
	case "PersistentVolumeClaim":
		return rules{fields: claimFields(), check: (*checker).claim}, true
	case "LimitRange":
		return rules{check: (*checker).limitRange}, true
	case "ResourceQuota":
		return rules{fields: []field{{"spec.hard.*", notNegative}}}, true
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole":
		return rules{check: (*checker).role}, true
	case "rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding":
		return rules{fields: bindingFields(), check: (*checker).binding}, true
	case "scheduling.k8s.io/PriorityClass":
		return rules{fields: []field{
			{"value", between(-2147483648, 1_000_000_000)},
			{"preemptionPolicy", oneOf("PreemptLowerPriority", "Never")},
		}}, true
	case "storage.k8s.io/StorageClass":
		return rules{fields: []field{
			{"provisioner", notEmpty},
			{"reclaimPolicy", oneOf("Delete", "Retain")},
			{"volumeBindingMode", oneOf("Immediate", "WaitForFirstConsumer")},
		}}, true
	case "apiextensions.k8s.io/CustomResourceDefinition":
		return rules{fields: definitionFields(), check: (*checker).definition}, true
	}
	return rules{}, false
}
