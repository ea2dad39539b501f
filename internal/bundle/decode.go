package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/internal/diag"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// maxResources bounds the resources of a Bundle.
const maxResources = 100_000

// Read reads the Bundles of a file. namespace is that of Bundles without one. The error is a
// diag.List with all problems: of the class FailureInput if the text is not YAML, else of the class
// FailureUsage. Bundles with problems are returned as far as they can be read, so that Validate can
// add to them. The notes are about what is legal and probably not meant.
func Read(text []byte, file, namespace string) ([]*Bundle, []api.Note, error) {
	read, problems := readQuoted(text, file)
	docs, text := read.docs, read.text
	var bundles []*Bundle
	var notes []api.Note
	for _, doc := range docs {
		if err := doc.Check(); err != nil {
			f := unreadable(file, text, err)
			f.Pos = read.quoted.original(f.Pos)
			problems = append(problems, f)
			continue
		}
		d := &decoder{
			Bundle: &Bundle{File: file, value: doc.Value(), quoted: read.quoted}, text: text,
			doc: doc,
		}
		kind := doc.Value().Get("kind").Text()
		switch {
		case doc.IsNull() && len(docs) == 1:
			continue
		case doc.IsMap() && kind != smithv1.Kind && len(docs) > 1:
			d.note(doc.Value(), fmt.Sprintf("a %s is not a Bundle; it is skipped",
				orResource(kind)))
		default:
			d.bundle(namespace)
			bundles = append(bundles, d.Bundle)
		}
		notes, problems = append(notes, d.notes...), append(problems, d.problems...)
	}
	if len(bundles) == 0 && len(problems) == 0 {
		problems = append(problems, &api.Failure{
			Class: api.FailureUsage, Pos: api.Position{File: file},
			Message: "the file has no Bundle",
			Hint: "a Bundle has apiVersion: " + smithv1.APIVersion + " and kind: " +
				smithv1.Kind,
		})
	}
	problems.Sort()
	return bundles, notes, problems.Err()
}

func orResource(kind string) string {
	if kind == "" {
		return "document without kind"
	}
	return kind
}

// unreadable returns the problem of a text that is not YAML. A reference without quotes is a tag.
func unreadable(file string, text []byte, err error) *api.Failure {
	f := diag.Input(file, "", err)
	syntax, ok := errors.AsType[*gaby.SyntaxError](err)
	if !ok {
		return f
	}
	f.Pos.Line, f.Pos.Column = syntax.Pos.Line, syntax.Pos.Column
	f.Message, f.Hint = syntax.Msg, syntax.Hint
	if reference := unquoted(text, syntax.Pos); reference != "" {
		f.Message = "! begins a tag in YAML, so a reference needs quotes"
		f.Hint = fmt.Sprintf("quote the reference: %q", reference)
	}
	return f
}

// decoder reads one Bundle and collects its problems.
type decoder struct {
	*Bundle
	text     []byte
	doc      *gaby.YamlDoc
	expanded *gaby.YamlDoc // the document without aliases, made when it is needed
	current  string        // the resource that is read
	notes    []api.Note
	problems diag.List
}

// fail adds a problem at a value.
func (d *decoder) fail(v gaby.Value, hint, format string, args ...any) {
	d.failAt(d.position(v), hint, format, args...)
}

func (d *decoder) failAt(pos api.Position, hint, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	d.problems = append(d.problems, &api.Failure{
		Class: api.FailureUsage, Pos: pos, Resource: d.current, Message: err.Error(), Hint: hint,
		Err: errors.Unwrap(err),
	})
}

func (d *decoder) note(v gaby.Value, message string) {
	d.notes = append(d.notes, api.Note{Pos: d.position(v), Message: message})
}

// withoutAliases returns the value at a path of the document with aliases replaced by their values.
func (d *decoder) withoutAliases(segments []string) gaby.Value {
	if d.expanded == nil {
		d.expanded = d.doc
		copied, err := gaby.ParseYAML([]byte(d.doc.Content()))
		if err == nil {
			_, err = copied.ExpandAnchors()
		}
		if err == nil {
			copied, err = gaby.ParseYAML(copied.Bytes())
		}
		if err != nil {
			d.fail(d.value, "", "%w", err)
		} else {
			d.expanded = copied
		}
	}
	return d.expanded.Search(segments...).Value()
}

// textOf returns the text that positions of the document, or of the one without aliases, are in.
func (d *decoder) textOf(expanded bool) []byte {
	if expanded && d.expanded != d.doc {
		return d.expanded.Bytes()
	}
	return d.text
}

