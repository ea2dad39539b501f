package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const (
	parameterEach = "each"
	eachPod       = "pod"
	eachContainer = "container"
	eachVolume    = "volume"
	eachContext   = "security-context"
)

// podFunctions returns the functions that check and change the pods of every type that has pods.
func podFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	return []handler.FunctionRegistration{
		vetPodsFunction(provider), setPodsFunction(provider),
	}
}

func podParameters(expressionText, example string) []api.FunctionParameter {
	each := enumParameter(parameterEach, eachContainer,
		"what the expression is evaluated for; a container is any kind of container, a security "+
			"context that of a pod or a container",
		eachPod, eachContainer, eachVolume, eachContext)
	return []api.FunctionParameter{
		{
			ParameterName: "expression", Required: true, DataType: api.DataTypeCEL,
			Example: example, Description: expressionText,
		},
		optional(each),
	}
}

func vetPodsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	programs := newPodPrograms(cel.Bool, cel.List)
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-pods",
			Parameters: append(podParameters(
				"CEL expression about metadata and spec of a pod or a pod template, and about "+
					"container, volume or context; it gives true or false, or the list of the "+
					"paths of wrong values",
				`container.?resources.?limits.?memory.hasValue()`),
				optional(textParameter("path", "resources.limits",
					"the path at which the finding is reported if the expression is false", ""))),
			Description: "Check the pods of every type that has pods with a CEL expression, each " +
				"pod, container or volume by itself",
			Examples: []string{
				`vet-pods 'container.?resources.?limits.?memory.hasValue()' container ` +
					`resources.limits.memory`,
				`vet-pods '!has(spec.hostNetwork) || !spec.hostNetwork' pod spec.hostNetwork`,
				`vet-pods '!has(volume.hostPath)' volume hostPath`,
			},
		},
		PerDocument:    true,
		ValueParameter: "expression",
		CheckArguments: handler.Parses(programs.of),
	}, "whether every pod passed, and what is wrong with the others",
		func(c *handler.Call) (api.ValidationResult, error) {
			result := api.ValidationResult{Passed: true}
			program, err := programs.of(c.Args)
			if err != nil {
				return result, err
			}
			var seen yamlpath.FirstByKey
			pods, err := eachPart(c.Docs, provider, c.Args.String(parameterEach),
				func(p *podPart) error {
					value, err := p.evaluate(c, program)
					if err != nil {
						return err
					}
					paths, err := wrongPaths(value, c.Args.String("path"))
					for _, path := range paths {
						p.fail(&result, provider, path, c.Args.String("expression"), &seen)
					}
					return err
				})
			c.Matched(pods)
			return result, err
		})
}

func setPodsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	programs := newPodPrograms(cel.Map)
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-pods",
			Parameters: podParameters(
				"CEL expression about metadata and spec of a pod or a pod template, and about "+
					"container, volume or context; it gives the map of fields to set, in which "+
					"null removes a field",
				`{"imagePullPolicy": "IfNotPresent"}`),
			Description: "Set fields of the pods of every type that has pods to what a CEL " +
				"expression gives, for each pod, container or volume by itself; fields that are " +
				"not mentioned stay as they are",
			Examples: []string{
				`set-pods '{"imagePullPolicy": "IfNotPresent"}'`,
				`set-pods 'has(spec.enableServiceLinks) ? {} : {"spec": {"enableServiceLinks": ` +
					`false}}' pod`,
			},
		},
		PerDocument:    true,
		ValueParameter: "expression",
		CheckArguments: handler.Parses(programs.of),
	}, func(c *handler.Call) (int, error) {
		program, err := programs.of(c.Args)
		if err != nil {
			return 0, err
		}
		// Edits come after all evaluations, which see the pods as they were.
		type edit struct {
			part  *podPart
			value any
		}
		var edits []edit
		each := cmp.Or(c.Args.String(parameterEach), eachContainer)
		pods, err := eachPart(c.Docs, provider, each, func(p *podPart) error {
			value, err := p.evaluate(c, program)
			if err != nil {
				return err
			}
			edits = append(edits, edit{p, value})
			return nil
		})
		for _, e := range edits {
			if problem := e.part.checkFields(provider, each, e.value); problem != nil {
				return pods, errors.Join(err, problem)
			}
		}
		for _, e := range edits {
			if problem := e.part.set(e.value); problem != nil {
				err = errors.Join(err, expression.FailureIn(e.part.doc, problem))
			}
		}
		return pods, err
	})
}

