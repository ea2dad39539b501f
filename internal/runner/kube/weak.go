package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// weaknesses says what a pod may do that the default forbids.
func weaknesses(spec *corev1.PodSpec) []string {
	var weak []string
	check := func(bad bool, reason string) {
		if bad {
			weak = append(weak, reason)
		}
	}
	s := spec.SecurityContext
	if s == nil {
		s = &corev1.PodSecurityContext{}
	}
	check(s.RunAsNonRoot == nil || !*s.RunAsNonRoot, "runAsNonRoot is not true")
	check(s.RunAsUser == nil || *s.RunAsUser == 0, "it runs as root")
	check(s.RunAsGroup != nil && *s.RunAsGroup == 0, "its group is root")
	check(s.FSGroup != nil && *s.FSGroup == 0, "its fsGroup is root")
	check(slices.Contains(s.SupplementalGroups, 0), "it has the supplemental group root")
	check(s.SeccompProfile == nil || unconfined(s.SeccompProfile), "seccomp is unconfined")
	check(noAppArmor(s.AppArmorProfile), "AppArmor is unconfined")
	check(len(s.Sysctls) > 0, "it sets sysctls")
	check(s.SELinuxOptions != nil && s.SELinuxOptions.Type != "", "it sets an SELinux type")
	check(ofHost(s.WindowsOptions), "it is a process of the host")
	check(spec.HostNetwork, "it has the network of the host")
	check(spec.HostPID, "it sees the processes of the host")
	check(spec.HostIPC, "it has the shared memory of the host")
	check(spec.ServiceAccountName == "" && (spec.AutomountServiceAccountToken == nil ||
		*spec.AutomountServiceAccountToken), "it has a token without a named service account")
	for _, v := range spec.Volumes {
		check(v.HostPath != nil, "its volume "+v.Name+" is a directory of the host")
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		weak = append(weak, containerWeaknesses(&c)...)
	}
	return weak
}

// containerWeaknesses says the same of one container.
func containerWeaknesses(c *corev1.Container) []string {
	var weak []string
	check := func(bad bool, reason string) {
		if bad {
			weak = append(weak, "its container "+c.Name+" "+reason)
		}
	}
	s := c.SecurityContext
	if s == nil {
		s = &corev1.SecurityContext{}
	}
	check(s.Privileged != nil && *s.Privileged, "is privileged")
	check(s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation,
		"may get more privileges")
	check(s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem,
		"has a file system that is not read-only")
	check(s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL") ||
		len(s.Capabilities.Add) > 0, "has capabilities")
	check(s.RunAsNonRoot != nil && !*s.RunAsNonRoot || s.RunAsUser != nil && *s.RunAsUser == 0,
		"may run as root")
	check(s.RunAsGroup != nil && *s.RunAsGroup == 0, "has the group root")
	check(unconfined(s.SeccompProfile), "has no seccomp profile")
	check(noAppArmor(s.AppArmorProfile), "has no AppArmor profile")
	check(s.ProcMount != nil && *s.ProcMount != corev1.DefaultProcMount, "sees all of /proc")
	check(s.SELinuxOptions != nil && s.SELinuxOptions.Type != "", "sets an SELinux type")
	check(ofHost(s.WindowsOptions), "is a process of the host")
	check(slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool {
		return p.HostPort != 0
	}),
		"has a port of the host")
	return weak
}

func unconfined(p *corev1.SeccompProfile) bool {
	return p != nil && p.Type == corev1.SeccompProfileTypeUnconfined
}

func noAppArmor(p *corev1.AppArmorProfile) bool {
	return p != nil && p.Type == corev1.AppArmorProfileTypeUnconfined
}

func ofHost(o *corev1.WindowsSecurityContextOptions) bool {
	return o != nil && o.HostProcess != nil && *o.HostProcess
}
