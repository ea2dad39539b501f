package bundle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/strict"
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
	r := &strict.Reader{File: file, Locate: read.quoted.original}
	var bundles []*Bundle
	var notes []api.Note
	for _, doc := range docs {
		if err := doc.Check(); err != nil {
			f := unreadable(file, text, err)
			r.Add(f.Pos, f)
			continue
		}
		d := &decoder{
			Bundle: &Bundle{File: file, value: doc.Value(), quoted: read.quoted}, text: text,
			doc: doc, reader: r,
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
		notes = append(notes, d.notes...)
	}
	problems = append(problems, r.Failures()...)
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

// decoder reads one Bundle.
type decoder struct {
	*Bundle
	reader   *strict.Reader
	text     []byte
	doc      *gaby.YamlDoc
	expanded *gaby.YamlDoc // the document without aliases, made when it is needed
	notes    []api.Note
}

// fail adds a problem at a value.
func (d *decoder) fail(v gaby.Value, hint, format string, args ...any) {
	d.reader.Report(v.Position(), hint, format, args...)
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

// bundle reads the document.
func (d *decoder) bundle(namespace string) {
	v := d.reader.Value(d.value, "")
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		d.crlf = true
	}
	if version, kind := v.Get("apiVersion"), v.Get("kind"); v.Kind() == gaby.Map {
		if kind.Value.Text() != smithv1.Kind {
			d.fail(either(kind.Value, d.value), "", "a %s is expected, not %s", smithv1.Kind,
				quoted(kind.Value))
			return
		}
		if version.Value.Text() != smithv1.APIVersion {
			d.fail(either(version.Value, d.value), "apiVersion: "+smithv1.APIVersion,
				"apiVersion %s is not one of a Bundle", quoted(version.Value))
		}
	}
	var resources []strict.Value
	d.Namespace = namespace
	v.Object("a Bundle", append(strict.Unread("apiVersion", "kind", "status"),
		strict.Need(strict.Field{Name: "metadata", Read: d.metadata}),
		strict.Field{Name: "spec", Read: func(v strict.Value) {
			v.Object("a spec", strict.List("resources", &resources,
				func(v strict.Value) strict.Value { return v }))
		}})...)
	if v.Kind() != gaby.Map {
		return
	}
	if metadata := d.value.Get("metadata"); !IsNamespace(d.Namespace) {
		d.fail(either(metadata.Get("namespace"), either(metadata, d.value)), NamespaceHint,
			"%q is not a name of a namespace", d.Namespace)
	}
	if len(resources) > maxResources {
		d.fail(d.value.Get("spec"), "", "a Bundle has at most %d resources, not %d", maxResources,
			len(resources))
		return
	}
	for _, item := range resources {
		d.resource(item)
	}
	d.reader.Resource = ""
	d.link()
}

func (d *decoder) metadata(v strict.Value) {
	namespace := ""
	v.Part("metadata", strict.Need(strict.Text("name", &d.Name)),
		strict.Text("namespace", &namespace))
	if d.Name != "" && !smithv1.IsSubdomain(d.Name) {
		v.Get("name").Fail(subdomainHint, "%q is not a name of a Bundle", d.Name)
	}
	d.Namespace = cmp.Or(namespace, d.Namespace)
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
func (d *decoder) resource(v strict.Value) {
	d.reader.Resource = v.Value.Get("name").Text()
	v.Path = ""
	r := &Resource{value: v.Value}
	var references []*ResolvedReference
	var spec strict.Value
	if v.Kind() != gaby.Map {
		v.Object("a resource")
		return
	}
	v.Object("a resource", strict.Need(strict.Text("name", &r.Name)),
		strict.List("references", &references, d.reference), strict.Take("spec", &spec))
	if r.Name != "" && !r.Name.IsValid() {
		v.Get("name").Fail(subdomainHint, "%q is not a name of a resource", r.Name)
	}
	for _, reference := range references {
		if reference != nil {
			r.References = append(r.References, reference)
		}
	}
	if spec.Exists() {
		d.spec(r, spec)
	} else {
		v.Fail("", "spec is missing: a resource has an object or a plugin")
	}
	d.Resources = append(d.Resources, r)
}

// reference reads one reference, nil if it is not a map.
func (d *decoder) reference(v strict.Value) *ResolvedReference {
	r := &ResolvedReference{value: v.Value}
	var example strict.Value
	var path string
	v.Object("a reference", strict.Text("name", &r.Name),
		strict.Need(strict.Text("resource", &r.Resource)), strict.Text("path", &path),
		strict.Take("example", &example),
		strict.OneOf("modifier", &r.Modifier, smithv1.BindSecret))
	if v.Kind() != gaby.Map {
		return nil
	}
	r.example = example.Value
	if r.Name != "" && !isReferenceName(string(r.Name)) {
		v.Get("name").Fail("letters, digits, - and .", "%q is not a name of a reference", r.Name)
	}
	switch {
	case path == "" && r.Name != "":
		v.Fail("", "path is missing: a reference with a name needs one")
	case path != "" && r.Name == "":
		d.note(v.Value, "a reference without a name only orders resources; its path is not used")
	}
	if path != "" {
		var err error
		if r.path, err = jsonpath.Parse(path); err != nil {
			v.Get("path").Fail("", "%w", err)
		}
	}
	return r
}

// spec reads the object or the plugin of a resource.
func (d *decoder) spec(r *Resource, v strict.Value) {
	var object, use strict.Value
	if !v.Object("a spec", strict.Take("object", &object), strict.Take("plugin", &use)) {
		return
	}
	switch {
	case object.Exists() && use.Exists():
		use.Fail("", "a resource has an object or a plugin, not both")
	case use.Exists():
		r.plugin = d.plugin(use)
	case !object.Exists():
		v.Fail("", "a resource has an object or a plugin, and this has neither")
	case !object.Part("an object"):
		return
	default:
		r.object = d.newTemplate(object.Value)
		d.checkObject(r.object)
	}
	if t := r.template(); t != nil {
		d.checkMarkers(r, t)
	}
}

// plugin reads the plugin of a resource.
func (d *decoder) plugin(v strict.Value) *pluginUse {
	p := &pluginUse{value: v.Value}
	var spec strict.Value
	v.Object("a plugin", strict.Need(strict.Text("name", &p.name)),
		strict.Text("objectName", &p.objectName), strict.Take("spec", &spec))
	if v.Kind() != gaby.Map {
		return nil
	}
	if p.name != "" && !p.name.IsValid() {
		v.Get("name").Fail(subdomainHint, "%q is not a name of a plugin", p.name)
	}
	if spec.Exists() {
		if spec.Part("a spec") {
			p.spec = d.newTemplate(spec.Value)
		} else {
			p.incomplete = true
		}
	}
	nameAt := either(v.Value.Get("objectName"), v.Value)
	if p.objectName == "" { // the name that the first Bundles had
		if name := spec.Value.Get("name"); name.Exists() {
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
