// Package contract checks that plugins keep the contract of package plugin. Authors use it through
// package plugintest and through fctl plugin test.
//
// Layer: systems.
package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// PluginCase is one call of a plugin and what is expected of it.
type PluginCase struct {
	Name string
	// Namespace is that of the Bundle; default if it is empty.
	Namespace    string
	Spec         map[string]any
	Actual       *plugin.Object
	Dependencies map[plugin.ResourceName]plugin.Dependency

	// Want is the object without the name and the namespace, which Smith sets, unless it has them
	// itself; nil for any object.
	Want *plugin.Object
	// WantError is a part of the failure that is expected, or of what is wrong with the spec.
	WantError string
	// External and Retriable say what kind of failure it is; nil for any.
	External, Retriable *bool

	// Made is called with each object that the plugin returns, if it is set.
	Made func(*plugin.Object)
}

// Description checks what a plugin says about itself. The error joins all problems.
func Description(p plugin.Plugin) error {
	d, err := describe(p)
	if err != nil {
		return err
	}
	var problems []error
	if d.Name == "" {
		problems = append(problems, errors.New("the name is empty"))
	} else if !d.Name.IsValid() {
		problems = append(problems, fmt.Errorf("the name %q is not a DNS subdomain", d.Name))
	}
	if d.GVK.Version == "" || d.GVK.Kind == "" {
		problems = append(problems, fmt.Errorf("the GVK %s has no version or no kind", d.GVK))
	}
	if _, err := schema(d); err != nil {
		problems = append(problems, err)
	}
	again, err := describe(p)
	if err != nil || !reflect.DeepEqual(d, again) {
		problems = append(problems, errors.New("a second call of Describe returns something else"))
	}
	return errors.Join(problems...)
}

func describe(p plugin.Plugin) (d *plugin.Description, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in Describe: %v", r)
		}
	}()
	if d = p.Describe(); d == nil {
		return nil, errors.New("nil is the result of Describe")
	}
	return d, nil
}

// schema compiles the schema of a description, nil if it has none.
func schema(d *plugin.Description) (*jsonschema.Schema, error) {
	if len(d.SpecSchema) == 0 {
		return nil, nil
	}
	doc, err := gaby.ParseYAML(d.SpecSchema)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	s, err := jsonschema.Compile(
		"",
		doc.Value(),
		jsonschema.CompilerOptions{Dialect: jsonschema.Draft7},
	)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return s, nil
}

// Check runs a case the given number of times, each with maps that were filled in another order,
// and checks the contract and what is expected. anyGVK accepts objects of every type. The error
// joins all problems.
func Check(p plugin.Plugin, c PluginCase, runs int, anyGVK bool) error {
	d, err := describe(p)
	if err != nil {
		return err
	}
	if c.Spec == nil { // as of a resource without spec
		c.Spec = map[string]any{}
	}
	if s, err := schema(d); err != nil {
		return err
	} else if s != nil {
		if err := checkSpec(s, c.Spec); err != nil {
			return expected(c, &plugin.ProcessResultFailure{Error: err, IsExternalError: true})
		}
	}
	first, err := c.run(p, 0)
	if err != nil {
		return err
	}
	problems := []error{c.checkResult(first, d, anyGVK)}
	want, err := text(first)
	if err != nil {
		return errors.Join(append(problems, err)...)
	}
	for i := 1; i < runs; i++ {
		again, err := c.run(p, i)
		if err != nil {
			return errors.Join(append(problems, err)...)
		}
		if got, err := text(again); err != nil || !bytes.Equal(got, want) {
			return errors.Join(append(problems, fmt.Errorf(
				"run %d with the same input returns something else:\n%s\nand not\n%s", i+1, got,
				want))...)
		}
	}
	return errors.Join(problems...)
}

// Environment checks that a plugin returns the same without environment variables. It changes those
// of the process for the time of the call.
func Environment(p plugin.Plugin, c PluginCase) error {
	first, err := c.run(p, 0)
	if err != nil {
		return nil //nolint:nilerr // Check reports it
	}
	saved := os.Environ()
	os.Clearenv()
	second, err := c.run(p, 0)
	for _, variable := range saved {
		name, value, _ := strings.Cut(variable, "=")
		if problem := os.Setenv(name, value); problem != nil && name != "" {
			return problem
		}
	}
	if err != nil {
		return fmt.Errorf("without environment variables: %w", err)
	}
	return same(first, second, "without environment variables")
}

