package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// fileRange is a place in a file.
type fileRange struct {
	URI   string      `json:"uri"`
	Range editorRange `json:"range"`
}

// definition returns where the resources are to which the reference at a place leads.
func (p *project) definition(ctx context.Context, q question) (any, error) {
	found := []fileRange{}
	_, s, ok := p.spotOf(q)
	if !ok {
		return found, nil
	}
	executor, err := p.known(ctx)
	if err != nil {
		return nil, err
	}
	provider := providerOf(executor)
	targets, err := s.targets(provider, q.path)
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		path, err := filepath.Abs(target.File)
		if err != nil {
			return nil, err
		}
		found = append(found, fileRange{p.uriOf(path), nameIn(p.text(path), provider, target)})
	}
	return found, nil
}

// nameIn returns where the name of a resource is in its file, or where its document was before the
// file changed.
func nameIn(t *text, provider configkit.ResourceProvider, in schemas.InputResource) editorRange {
	docs, _ := gaby.ParseAll(t.bytes) // those before a mistake are returned
	for _, doc := range docs {
		if info, err := provider.ResourceInfo(doc); err != nil || doc.Check() != nil ||
			info.ResourceType != in.ResourceType || info.ResourceName != in.ResourceName {
			continue
		}
		name := doc.Value().Get("metadata").Get("name")
		if at, known := name.Extent(); known && name.Exists() {
			return t.span(at.From, at.To)
		}
	}
	from, _ := t.line(in.Line - 1)
	return t.span(from, from)
}

// resource returns the resource that the name at a place means: its own name, or a reference.
func (p *project) resource(executor *functions.Executor, q question, s spot,
) (info api.ResourceInfo, ok bool, err error) {
	provider := providerOf(executor)
	if info, err = provider.ResourceInfo(s.doc); err != nil {
		return info, false, nil //nolint:nilerr // it is not a resource
	}
	if slices.Equal(s.path(), []string{"metadata", "name"}) {
		return info, true, nil
	}
	targets, err := s.targets(provider, q.path)
	if len(targets) == 0 || err != nil {
		return info, false, err
	}
	return targets[0].ResourceInfo, true, nil
}

// prepareRename returns the name at a place, if it can be renamed.
func (p *project) prepareRename(ctx context.Context, q question) (any, error) {
	t, s, ok := p.spotOf(q)
	if !ok {
		return nil, nil
	}
	executor, err := p.known(ctx)
	if err != nil {
		return nil, err
	}
	info, ok, err := p.resource(executor, q, s)
	at, known := s.entry.Extent()
	if !ok || !known || err != nil {
		return nil, err
	}
	return map[string]any{
		"range": t.span(at.From, at.To), "placeholder": string(info.ResourceNameWithoutScope),
	}, nil
}

// rename renames the resource at a place with the references to it, by rename-resource.
func (p *project) rename(ctx context.Context, q question) (any, error) {
	_, s, ok := p.spotOf(q)
	executor, err := p.known(ctx)
	if err != nil {
		return nil, err
	}
	var info api.ResourceInfo
	if ok {
		info, ok, err = p.resource(executor, q, s)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &api.Failure{
			Class: api.FailureUsage, Message: "the name of a resource is expected here",
		}
	}
	name := string(info.ResourceNameWithoutScope)
	argument := func(parameter string, value any) api.FunctionArgument {
		return api.FunctionArgument{ParameterName: parameter, Value: value}
	}
	chain := do.Chain{Invocations: api.FunctionInvocationList{{
		FunctionName: "rename-resource",
		Arguments: []api.FunctionArgument{
			argument("resource-type", string(info.ResourceType)), argument("old-name", name),
			argument("new-name", q.NewName),
		},
	}}}
	result, _, err := p.run(ctx, chain, func(o *do.Options) {
		if several(executor, q.path, s, info) {
			o.Select.Namespace = namespaceOf(info)
		}
	})
	if err != nil {
		return nil, err
	}
	edit, err := p.edits(result, func(string) bool { return true })
	if err == nil && len(edit.Changes) == 0 {
		err = fmt.Errorf("nothing has the name %s", configkit.Quote(name))
	}
	return edit, err
}

// namespaceOf returns the namespace of a resource.
func namespaceOf(info api.ResourceInfo) string {
	n := len(info.ResourceName) - len(info.ResourceNameWithoutScope) - 1
	return string(info.ResourceName[:max(n, 0)])
}

// several reports whether other namespaces have a resource of the same kind and name.
func several(executor *functions.Executor, path string, s spot, info api.ResourceInfo) bool {
	for _, all := range index(providerOf(executor), s.docs, path) {
		for _, in := range all.In(configkit.GroupKind(info.ResourceType), schemas.Anywhere,
			string(info.ResourceNameWithoutScope)) {
			if namespaceOf(in.ResourceInfo) != namespaceOf(info) {
				return true
			}
		}
	}
	return false
}
