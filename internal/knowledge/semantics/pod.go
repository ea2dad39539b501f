package semantics

import (
	"iter"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// podFields are checks of a PodSpec.
func podFields() []field {
	return []field{
		{"restartPolicy", oneOf("Always", "OnFailure", "Never")},
		{"dnsPolicy", oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")},
		{"preemptionPolicy", oneOf("PreemptLowerPriority", "Never")},
		{"os.name", oneOf("linux", "windows")},
		{"activeDeadlineSeconds", atLeast(1)},
		{"hostname", named(optional(dnsLabel))},
		{"subdomain", named(optional(dnsLabel))},
		{"serviceAccountName", named(optional(dnsSubdomain))},
		{"priorityClassName", named(optional(dnsSubdomain))},
		{"runtimeClassName", named(optional(dnsSubdomain))},
		{"nodeSelector.*", keyed(labelKey)},
		{"nodeSelector.*", named(labelValue)},
		{"hostAliases.*.ip", address},
		{"hostAliases.*.hostnames.*", named(dnsSubdomain)},
		{"dnsConfig.nameservers.*", address},
		{"readinessGates.*.conditionType", named(labelKey)},
		{"securityContext.runAsUser", atLeast(0)},
		{"securityContext.runAsGroup", atLeast(0)},
		{"securityContext.fsGroup", atLeast(0)},
		{"securityContext.supplementalGroups.*", atLeast(0)},
		{"securityContext.fsGroupChangePolicy", oneOf("OnRootMismatch", "Always")},
		{"tolerations.*.key", named(optional(labelKey))},
		{"tolerations.*.operator", oneOf("", "Equal", "Exists", "Lt", "Gt")},
		{"tolerations.*.effect", oneOf("", "NoSchedule", "PreferNoSchedule", "NoExecute")},
		{"topologySpreadConstraints.*.maxSkew", atLeast(1)},
		{"topologySpreadConstraints.*.minDomains", atLeast(1)},
		{"topologySpreadConstraints.*.topologyKey", named(labelKey)},
		{"topologySpreadConstraints.*.whenUnsatisfiable", oneOf("DoNotSchedule", "ScheduleAnyway")},
		{"affinity.nodeAffinity." + preferred + "*.weight", between(1, 100)},
		{"affinity.podAffinity." + preferred + "*.weight", between(1, 100)},
		{"affinity.podAntiAffinity." + preferred + "*.weight", between(1, 100)},
		{"affinity.podAffinity." + preferred + "*.podAffinityTerm.topologyKey", named(labelKey)},
		{
			"affinity.podAntiAffinity." + preferred + "*.podAffinityTerm.topologyKey",
			named(labelKey),
		},
		{"affinity.podAffinity." + required + "*.topologyKey", named(labelKey)},
		{"affinity.podAntiAffinity." + required + "*.topologyKey", named(labelKey)},
	}
}

const (
	preferred = "preferredDuringSchedulingIgnoredDuringExecution."
	required  = "requiredDuringSchedulingIgnoredDuringExecution."
)

// pod checks a PodSpec. claims are the names of volumes that a workload adds to its pods.
func (c *checker) pod(v gaby.Value, claims ...string) {
	c.fields(v, podFields())
	if !v.Get("containers").Exists() || v.Get("containers").Len() == 0 {
		c.missing(v, "containers", "a pod has at least one container")
	}
	volumes := map[string]bool{}
	for _, claim := range claims {
		volumes[claim] = true
	}
	for volume := range each(v, "volumes.*") {
		volumes[volume.Get("name").Text()] = true
		c.volume(volume)
	}
	c.unique(texts(v, "volumes.*.name"), "volume name")
	c.unique(join(texts(v, "containers.*.name"), texts(v, "initContainers.*.name"),
		texts(v, "ephemeralContainers.*.name")), "container name")
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for container := range each(v, list+".*") {
			c.container(container)
			c.mounts(container, volumes)
			if list == "initContainers" && container.Get("restartPolicy").Text() != "Always" {
				c.initContainer(container)
			}
		}
	}
	c.unique(hostPorts(v), "host port")
	c.tolerations(v)
	for e := range each(v, "topologySpreadConstraints.*") {
		c.selector(e.Get("labelSelector"))
	}
	if isTrue(v.Get("hostPID")) && isTrue(v.Get("shareProcessNamespace")) {
		c.add(v.Get("shareProcessNamespace"), "exclusive",
			"shareProcessNamespace cannot be used with hostPID")
	}
	if isTrue(v.Get("hostNetwork")) {
		for p := range each(v, "containers.*.ports.*") {
			if host := p.Get("hostPort"); host.Exists() &&
				host.Text() != p.Get("containerPort").Text() {
				c.add(host, "exclusive", "hostPort must equal containerPort with hostNetwork")
			}
		}
	}
	if v.Get("dnsPolicy").Text() == "None" && v.Get("dnsConfig").Get("nameservers").Len() == 0 {
		c.missing(v, "dnsConfig", "dnsPolicy None needs nameservers")
	}
}

// join yields the values of sequences one after the other.
func join(all ...iter.Seq2[gaby.Value, string]) iter.Seq2[gaby.Value, string] {
	return func(yield func(gaby.Value, string) bool) {
		for _, seq := range all {
			for v, s := range seq {
				if !yield(v, s) {
					return
				}
			}
		}
	}
}

// hostPorts yields the ports of the node that containers use, with address and protocol.
func hostPorts(pod gaby.Value) iter.Seq2[gaby.Value, string] {
	return func(yield func(gaby.Value, string) bool) {
		for p := range each(pod, "containers.*.ports.*") {
			host := p.Get("hostPort")
			if n, ok := number(host); !ok || n == 0 {
				continue
			}
			protocol := p.Get("protocol").Text()
			if protocol == "" {
				protocol = "TCP"
			}
			if !yield(host, strings.TrimSpace(p.Get("hostIP").Text()+" "+host.Text()+"/"+
				protocol)) {
				return
			}
		}
	}
}

// tolerations checks which fields of a toleration go together.
func (c *checker) tolerations(pod gaby.Value) {
	for t := range each(pod, "tolerations.*") {
		operator, value := t.Get("operator").Text(), t.Get("value")
		if t.Get("key").Text() == "" && operator != "Exists" {
			c.missing(t, "operator", "a toleration without key needs Exists")
		}
		if operator == "Exists" && value.Text() != "" {
			c.add(value, "exclusive", "Exists takes no value")
		}
		if seconds := t.Get("tolerationSeconds"); seconds.Exists() &&
			t.Get("effect").Text() != "NoExecute" {
			c.add(seconds, "exclusive", "tolerationSeconds needs the effect NoExecute")
		}
	}
}

// volumeSources are the keys of a volume that say what it is.
func volumeSources() []string {
	return []string{
		"awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "configMap", "csi",
		"downwardAPI", "emptyDir", "ephemeral", "fc", "flexVolume", "flocker", "gcePersistentDisk",
		"gitRepo", "glusterfs", "hostPath", "image", "iscsi", "nfs", "persistentVolumeClaim",
		"photonPersistentDisk", "portworxVolume", "projected", "quobyte", "rbd", "scaleIO",
		"secret",
		"storageos", "vsphereVolume",
	}
}

// volume checks a volume of a pod. One without a source is an emptyDir.
func (c *checker) volume(v gaby.Value) {
	c.fields(v, []field{
		{"name", named(dnsLabel)},
		{"hostPath.path", withoutBackstep},
		{"hostPath.type", oneOf("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File",
			"Socket",
			"CharDevice", "BlockDevice")},
		{"emptyDir.sizeLimit", notNegative},
		{"configMap.defaultMode", between(0, 0o777)},
		{"secret.defaultMode", between(0, 0o777)},
		{"projected.defaultMode", between(0, 0o777)},
		{"downwardAPI.defaultMode", between(0, 0o777)},
		{"configMap.items.*.mode", between(0, 0o777)},
		{"secret.items.*.mode", between(0, 0o777)},
		{"configMap.items.*.path", relativePath},
		{"secret.items.*.path", relativePath},
		{"persistentVolumeClaim.claimName", notEmpty},
	})
	var sources []string
	for _, source := range volumeSources() {
		if e := v.Get(source); e.Exists() && !e.IsNull() {
			sources = append(sources, source)
		}
	}
	if len(sources) > 1 {
		c.add(v, "exclusive", "the volume has %s; only one source is allowed",
			strings.Join(sources, " and "))
	}
	for _, source := range [][2]string{{"configMap", "name"}, {"secret", "secretName"}} {
		if e := v.Get(source[0]); e.Exists() && !e.IsNull() && e.Get(source[1]).Text() == "" {
			c.missing(e, source[1], "the volume gets its files from it")
		}
	}
}

// mounts checks that the volumes of a container exist and that no two are mounted at one path.
func (c *checker) mounts(container gaby.Value, volumes map[string]bool) {
	for mount := range each(container, "volumeMounts.*") {
		if name, ok := text(mount.Get("name")); ok && !volumes[name] {
			c.add(mount.Get("name"), "reference", "the pod has no volume %q", name)
		}
		if e := mount.Get("subPathExpr"); e.Text() != "" && mount.Get("subPath").Text() != "" {
			c.add(e, "exclusive", "subPathExpr cannot be used with subPath")
		}
	}
	for device := range each(container, "volumeDevices.*") {
		if name, ok := text(device.Get("name")); ok && !volumes[name] {
			c.add(device.Get("name"), "reference", "the pod has no volume %q", name)
		}
	}
	c.fields(container, []field{
		{"volumeMounts.*.mountPath", notEmpty},
		{"volumeMounts.*.subPath", relativePath},
		{"volumeMounts.*.subPathExpr", relativePath},
		{"volumeMounts.*.mountPropagation", oneOf("None", "HostToContainer", "Bidirectional")},
	})
	c.unique(join(texts(container, "volumeMounts.*.mountPath"),
		texts(container, "volumeDevices.*.devicePath")), "mount path")
}
