package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// What a program that is a plugin reads and writes.
const (
	programVersion = "fctl.dev/v1"
	// KindInvocation is the kind of the functionConfig of a call.
	KindInvocation = "PluginInvocation"
	// KindDescription is the kind of the functionConfig of the call that asks for the description,
	// and of the object that answers it.
	KindDescription = "PluginDescription"
	// ResourceAnnotation and RoleAnnotation are the annotations of items: the resource that the
	// object belongs to, and actual, output or auxiliary.
	ResourceAnnotation = "smith.fctl.dev/resource"
	RoleAnnotation     = "smith.fctl.dev/role"
	// CallVariable is the environment variable with the call: describe or process.
	CallVariable = "FCTL_PLUGIN_CALL"
)

// MaxProgramOutput is how many bytes a program may write to its standard output, and again to its
// standard error. It writes one object, perhaps with its inputs; a cluster stores 1.5 MiB of each.
const MaxProgramOutput = 64 << 20

// The exit statuses of programs that say what kind of failure it is, as in sysexits.h.
const (
	exitDataErr  = 65 // the user can mend it
	exitTempFail = 75 // a retry may succeed
)

// program is a plugin that is a program or an image: a KRM function that makes one object.
type program struct {
	ctx         context.Context //nolint:containedctx // the contract of plugins has no context
	name        smithv1.PluginName
	step        *krm.Step
	description *plugin.Description
	undescribed bool
	variations  []Variation
}

// Variation is how a program runs in other surroundings, where a test expects the same of it.
type Variation struct {
	What string // what is different, such as HOME
	Step *krm.Step
}

// NewProgram returns the plugin that a KRM function is. describe and process are how its two calls
// run, until ctx is cancelled. A function that does not describe itself may make objects of any
// type. A function in this process is never asked. The first of the variations, which are for
// Plugin.Test, has all the differences of the others.
func NewProgram(ctx context.Context, name smithv1.PluginName, describe, process *krm.Step,
	variations ...Variation,
) (plugin.Plugin, error) {
	p := &program{
		ctx: ctx, name: name, step: process, undescribed: true, variations: variations,
		description: &plugin.Description{Name: name},
	}
	if describe.Runner.InProcess != nil {
		return p, nil
	}
	asked := &program{ctx: ctx, name: name, step: describe}
	items, failure := asked.call(map[string]any{
		"apiVersion": programVersion, "kind": KindDescription,
		"metadata": map[string]any{"name": string(name)}, "plugin": string(name),
	}, nil)
	if failure != nil {
		return nil, &api.Failure{
			Class: api.FailureFunction, Err: failure.Error,
			Message: fmt.Sprintf("plugin %q does not describe itself: %v", name, failure.Error),
		}
	}
	for _, item := range items {
		v := item.Doc.Value()
		if v.Get("kind").Text() != KindDescription {
			continue
		}
		spec := v.Get("spec")
		p.undescribed = false
		p.description.GVK = plugin.NewGroupVersionKind(spec.Get("apiVersion").Text(),
			spec.Get("kind").Text())
		if called := v.Get("metadata").Get("name").Text(); called != "" {
			p.description.Name = smithv1.PluginName(called)
		}
		if schema := spec.Get("schema"); schema.Exists() && !schema.IsNull() {
			p.description.SpecSchema = []byte(schema.YAML())
		}
		if p.description.Name != name {
			return nil, fmt.Errorf("plugin %q describes itself as %q", name, p.description.Name)
		}
	}
	return p, nil
}

// Describe implements plugin.Plugin.
func (p *program) Describe() *plugin.Description { return p.description }

// Process implements plugin.Plugin. A spec with apiVersion and kind is the functionConfig itself,
// as published KRM functions expect it.
func (p *program) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	config := map[string]any{
		"apiVersion": programVersion, "kind": KindInvocation,
		"metadata": map[string]any{"name": string(p.name)},
		"plugin":   string(p.name), "namespace": ctx.Namespace,
	}
	if spec != nil {
		config["spec"] = spec
	}
	if ctx.Actual != nil {
		config["actual"] = ctx.Actual.Object
	}
	if spec["apiVersion"] != nil && spec["kind"] != nil {
		config = spec
	}
	var items []any
	for _, name := range slices.Sorted(maps.Keys(ctx.Dependencies)) {
		d := ctx.Dependencies[name]
		for _, side := range []struct {
			role    string
			objects []*plugin.Object
		}{
			{"actual", []*plugin.Object{d.Actual}},
			{"output", d.Outputs},
			{"auxiliary", d.Auxiliary},
		} {
			for _, object := range side.objects {
				if object != nil {
					items = append(items, annotated(object, name, side.role))
				}
			}
		}
	}
	returned, failure := p.call(config, items)
	if failure != nil {
		return failure
	}
	var made []*krm.Item
	for _, item := range returned {
		if krm.Annotation(item.Doc, RoleAnnotation) == "" {
			made = append(made, item)
		}
	}
	switch {
	case len(made) == 0:
		return &plugin.ProcessResultSuccess{}
	case len(made) > 1:
		return &plugin.ProcessResultFailure{
			Error: fmt.Errorf("the plugin returned %d objects, and one is expected", len(made)),
		}
	}
	return newDocumentResult(made[0])
}

