package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/semantics"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// early checks the spec of a plugin with the examples of its references, before its dependencies
// are known. It does nothing unless every named reference has an example.
func (p *run) early(res *ResourceResult, use *Plugin) {
	if res.Resource.hasExamples() {
		p.checkEarly(res, use, func(r *ResolvedReference) (resolved, error) {
			return resolved{value: r.example, from: fromExample}, nil
		})
	}
}

// hasExamples reports whether every named reference has an example.
func (r *Resource) hasExamples() bool {
	return !slices.ContainsFunc(r.References, func(reference *ResolvedReference) bool {
		return reference.Name != "" && !reference.example.Exists()
	})
}

// checkEarly checks the spec of a plugin with values of its references that are not those of
// a cluster.
func (p *run) checkEarly(res *ResourceResult, use *Plugin,
	value func(*ResolvedReference) (resolved, error),
) {
	check := &ResourceResult{Resource: res.Resource}
	if doc := p.spec(check, value); doc != nil {
		p.checkSpec(check, use, doc)
	}
	for _, f := range check.Errors {
		if t := res.Resource.plugin.spec; t != nil && len(t.markers) > 0 &&
			res.Resource.hasExamples() {
			f.Message = "with the examples of the references: " + f.Message
		}
		res.failAs(false, f.Pos, f.Hint, f)
		res.Errors[len(res.Errors)-1].Message = f.Message
	}
}

// checkObjectName checks the name of a plugin's object by the rules of its type.
func (p *run) checkObjectName(res *ResourceResult) {
	use := res.Resource.plugin
	if res.GVK.Kind == "" || !smithv1.IsSubdomain(use.objectName) { // which Read reports
		return
	}
	if problem := semantics.Name(string(resourceType(res.GVK)), use.objectName); problem != "" {
		res.fail(
			p.position(use.nameValue()),
			"",
			fmt.Errorf("the name of a %s: %s", res.GVK.Kind, problem),
		)
	}
}

// spec returns the spec of a plugin with its references replaced.
func (p *run) spec(
	res *ResourceResult,
	value func(*ResolvedReference) (resolved, error),
) *gaby.YamlDoc {
	t := res.Resource.plugin.spec
	if t == nil { // references still have to have values
		t = &template{value: res.Resource.plugin.value, text: "{}\n"}
	}
	return p.substitute(res, t, value)
}

// checkSpec checks a spec against the schema of the plugin.
func (p *run) checkSpec(res *ResourceResult, use *Plugin, doc *gaby.YamlDoc) {
	if use.schema == nil {
		return
	}
	// only rules need a context, and schemas of plugins have none
	problems, err := use.schema.Check(context.Background(), doc.Value())
	if err != nil {
		res.fail(p.position(res.Resource.plugin.value), "", err)
		return
	}
	for _, problem := range problems {
		at, fails := res.Resource.plugin.value, false
		if t := res.Resource.plugin.spec; t != nil {
			at, fails = t.nearest(problem.FullPath()), t.hasReference(problem.FullPath())
		}
		err, hint := errors.New(problem.Message), problem.Hint
		if i := res.originOf(problem.FullPath()); i >= 0 && res.Origins[i].reference.madeUp {
			if isOpen(problem, res.Origins[i].reference) {
				continue
			}
			err, hint = res.misfit(res.Origins[i], problem.Message), ""
		} else if i < 0 && (fails || res.dependsOnMadeUp(problem)) {
			continue // a reference has no value, because of another problem, or any value
		}
		path := strings.Join(append([]string{"spec"}, problem.Path...), ".")
		res.fail(p.position(at), hint, fmt.Errorf(
			"spec failed validation against schema: %s: %w", path, err))
	}
}

