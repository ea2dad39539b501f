package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/internal/bundle/uptodate"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/yamlpath"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// Options say how Bundles are processed.
type Options struct {
	Pool    *Pool // nil if nothing was observed
	Plugins *Plugins
	Outputs OutputTable
	// ReadyRules come before the rules that are built in.
	ReadyRules []ready.Rule
	// SmithRules says that objects of types that the Smith controller does not know are never ready.
	SmithRules bool
	// AssumeReady are resources that count as ready; AssumeAll says that all do. The rendered
	// object takes the position of one that was not observed.
	AssumeReady map[smithv1.ResourceName]bool
	AssumeAll   bool
	// CheckOwner rejects observed objects that the Bundle does not control.
	CheckOwner bool
	// OwnerRefs adds owner references, which need the uid of the observed Bundle.
	OwnerRefs bool
	// Annotations adds the annotations with which Smith notices what others change.
	Annotations bool
	// AllowLists lets a path that ends in [*] have a list as its value.
	AllowLists bool
	// Scope says whether the objects of a type are in namespaces; nil if nobody knows more than the
	// observed CustomResourceDefinitions.
	Scope func(api.ResourceType) configkit.Scope
	// Examples uses the example of a reference whose value is not available yet.
	Examples bool
	// Fields says which fields objects have, by their types, and Schemas checks objects in Validate;
	// nil if that is unknown.
	Fields  yamlpath.FieldProvider
	Schemas *schemas.Set

	// simulated lets resources count as ready that only fail because of what does not exist yet.
	simulated bool
}

// run is the processing of one Bundle.
type run struct {
	*Options
	bundle  *Bundle
	results map[*Resource]*ResourceResult
	opened  map[*Observed]gaby.Value
	crds    []*Observed
	made    map[Key]*Resource // objects that were rendered
	owner   gaby.Value        // the observed Bundle
	scalers map[scaled]bool   // what the HorizontalPodAutoscalers of the Bundle scale
}

// Process processes the resources of a Bundle in order. A resource that fails does not stop the
// others. The error is about the Bundle as a whole, or ctx.Err().
func Process(ctx context.Context, b *Bundle, o *Options) (*Result, error) {
	p := newRun(b, o)
	if observed := p.Pool.find(bundleGVK(), b.Namespace, b.Name); observed != nil {
		var err error
		if p.owner, err = p.open(observed); err != nil {
			return nil, err
		}
	}
	if p.OwnerRefs && p.owner.Get("metadata").Get("uid").Text() == "" {
		return nil, &api.Failure{
			Class: api.FailureUsage, Pos: p.position(b.value),
			Message: "owner references need the uid of the Bundle, which was not observed",
			Hint:    "kubectl get bundle " + b.Name + " -o yaml, and --observed",
		}
	}
	result := &Result{Bundle: b}
	for _, r := range b.Order() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		res := &ResourceResult{Resource: r, crlf: b.crlf}
		res.GVK, res.Name = r.identity(p.Plugins.gvk)
		p.results[r] = res
		p.process(ctx, res)
		if p.simulated && res.Status == smithv1.Error && res.Retriable {
			res.waits, res.Errors = res.Errors, nil
			res.Status, res.Assumed, res.doc = smithv1.Ready, true, nil
		}
		res.hideSecrets()
		result.Resources = append(result.Resources, res)
	}
	result.ToDelete = p.toDelete()
	result.Plugins = p.pluginStatuses()
	return result, ctx.Err()
}

func newRun(b *Bundle, o *Options) *run {
	p := &run{
		Options: o, bundle: b, results: make(map[*Resource]*ResourceResult, len(b.Resources)),
		opened: map[*Observed]gaby.Value{}, made: map[Key]*Resource{},
	}
	if o.Pool != nil {
		for _, observed := range o.Pool.list {
			if observed.Kind == definitionKind {
				p.crds = append(p.crds, observed)
			}
		}
	}
	return p
}

func bundleGVK() plugin.GroupVersionKind {
	return plugin.GroupVersionKind{
		Group: smithv1.Group, Version: smithv1.Version, Kind: smithv1.Kind,
	}
}

func (p *run) position(v gaby.Value) api.Position { return p.bundle.position(v) }