// Elsewhere checks that a plugin returns the same in other surroundings, where it is the plugin
// other. how says in the error what is different there.
func Elsewhere(p, other plugin.Plugin, c PluginCase, how string) error {
	if c.Spec == nil { // as of a resource without spec
		c.Spec = map[string]any{}
	}
	first, err := c.run(p, 0)
	if err != nil {
		return nil //nolint:nilerr // Check reports it
	}
	second, err := c.run(other, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	return same(first, second, how)
}

// same checks that two results are equal. how says how the second came about.
func same(first, second plugin.ProcessResult, how string) error {
	before, err := text(first)
	if err != nil {
		return err
	}
	if after, err := text(second); err != nil || !bytes.Equal(before, after) {
		return fmt.Errorf("%s it returns something else:\n%s\nand not\n%s", how, after, before)
	}
	return nil
}

// run calls Process with copies, and checks that it does not change them.
func (c *PluginCase) run(p plugin.Plugin, seed int) (result plugin.ProcessResult, err error) {
	spec, ctx := shuffled(c.Spec, seed), c.context(seed)
	wantSpec, wantCtx := shuffled(c.Spec, 0), c.context(0)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in Process: %v", r)
		}
	}()
	result = p.Process(spec, ctx)
	if isNil(result) {
		return nil, errors.New("nil is the result of Process")
	}
	failure, success, err := kinds(result)
	if failure != nil {
		if _, ok := errors.AsType[broken](failure.Error); ok { // it may still use its inputs
			return nil, failure.Error
		}
	}
	if success != nil {
		if err := Data(success.Object); err != nil {
			return nil, err
		}
		if c.Made != nil && success.Object != nil {
			c.Made(success.Object)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case !reflect.DeepEqual(spec, wantSpec):
		return nil, errors.New("the spec was changed by Process")
	case !reflect.DeepEqual(ctx, wantCtx):
		return nil, errors.New("the Context was changed by Process")
	}
	return result, nil
}

// broken is implemented by errors about calls that did not end as calls do: the plugin panicked, or
// did not return in time.
type broken interface {
	error
	Broken()
}

// Bounds of the objects that plugins make. A cluster stores 1.5 MiB of each.
const (
	maxDepth  = 1000
	maxValues = 1 << 20
)

// Data checks that an object can be written: its values have the types of decoded JSON or are
// integers, its numbers are finite, and no map or list contains itself, nests too deep, or has too
// many values.
func Data(o *plugin.Object) error {
	if o == nil {
		return nil
	}
	left := maxValues
	var walk func(v any, depth int) error
	visit := func(key string, v any, depth int) error {
		err := walk(v, depth+1)
		switch err := err.(type) {
		case *depthError:
			if depth < maxShownDepth {
				err.path = append(err.path, key)
			}
		case *valueError:
			err.path = append(err.path, key)
		}
		return err
	}
	walk = func(v any, depth int) error {
		if left--; left < 0 {
			return fmt.Errorf("the object of the plugin has more than %d values", maxValues)
		}
		if depth > maxDepth {
			return &depthError{}
		}
		switch v := v.(type) {
		case nil, bool, string, int, int8, int16, int32, int64, uint8, uint16, uint32, uint64, uint:
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &valueError{is: strconv.FormatFloat(v, 'g', -1, 64)}
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if err := visit(key, v[key], depth); err != nil {
					return err
				}
			}
		case []any:
			for i := range v {
				if err := visit(strconv.Itoa(i), v[i], depth); err != nil {
					return err
				}
			}
		default:
			return &valueError{is: fmt.Sprintf("a %T", v)}
		}
		return nil
	}
	return walk(o.Object, 0)
}

// valueError reports a value that no object has.
type valueError struct {
	path []string // its keys, in reverse
	is   string
}

func (e *valueError) Error() string {
	slices.Reverse(e.path)
	defer slices.Reverse(e.path)
	return fmt.Sprintf("%s is %s, which is not data: objects of plugins have map[string]any, []any, "+
		"strings, booleans, integers and finite float64",
		strings.Join(e.path, "."), e.is)
}

