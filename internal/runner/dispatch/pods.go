package dispatch

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/pods"
)

// Pods evaluates requests in pods.
type Pods struct {
	Scheduler *pods.Scheduler
	// Version returns the version of the template of a function, or why it cannot be used.
	Version func(*pods.Function) (string, error)
	// Tags returns the tags of a repository.
	Tags func(ctx context.Context, repository string) ([]string, error)
}

// evaluate runs a function in a pod. config is nil for the default configuration.
func (p *Pods) evaluate(ctx context.Context, config *functionconfig.Config, image string,
	list []byte,
) (*evaluator.Response, error) {
	f, err := p.function(config, image)
	if err != nil {
		return nil, &evaluator.NotStartedError{Image: image, Reasons: []string{err.Error()}}
	}
	return p.Scheduler.Evaluate(ctx, f, &evaluator.Request{ResourceList: list, Image: image})
}

// function returns what the pods of an image are made of.
func (p *Pods) function(config *functionconfig.Config, image string) (pods.Function, error) {
	f := pods.Function{Image: image}
	if config != nil && config.Pod != nil {
		f.Template = config.Pod
		f.Limits = pods.PodLimits{
			MaxPods:        config.Pod.MaxParallelExecutions,
			PreferredQueue: config.Pod.PreferredMaxQueueLength, TTL: config.Pod.TimeToLive,
		}
	}
	var err error
	f.Version, err = p.Version(&f)
	return f, err
}

// Check returns why pods of a config cannot be made, as far as that is known without a request.
func (p *Pods) Check(c *functionconfig.Config) error {
	if c.Pod == nil || reflect.ValueOf(c.Pod.Overrides).IsZero() {
		return nil // the template of all pods was checked, and checking takes a while
	}
	_, err := p.function(c, c.Image)
	return err
}

// image returns the image that a pod of a match has.
func (p *Pods) image(ctx context.Context, match *functionconfig.ConfigMatch) (string, error) {
	image := match.Image
	if match.Constraint != nil {
		var err error
		if image.Tag, err = p.newest(ctx, image, match.Constraint); err != nil {
			return "", err
		}
	}
	return image.String(), nil
}

// newest returns the highest tag of an image that a constraint allows.
func (p *Pods) newest(ctx context.Context, image process.Image, constraint *functionconfig.Tag,
) (string, error) {
	tags, err := p.Tags(ctx, image.Repository+"/"+image.Base)
	if err != nil {
		return "", fmt.Errorf("the tags of %s are not known: %w", image.Base, err)
	}
	tag := constraint.Highest(tags)
	if tag == "" {
		return "", fmt.Errorf("%s/%s has no version that %s allows", image.Repository, image.Base,
			constraint.Text)
	}
	return tag, nil
}

// Changed retires the pods whose template is not that of the set any longer.
func (p *Pods) Changed(set *functionconfig.Set) {
	p.Scheduler.Retire(func(image, version string) bool {
		match, err := set.Find(functionconfig.Lookup{Image: image})
		if err != nil {
			return false
		}
		for _, c := range match.Candidates() {
			if c.Kind != functionconfig.KindPod {
				continue
			}
			f, err := p.function(c.Config, image)
			if err == nil && f.Version == version {
				return true
			}
		}
		return false
	})
}

// Warm starts a pod for each config with tags for pods: of the first prefix and tag. A range of
// versions is resolved by the registry. The error is why some were not started.
func (p *Pods) Warm(ctx context.Context, set *functionconfig.Set, defaultPrefix string) []error {
	var problems []error
	for _, c := range set.Configs() {
		if c.Pod == nil || len(c.Pod.Tags) == 0 || c.Pod.Tags[0].Text == "" {
			continue
		}
		prefix, tag := c.Prefixes[0], &c.Pod.Tags[0]
		if prefix == "" {
			prefix = defaultPrefix
		}
		image := process.Image{
			Repository: strings.TrimSuffix(prefix, "/"), Base: c.Image, Tag: tag.Text,
		}
		err := error(nil)
		if tag.IsConstraint() {
			image.Tag, err = p.newest(ctx, image, tag)
		}
		var f pods.Function
		if err == nil {
			f, err = p.function(c, image.String())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s is not started in advance: %w", c.Image,
				err))
			continue
		}
		p.Scheduler.Warm(f)
	}
	return problems
}