// open returns an observed object.
func (p *run) open(o *Observed) (gaby.Value, error) {
	if v, ok := p.opened[o]; ok {
		return v, nil
	}
	v, err := o.open()
	if err == nil {
		p.opened[o] = v
	}
	return v, err
}

// process processes one resource after its dependencies.
func (p *run) process(ctx context.Context, res *ResourceResult) {
	r := res.Resource
	var use *Plugin
	if r.plugin != nil {
		var err error
		if use, err = p.Plugins.Find(r.plugin.name); err != nil {
			res.fail(p.position(r.plugin.value.Get("name")), "", err)
			return
		}
		p.checkObjectName(res)
		p.early(res, use)
	}
	if len(res.Errors) > 0 || p.blocked(res) {
		return
	}
	defer func() { // values that are not known now may be why it failed
		res.Retriable = res.Retriable || len(res.Errors) > 0 && p.dependsOnWaiting(r)
	}()
	if use != nil {
		p.observe(res)
		if len(res.Errors) == 0 {
			res.doc = p.plugin(res, use)
		}
	} else {
		res.doc = p.substitute(res, r.object, p.value)
		res.GVK, res.Name = identityOf(res)
		if len(res.Errors) == 0 {
			p.observe(res)
		}
	}
	if len(res.Errors) == 0 {
		p.finish(res)
	}
	if len(res.Errors) == 0 {
		p.conclude(ctx, res)
	}
}

// dependsOnWaiting reports whether a dependency only counts as ready in a simulation.
func (p *run) dependsOnWaiting(r *Resource) bool {
	return slices.ContainsFunc(r.References, func(reference *ResolvedReference) bool {
		return len(p.results[reference.target].waits) > 0
	})
}

// identityOf returns the type and name of a rendered object.
func identityOf(res *ResourceResult) (plugin.GroupVersionKind, string) {
	if res.doc == nil {
		return res.GVK, res.Name
	}
	v := res.doc.Value()
	return plugin.NewGroupVersionKind(v.Get("apiVersion").Text(), v.Get("kind").Text()),
		v.Get("metadata").Get("name").Text()
}

// value returns the value of a reference, or its example while it is not available.
func (p *run) value(r *ResolvedReference) (resolved, error) {
	v, err := p.evaluate(r)
	switch target := p.results[r.target]; {
	case err == nil || !isRetriable(err):
	case r.example.Exists() && (p.Examples || target.Assumed):
		return resolved{value: r.example, from: fromExample}, nil
	case p.simulated:
		return p.madeUp(r), nil
	}
	return v, err
}

// blocked reports whether dependencies are not ready.
func (p *run) blocked(res *ResourceResult) bool {
	for _, reference := range res.Resource.References {
		name := reference.Resource
		if target := p.results[reference.target]; target.Status != smithv1.Ready &&
			!slices.Contains(res.BlockedBy, name) {
			res.BlockedBy = append(res.BlockedBy, name)
		}
	}
	if len(res.BlockedBy) == 0 {
		return false
	}
	slices.Sort(res.BlockedBy)
	names := make([]string, len(res.BlockedBy))
	for i, name := range res.BlockedBy {
		names[i] = string(name)
	}
	res.Status, res.Message = smithv1.Blocked, "not ready: "+strings.Join(names, ", ")
	return true
}

// observe finds the object as it exists.
func (p *run) observe(res *ResourceResult) {
	observed := p.Pool.find(res.GVK, p.bundle.Namespace, res.Name)
	if observed == nil {
		return
	}
	v, err := p.open(observed)
	if err != nil {
		res.fail(observed.Position(), "", err)
		return
	}
	res.actual = v
	if v.Get("metadata").Get("deletionTimestamp").Exists() {
		res.failAs(true, observed.Position(), "", errors.New("the object is marked for deletion"))
	}
	if !p.CheckOwner || p.isClusterScoped(res.GVK) { // nothing in a namespace can control it
		return
	}
	if by := controller(v); !p.controls(by) {
		who := "by nothing"
		if by.Exists() {
			who = fmt.Sprintf("by %s %s", by.Get("kind").Text(), by.Get("name").Text())
		}
		res.fail(observed.Position(), "", fmt.Errorf(
			"the object exists and is controlled %s, not by the Bundle %s", who, p.bundle.Name))
	}
}

