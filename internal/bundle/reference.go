package bundle

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// resolved is the value of a reference.
type resolved struct {
	value  any    // a gaby.Value, or Go data
	secret bool   // it comes from the data of a Secret
	from   string // the object that it was read from
	// madeUp says that it replaces a value that only a cluster has. That one has the type kind, in
	// the words of JSON Schema, "" for an unknown one.
	madeUp bool
	kind   string
}

// fromExample is where the value of a reference is from if it is its example.
const fromExample = "example"

// Errors of values that cannot be used.
var (
	errBytes = errors.New("cannot expand non-UTF8 byte array field")

	errTooLarge = errors.New("the values of the references have more than 8 MiB")
)

// maxValueBytes is the greatest size in bytes of the values of references in one object. Objects
// that copy each other twice would double their size with each resource. A cluster stores 1.5 MiB.
const maxValueBytes = 8 << 20

// sizeOf returns about how many bytes a value has as text.
func sizeOf(value any) int {
	switch v := value.(type) {
	case gaby.Value:
		return len(v.YAML())
	case string:
		return len(v)
	case []any:
		size := 0
		for _, item := range v {
			size += sizeOf(item)
		}
		return size
	case gaby.Entries:
		size := 0
		for _, e := range v {
			size += len(e.Key) + sizeOf(e.Value)
		}
		return size
	}
	return 0
}

// unavailableError reports a value that an object will only have once it exists.
type unavailableError struct {
	path     string
	resource smithv1.ResourceName
}

func (e *unavailableError) Error() string {
	return fmt.Sprintf("%s is not available until %s is created", e.path, e.resource)
}

// evaluate returns the value of a reference.
func (p *run) evaluate(r *ResolvedReference) (resolved, error) {
	target := p.results[r.target]
	object, from, err := target.seen(), target.Describe(), error(nil)
	assumed := !target.actual.Exists()
	if p.simulated && len(target.Outdated) > 0 { // it has been written by then
		if _, err := r.path.Find(target.doc.Value()); err == nil {
			object = target.doc.Value()
		}
	}
	switch {
	case r.Modifier == smithv1.BindSecret:
		if object, from, err = p.boundSecret(target); err != nil {
			return resolved{}, p.unbound(r, target, err)
		}
	case assumed && r.readsStringData(target):
		return resolved{}, p.never(r, target)
	}
	found, err := r.path.Find(object)
	if err == nil && len(found) == 0 {
		err = errors.New("no value is found")
	}
	if missing, ok := errors.AsType[*jsonpath.NotFoundError](err); ok && missing != nil {
		if never := p.never(r, target); never != nil {
			return resolved{}, never
		}
		if assumed {
			return resolved{}, &unavailableError{r.path.String(), r.target.Name}
		}
		err = fmt.Errorf("%w in %s", err, from)
	}
	if err != nil {
		return resolved{}, fmt.Errorf("%s: %w", r.path, err)
	}
	bound := r.Modifier == smithv1.BindSecret
	holdsSecrets := bound || IsSecret(target.GVK)
	result := resolved{from: from}
	one := func(v gaby.Value) (any, error) {
		if v.IsNull() {
			return nil, fmt.Errorf("field not found: %q", r.path)
		}
		field := r.field(object, v)
		result.secret = result.secret || target.hasSecret(v) ||
			holdsSecrets && (isSecretField(field) || r.isLastApplied(v))
		if assumed && !bound {
			target.passOn(v.Segments(), v, &result)
		}
		return plain(v, bound && field == "data")
	}
	switch {
	case len(found) == 1 && !(p.AllowLists && r.path.EndsInWildcard()):
		result.value, err = one(found[0])
	case p.AllowLists && r.path.EndsInWildcard():
		list := make([]any, len(found))
		var problems []error
		for i, v := range found {
			var problem error
			list[i], problem = one(v)
			problems = append(problems, problem)
		}
		result.value, err = list, errors.Join(problems...)
	default:
		err = jsonpath.ErrSeveral
	}
	return result, err
}

// field returns the field of an object that holds a value at the path of a reference. A path that
// begins with a wildcard or with .. does not say which.
func (r *ResolvedReference) field(object, v gaby.Value) string {
	if first := r.path.First(); first != "" {
		return first
	}
	if at, root := v.Segments(), object.Segments(); len(at) > len(root) {
		return at[len(root)]
	}
	return ""
}

// isSecretField reports whether a field of a Secret has secret values.
func isSecretField(name string) bool { return name == "data" || name == "stringData" }

// isLastApplied reports whether a value can have what kubectl applied, which is the whole object.
func (r *ResolvedReference) isLastApplied(v gaby.Value) bool {
	const key = "last-applied-configuration"
	return strings.Contains(r.path.String(), key) || strings.Contains(v.YAML(), key)
}

// hasSecret reports whether a value has a secret value that was put into the object of a resource.
func (res *ResourceResult) hasSecret(v gaby.Value) bool {
	if v.Kind() == gaby.Scalar {
		return slices.ContainsFunc(res.secrets, func(s string) bool {
			return len(s) > 2 && strings.Contains(v.Text(), s)
		})
	}
	for _, c := range v.All() {
		if res.hasSecret(c) {
			return true
		}
	}
	return false
}

