package unit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/where"
)

const parameterPatchType = "type"

// These are the types of patches, as kubectl patch calls them.
const (
	patchStrategic = "strategic"
	patchMerge     = "merge"
	patchJSON      = "json"
)

// patchFunction returns patch.
func patchFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "patch",
			Parameters: []api.FunctionParameter{
				handler.Required(parameterPatch, api.DataTypeText, "file:patch.yaml",
					"patches in YAML or JSON, usually file:PATH: parts of resources, operations of "+
						"JSON Patch, or patches of a kustomization, with targets"),
				{
					ParameterName: parameterPatchType, DataType: api.DataTypeEnum, Example: patchMerge,
					Description: "how parts of resources are merged: strategic, so that lists with " +
						"merge keys are merged element by element, or merge, so that lists are " +
						"replaced (JSON Merge Patch); strategic if omitted",
					ValueConstraints: api.ValueConstraints{
						EnumValues: []string{patchStrategic, patchMerge},
					},
				},
			},
			Description: "Apply patches as kubectl and kustomize do. A part of a resource with kind " +
				"and name changes that resource; one without, and operations of JSON Patch, change " +
				"each selected resource. Among several resources, a part without kind adds only " +
				"fields that the type of the resource has. Parts change nothing when they are applied " +
				"again, operations can",
			Examples: []string{
				"patch file:patch.yaml",
				"patch 'spec: {template: {spec: {containers: [{name: web, image: web:2}]}}}'",
				`patch 'patches: [{target: {kind: Deployment}, patch: "[{op: replace, path: ` +
					`/spec/replicas, value: 3}]"}]'`,
			},
		},
		ValueParameter: parameterPatch,
		CheckArguments: handler.Parses(parsePatches),
		Surveys: func(args []api.FunctionArgument) func(api.ResourceType) bool {
			patches, err := parsePatches(args)
			if err != nil || !slices.ContainsFunc(patches, unitPatch.isGeneral) {
				return nil
			}
			return generic.SurveysAll(args)
		},
	}, func(c *handler.Call) (int, error) {
		patches, err := parsePatches(c.Args)
		if err != nil {
			return 0, err
		}
		return applyPatches(c, patches, provider)
	})
	r.Idempotent = false
	return r
}

// unitPatch is one patch.
type unitPatch struct {
	target     patchTarget
	part       gaby.Entries // of resources; nil for a JSON Patch
	operations []operation
	plain      bool // lists are replaced
	deletes    bool // the whole resource
}

// patchTarget selects the resources of a patch. Empty fields select all.
type patchTarget struct {
	group, version, kind, name, namespace func(string) bool
	labels                                *where.Expr
	own                                   *api.ResourceInfo // the one resource that the patch names
	is, in                                string            // name and namespace, "" for patterns
}

// parsePatches parses the argument. The error is a *handler.ArgumentError.
func parsePatches(args handler.Arguments) ([]unitPatch, error) {
	text := args.String(parameterPatch)
	docs, err := gaby.ParseAll([]byte(text))
	var all []unitPatch
	for i := 0; err == nil && i < len(docs); i++ {
		var found []unitPatch
		if err = docs[i].Check(); err == nil && !docs[i].IsNull() {
			found, err = patchesIn(docs[i].Value(), args.String(parameterPatchType) == patchMerge)
			all = append(all, found...)
		}
	}
	if err == nil && len(all) == 0 {
		err = errors.New("it has no patch")
	}
	if err != nil {
		return nil, handler.InvalidArgument(parameterPatch, "%w", err)
	}
	return all, nil
}

// patchesIn returns the patches of a document.
func patchesIn(v gaby.Value, plain bool) ([]unitPatch, error) {
	switch {
	case v.Kind() == gaby.List && v.First().Get("op").Exists():
		operations, err := parseOperations(v)
		return []unitPatch{{operations: operations}}, err
	case v.Kind() == gaby.List:
		return targetedPatches(v, plain)
	case v.Kind() != gaby.Map && !strings.ContainsAny(v.Text(), " \n"):
		return nil, fmt.Errorf("%q is not a patch: file:%[1]s reads one from a file", v.Text())
	case v.Kind() != gaby.Map:
		return nil, at(v, "a patch is a map, or a list of operations")
	case v.Get("patches").Kind() == gaby.List && !v.Get("spec").Exists():
		return targetedPatches(v.Get("patches"), plain) // of a kustomization
	}
	p := unitPatch{part: generic.Part(v).(gaby.Entries), plain: plain, deletes: v.Get("$patch").EqualText("delete")}
	if kind := v.Get("kind").Text(); kind != "" {
		p.target.kind = literally(kind)
		name := v.Get("metadata").Get("name").Text()
		namespace := v.Get("metadata").Get("namespace").Text()
		p.target.is, p.target.in = name, namespace
		p.target.name, p.target.namespace = literally(name), literally(namespace)
		apiVersion := v.Get("apiVersion").Text()
		if apiVersion != "" {
			group, version, _ := configkit.SplitType(api.ResourceType(apiVersion + "/" + kind))
			p.target.group = func(of string) bool { return of == group }
			p.target.version = literally(version)
		}
		if name != "" && apiVersion != "" {
			p.target.own = &api.ResourceInfo{
				ResourceType:             api.ResourceType(apiVersion + "/" + kind),
				ResourceName:             api.ResourceName(namespace + "/" + name),
				ResourceNameWithoutScope: api.ResourceName(name),
			}
		}
	}
	if p.replaces() && p.target.own == nil {
		return nil, at(v.Get("$patch"), "$patch: replace at the top needs apiVersion, kind and "+
			"metadata.name")
	}
	return []unitPatch{p}, nil
}