// controller returns the owner reference of the controller of an object.
func controller(v gaby.Value) gaby.Value {
	owners := v.Get("metadata").Get("ownerReferences")
	for _, o := range owners.All() {
		if is, _ := o.Get("controller").Data().(bool); is {
			return o
		}
	}
	return gaby.Value{}
}

// controls reports whether an owner reference is to the Bundle.
func (p *run) controls(owner gaby.Value) bool {
	gvk := plugin.NewGroupVersionKind(owner.Get("apiVersion").Text(), owner.Get("kind").Text())
	uid := p.owner.Get("metadata").Get("uid")
	return gvk.Group == smithv1.Group && gvk.Kind == smithv1.Kind &&
		owner.Get("name").Text() == p.bundle.Name &&
		(!uid.Exists() || uid.Text() == owner.Get("uid").Text())
}

// finish checks the rendered object and adds what Smith adds.
func (p *run) finish(res *ResourceResult) {
	at := func(f flaw) api.Position {
		if res.Resource.object != nil {
			return p.position(res.Resource.object.nearest(f.segments))
		}
		return p.position(res.Resource.plugin.value)
	}
	for _, f := range flaws(res.doc.Value(), p.bundle.Namespace, false) {
		res.fail(at(f), f.hint, errors.New(f.message))
		res.External = res.Resource.plugin == nil // else its author's
	}
	if len(res.Errors) > 0 {
		return
	}
	res.key = p.key(res.GVK, res.Name)
	if first := p.made[res.key]; first != nil && !res.isNamedByExample() {
		res.fail(p.position(res.Resource.value), "",
			maker{p.bundle, first}.clash(maker{p.bundle, res.Resource}, res.key))
		return
	}
	p.made[res.key] = res.Resource
	namespace := res.doc.Value().Get("metadata").Get("namespace")
	switch isCluster := res.key.Namespace == ""; {
	case isCluster && namespace.Text() != "":
		f := clusterScopedFlaw(res.GVK)
		res.fail(at(f), f.hint, errors.New(f.message))
	case !isCluster && namespace.Text() == "":
		if _, err := res.doc.Set(p.bundle.Namespace, "metadata", "namespace"); err != nil {
			res.fail(p.position(res.Resource.value), "", err)
		}
	}
	if err := p.scale(res); err != nil {
		res.fail(p.position(res.Resource.value), "", err)
	}
	if p.Annotations {
		if err := p.annotate(res); err != nil {
			res.failAs(isRetriable(err), p.position(res.Resource.value), "", err)
		}
	}
	if p.OwnerRefs {
		if err := p.addOwners(res); err != nil {
			res.fail(p.position(res.Resource.value), "", err)
		}
	}
	res.noteClearText()
	for _, o := range res.Origins {
		if o.From == fromExample && !p.simulated {
			res.Notes = append(res.Notes, api.Note{Pos: o.Pos, Message: fmt.Sprintf(
				"%s: !{%s} is the example of the reference; a cluster has another value",
				res.Resource.Name, o.Reference)})
		}
	}
}

// noteClearText reports secret values in an object that is not a Secret.
func (res *ResourceResult) noteClearText() {
	if IsSecret(res.GVK) {
		return
	}
	note := func(o Origin, what string) {
		res.Notes = append(res.Notes, api.Note{Pos: o.Pos, Message: fmt.Sprintf(
			"%s: the secret value %s is in clear text in %s", res.Resource.Name, what,
			res.Describe())})
	}
	for _, o := range res.Origins {
		if o.reference.secret {
			note(o, fmt.Sprintf("of !{%s}", o.Reference))
		}
	}
	if use := res.Resource.plugin; use != nil && len(res.Notes) == 0 {
		if at, found := res.copied(res.doc.Value()); found {
			note(res.Origins[len(res.Origins)-1],
				fmt.Sprintf("that the plugin %s copied to %s", use.name, at))
		}
	}
}