// maxShownDepth is how many keys a message about depth shows.
const maxShownDepth = 4

// depthError reports a value that nests too deep.
type depthError struct{ path []string } // its first keys, in reverse

func (e *depthError) Error() string {
	slices.Reverse(e.path)
	defer slices.Reverse(e.path)
	return fmt.Sprintf("the object of the plugin nests deeper than %d levels, or contains itself, "+
		"at %s...", maxDepth, strings.Join(e.path, "."))
}

func isNil(result plugin.ProcessResult) bool {
	v := reflect.ValueOf(result)
	return result == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Objects returns the objects that the plugin gets in a case, and the expected one.
func (c *PluginCase) Objects() []*plugin.Object {
	all := []*plugin.Object{c.Actual, c.Want}
	for _, name := range slices.Sorted(maps.Keys(c.Dependencies)) {
		d := c.Dependencies[name]
		all = slices.Concat(all, []*plugin.Object{d.Actual}, d.Outputs, d.Auxiliary)
	}
	return slices.DeleteFunc(all, func(o *plugin.Object) bool { return o == nil })
}

// context returns a copy of what the plugin gets.
func (c *PluginCase) context(seed int) *plugin.Context {
	ctx := &plugin.Context{
		Namespace: c.Namespace, Dependencies: map[plugin.ResourceName]plugin.Dependency{},
		Actual: object(c.Actual, seed),
	}
	if ctx.Namespace == "" {
		ctx.Namespace = "default"
	}
	for _, name := range order(slices.Sorted(maps.Keys(c.Dependencies)), seed) {
		d := c.Dependencies[name]
		copied := plugin.Dependency{Spec: declared(d.Spec, seed), Actual: object(d.Actual, seed)}
		for _, o := range d.Outputs {
			copied.Outputs = append(copied.Outputs, object(o, seed))
		}
		for _, o := range d.Auxiliary {
			copied.Auxiliary = append(copied.Auxiliary, object(o, seed))
		}
		ctx.Dependencies[name] = copied
	}
	return ctx
}

// declared returns a copy of a resource as the Bundle declares it.
func declared(r smithv1.Resource, seed int) smithv1.Resource {
	r.References = slices.Clone(r.References)
	for i := range r.References {
		r.References[i].Example = plugin.CopyValue(r.References[i].Example)
	}
	r.Spec.Object = shuffled(r.Spec.Object, seed)
	if p := r.Spec.Plugin; p != nil {
		r.Spec.Plugin = &smithv1.PluginSpec{
			Name: p.Name, ObjectName: p.ObjectName, Spec: shuffled(p.Spec, seed),
		}
	}
	return r
}

func object(o *plugin.Object, seed int) *plugin.Object {
	if o == nil {
		return nil
	}
	return &plugin.Object{Object: shuffled(o.Object, seed)}
}

// order returns keys rotated by seed, and reversed for an odd one.
func order[K ~string](keys []K, seed int) []K {
	if len(keys) == 0 {
		return keys
	}
	at := seed % len(keys)
	keys = slices.Concat(keys[at:], keys[:at])
	if seed%2 == 1 {
		slices.Reverse(keys)
	}
	return keys
}

// shuffled returns a deep copy of a map, filled in an order that depends on seed.
func shuffled(m map[string]any, seed int) map[string]any {
	if m == nil {
		return nil
	}
	copied := make(map[string]any, len(m))
	for _, key := range order(slices.Sorted(maps.Keys(m)), seed) {
		if child, ok := m[key].(map[string]any); ok {
			copied[key] = shuffled(child, seed)
			continue
		}
		copied[key] = plugin.CopyValue(m[key])
	}
	return copied
}

// checkSpec returns what is wrong with a spec.
func checkSpec(s *jsonschema.Schema, spec map[string]any) error {
	data, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("the spec: %w", err)
	}
	doc, err := gaby.ParseYAML(data)
	if err != nil {
		return fmt.Errorf("the spec: %w", err)
	}
	found, err := s.Check(context.Background(), doc.Value())
	if err != nil {
		return err
	}
	var problems []error
	for _, p := range found {
		problems = append(problems, fmt.Errorf("spec failed validation against schema: %s: %s",
			strings.Join(append([]string{"spec"}, p.Path...), "."), p.Message))
	}
	return errors.Join(problems...)
}

