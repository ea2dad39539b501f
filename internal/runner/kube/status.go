package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The conditions of an object.
const (
	accepted   = "Accepted"   // its newest generation can be used
	programmed = "Programmed" // one of its generations is in use
)

// Verdict is how a runner uses an object.
type Verdict struct {
	// Problem says why the newest generation cannot be used, and Reason in a word, such as Conflict.
	// Both are empty if it can.
	Problem, Reason string
	// InUse says that a generation of it is in use, which Generation is.
	InUse      bool
	Generation int64
}

// Error returns the text for status.error, "" for none.
func (v Verdict) Error(newest int64) string {
	if v.Problem != "" && v.InUse && v.Generation != newest {
		return fmt.Sprintf("%s; generation %d stays in use", v.Problem, v.Generation)
	}
	return v.Problem
}

// conditions returns the conditions of a generation.
func (v Verdict) conditions(newest int64) []metav1.Condition {
	a := metav1.Condition{
		Type: accepted, ObservedGeneration: newest,
		Status: metav1.ConditionTrue, Reason: "Valid",
	}
	if v.Problem != "" {
		a.Status, a.Reason, a.Message = metav1.ConditionFalse, v.Reason, v.Problem
	}
	p := metav1.Condition{
		Type: programmed, ObservedGeneration: newest,
		Status: metav1.ConditionTrue, Reason: "InUse",
	}
	switch {
	case !v.InUse:
		p.Status, p.Reason, p.Message = metav1.ConditionFalse, "NotInUse", "no generation is in use"
	case v.Generation != newest:
		p.Reason = "EarlierGeneration"
		p.Message = fmt.Sprintf("generation %d stays in use", v.Generation)
	}
	return []metav1.Condition{a, p}
}

// written records the status that this runner wrote to an object.
type written struct {
	object     types.UID
	generation int64
	verdict    Verdict
}

// observedField is the field of the status that has the generation which a runner has read.
const observedField = "functionRunnerObservedGeneration"

// patchTimeout bounds how long a status holds up others.
const patchTimeout = 10 * time.Second

// SetStatus writes to the status of an object which generation the runner has read and how it uses
// it, and an Event if that has changed for the worse, or to the good again. It does nothing if the
// status says so already, or once the cluster has refused it. It writes the same only once: two
// runners that differ must not answer each other for ever.
func (c *Configs) SetStatus(ctx context.Context, o *ConfigObject, v Verdict) error {
	problem := v.Error(o.Generation)
	conditions, changed := slices.Clone(o.Conditions), false
	for _, condition := range v.conditions(o.Generation) {
		changed = meta.SetStatusCondition(&conditions, condition) || changed
	}
	now := written{o.UID, o.Generation, v}
	c.mu.Lock()
	before := c.written[o.Key()]
	// Later the status of o may be older than the one written here.
	first := before.object != o.UID
	done := c.forbidden || before == now ||
		first && o.Observed == o.Generation && o.Problem == problem && !changed
	c.written[o.Key()] = now
	c.mu.Unlock()
	if done {
		return nil
	}
	status := map[string]any{
		observedField: o.Generation, "error": nil, "conditions": conditions,
	}
	if problem != "" {
		status["error"] = problem
	}
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patchTimeout)
	defer cancel()
	_, err = c.client.Resource(functionConfigs()).Namespace(o.Namespace).Patch(ctx, o.Name,
		types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	switch {
	case err == nil:
		c.event(o, v, before.verdict.Problem != "" || o.Problem != "")
		return nil
	case apierrors.IsNotFound(err): // it has gone, or its definition has no status
		return nil
	case apierrors.IsForbidden(err):
		c.mu.Lock()
		c.forbidden = true
		c.mu.Unlock()
		return fmt.Errorf("the status of FunctionConfigs is not written: %w", err)
	}
	c.mu.Lock()
	delete(c.written, o.Key()) // so that it is tried again
	c.mu.Unlock()
	return err
}

// event records an Event of an object that cannot be used, or can be again.
func (c *Configs) event(o *ConfigObject, v Verdict, wasBad bool) {
	if c.recorder == nil || v.Problem == "" && !wasBad {
		return
	}
	object := &corev1.ObjectReference{
		APIVersion: functionConfigs().GroupVersion().String(), Kind: "FunctionConfig",
		Namespace: o.Namespace, Name: o.Name, UID: o.UID,
	}
	if v.Problem == "" {
		c.recorder.Eventf(object, corev1.EventTypeNormal, accepted, "generation %d is in use", o.Generation)
		return
	}
	c.recorder.Event(object, corev1.EventTypeWarning, v.Reason, v.Error(o.Generation))
}
