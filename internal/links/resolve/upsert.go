package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/references"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// upsert resolves an Upsert link: the resources that the upstream unit produces, as they are or
// transformed by a function, are added to the unit or replace those of the same type and name.
func (r *resolver) upsert(l *entity.Link) error {
	s, transform, err := r.produced(l)
	if err != nil {
		return err
	}
	docs, err := r.documents()
	if err != nil {
		return err
	}
	present, err := r.resources(docs)
	if err != nil {
		return err
	}
	if len(s.resources) == 0 && !r.in.Options.Prune {
		r.warnLeft(l, present, nil)
		r.succeed(l, s.version).TransformHash = transform
		return nil
	}
	if err := r.noDuplicates(l, present, "the unit"); err != nil {
		return err
	}
	outputs := make([]api.ResourceInfo, 0, len(s.resources))
	for i := range s.resources {
		produced := &s.resources[i]
		if r.in.Options.DryRun {
			result := r.results[l.LinkID]
			result.Produced = append(result.Produced, produced.doc.Content())
		}
		var added *gaby.YamlDoc
		if added, err = r.upsertOne(l, present, produced); err != nil {
			return err
		}
		if added != nil {
			docs = append(docs, added)
		}
		outputs = append(outputs, produced.info)
	}
	if docs, err = r.prune(l, docs, outputs); err != nil {
		return err
	}
	if err := r.demoteSiblings(docs, s.resources); err != nil {
		return err
	}
	if _, err := r.commit(docs, cause{link: l}); err != nil {
		return err
	}
	c := r.succeed(l, s.version)
	c.Outputs, c.TransformHash = outputs, transform
	return nil
}

// upsertOne replaces the resource of the unit that a produced one is about. If the unit lacks it,
// upsertOne returns a new document.
func (r *resolver) upsertOne(
	l *entity.Link, present []resource, produced *resource,
) (*gaby.YamlDoc, error) {
	i := slices.IndexFunc(present, func(p resource) bool {
		return p.info.ResourceType == produced.info.ResourceType &&
			p.info.ResourceNameWithoutScope == produced.info.ResourceNameWithoutScope
	})
	if i < 0 {
		return gaby.ParseYAML([]byte(produced.doc.Content()))
	}
	next, err := gaby.ParseYAML([]byte(produced.doc.Content()))
	if err != nil {
		return nil, err
	}
	if err := carryOver(next, next.Value(), present[i].doc.Value()); err != nil {
		return nil, err
	}
	if next.Value().Equal(present[i].doc.Value()) {
		return nil, nil
	}
	r.warnOverwritten(l, &present[i], next)
	return nil, present[i].doc.SetDocP(next, "")
}

// warnOverwritten warns if somebody edited a resource since a link wrote it, and next, which
// replaces it, has other values there.
func (r *resolver) warnOverwritten(l *entity.Link, present *resource, next *gaby.YamlDoc) {
	if !holds(l.Outputs, &present.info) {
		return
	}
	for i := range r.sources {
		m := &r.sources[i]
		if valueKey(&m.Resource, "") != present.key() {
			continue
		}
		var paths []string
		for path, info := range m.PathMutationMap {
			cause := r.mutationNumber(int64(info.Index))
			if cause != nil && cause.LinkID == "" && cause.MergeSourceID == "" &&
				info.MutationType != api.MutationTypeNone {
				paths = append(paths, mutation.PlainPath(path))
			}
		}
		slices.Sort(paths)
		for _, path := range paths {
			was, ok, _ := present.read(path)
			is, still, _ := (&resource{next, present.info, r.provider}).read(path)
			if ok == still && fmt.Sprint(was) == fmt.Sprint(is) {
				continue
			}
			r.warn(l, entity.WarnOverridden, &present.info, path,
				"the edited value of %s is overwritten", path)
		}
	}
}