// plugin runs the plugin of a resource and returns the object.
func (p *run) plugin(res *ResourceResult, use *Plugin) *gaby.YamlDoc {
	at := p.position(res.Resource.plugin.value)
	spec := p.spec(res, p.value)
	if len(res.Errors) > 0 {
		return nil
	}
	if p.checkSpec(res, use, spec); len(res.Errors) > 0 {
		return nil
	}
	ctx := &plugin.Context{
		Namespace: p.bundle.Namespace, Actual: objectOf(res.actual),
		Dependencies: map[plugin.ResourceName]plugin.Dependency{},
	}
	for _, reference := range res.Resource.References {
		d, err := p.dependency(reference)
		if err != nil {
			res.failAs(isRetriable(err), p.position(reference.value), "", err)
			continue
		}
		ctx.Dependencies[reference.Resource] = d
		for _, o := range slices.Concat(d.Outputs, d.Auxiliary, []*plugin.Object{d.Actual}) {
			res.keepSecretsOf(o)
		}
	}
	if len(res.Errors) > 0 {
		return nil
	}
	data, _ := spec.Data().(map[string]any)
	result := use.run.Process(plugin.CopyMap(data), ctx)
	if failure, ok := result.(*plugin.ProcessResultFailure); ok && failure != nil {
		err := failure.Error
		if err == nil {
			err = errors.New("the plugin failed without saying why")
		}
		res.failAs(failure.IsRetriableError, at, "", err)
		res.External = res.External && failure.IsExternalError
		return nil
	}
	internal := func(err error) *gaby.YamlDoc {
		res.fail(at, "", fmt.Errorf("plugin %s: %w", use.Name, err))
		res.External = false
		return nil
	}
	doc, err := document(result, res.Name)
	if err != nil {
		return internal(err)
	}
	v := doc.Value()
	got := plugin.NewGroupVersionKind(v.Get("apiVersion").Text(), v.Get("kind").Text())
	if use.Undescribed {
		res.GVK = got
	} else if got != use.GVK {
		return internal(fmt.Errorf("unexpected GVK from plugin: wanted %s, got %s", use.GVK, got))
	}
	res.Origins = append(res.Origins, Origin{From: "plugin " + string(use.Name), Pos: at})
	if use.Undescribed && !res.actual.Exists() {
		p.observe(res)
	}
	return doc
}

// dependency returns what a plugin sees of a resource that it depends on.
func (p *run) dependency(r *ResolvedReference) (plugin.Dependency, error) {
	target := p.results[r.target]
	d := plugin.Dependency{Spec: r.target.declared(), Actual: objectOf(target.seen())}
	row := p.Outputs.row(target.GVK)
	if row == nil {
		return d, nil
	}
	var problems []error
	for _, side := range []struct {
		paths []objectPath
		what  string
		to    *[]*plugin.Object
	}{{row.outputs, "output", &d.Outputs}, {row.auxiliary, "auxiliary", &d.Auxiliary}} {
		found, err := p.related(target.seen(), side.paths, side.what)
		if !target.Assumed { // what an assumed object makes cannot exist
			problems = append(problems, err)
		}
		for _, v := range found {
			*side.to = append(*side.to, objectOf(v))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return d, fmt.Errorf("%s: %w", r.Resource, err)
	}
	return d, nil
}

// keepSecretsOf remembers the values of a Secret that a plugin sees, which may be in its messages.
func (res *ResourceResult) keepSecretsOf(o *plugin.Object) {
	if o == nil || !IsSecret(o.GVK()) {
		return
	}
	res.keepSecret(o.Object["stringData"])
	data, _ := o.Object["data"].(map[string]any)
	for _, encoded := range data {
		res.keepSecret(encoded)
		if text, ok := encoded.(string); ok {
			if decoded, err := decode(text); err == nil {
				res.keepSecret(decoded)
			}
		}
	}
}

// objectOf returns a copy of an object for plugins, nil for a missing one.
func objectOf(v gaby.Value) *plugin.Object {
	m, ok := v.Data().(map[string]any)
	if !ok {
		return nil
	}
	return &plugin.Object{Object: plugin.CopyMap(m)}
}

// declared returns a resource as the Bundle declares it.
func (r *Resource) declared() smithv1.Resource {
	declared := smithv1.Resource{Name: r.Name}
	for _, reference := range r.References {
		one := smithv1.Reference{
			Name: reference.Name, Resource: reference.Resource, Modifier: reference.Modifier,
			Example: plugin.CopyValue(reference.example.Data()),
		}
		if reference.path != nil {
			one.Path = reference.path.String()
		}
		declared.References = append(declared.References, one)
	}
	data := func(v gaby.Value) map[string]any {
		m, _ := v.Data().(map[string]any)
		return plugin.CopyMap(m)
	}
	if r.plugin == nil {
		declared.Spec.Object = data(r.object.value)
		return declared
	}
	declared.Spec.Plugin = &smithv1.PluginSpec{Name: r.plugin.name, ObjectName: r.plugin.objectName}
	if r.plugin.spec != nil {
		declared.Spec.Plugin.Spec = data(r.plugin.spec.value)
	}
	return declared
}