// fields checks that a value is a map with the given keys only, each once.
func (d *decoder) fields(v gaby.Value, what string, known ...string) bool {
	if v.Kind() != gaby.Map {
		d.fail(v, "", "%s: a map is expected", what)
		return false
	}
	for _, repeated := range v.Repeated() {
		d.failAt(d.keyPosition(repeated), "", "the field %q occurs twice", repeated.Key())
	}
	for c := v.First(); c.Exists(); c = c.Next() {
		if !slices.Contains(known, c.Key()) {
			d.failAt(d.keyPosition(c), configkit.DidYouMean("", configkit.Suggest(c.Key(), known)),
				"%s: unknown field %q", what, c.Key())
		}
	}
	return true
}

// str returns a string field. in is where a missing one is reported.
func (d *decoder) str(in gaby.Value, key string, required bool) string {
	v := in.Get(key)
	s, ok := v.Data().(string)
	switch {
	case !v.Exists() || v.IsNull():
		if required {
			d.fail(in, "", "%s is missing", key)
		}
	case !ok:
		d.fail(v, fmt.Sprintf("quote it: %q", v.Text()), "%s: a string is expected", key)
	case s == "" && required:
		d.fail(v, "", "%s is empty", key)
	}
	return s
}

// list returns the items of a field that is a list or missing.
func (d *decoder) list(in gaby.Value, key string) []gaby.Value {
	v := in.Get(key)
	if !v.Exists() || v.IsNull() {
		return nil
	}
	if v.Kind() != gaby.List {
		d.fail(v, "", "%s: a list is expected", key)
		return nil
	}
	var items []gaby.Value
	for c := v.First(); c.Exists(); c = c.Next() {
		items = append(items, c)
	}
	return items
}

// bundle reads the document.
func (d *decoder) bundle(namespace string) {
	v := d.value
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		d.crlf = true
	}
	if v.Kind() != gaby.Map {
		d.fail(v, "", "a Bundle is expected, and this is not a map")
		return
	}
	version, kind := v.Get("apiVersion"), v.Get("kind")
	if kind.Text() != smithv1.Kind {
		d.fail(either(kind, v), "", "a %s is expected, not %s", smithv1.Kind, quoted(kind))
		return
	}
	if version.Text() != smithv1.APIVersion {
		d.fail(either(version, v), "apiVersion: "+smithv1.APIVersion,
			"apiVersion %s is not one of a Bundle", quoted(version))
	}
	d.fields(v, "Bundle", "apiVersion", "kind", "metadata", "spec", "status")
	meta := v.Get("metadata")
	d.Name, d.Namespace = d.str(either(meta, v), "name", true), namespace
	if d.Name != "" && !smithv1.IsSubdomain(d.Name) {
		d.fail(meta.Get("name"), subdomainHint, "%q is not a name of a Bundle", d.Name)
	}
	if s := d.str(either(meta, v), "namespace", false); s != "" && meta.Exists() {
		d.Namespace = s
	}
	if !IsNamespace(d.Namespace) {
		d.fail(either(meta.Get("namespace"), either(meta, v)), NamespaceHint,
			"%q is not a name of a namespace", d.Namespace)
	}
	spec := v.Get("spec")
	if !spec.Exists() || spec.IsNull() || !d.fields(spec, "spec", "resources") {
		return
	}
	items := d.list(spec, "resources")
	if len(items) > maxResources {
		d.fail(spec, "", "a Bundle has at most %d resources, not %d", maxResources, len(items))
		return
	}
	for _, item := range items {
		d.resource(item)
	}
	d.current = ""
	d.link()
}

// either returns v if it exists, else the value around it.
func either(v, around gaby.Value) gaby.Value {
	if v.Exists() {
		return v
	}
	return around
}

func quoted(v gaby.Value) string {
	if !v.Exists() {
		return "a document without it"
	}
	return fmt.Sprintf("%q", v.Text())
}

const subdomainHint = "lower case letters, digits and -, in parts joined by dots, " +
	"at most 253 characters"

// NamespaceHint says what the name of a namespace has.
const NamespaceHint = "lower case letters, digits and -, at most 63 characters"

// IsNamespace reports whether s can be the name of a namespace: a DNS label.
func IsNamespace(s string) bool {
	return smithv1.IsSubdomain(s) && len(s) <= 63 && !strings.Contains(s, ".")
}

// isReferenceName reports whether s has only letters, digits, "-" and ".".
func isReferenceName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' &&
			c != '.' {
			return false
		}
	}
	return s != ""
}

// resource reads one resource.
func (d *decoder) resource(v gaby.Value) {
	d.current = v.Get("name").Text()
	if !d.fields(v, "resource", "name", "references", "spec") {
		return
	}
	r := &Resource{Name: smithv1.ResourceName(d.str(v, "name", true)), value: v}
	if r.Name != "" && !r.Name.IsValid() {
		d.fail(v.Get("name"), subdomainHint, "%q is not a name of a resource", r.Name)
	}
	for _, item := range d.list(v, "references") {
		if reference := d.reference(item); reference != nil {
			r.References = append(r.References, reference)
		}
	}
	spec := v.Get("spec")
	switch {
	case !spec.Exists() || spec.IsNull():
		d.fail(v, "", "spec is missing: a resource has an object or a plugin")
	case d.fields(spec, "spec", "object", "plugin"):
		d.spec(r, spec)
	}
	d.Resources = append(d.Resources, r)
}

