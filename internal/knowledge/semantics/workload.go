package semantics

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// template checks a pod template: its labels, its pod, and the restart policy. claims are the names
// of volumes that the workload adds.
func (c *resourceChecker) template(v gaby.Value, restart, claims []string) {
	c.table(v.Get("metadata"), "part metadata")
	pod := v.Get("spec")
	if !pod.Exists() {
		return
	}
	c.pod(pod, claims...)
	if len(restart) == 0 {
		return
	}
	policy := pod.Get("restartPolicy")
	got := cmp.Or(policy.Text(), "Always")
	switch {
	case slices.Contains(restart, got):
	case policy.Exists():
		c.add(policy, "enum", "%q is not one of %s", got, strings.Join(restart, ", "))
	default:
		c.missing(pod, "restartPolicy", "it must be "+strings.Join(restart, " or "))
	}
	if deadline := pod.Get("activeDeadlineSeconds"); deadline.Exists() && restart[0] == "Always" {
		c.add(deadline, "exclusive", "only a Pod or a Job may have activeDeadlineSeconds")
	}
}

// selected checks that a workload selects its own pods.
func (c *resourceChecker) selected(resource gaby.Value) {
	spec := resource.Get("spec")
	selector := spec.Get("selector")
	c.selector(selector)
	labels := spec.Get("template").Get("metadata").Get("labels")
	switch {
	case !spec.Exists() || !selector.Exists():
	case selector.Get("matchLabels").Len() == 0 && selector.Get("matchExpressions").Len() == 0:
		c.add(selector, "selector", "the selector is empty, which would select every pod")
	default:
		c.mismatch(selector, labels)
	}
}

// mismatch reports what in a selector does not match the pods of the workload's own template.
func (c *resourceChecker) mismatch(selector, labels gaby.Value) {
	for want := range each(selector, "matchLabels.*") {
		if got := labels.Get(want.Key()); !got.Exists() {
			c.add(want, "selector", "the pod template has no label %s", want.Key())
		} else if got.Text() != want.Text() {
			c.add(want, "selector", "the pod template has the label %s: %s%s", got.Key(), got.Text(),
				c.line(" (line %d)", got))
		}
	}
	for e := range each(selector, "matchExpressions.*") {
		if !matches(e, labels) {
			c.add(e, "selector", "the labels of the pod template do not match")
		}
	}
}

// selectedByMap checks the selector of a ReplicationController, which is a map of labels.
func (c *resourceChecker) selectedByMap(resource gaby.Value) {
	labels := resource.Get("spec").Get("template").Get("metadata").Get("labels")
	for want := range each(resource, "spec.selector.*") {
		if got := labels.Get(want.Key()); got.Text() != want.Text() {
			c.add(want, "selector", "the pod template does not have this label")
		}
	}
}

func (c *resourceChecker) deployment(resource gaby.Value) {
	c.selected(resource)
	spec := resource.Get("spec")
	strategy := spec.Get("strategy")
	rolling := strategy.Get("rollingUpdate")
	if strategy.Get("type").Text() == "Recreate" && isSet(rolling) {
		c.add(rolling, "exclusive", "rollingUpdate cannot be used with the strategy Recreate")
	}
	if surge := rolling.Get("maxSurge"); isZero(surge) && isZero(rolling.Get("maxUnavailable")) {
		c.add(surge, "exclusive", "maxSurge and maxUnavailable cannot both be 0")
	}
	deadline, ready := spec.Get("progressDeadlineSeconds"), spec.Get("minReadySeconds")
	if n, ok := number(deadline); ok {
		if least, _ := number(ready); n <= least {
			c.add(deadline, "range", "%d is not more than minReadySeconds, %d", n, least)
		}
	}
}

func (c *resourceChecker) statefulSet(resource gaby.Value) {
	c.selected(resource)
	strategy := resource.Get("spec").Get("updateStrategy")
	if e := strategy.Get("rollingUpdate"); e.Exists() && strategy.Get("type").Text() == "OnDelete" {
		c.add(e, "exclusive", "rollingUpdate cannot be used with the strategy OnDelete")
	}
}

func (c *resourceChecker) daemonSet(resource gaby.Value) {
	c.selected(resource)
	rolling := resource.Get("spec").Get("updateStrategy").Get("rollingUpdate")
	if !isSet(rolling) {
		return
	}
	surge, down := rolling.Get("maxSurge"), rolling.Get("maxUnavailable")
	noSurge := !surge.Exists() || isZero(surge)
	switch noDown := down.Exists() && isZero(down); {
	case noSurge && noDown:
		c.add(down, "exclusive", "maxSurge and maxUnavailable cannot both be 0")
	case !noSurge && !noDown:
		c.add(surge, "exclusive", "maxSurge needs maxUnavailable: 0")
	}
}

func (c *resourceChecker) job(resource gaby.Value) {
	spec := resource.Get("spec")
	if selector := spec.Get("selector"); selector.Exists() && !isTrue(spec.Get("manualSelector")) {
		c.add(selector, "exclusive",
			"a Job gets its selector from the cluster unless manualSelector is true")
	}
	c.indexed(spec)
}

// indexed checks that an indexed Job has a number of completions.
func (c *resourceChecker) indexed(spec gaby.Value) {
	if mode := spec.Get("completionMode"); mode.Text() == "Indexed" &&
		!spec.Get("completions").Exists() {
		c.missing(spec, "completions", "completionMode Indexed needs it")
	}
	if policy := spec.Get("podFailurePolicy"); policy.Exists() &&
		spec.Get("template").Get("spec").Get("restartPolicy").Text() != "Never" {
		c.add(policy, "exclusive", "podFailurePolicy needs the restartPolicy Never")
	}
}

func (c *resourceChecker) cronJob(resource gaby.Value) {
	job := resource.Get("spec").Get("jobTemplate").Get("spec")
	if e := job.Get("manualSelector"); isTrue(e) {
		c.add(e, "exclusive", "the Jobs of a CronJob have no selector of their own")
	}
	c.indexed(job)
	if e := resource.Get("spec").Get("timeZone"); e.Exists() &&
		(e.Text() == "" || e.Text() == "Local") {
		c.add(e, "format", "the time zone must have a name, such as Europe/Berlin")
	}
}

func (c *resourceChecker) autoscaler(resource gaby.Value) {
	spec := resource.Get("spec")
	least, okLeast := number(spec.Get("minReplicas"))
	if okLeast && least < 1 && (least < 0 || !scalesToZero(spec)) {
		c.add(spec.Get("minReplicas"), "range", "%d is less than 1", least)
	}
	if most, ok := number(spec.Get("maxReplicas")); ok && okLeast && most < least {
		c.add(spec.Get("maxReplicas"), "range", "%d is less than minReplicas, %d", most, least)
	}
}

// scalesToZero reports whether an autoscaler has a metric that can wake a workload without pods.
func scalesToZero(spec gaby.Value) bool {
	for kind := range each(spec, "metrics.*.type") {
		if kind.EqualText("External") || kind.EqualText("Object") {
			return true
		}
	}
	return false
}

func (c *resourceChecker) disruption(resource gaby.Value) {
	spec := resource.Get("spec")
	c.selector(spec.Get("selector"))
	if e := spec.Get("maxUnavailable"); e.Exists() && spec.Get("minAvailable").Exists() {
		c.add(e, "exclusive", "maxUnavailable cannot be used with minAvailable")
	}
}