// evaluate evaluates an expression about a part.
func (p *podPart) evaluate(c *handler.Call, program *cel.Expression) (any, error) {
	ctx := expression.In(c.Context(), p.doc, p.info)
	value, err := program.EvalForPod(ctx, p.doc.Value(), p.variables, &expression.Scope{
		Params: map[string]any{}, Context: expression.Context(c.FunctionContext),
	})
	return value, expression.FailureIn(p.doc, err)
}

// podPrograms caches the expressions of arguments.
type podPrograms struct {
	*expression.Programs[*cel.Expression]
}

func newPodPrograms(kinds ...cel.Kind) podPrograms {
	return podPrograms{expression.NewPrograms("cel", func(text string) (*cel.Expression, error) {
		return cel.CompileForPod(text, kinds...)
	})}
}

// of returns the expression in the arguments of a function.
func (p podPrograms) of(args handler.Arguments) (*cel.Expression, error) {
	program, err := p.Get(args.String("expression"))
	if err != nil {
		err = handler.ArgumentErrors("expression", err)
	}
	return program, err
}

// wrongPaths returns the paths at which a verdict reports findings.
func wrongPaths(verdict any, path string) ([]string, error) {
	switch v := verdict.(type) {
	case bool:
		if v {
			return nil, nil
		}
		return []string{path}, nil
	case []any:
		var paths []string
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("the expression gives a list with %v, which is not a path",
					item)
			}
			paths = append(paths, text)
		}
		return paths, nil
	}
	return nil, fmt.Errorf("the expression gives %T", verdict)
}

// podPart is a pod, or the part of one, that an expression is evaluated for.
type podPart struct {
	doc       *gaby.YamlDoc
	info      *api.ResourceInfo
	variables map[string]any // see [cel.PodVariables]
	// segments lead to the part. Those of a pod lead to what has its spec and metadata.
	segments []string
	spec     []string // the last segments of the pod's spec, if the part is a pod
	inPod    []string // the segments that lead to the part in a v1/Pod
}

// resolve returns the segments of a path relative to the part.
func (p *podPart) resolve(path string) []string {
	if path == "" {
		return p.segments
	}
	return p.segmentsOf(gaby.DotPathToSlice(path))
}

// segmentsOf returns the segments in the resource of a path relative to the part.
func (p *podPart) segmentsOf(path []string) []string {
	if p.spec != nil && path[0] == "spec" {
		return slices.Concat(p.segments, p.spec, path[1:])
	}
	return slices.Concat(p.segments, path)
}

// fail adds a finding about a path relative to the part.
func (p *podPart) fail(result *api.ValidationResult, provider configkit.ResourceProvider,
	path, text string, seen *yamlpath.FirstByKey,
) {
	segments := p.resolve(path)
	at := p.doc.Value()
	for _, s := range segments {
		next := at.Get(s)
		if i, err := strconv.Atoi(s); err == nil && at.Kind() == gaby.List {
			next = at.Index(i)
		}
		if !next.Exists() {
			break
		}
		at = next
	}
	pos := at.Position()
	reason := "the expression is false"
	if text = strings.TrimSpace(text); !strings.Contains(text, "\n") {
		reason += ": " + text
	}
	result.Passed = false
	result.FailedAttributes = append(result.FailedAttributes, api.AttributeValue{
		AttributeInfo: api.AttributeInfo{
			AttributeIdentifier: api.AttributeIdentifier{
				ResourceInfo: *p.info,
				Path: yamlpath.ReportedFrom(p.doc.Value(), segments, nil,
					provider.MergeKeys(p.info.ResourceType), "", seen),
			},
			AttributeMetadata: api.AttributeMetadata{AttributeName: api.AttributeNameNone},
		},
		Reason: reason, Position: &pos,
	})
}