// carryOver replaces the placeholders in next by what the resource it replaces has there.
func carryOver(next *gaby.YamlDoc, v, present gaby.Value) error {
	switch v.Kind() {
	case gaby.Scalar:
		if configkit.IsPlaceholder(v.Data()) && present.Kind() == gaby.Scalar &&
			!present.IsNull() && !configkit.IsPlaceholder(present.Data()) {
			_, err := next.Set(present.Data(), v.Segments()...)
			return err
		}
	case gaby.Map:
		for _, c := range v.All() {
			if err := carryOver(next, c, present.Get(c.Key())); err != nil {
				return err
			}
		}
	case gaby.List:
		for i, c := range v.All() {
			if err := carryOver(next, c, present.Index(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// prune removes, if that is wanted, the resources that the link wrote last time and does not
// produce now.
func (r *resolver) prune(
	l *entity.Link, docs gaby.Container, outputs []api.ResourceInfo,
) (gaby.Container, error) {
	all, err := r.resources(docs)
	if err != nil {
		return nil, err
	}
	if !r.in.Options.Prune {
		r.warnLeft(l, all, outputs)
		return docs, nil
	}
	gone := map[*gaby.YamlDoc]bool{}
	for i := range all {
		if holds(l.Outputs, &all[i].info) && !holds(outputs, &all[i].info) {
			gone[all[i].doc] = true
		}
	}
	return docs.Delete(func(d *gaby.YamlDoc) bool { return gone[d] }), nil
}

// warnLeft warns about the resources that the link wrote last time and does not produce now. Older
// revisions of a resource are not among them: prune-configmaps removes those.
func (r *resolver) warnLeft(l *entity.Link, present []resource, outputs []api.ResourceInfo) {
	for i := range present {
		p := &present[i]
		if holds(l.Outputs, &p.info) && !holds(outputs, &p.info) &&
			(len(outputs) == 0 || p.contextField("ResourceNameStableCore") == "") {
			r.warn(l, entity.WarnDangling, &p.info, "",
				"unit %s no longer produces %s, which stays unless --prune is given",
				r.nameOf(l.ToUnitID), &p.info)
		}
	}
}

// holds reports whether a list has a resource, in any namespace.
func holds(list []api.ResourceInfo, info *api.ResourceInfo) bool {
	return slices.ContainsFunc(list, func(o api.ResourceInfo) bool {
		return valueKey(&o, "") == valueKey(info, "")
	})
}

// produced returns the resources that an Upsert link writes, and the identity of the invocation
// that made them.
func (r *resolver) produced(l *entity.Link) (*source, string, error) {
	s, err := r.sourceOf(l)
	if err != nil {
		return nil, "", err
	}
	if l.TransformInvocationID == "" && l.TransformInvocation == "" {
		if s.up.ToolchainType != api.ToolchainKubernetesYAML {
			return nil, "", r.problem(l, entity.CodeToolchain,
				"unit %s is %s; without a TransformInvocation it must be %s",
				r.nameOf(s.up.UnitID), s.up.ToolchainType, api.ToolchainKubernetesYAML)
		}
		return s, "", r.noDuplicates(l, s.resources, "unit "+r.nameOf(s.up.UnitID))
	}
	invocation := r.in.Invocations[l.TransformInvocationID]
	if invocation == nil {
		return nil, "", r.problem(l, entity.CodeNotFound, "the invocation %s does not exist",
			l.TransformInvocation)
	}
	if problems := r.checkTransform(l, s.up, invocation); len(problems) > 0 {
		return nil, "", problems
	}
	made := &source{format: r.format, up: s.up, version: s.version}
	if s.isEmpty() {
		return made, TransformHash(invocation), nil // rendering it would empty what was rendered
	}
	payload, err := r.transformed(l, s, invocation)
	if err != nil {
		return nil, "", err
	}
	if made.docs, err = r.parse([]byte(payload)); err != nil {
		return nil, "", fmt.Errorf("the output of %s: %w", invocation.FunctionName, err)
	}
	for _, doc := range made.docs {
		info, err := r.provider.ResourceInfo(doc)
		if err == nil {
			err = doc.Check()
		}
		if err != nil {
			return nil, "", fmt.Errorf("the output of %s: %w", invocation.FunctionName, err)
		}
		made.resources = append(made.resources, resource{doc, info, r.provider})
	}
	return made, TransformHash(invocation), r.noDuplicates(l, made.resources,
		"the output of "+invocation.FunctionName)
}

// transformed runs the function of an invocation on what the link reads and returns its YAML.
func (r *resolver) transformed(
	l *entity.Link, s *source, invocation *entity.Invocation,
) (string, error) {
	// The filter of the link is the request's, that of the invocation is its own.
	result, err := r.in.Executor.Run(r.ctx, &api.FunctionInvocationRequest{
		FunctionContext: Context(&s.up.HeadUnit, l.UseLiveState), ConfigData: s.data,
		WhereResource: l.WhereResource,
		FunctionInvocations: api.FunctionInvocationList{{
			FunctionName:  invocation.FunctionName,
			Arguments:     literals(invocation.Arguments),
			WhereResource: invocation.WhereResource,
		}},
	}, handler.Options{})
	if err := r.functionFailed(l, invocation.FunctionName, result, err); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, o := range result.Outputs {
		switch v := o.Value.(type) {
		case api.YAMLPayload:
			text.WriteString(v.Payload)
		case *api.YAMLPayload:
			text.WriteString(v.Payload)
		case nil:
		default:
			return "", r.problem(
				l, entity.CodeTransformOutput, "%s returns %s, not YAML", invocation.FunctionName,
				o.OutputType,
			)
		}
	}
	return text.String(), nil
}

// functionFailed returns the problems of a run of functions, nil if it succeeded.
func (r *resolver) functionFailed(
	l *entity.Link, name string, result *handler.Result, err error,
) error {
	if err != nil {
		return r.problem(l, entity.CodeFunctionFailed, "function %s: %w", name, err)
	}
	var problems entity.Errors
	for _, f := range result.Failures {
		code := entity.CodeFunctionFailed
		if f.Class == api.FailureInput {
			code = entity.CodeParse
		}
		e := r.problem(l, code, "function %s: %s", name, f.Message)
		e.Hint, e.Path, e.Err, e.Resource = f.Hint, f.Path, f, f.Resource
		problems = append(problems, e)
	}
	if len(problems) == 0 && !result.Success {
		problems = append(problems, r.problem(
			l, entity.CodeFunctionFailed, "function %s: %s", name,
			strings.Join(result.ErrorMessages, "; "),
		))
	}
	return problems.Err()
}

// demoteSiblings marks the older revisions of produced resources as superseded: resources of the
// same type with the same stable name that are still marked as the latest.
func (r *resolver) demoteSiblings(docs gaby.Container, produced []resource) error {
	coreOf := func(p *resource) string {
		if core := p.contextField("ResourceNameStableCore"); core != "" {
			return string(p.info.ResourceType) + "\x00" + core
		}
		return ""
	}
	cores, names := map[string]bool{}, map[string]bool{}
	for i := range produced {
		p := &produced[i]
		names[p.key()] = true
		if core := coreOf(p); core != "" {
			cores[core] = true
		}
	}
	if len(cores) == 0 {
		return nil
	}
	all, err := r.resources(docs)
	if err != nil {
		return err
	}
	for i := range all {
		one := &all[i]
		if !cores[coreOf(one)] || names[one.key()] || one.contextField("RenderRevision") != "Latest" {
			continue
		}
		if err := references.MarkRevision(one.doc, false, r.provider); err != nil {
			return yamlpath.Locate(err, &one.info)
		}
	}
	return nil
}

// contextField returns a field of the context that the resource stores, "" if it has none.
func (r *resource) contextField(field string) string {
	return r.doc.Path(string(r.provider.ContextPath(field))).Value().Text()
}
