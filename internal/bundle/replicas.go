package bundle

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// scale keeps the replicas that an observed object has if something else decides them: a
// HorizontalPodAutoscaler of the Bundle, or, by the annotation with which Smith remembers what it
// wrote, anybody who changed them since.
func (p *run) scale(res *ResourceResult) error {
	isRunning := res.actual.Get("spec").Get("replicas").Exists()
	if isRunning && p.isAutoscaled(res) {
		res.isScaled = true
		if res.doc.Value().Get("spec").Get("replicas").Exists() {
			return res.keepReplicas()
		}
		return nil
	}
	annotations := res.actual.Get("metadata").Get("annotations")
	last := annotations.Get(smithv1.LastAppliedReplicas)
	own := res.doc.Value().Get("metadata").Get("annotations").Get(smithv1.LastAppliedReplicas)
	if !isDeployment(res.GVK) || !last.Exists() && !p.Annotations ||
		own.Text() == smithv1.Disabled {
		return nil
	}
	wanted := 1
	if n, ok := res.doc.Value().Get("spec").Get("replicas").Data().(int); ok {
		wanted = n
	}
	if n, err := strconv.Atoi(strings.TrimSpace(last.Text())); err == nil && n == wanted &&
		isRunning {
		res.isScaled = true
		if err := res.keepReplicas(); err != nil {
			return err
		}
	}
	return res.set(strconv.Itoa(wanted), "the replicas of the Bundle",
		"metadata", "annotations", smithv1.LastAppliedReplicas)
}

// keepReplicas gives the rendered object the replicas of the observed one.
func (res *ResourceResult) keepReplicas() error {
	return res.set(res.actual.Get("spec").Get("replicas"), "the observed object, which is scaled",
		"spec", "replicas")
}

// set sets a value of the rendered object that comes from elsewhere than the Bundle.
func (res *ResourceResult) set(value any, from string, path ...string) error {
	_, err := res.doc.Set(value, path...)
	res.Origins = append(res.Origins, Origin{Path: path, From: from})
	return err
}

// isAutoscaled reports whether a HorizontalPodAutoscaler of the Bundle scales an object.
func (p *run) isAutoscaled(res *ResourceResult) bool {
	if p.scalers == nil {
		p.scalers = map[scaled]bool{}
		for _, r := range p.bundle.Resources {
			if target, ok := r.scales(); ok {
				p.scalers[target] = true
			}
		}
	}
	return p.scalers[scaled{res.GVK.Group, res.GVK.Kind, res.Name, nil}] ||
		p.scalers[scaled{res.GVK.Group, res.GVK.Kind, "", res.Resource}]
}

// scaled is the target of a HorizontalPodAutoscaler: an object, by its name or by its resource.
type scaled struct {
	group, kind, name string
	resource          *Resource
}

// scales returns what a resource scales if it is a HorizontalPodAutoscaler.
func (r *Resource) scales() (scaled, bool) {
	if r.object == nil {
		return scaled{}, false
	}
	if gvk, _ := r.object.identity(); gvk.Group != "autoscaling" ||
		gvk.Kind != "HorizontalPodAutoscaler" {
		return scaled{}, false
	}
	target := r.object.at("spec", "scaleTargetRef")
	gvk := plugin.NewGroupVersionKind(target.Get("apiVersion").Text(), target.Get("kind").Text())
	name := target.Get("name").Text()
	if m, ok := parseMarker(name); ok {
		for _, reference := range r.References {
			if string(reference.Name) == m.name && reference.path != nil &&
				reference.path.String() == "metadata.name" {
				return scaled{gvk.Group, gvk.Kind, "", reference.target}, true
			}
		}
	}
	return scaled{gvk.Group, gvk.Kind, name, nil}, true
}