// set merges data into the part.
func (p *podPart) set(data any) error {
	return p.eachLeaf(data, nil, func(path []string, value any) error {
		segments := p.segmentsOf(path)
		if value != nil {
			_, err := p.doc.Set(value, segments...)
			return err
		}
		if !p.doc.Search(segments...).Value().Exists() {
			return nil
		}
		return p.doc.Delete(segments...)
	})
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// eachPart calls use for the parts of all pods in the documents, and returns the number of pods.
// Errors in one part do not stop the others.
func eachPart(docs gaby.Container, provider configkit.ResourceProvider, each string,
	use func(*podPart) error,
) (pods int, err error) {
	specs := provider.AttributePaths(attributeAutomount)
	err = yamlkit.EachDocument(docs, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			var errs []error
			for _, spec := range podSpecs(doc, specs.PathsOf(info.ResourceType)) {
				pods++
				for _, part := range partsOf(doc, info, spec, each) {
					if err := use(part); err != nil {
						errs = append(errs, err)
					}
				}
			}
			return errors.Join(errs...)
		})
	return pods, err
}

// podSpecs returns the segments of the pod specs in a resource. paths are those of a field of a pod
// spec.
func podSpecs(doc *gaby.YamlDoc, paths []*api.PathVisitorInfo) [][]string {
	var specs [][]string
	for _, info := range paths {
		path := string(info.Path)
		at := strings.LastIndexByte(path, '.')
		if at < 0 {
			continue // a ServiceAccount has the same field
		}
		parsed, err := yamlpath.Parse(path[:at])
		if err != nil {
			continue
		}
		_ = parsed.Resolve(doc.Value(), yamlpath.Options{NoArguments: true},
			func(m *yamlpath.Match) error {
				if m.Value.Kind() == gaby.Map {
					specs = append(specs, slices.Clone(m.Segments))
				}
				return nil
			})
	}
	return specs
}

// partsOf returns the parts of a pod that an expression is evaluated for.
func partsOf(doc *gaby.YamlDoc, info *api.ResourceInfo, segments []string,
	each string,
) []*podPart {
	above, spec := segments[:len(segments)-1], segments[len(segments)-1:]
	pod := doc.Search(segments...).Value()
	variables := map[string]any{
		"spec": pod, "metadata": orEmpty(doc.Search(above...).Value().Get("metadata")),
	}
	var parts []*podPart
	add := func(name string, value gaby.Value, at ...string) {
		own := maps.Clone(variables)
		own[name] = value
		if name == eachContainer {
			own["containerType"] = strings.TrimSuffix(at[0], "s")
		}
		parts = append(parts, &podPart{
			doc: doc, info: info, segments: slices.Concat(segments, at), variables: own,
			inPod: slices.Concat([]string{"spec"}, at),
		})
	}
	addContext := func(owner gaby.Value, at ...string) {
		if context := owner.Get("securityContext"); context.Kind() == gaby.Map {
			add("context", context, append(at, "securityContext")...)
		}
	}
	switch each {
	case eachPod:
		return []*podPart{{
			doc: doc, info: info, segments: above, spec: spec, variables: variables,
		}}
	case eachVolume:
		for i, v := range items(pod.Get("volumes")) {
			if v.Kind() == gaby.Map {
				add("volume", v, "volumes", strconv.Itoa(i))
			}
		}
		return parts
	case eachContext:
		addContext(pod)
	}
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for i, c := range items(pod.Get(list)) {
			switch {
			case c.Kind() != gaby.Map:
			case each == eachContext:
				addContext(c, list, strconv.Itoa(i))
			default:
				add("container", c, list, strconv.Itoa(i))
			}
		}
	}
	return parts
}

// items iterates over the elements of a list. Other values have none.
func items(v gaby.Value) iter.Seq2[int, gaby.Value] {
	if v.Kind() != gaby.List {
		v = gaby.Value{}
	}
	return v.All()
}

// orEmpty returns a map, or an empty one in place of another value.
func orEmpty(v gaby.Value) gaby.Value {
	if v.Kind() == gaby.Map {
		return v
	}
	empty, err := gaby.ParseYAML([]byte("{}"))
	if err != nil {
		return v
	}
	return empty.Value()
}
