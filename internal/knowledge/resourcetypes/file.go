package resourcetypes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
)

// File is a YAML text that describes resource types:
//
//	accessors:     NAME: {type: Regexp, config: EXPRESSION}, or of type Line, JSON or YAML
//	shapes:        NAME: a fragment with the keys of a resource type;
//	                     its paths are relative to where it is embedded
//	families:      [[KIND]]                       kinds that a resource may change between
//	resourceTypes: TYPE (or "*"):
//	  sameAs:          TYPE                       everything about that type, in any file, applies
//	  scope:           Cluster or Namespaced      whether resources are in namespaces;
//	                                              stated for one version, it applies to all
//	  embeds:          [{shape, path, arguments}] puts a shape at a path
//	  mergeKeys:       [{path, key, extraKeys, defaults, unique}]
//	                                              the key of the elements of the list at path
//	  mapKeyPaths:     [path]                     ends in *: users choose the keys there
//	  exclusiveFields: [{path, members, discriminator, allowedMember}]
//	  attributes:
//	    ATTRIBUTE:     [{path, dataType, accessor, target, required, default, needed, provided,
//	                     sensitive, except, description, arguments, upsert}]
//	attributes:    ATTRIBUTE: {description, dataType, regexp, enum, min, max, example, upsert,
//	                           parameters}, and in built-in files functions, value and members
//
// The default of dataType is string. If several files describe a type, all of them apply, and later
// paths override earlier ones. Shapes and accessors can be used across files.
// docs/resource-types.md is the manual.
type File struct {
	Name string
	Text []byte
	// BuiltIn marks the files of the program itself. Attributes described there have functions
	// already.
	BuiltIn bool
}

// Error reports what is wrong with a resource types file.
type Error struct {
	File string
	Pos  gaby.Position
	Key  string
	Msg  string
	Hint string

	stops bool  // nothing more is read after it
	err   error // of the parser
}

// Unwrap returns the error of the parser if the file is not YAML, else nil.
func (e *Error) Unwrap() error { return e.err }

func (e *Error) Error() string {
	text := e.File
	if e.Pos.Line > 0 {
		text += ":" + e.Pos.String()
	}
	if e.Key != "" {
		text += ": " + e.Key
	}
	return text + ": " + e.Msg
}

// problems collects errors, each only once: shapes are read wherever they are embedded.
type problems struct {
	all      []error
	reported map[string]bool
	stop     bool
}

// add adds an error or several joined ones.
func (p *problems) add(err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			p.add(e)
		}
		return
	}
	if e, ok := err.(*Error); ok && e.stops {
		p.stop = true
	}
	if text := err.Error(); !p.reported[text] {
		if p.reported == nil {
			p.reported = map[string]bool{}
		}
		p.reported[text] = true
		p.all = append(p.all, err)
	}
}

func (p *problems) err() error {
	if len(p.all) == 1 {
		return p.all[0]
	}
	return errors.Join(p.all...)
}

// document is a document of a file. Built-in documents are scanned only when one of their
// entries is asked for.
type document struct {
	*File
	doc  *gaby.YamlDoc
	keys map[sectionKey]bool // of a built-in document
}

// mayHaveSensitive reports whether the document may mark paths as sensitive. For a built-in
// document it searches the text; a test ensures that this is enough.
func (d document) mayHaveSensitive() bool {
	return !d.BuiltIn || bytes.Contains(d.doc.Bytes(), []byte("sensitive: true"))
}

// sectionKey is an entry of a section or, without key, the section itself.
type sectionKey struct{ section, key string }

// parseDocuments splits a file into documents. Users' files are also scanned; built-in files are
// valid.
func parseDocuments(file *File) ([]document, error) {
	docs, err := gaby.ParseAll(file.Text)
	var all []document
	for _, doc := range docs {
		d := document{File: file, doc: doc}
		if file.BuiltIn {
			d.keys = sectionKeys(doc.Bytes())
		} else if err == nil {
			err = doc.Check()
		}
		all = append(all, d)
	}
	if err == nil {
		return all, nil
	}
	e := &Error{File: file.Name, Msg: err.Error(), err: err}
	if syntax, ok := err.(*gaby.SyntaxError); ok {
		e.Pos, e.Msg, e.Hint = syntax.Pos, syntax.Msg, syntax.Hint
	}
	return nil, e
}

// sectionKeys finds the keys of a built-in document by their indentation, which is much cheaper
// than scanning the document.
func sectionKeys(text []byte) map[sectionKey]bool {
	keys := map[sectionKey]bool{}
	section := ""
	for line := range bytes.Lines(text) {
		entry := bytes.TrimLeft(line, " ")
		name, _, ok := bytes.Cut(entry, []byte(":"))
		key := strings.Trim(string(name), `"`)
		switch indent := len(line) - len(entry); {
		case !ok:
		case indent == 0:
			section = key
			keys[sectionKey{section, ""}] = true
		case indent == 2:
			keys[sectionKey{section, key}] = true
		}
	}
	return keys
}

// entry returns a section, or the value at a path of keys in it.
func (d document) entry(section string, path ...string) gaby.Value {
	if d.keys != nil && (!d.keys[sectionKey{section, ""}] ||
		len(path) > 0 && !d.keys[sectionKey{section, path[0]}]) {
		return gaby.Value{}
	}
	v := d.doc.Value().Get(section)
	for _, key := range path {
		v = v.Get(key)
	}
	return v
}