// newDocumentResult returns the result for an object that a program wrote.
func newDocumentResult(made *krm.Item) plugin.ProcessResult {
	doc, err := gaby.ParseYAML(krm.Unwrap([]*krm.Item{made}))
	if err != nil {
		return &plugin.ProcessResultFailure{Error: err}
	}
	return &documentResult{
		ProcessResultSuccess: &plugin.ProcessResultSuccess{Object: objectOf(doc.Value())}, doc: doc,
	}
}

// elsewhere checks that the program returns the same in other surroundings. If it does not, it
// runs once more for each difference, so that the error can say which matters.
func (p *program) elsewhere(c contract.PluginCase) error {
	check := func(v Variation) error {
		other := *p
		other.step = v.Step
		return contract.Elsewhere(p, &other, c, "with another "+v.What)
	}
	if len(p.variations) == 0 {
		return nil
	}
	err := check(p.variations[0])
	if err == nil {
		return nil
	}
	var problems []error
	for _, v := range p.variations[1:] {
		if problem := check(v); problem != nil {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	return err
}

// annotated returns an object with the annotations that say what it is.
func annotated(object *plugin.Object, resource smithv1.ResourceName, role string) map[string]any {
	copied := object.DeepCopy().Object
	at := func(m map[string]any, key string) map[string]any {
		child, ok := m[key].(map[string]any)
		if !ok {
			child = map[string]any{}
			m[key] = child
		}
		return child
	}
	annotations := at(at(copied, "metadata"), "annotations")
	annotations[ResourceAnnotation], annotations[RoleAnnotation] = string(resource), role
	return copied
}

// call runs the function on a ResourceList and returns the items that it wrote.
func (p *program) call(config map[string]any, items []any,
) ([]*krm.Item, *plugin.ProcessResultFailure) {
	internal := func(err error) ([]*krm.Item, *plugin.ProcessResultFailure) {
		return nil, &plugin.ProcessResultFailure{Error: err}
	}
	if items == nil {
		items = []any{}
	}
	doc, err := newDocument(map[string]any{
		"apiVersion": krm.V1, "kind": krm.Kind, "functionConfig": config, "items": items,
	})
	if err != nil {
		return internal(err)
	}
	if p.step.Runner.InProcess != nil {
		list, err := krm.Parse(doc.Bytes())
		if err == nil {
			err = p.step.Runner.InProcess(p.ctx, list)
		}
		if failure := failureOf(list, err, "", 0); failure != nil {
			return nil, failure
		}
		return list.Items, nil
	}
	ctx := limit.Named(p.ctx, func(err error) error {
		return &api.Failure{
			Class: api.FailureFunction, Function: p.step.Name, Message: err.Error(),
			Hint: limit.HintOf(err), Err: err,
		}
	})
	out, err := p.step.Runner.Program(ctx, doc.BytesWithNewline())
	if tooMuch, ok := errors.AsType[*process.OutputError](err); ok { // not worth a look
		return internal(fmt.Errorf("the plugin wrote more than %d MiB to its %s and was ended",
			tooMuch.Limit>>20, tooMuch.Stream))
	}
	if process.IsCut(err) {
		return internal(err)
	}
	if len(bytes.TrimSpace(out.Stdout)) == 0 {
		if failure := failureOf(nil, err, string(out.Stderr), out.ExitCode); failure != nil {
			return nil, failure
		}
		return nil, nil
	}
	var stream *krm.Stream
	readErr := limit.Watched(ctx, func(ctx context.Context, _ func(int) error) (err error) {
		if err := limit.GrowTree(ctx, out.Stdout); err != nil {
			return err
		}
		stream, err = krm.ReadStream(out.Stdout, "<output of plugin "+string(p.name)+">")
		return err
	})
	if readErr != nil && err == nil {
		return internal(readErr)
	}
	var list *krm.ResourceList
	if readErr == nil {
		list = stream.List
	}
	if failure := failureOf(list, err, string(out.Stderr), out.ExitCode); failure != nil {
		return nil, failure
	}
	return list.Items, nil
}

// failureOf returns the failure of a call, nil if it succeeded. Results of severity error and their
// tags say what is wrong; else the error stream does, and the exit status says which kind it is.
func failureOf(list *krm.ResourceList, err error, stderr string, exit int,
) *plugin.ProcessResultFailure {
	failure := &plugin.ProcessResultFailure{
		IsExternalError:  exit == exitDataErr || exit == exitTempFail,
		IsRetriableError: exit == exitTempFail,
	}
	var problems []error
	if list != nil {
		for _, r := range list.Results {
			if r.Severity == fnresult.SeverityError {
				problems = append(problems, errors.New(r.Message))
				failure.IsExternalError = failure.IsExternalError || r.Tags["external"] == "true"
				failure.IsRetriableError = failure.IsRetriableError || r.Tags["retriable"] == "true"
			}
		}
	}
	switch text := strings.TrimSpace(stderr); {
	case len(problems) > 0:
		failure.Error = errors.Join(problems...)
	case err == nil:
		return nil
	case text != "" && exit > 0:
		failure.Error = fmt.Errorf("%s (%w)", text, err)
	default:
		failure.Error = err
	}
	return failure
}