// checkResult checks one result.
func (c *PluginCase) checkResult(
	result plugin.ProcessResult,
	d *plugin.Description,
	anyGVK bool,
) error {
	failure, success, err := kinds(result)
	if err != nil {
		return err
	}
	if failure != nil {
		return expected(*c, failure)
	}
	switch o := success.Object; {
	case c.WantError != "":
		return fmt.Errorf("it succeeds, and should fail with %q", c.WantError)
	case o == nil || o.Object == nil:
		return errors.New("it succeeds without an object")
	case !anyGVK && o.GVK() != d.GVK:
		return fmt.Errorf("unexpected GVK: wanted %s, got %s", d.GVK, o.GVK())
	case o.Namespace() != "" && o.Namespace() != c.context(0).Namespace:
		return fmt.Errorf("the namespace of the object is %s, that of the Bundle %s", o.Namespace(),
			c.context(0).Namespace)
	case hasController(o):
		return errors.New("the object has an owner reference with controller: true, " +
			"which only Smith sets")
	case o.Get("metadata", "annotations", smithv1.DeletionTimestamp) != nil:
		return fmt.Errorf("the object has the annotation %s, which only Smith sets",
			smithv1.DeletionTimestamp)
	case c.Want != nil:
		return compare(c.Want, o)
	}
	return nil
}

func hasController(o *plugin.Object) bool {
	owners, _ := o.Get("metadata", "ownerReferences").([]any)
	return slices.ContainsFunc(owners, func(owner any) bool {
		m, _ := owner.(map[string]any)
		return m["controller"] == true
	})
}

// kinds returns the result as what it is.
func kinds(result plugin.ProcessResult) (*plugin.ProcessResultFailure,
	*plugin.ProcessResultSuccess, error,
) {
	switch r := result.(type) {
	case *plugin.ProcessResultFailure:
		if r.Error == nil {
			return nil, nil, errors.New("it fails without an error")
		}
		return r, nil, nil
	case *plugin.ProcessResultSuccess:
		return nil, r, nil
	case interface {
		Success() *plugin.ProcessResultSuccess
	}:
		return nil, r.Success(), nil
	}
	return nil, nil, fmt.Errorf("a result of the type %T", result)
}

// expected compares a failure with what is expected.
func expected(c PluginCase, f *plugin.ProcessResultFailure) error {
	if c.WantError == "" {
		return fmt.Errorf("it fails: %w", f.Error)
	}
	var problems []error
	if !strings.Contains(f.Error.Error(), c.WantError) {
		problems = append(problems, fmt.Errorf("it fails with %q, which does not contain %q",
			f.Error.Error(), c.WantError))
	}
	if c.External != nil && *c.External != f.IsExternalError {
		problems = append(problems, fmt.Errorf("IsExternalError is %v", f.IsExternalError))
	}
	if c.Retriable != nil && *c.Retriable != f.IsRetriableError {
		problems = append(problems, fmt.Errorf("IsRetriableError is %v", f.IsRetriableError))
	}
	return errors.Join(problems...)
}

// compare compares an object with what is expected.
func compare(want, got *plugin.Object) error {
	got, want = got.DeepCopy(), want.DeepCopy()
	if meta := got.Map("metadata"); meta != nil {
		for _, key := range []string{"name", "namespace"} {
			if want.Get("metadata", key) == nil {
				delete(meta, key)
			}
		}
		if len(meta) == 0 && want.Get("metadata") == nil {
			delete(got.Object, "metadata")
		}
	}
	a, err := json.MarshalIndent(want.Object, "", "  ")
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(got.Object, "", "  ")
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("the object is\n%s\nand should be\n%s", b, a)
	}
	return nil
}

// text returns a result as text that can be compared.
func text(result plugin.ProcessResult) ([]byte, error) {
	failure, success, err := kinds(result)
	switch {
	case err != nil:
		return nil, err
	case failure != nil:
		return fmt.Appendf(nil, "%v (external %v, retriable %v)", failure.Error,
			failure.IsExternalError, failure.IsRetriableError), nil
	case success.Object == nil:
		return nil, nil
	}
	return json.MarshalIndent(success.Object.Object, "", "  ")
}