// fail returns an error at the position of a value.
func (d document) fail(at gaby.Value, key, format string, args ...any) error {
	return &Error{File: d.Name, Pos: at.Position(), Key: key, Msg: fmt.Sprintf(format, args...)}
}

// failKey is fail at the key of an entry.
func (d document) failKey(entry gaby.Value, msg string) *Error {
	return &Error{File: d.Name, Pos: entry.KeyPosition(), Key: entry.Key(), Msg: msg}
}

// stop is fail for an error that would otherwise be repeated over and over.
func (d document) stop(at gaby.Value, key, format string, args ...any) error {
	e := d.fail(at, key, format, args...).(*Error)
	e.stops = true
	return e
}

// unknown rejects a name that is not known, and suggests known ones.
func (d document) unknown(
	pos gaby.Position, key, msg string, name string, known []string,
) error {
	e := &Error{File: d.Name, Pos: pos, Key: key, Msg: msg}
	e.Hint = configkit.DidYouMean("", configkit.Suggest(name, known))
	if e.Hint == "" && len(known) <= 12 {
		e.Hint = "known are " + strings.Join(known, ", ")
	}
	return e
}

// strictly reads a value, and returns what is wrong with it. name is what messages call it.
func (d document) strictly(v gaby.Value, name string, read func(v strict.Value)) error {
	r := &strict.Reader{}
	read(r.Value(v, name))
	var problems problems
	for _, p := range r.Problems() {
		f := p.Failure
		problems.add(&Error{File: d.Name, Pos: f.Pos, Msg: f.Message, Hint: f.Hint})
	}
	return problems.err()
}

// fields visits the entries of a map and rejects unknown and repeated keys. known is nil if users
// choose the keys.
func (d document) fields(
	v gaby.Value, name string, known []string, visit func(key string, field gaby.Value) error,
) error {
	var problems problems
	visitField := func(field strict.Value) {
		if !problems.stop {
			problems.add(visit(field.Key(), field.Value))
		}
	}
	problems.add(d.strictly(v, name, func(v strict.Value) {
		switch {
		case !v.Exists():
		case known == nil:
			for field := range v.Map() {
				visitField(field)
			}
		default:
			fields := strict.Unread(known...)
			for i := range fields {
				fields[i].Read = visitField
			}
			v.Object(cmp.Or(name, "a file"), fields...)
		}
	}))
	return problems.err()
}

// reader reads the value of a key of a map.
type reader struct {
	key  string
	read func(v gaby.Value) error
}

// read reads the entries of a map with these keys.
func (d document) read(v gaby.Value, name string, readers ...reader) error {
	keys := make([]string, len(readers))
	for i, r := range readers {
		keys[i] = r.key
	}
	return d.fields(v, "an entry of "+name, keys, func(key string, field gaby.Value) error {
		return readers[slices.Index(keys, key)].read(field)
	})
}

// readTo returns the reader that stores what read returns.
func readTo[T any](key string, to *T, read func(v gaby.Value, name string) (T, error)) reader {
	return reader{key, func(v gaby.Value) (err error) {
		*to, err = read(v, key)
		return err
	}}
}

// textMap reads a map of texts.
func (d document) textMap(v gaby.Value, name string) (map[string]string, error) {
	all := map[string]string{}
	err := d.fields(v, name, nil, func(key string, field gaby.Value) (err error) {
		all[key], err = d.text(field, key)
		return err
	})
	return all, err
}

// items visits the elements of a list.
func (d document) items(
	v gaby.Value, name string, visit func(item gaby.Value) error,
) error {
	var problems problems
	problems.add(d.strictly(v, name, func(v strict.Value) {
		for item := range v.List() {
			if !problems.stop {
				problems.add(visit(item.Value))
			}
		}
	}))
	return problems.err()
}

func (d document) text(v gaby.Value, name string) (text string, err error) {
	if !v.Exists() || v.IsNull() {
		return "", d.fail(v, "", "%s must be a text, not %s", name, strict.Describe(v))
	}
	err = d.strictly(v, name, func(v strict.Value) { text = v.Scalar() })
	return text, err
}

func (d document) texts(v gaby.Value, name string) ([]string, error) {
	var all []string
	err := d.items(v, name, func(item gaby.Value) error {
		text, err := d.text(item, name)
		all = append(all, text)
		return err
	})
	return all, err
}

// oneOrMore returns a string or a list of strings as a list.
func (d document) oneOrMore(v gaby.Value, name string) ([]string, error) {
	if v.Kind() == gaby.List {
		return d.texts(v, name)
	}
	text, err := d.text(v, name)
	return []string{text}, err
}

func (d document) boolean(v gaby.Value, name string) (b bool, err error) {
	err = d.strictly(v, name, func(v strict.Value) { b = v.Bool() })
	return b, err
}

func (d document) integer(v gaby.Value, name string) (n int, err error) {
	err = d.strictly(v, name, func(v strict.Value) { n = v.Int() })
	return n, err
}

// oneOf returns a text that must be one of known.
func (d document) oneOf(v gaby.Value, name string, known []string) (text string, err error) {
	err = d.strictly(v, name, func(v strict.Value) { text = v.OneOf(known) })
	return text, err
}