// copied returns the path of a value that a plugin copied from a Secret.
func (res *ResourceResult) copied(v gaby.Value) (path string, found bool) {
	const distinct = 8 // bytes; a shorter value may be a part of others by chance
	if v.Kind() == gaby.Scalar {
		return "", slices.ContainsFunc(res.secrets, func(s string) bool {
			return v.Text() == s || len(s) >= distinct && strings.Contains(v.Text(), s)
		})
	}
	for i, c := range v.All() {
		segment := c.Key()
		if v.Kind() == gaby.List {
			segment = strconv.Itoa(i)
		}
		if below, found := res.copied(c); found {
			return strings.TrimSuffix(segment+"."+below, "."), true
		}
	}
	return "", false
}

// IsSecret reports whether objects of a type hold secret values.
func IsSecret(gvk plugin.GroupVersionKind) bool { return gvk.Group == "" && gvk.Kind == "Secret" }

// addOwners adds the owner references of the Bundle and of the dependencies. What owns an object
// in no namespace is in none: the garbage collector takes any other owner for one that is gone.
func (p *run) addOwners(res *ResourceResult) error {
	var owners []any
	existing := res.doc.Value().Get("metadata").Get("ownerReferences")
	for _, o := range existing.All() {
		m, ok := o.Data().(map[string]any)
		if !ok {
			return errors.New("metadata.ownerReferences: maps are expected")
		}
		m["blockOwnerDeletion"] = true
		owners = append(owners, inOrder(m))
	}
	isCluster := res.key.Namespace == ""
	if !isCluster {
		owners = append(owners, gaby.Entries{
			{Key: "apiVersion", Value: smithv1.APIVersion},
			{Key: "kind", Value: smithv1.Kind},
			{Key: "name", Value: p.bundle.Name},
			{Key: "uid", Value: p.owner.Get("metadata").Get("uid").Text()},
			{Key: "controller", Value: true},
			{Key: "blockOwnerDeletion", Value: true},
		})
	}
	seen := map[*Resource]bool{}
	for _, reference := range res.Resource.References {
		target := p.results[reference.target]
		uid := target.actual.Get("metadata").Get("uid").Text()
		if seen[reference.target] || uid == "" || isCluster && target.key.Namespace != "" {
			continue
		}
		seen[reference.target] = true
		owners = append(owners, gaby.Entries{
			{Key: "apiVersion", Value: target.GVK.APIVersion()},
			{Key: "kind", Value: target.GVK.Kind},
			{Key: "name", Value: target.Name},
			{Key: "uid", Value: uid},
			{Key: "blockOwnerDeletion", Value: true},
		})
	}
	if isCluster {
		res.Notes = append(res.Notes, api.Note{
			Pos: p.position(res.Resource.value), Message: fmt.Sprintf("%s: nothing in a "+
				"namespace can own %s, which is in none: it gets no owner reference to the Bundle",
				res.Resource.Name, res.Describe()),
		})
	}
	if len(owners) == 0 {
		return nil
	}
	_, err := res.doc.Set(owners, "metadata", "ownerReferences")
	return err
}

// conclude decides whether the object is ready.
func (p *run) conclude(ctx context.Context, res *ResourceResult) {
	assumed := p.AssumeAll || p.AssumeReady[res.Resource.Name]
	r := ready.Readiness{Message: errMissing.Error()}
	if res.actual.Exists() {
		res.Outdated = uptodate.Rendering{
			GVK: res.GVK, Rendered: res.doc.Value(), Actual: res.actual, Owners: p.OwnerRefs,
			Scaled: res.isScaled,
		}.Differences()
		r = p.readiness(ctx, res.GVK, res.actual)
		res.noRule = r.NoRule
	}
	if len(res.Outdated) > 0 { // it is written first
		r = ready.Readiness{Message: uptodate.Message(res.Outdated)}
	}
	switch {
	case r.Err != nil:
		res.fail(p.position(res.Resource.value), "", r.Err)
		return
	case !r.Ready && assumed:
		res.Status, res.Assumed, res.Message = smithv1.Ready, true, "assumed"
		return
	case !r.Ready:
		res.Status, res.Message = smithv1.InProgress, r.Message
		return
	}
	res.Status = smithv1.Ready
	if isServiceBinding(res.GVK) && !assumed {
		if row := p.Outputs.row(res.GVK); row != nil {
			if _, err := p.related(res.actual, row.outputs, "output"); err != nil {
				res.failAs(isRetriable(err), p.position(res.Resource.value), "", err)
			}
		}
	}
}