// boundSecret returns the Secret of a ServiceBinding.
func (p *run) boundSecret(target *ResourceResult) (gaby.Value, string, error) {
	if !isServiceBinding(target.GVK) {
		return gaby.Value{}, "", &bindSecretError{target.Resource.Name, target.GVK.Kind}
	}
	row := p.Outputs.row(target.GVK)
	if row == nil {
		return gaby.Value{}, "", fmt.Errorf("%q has no outputs", target.Resource.Name)
	}
	secrets, err := p.related(target.seen(), row.outputs, "output")
	if err != nil {
		return gaby.Value{}, "", err
	}
	if len(secrets) == 0 {
		return gaby.Value{}, "", fmt.Errorf("%q has no output Secret", target.Resource.Name)
	}
	return secrets[0], "Secret " + secrets[0].Get("metadata").Get("name").Text(), nil
}

// unbound returns why a reference to the Secret of a binding has no value, given the reason why the
// Secret was not found. A binding that does not exist yet may get a name for its Secret.
func (p *run) unbound(r *ResolvedReference, target *ResourceResult, err error) error {
	if target.actual.Exists() || !isServiceBinding(target.GVK) {
		return err
	}
	if never := p.never(r, target); never != nil {
		return never
	}
	if p.simulated {
		return &unavailableError{r.path.String(), r.target.Name}
	}
	return err
}

// plain returns a value with the bytes in it as text: of YAML's !!binary, and, if encoded is set,
// of all strings, which are base64 as in a Secret.
func plain(v gaby.Value, encoded bool) (any, error) {
	if !encoded && v.Kind() != gaby.Scalar {
		return v, nil
	}
	switch v.Kind() {
	case gaby.Map:
		var m gaby.Entries
		for _, c := range v.All() {
			one, err := plain(c, encoded)
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, c.Key())
			}
			m = append(m, gaby.Entry{Key: c.Key(), Value: one})
		}
		return m, nil
	case gaby.Scalar:
		if v.Tag() == "!!binary" || encoded && v.Tag() == "!!str" {
			return decode(v.Text())
		}
	}
	return v, nil
}

func decode(text string) (string, error) {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return "", fmt.Errorf("the data of the Secret is not base64: %w", err)
	}
	if !utf8.Valid(data) {
		return "", errBytes
	}
	return string(data), nil
}

// substitute returns a template with its references replaced, as a document. value returns the
// value of a reference; it is called once for each that is used. Failures are collected.
func (p *run) substitute(res *ResourceResult, t *template,
	value func(*ResolvedReference) (resolved, error),
) *gaby.YamlDoc {
	doc, err := t.document()
	if err != nil {
		res.fail(p.position(t.value), "", err)
		return nil
	}
	byName := map[smithv1.ReferenceName]resolved{}
	sizes := map[smithv1.ReferenceName]int{}
	size := 0
	failed := map[smithv1.ReferenceName]bool{}
	for _, reference := range res.Resource.References {
		if reference.Name == "" {
			continue
		}
		v, err := value(reference)
		if err != nil {
			failed[reference.Name] = true
			err = fmt.Errorf("failed to process reference %q: %w", reference.Name, err)
			at := either(reference.value.Get("path"), reference.value)
			res.failAs(isRetriable(err), p.position(at), "", err)
			continue
		}
		byName[reference.Name] = v
		sizes[reference.Name] = sizeOf(v.value)
		if v.secret {
			res.keepSecret(v.value)
		}
	}
	for _, m := range t.markers {
		if failed[m.name] {
			continue
		}
		var set any = m.literal
		if m.literal == "" {
			v := byName[m.name]
			set = v.value
			if size += sizes[m.name]; size > maxValueBytes {
				res.fail(p.position(m.value), "", errTooLarge)
				return nil
			}
			res.Origins = append(res.Origins, Origin{
				Path: m.segments, Reference: m.name, From: v.from, Pos: p.position(m.value),
				reference: v,
			})
		}
		if _, err := doc.Set(set, m.segments...); err != nil {
			res.fail(p.position(m.value), "", err)
		}
	}
	return doc
}

// isRetriable reports whether more observed objects can mend an error.
func isRetriable(err error) bool {
	if _, ok := errors.AsType[*missingError](err); ok {
		return true
	}
	_, ok := errors.AsType[*unavailableError](err)
	return ok
}

// Origin says where a value of a rendered object comes from.
type Origin struct {
	Path      []string
	Reference smithv1.ReferenceName // empty if no reference has the value
	From      string                // the object that the reference reads, or what has the value
	Pos       api.Position

	reference resolved
}

// keepSecret remembers the texts of a secret value, so that messages do not show them.
func (res *ResourceResult) keepSecret(value any) {
	switch v := value.(type) {
	case gaby.Value:
		res.keepSecret(v.Data())
	case string:
		if v != "" && !slices.Contains(res.secrets, v) {
			res.secrets = append(res.secrets, v)
		}
	case []any:
		for _, item := range v {
			res.keepSecret(item)
		}
	case gaby.Entries:
		for _, e := range v {
			res.keepSecret(e.Value)
		}
	case map[string]any:
		for _, item := range v {
			res.keepSecret(item)
		}
	}
}
