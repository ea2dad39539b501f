package semantics

import (
	"cmp"
	"iter"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// pod checks a PodSpec. claims are the names of volumes that a workload adds to its pods.
func (c *resourceChecker) pod(v gaby.Value, claims ...string) {
	c.podFields(v)
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
	c.unique(usedPorts(v, "containers.*.ports.*", "hostPort"), "host port")
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

// podFields checks the fields of a pod that need no other ones.
func (c *resourceChecker) podFields(v gaby.Value) {
	c.table(v, "part pod")
	context := v.Get("securityContext")
	c.unique(texts(context, "sysctls.*.name"), "sysctl")
	c.profiles(context)
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

// usedPorts yields the ports under a key of the elements at a path, with address and protocol.
func usedPorts(v gaby.Value, path, key string) iter.Seq2[gaby.Value, string] {
	return func(yield func(gaby.Value, string) bool) {
		for p := range each(v, path) {
			used := p.Get(key)
			if n, ok := number(used); !ok || n == 0 {
				continue
			}
			text := used.Text() + "/" + cmp.Or(p.Get("protocol").Text(), "TCP")
			if !yield(used, strings.TrimSpace(p.Get("hostIP").Text()+" "+text)) {
				return
			}
		}
	}
}

// tolerations checks which fields of a toleration go together.
func (c *resourceChecker) tolerations(pod gaby.Value) {
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
func (c *resourceChecker) volume(v gaby.Value) {
	c.table(v, "part volume")
	var sources []string
	for _, source := range volumeSources() {
		if e := v.Get(source); isSet(e) {
			sources = append(sources, source)
		}
	}
	if len(sources) > 1 {
		c.add(v, "exclusive", "the volume has %s; only one source is allowed",
			strings.Join(sources, " and "))
	}
	for _, source := range [][2]string{{"configMap", "name"}, {"secret", "secretName"}} {
		if e := v.Get(source[0]); isSet(e) && e.Get(source[1]).Text() == "" {
			c.missing(e, source[1], "the volume gets its files from it")
		}
	}
}

// mounts checks that the volumes of a container exist and that no two are mounted at one path.
func (c *resourceChecker) mounts(container gaby.Value, volumes map[string]bool) {
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
	c.table(container, "part mounts")
	c.unique(join(texts(container, "volumeMounts.*.mountPath"),
		texts(container, "volumeDevices.*.devicePath")), "mount path")
}