// reference reads one reference.
func (d *decoder) reference(v gaby.Value) *Reference {
	if !d.fields(v, "reference", "name", "resource", "path", "example", "modifier") {
		return nil
	}
	r := &Reference{
		Name:     smithv1.ReferenceName(d.str(v, "name", false)),
		Resource: smithv1.ResourceName(d.str(v, "resource", true)),
		Modifier: smithv1.ReferenceModifier(d.str(v, "modifier", false)),
		example:  v.Get("example"), value: v,
	}
	if r.example.IsNull() { // as if it was left out
		r.example = gaby.Value{}
	}
	if r.Name != "" && !isReferenceName(string(r.Name)) {
		d.fail(v.Get("name"), "letters, digits, - and .", "%q is not a name of a reference", r.Name)
	}
	if r.Modifier != "" && r.Modifier != smithv1.BindSecret {
		d.fail(v.Get("modifier"), "the only modifier is "+string(smithv1.BindSecret),
			"unknown modifier %q", r.Modifier)
	}
	path := d.str(v, "path", false)
	switch {
	case path == "" && r.Name != "":
		d.fail(v, "", "path is missing: a reference with a name needs one")
	case path != "" && r.Name == "":
		d.note(v, "a reference without a name only orders resources; its path is not used")
	}
	if path != "" {
		var err error
		if r.path, err = jsonpath.Parse(path); err != nil {
			d.fail(v.Get("path"), "", "%w", err)
		}
	}
	return r
}

// spec reads the object or the plugin of a resource.
func (d *decoder) spec(r *Resource, v gaby.Value) {
	object, use := v.Get("object"), v.Get("plugin")
	if object.IsNull() { // as if it was left out
		object = gaby.Value{}
	}
	if use.IsNull() {
		use = gaby.Value{}
	}
	switch {
	case object.Exists() && use.Exists():
		d.fail(use, "", "a resource has an object or a plugin, not both")
	case !object.Exists() && !use.Exists():
		d.fail(v, "", "a resource has an object or a plugin, and this has neither")
	case object.Exists():
		if object.Kind() != gaby.Map {
			d.fail(object, "", "object: a map is expected")
			return
		}
		r.object = d.newTemplate(object)
		d.checkObject(r.object)
	default:
		r.plugin = d.plugin(use)
	}
	if t := r.template(); t != nil {
		d.checkMarkers(r, t)
	}
}

// plugin reads the plugin of a resource.
func (d *decoder) plugin(v gaby.Value) *pluginUse {
	if !d.fields(v, "plugin", "name", "objectName", "spec") {
		return nil
	}
	p := &pluginUse{
		name:       smithv1.PluginName(d.str(v, "name", true)),
		objectName: d.str(v, "objectName", false), value: v,
	}
	if p.name != "" && !p.name.IsValid() {
		d.fail(v.Get("name"), subdomainHint, "%q is not a name of a plugin", p.name)
	}
	spec := v.Get("spec")
	switch {
	case spec.Kind() == gaby.Map:
		p.spec = d.newTemplate(spec)
	case spec.Exists() && !spec.IsNull():
		d.fail(spec, "", "spec: a map is expected")
		p.incomplete = true
	}
	nameAt := either(v.Get("objectName"), v)
	if p.objectName == "" { // the name that the first Bundles had
		if name := spec.Get("name"); name.Exists() {
			p.objectName, _ = name.Data().(string)
			nameAt = name
		}
	}
	switch {
	case p.objectName == "":
		d.fail(nameAt, "", "objectName is missing: the object needs a name")
	case !smithv1.IsSubdomain(p.objectName):
		d.fail(nameAt, subdomainHint, "%q is not a name of an object", p.objectName)
	}
	return p
}

// checkMarkers checks the references that a template uses.
func (d *decoder) checkMarkers(r *Resource, t *template) {
	var names []string
	for _, reference := range r.References {
		if reference.Name != "" {
			names = append(names, string(reference.Name))
		}
	}
	for _, m := range t.markers {
		if m.literal == "" && !slices.Contains(names, string(m.name)) {
			d.fail(m.value, configkit.DidYouMean("", configkit.Suggest(string(m.name), names)),
				"%s: reference does not exist in resource references block: %s",
				strings.Join(m.segments, "."), brief(string(m.name)))
			if r.plugin != nil {
				r.plugin.incomplete = true
			}
		}
	}
	for _, v := range t.partial {
		d.note(v, fmt.Sprintf(
			"partial substitution is not supported: %q stays as it is; a reference is a whole "+
				"string",
			brief(v.Text())))
	}
}

// brief returns the beginning of a text from a Bundle, for a message.
func brief(text string) string {
	const longest = 100
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