// targetedPatches returns the patches of a list as kustomizations have it.
func targetedPatches(list gaby.Value, plain bool) (all []unitPatch, err error) {
	for _, item := range list.All() {
		text := item.Get("patch")
		if item.Get("path").Exists() && !text.Exists() {
			return nil, at(item.Get("path"), "patches in other files are not read: run patch file:"+
				item.Get("path").Text())
		}
		if text.Kind() != gaby.Scalar {
			return nil, at(item, "op is missing, and so is patch, which elements of kustomizations have")
		}
		docs, err := gaby.ParseAll([]byte(text.Text()))
		if err != nil {
			return nil, fmt.Errorf("patch in line %d: %w", text.Position().Line, err)
		}
		target, err := parseTarget(item.Get("target"))
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if err := doc.Check(); err != nil {
				return nil, fmt.Errorf("patch in line %d: %w", text.Position().Line, err)
			}
			found, err := patchesIn(doc.Value(), plain)
			if err != nil {
				return nil, fmt.Errorf("patch in line %d: %w", text.Position().Line, err)
			}
			for i := range found {
				if !item.Get("target").Exists() {
					continue
				}
				found[i].target = target
				if found[i].replaces() {
					return nil, fmt.Errorf("patch in line %d: $patch: replace is not "+
						"allowed at the top of a patch with a target", text.Position().Line)
				}
				if found[i].part != nil {
					found[i].part = withoutIdentity(found[i].part, item.Get("options"))
				}
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// withoutIdentity removes the fields of a patch with a target that would rename the resource.
func withoutIdentity(part gaby.Entries, options gaby.Value) gaby.Entries {
	kept := gaby.Entries{}
	for _, e := range part {
		if (e.Key == "apiVersion" || e.Key == "kind") && options.Get("allowKindChange").Text() != "true" {
			continue
		}
		if metadata, ok := e.Value.(gaby.Entries); ok && e.Key == "metadata" &&
			options.Get("allowNameChange").Text() != "true" {
			e.Value = slices.DeleteFunc(metadata, func(m gaby.Entry) bool { return m.Key == "name" })
		}
		kept = append(kept, e)
	}
	return kept
}

// parseTarget parses the target of a patch of a kustomization.
func parseTarget(v gaby.Value) (t patchTarget, err error) {
	for _, field := range []struct {
		key string
		is  *func(string) bool
	}{
		{"group", &t.group},
		{"version", &t.version},
		{"kind", &t.kind},
		{"name", &t.name},
		{"namespace", &t.namespace},
	} {
		if text := v.Get(field.key); text.Exists() && text.Text() != "" {
			if _, err := pattern.Compile(text.Text()); err != nil {
				return t, at(text, err.Error())
			}
			whole, err := pattern.Compile("^(?:" + text.Text() + ")$")
			if err != nil {
				return t, at(text, err.Error())
			}
			*field.is = whole.MatchString
			if literal := text.Text(); regexp.QuoteMeta(literal) == literal {
				switch field.key {
				case "name":
					t.is = literal
				case "namespace":
					t.in = literal
				}
			}
		}
	}
	t.labels, err = where.SelectorWhere{
		Labels: v.Get("labelSelector").Text(), Annotations: v.Get("annotationSelector").Text(),
	}.Where()
	if err != nil {
		err = fmt.Errorf("target in line %d: %w", v.Position().Line, err)
	}
	return t, err
}

// literally returns a test for equality with a text, nil for an empty text.
func literally(text string) func(string) bool {
	if text == "" {
		return nil
	}
	return func(of string) bool { return of == text }
}

// at returns an error about a value of the patch.
func at(v gaby.Value, message string) error {
	pos := v.Position()
	return fmt.Errorf("line %d, column %d: %s", pos.Line, pos.Column, message)
}

// applyPatches applies patches to the selected resources of c and returns how many it found.
func applyPatches(
	c *handler.Call, patches []unitPatch, provider configkit.ResourceProvider,
) (resources int, err error) {
	named := map[string][]int{} // by namespace and name, as far as the targets tell them
	for i, p := range patches {
		key := p.target.in + "/" + p.target.is
		named[key] = append(named[key], i)
	}
	merging := generic.NewMerging(c.FunctionContext, provider)
	defer merging.Report()
	found := make([]bool, len(patches))
	gone := map[*gaby.YamlDoc]bool{}
	err = yamlkit.EachDocument(c.Docs, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			name := string(info.ResourceNameWithoutScope)
			namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
			candidates := slices.Concat(named["/"], named["/"+name])
			if namespace != "" {
				candidates = slices.Concat(candidates, named[namespace+"/"], named[namespace+"/"+name])
			}
			slices.Sort(candidates)
			counted := false
			for _, i := range candidates {
				ok, err := patches[i].target.selects(doc, info, provider)
				if err != nil {
					return err
				}
				if !ok || gone[doc] {
					continue
				}
				found[i], counted = true, true
				if patches[i].deletes {
					gone[doc] = true
				} else if err := patches[i].apply(doc, info, merging); err != nil {
					return err
				}
			}
			if counted {
				resources++
			}
			return nil
		})
	if len(gone) > 0 {
		c.Docs = c.Docs.Delete(func(doc *gaby.YamlDoc) bool { return gone[doc] })
	}
	if err != nil {
		return resources, err
	}
	indexes := sync.OnceValues(func() ([]*schemas.ResourceIndex, error) { return inputOf(c, provider) })
	for i, p := range patches {
		if own := p.target.own; own != nil && !found[i] {
			input, err := indexes()
			if err == nil {
				err = missingTarget(own, input)
			}
			if err != nil {
				return resources, err
			}
		}
	}
	return resources, nil
}

// inputOf returns the resources of the unit, selected or not, and of all input files.
func inputOf(c *handler.Call, provider configkit.ResourceProvider) ([]*schemas.ResourceIndex, error) {
	var here []schemas.InputResource
	err := yamlkit.EachResource(c.Unit(), provider, func(_ int, info api.ResourceInfo) {
		here = append(here, schemas.InputResource{ResourceInfo: info})
	})
	indexes := []*schemas.ResourceIndex{schemas.IndexResources(here)}
	if inputs, ok := provider.(schemas.InputProvider); ok {
		indexes = append(indexes, inputs.Inputs())
	}
	return indexes, err
}

// missingTarget returns an error if the input lacks the resource that a patch names. One that is not
// selected or in another file is there.
func missingTarget(own *api.ResourceInfo, input []*schemas.ResourceIndex) error {
	kind, name := configkit.GroupKind(own.ResourceType), string(own.ResourceNameWithoutScope)
	namespace, _, _ := strings.Cut(string(own.ResourceName), "/")
	var near []string
	for _, index := range input {
		for _, r := range index.In(kind, schemas.Anywhere, name) {
			of, _, _ := strings.Cut(string(r.ResourceName), "/")
			if r.ResourceType == own.ResourceType && (namespace == "" || namespace == of) {
				return nil
			}
			near = append(near, string(r.ResourceType)+" "+strings.TrimPrefix(string(r.ResourceName), "/"))
		}
	}
	if near == nil {
		for _, index := range input {
			near = append(near, index.NamesNear(kind, schemas.Anywhere, name)...)
		}
		near = configkit.Suggest(name, near)
	}
	slices.Sort(near)
	problem := handler.InvalidArgument(parameterPatch, "%s %s is not in the input",
		own.ResourceType, strings.TrimPrefix(string(own.ResourceName), "/"))
	if meant := configkit.DidYouMean("", slices.Compact(near)); meant != "" {
		return fmt.Errorf("%w; %s", problem, meant)
	}
	return problem
}

// selects reports whether a patch is for a resource.
func (t *patchTarget) selects(
	doc *gaby.YamlDoc, info *api.ResourceInfo, provider configkit.ResourceProvider,
) (bool, error) {
	group, version, kind := configkit.SplitType(info.ResourceType)
	namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
	for _, field := range []struct {
		is   func(string) bool
		text string
	}{
		{t.group, group},
		{t.version, version},
		{t.kind, kind},
		{t.name, string(info.ResourceNameWithoutScope)},
		{t.namespace, namespace},
	} {
		if field.is != nil && !field.is(field.text) {
			return false, nil
		}
	}
	return t.labels.MatchResource(provider, doc)
}

// replaces reports whether the patch replaces whole resources.
func (p unitPatch) replaces() bool {
	return slices.ContainsFunc(p.part, func(e gaby.Entry) bool {
		return e.Key == "$patch" && e.Value == "replace"
	})
}

// isGeneral reports whether the patch is a part of any resource.
func (p unitPatch) isGeneral() bool { return p.part != nil && p.target.kind == nil }

// apply applies the patch to a resource.
func (p *unitPatch) apply(
	doc *gaby.YamlDoc, info *api.ResourceInfo, merging *generic.Merging,
) error {
	if p.part == nil {
		return applyOperations(doc, p.operations)
	}
	return merging.Merge(doc, info, p.part, generic.MergeOptions{
		Plain: p.plain, Guarded: p.isGeneral(),
	})
}
