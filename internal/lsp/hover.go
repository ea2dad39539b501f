package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/do/explain"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/references"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// spotOf returns what is at the place of a question.
func (p *project) spotOf(q question) (t *text, s spot, ok bool) {
	t = p.text(q.path)
	s, ok = spotAt(t.bytes, t.offset(q.Position))
	return t, s, ok
}

// hover explains what is at a place: a function, a parameter, or a field of a resource.
func (p *project) hover(ctx context.Context, q question) (any, error) {
	t, s, ok := p.spotOf(q)
	if !ok || len(s.path()) == 0 {
		return nil, nil
	}
	executor, err := p.known(ctx)
	if err != nil {
		return nil, err
	}
	about := ""
	switch {
	case filepath.Base(q.path) == krm.KptfileName:
		about = aboutImage(s)
	case isChain(s.doc.Value()):
		about = p.aboutInvocation(executor, s)
	default:
		if about, err = aboutField(executor, q.path, s); err != nil {
			return nil, err
		}
	}
	if about == "" {
		return nil, nil
	}
	at, _ := s.entry.Extent()
	from, to := at.From, at.To
	if s.key {
		from, to = at.Key, at.KeyEnd
	}
	return map[string]any{
		"contents": map[string]any{"kind": "plaintext", "value": about}, "range": t.span(from, to),
	}, nil
}

// aboutImage explains a function of the catalogue that the pipeline of a Kptfile names.
func aboutImage(s spot) string {
	if path := s.path(); s.key || path[0] != "pipeline" || path[len(path)-1] != "image" {
		return ""
	}
	image, err := process.ParseImage(s.entry.Text())
	if err != nil {
		return ""
	}
	brief, doc := catalog.Describe(image.Base)
	return strings.TrimSpace(brief + "\n\n" + doc)
}

// aboutInvocation explains the function or the parameter at a place of a chain.
func (p *project) aboutInvocation(executor *functions.Executor, s spot) string {
	name, parameter := "", ""
	path := s.path()
	switch last := path[len(path)-1]; {
	case !s.key && (last == "function" || last == "FunctionName"):
		name = s.entry.Text()
	case s.key && len(path) > 1 && path[len(path)-2] == "arguments":
		invocation := s.doc.Search(path[:len(path)-2]...).Value()
		name, parameter = invocation.Get("function").Text(), last
	}
	for _, t := range p.toolchains(executor) {
		d, ok := executor.Describe(t, name)
		switch {
		case !ok:
		case parameter == "":
			plain := func(s string) string { return s }
			return explain.Function(d, explain.CommandLine{
				Program: "fctl", File: executor.ExampleFile(t),
			}, plain)
		default:
			return aboutParameter(d, parameter)
		}
	}
	return ""
}

func aboutParameter(d *functions.Description, name string) string {
	for i, p := range d.Parameters {
		if p.ParameterName == name {
			repeated := d.VarArgs && i == len(d.Parameters)-1
			return p.Description + "\n" + strings.Join(explain.Constraints(p, repeated), "; ")
		}
	}
	return ""
}

// aboutField explains a field of a resource: its path, what it can be, where a reference leads, and
// the functions for it.
func aboutField(executor *functions.Executor, path string, s spot) (string, error) {
	provider := providerOf(executor)
	info, err := provider.ResourceInfo(s.doc)
	if err != nil {
		return "", nil //nolint:nilerr // it is not a resource, of which nothing is known
	}
	segments := s.path()
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	var first yamlpath.FirstByKey
	say("%s %s", info.ResourceType, yamlpath.ReportedFrom(s.doc.Value(), segments, nil,
		provider.MergeKeys(info.ResourceType), "", &first))
	if fields, ok := provider.(yamlpath.FieldProvider); ok {
		field := fields.Field(info.ResourceType, yamlpath.Exactly(segments))
		if about := describe(field); about != "" {
			say("%s", about)
		}
	}
	targets, err := s.targets(provider, path)
	if err != nil {
		return "", err
	}
	for _, target := range targets {
		say("refers to %s, %s:%d", target.ResourceInfo.String(), target.File, target.Line)
	}
	var signatures []string
	for _, f := range executor.Signatures(api.ToolchainKubernetesYAML) {
		if f.AttributeName == "" || f.Deprecated || f.AliasOf != "" {
			continue
		}
		applies, err := s.isAt(provider, provider.AttributePaths(f.AttributeName))
		if err != nil {
			return "", err
		}
		if applies {
			about, _, _ := strings.Cut(f.Description, "\n")
			signatures = append(signatures, f.FunctionName+": "+about)
		}
	}
	return strings.Join(append(lines, signatures...), "\n"), nil
}

// isAt reports whether one of the paths leads to the entry.
func (s spot) isAt(provider configkit.ResourceProvider, paths configkit.PathSource) (bool, error) {
	found, segments := false, s.path()
	_, err := yamlkit.VisitPathsDoc(gaby.Container{s.doc}, paths, references.EveryKey(), nil, provider,
		func(_ *gaby.YamlDoc, _ any, at yamlkit.VisitorContext, _ *gaby.YamlDoc) (any, error) {
			found = found || slices.Equal(at.Segments, segments)
			return nil, nil
		}, false)
	return found, err
}
