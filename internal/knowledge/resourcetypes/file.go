package resourcetypes

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
)

// TypesFile is a YAML text that describes resource types:
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
//	                     sensitive, except, description, arguments, upsert, where}]
//	attributes:    ATTRIBUTE: {description, dataType, regexp, enum, min, max, example, upsert,
//	                           parameters}, and in built-in files functions, value, members, rank
//
// The default of dataType is string. If several files describe a type, all of them apply, and later
// paths override earlier ones. Shapes and accessors can be used across files.
// docs/resource-types.md is the manual.
type TypesFile struct {
	Name string
	Text []byte
	// BuiltIn marks the files of the program itself. Attributes described there have functions
	// already.
	BuiltIn bool
}

// wrong returns what is wrong with documents, as *api.Failure, joined.
func wrong(documents []document) error {
	var problems []error
	var reader *strict.Reader
	for _, d := range documents {
		if d.reader == reader {
			continue // it is that of the file
		}
		reader = d.reader
		for _, p := range reader.Problems() {
			problems = append(problems, &p.Failure)
		}
	}
	return errors.Join(problems...)
}

// document is a document of a file. Built-in documents are scanned only when one of their
// entries is asked for.
type document struct {
	*TypesFile
	doc  *gaby.YamlDoc
	keys map[sectionKey]bool // of a built-in document
	// reader collects what is wrong with the file.
	reader *strict.Reader
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
func parseDocuments(file *TypesFile) (all []document) {
	reader := &strict.Reader{File: file.Name}
	docs, err := gaby.ParseAll(file.Text)
	for _, doc := range docs {
		d := document{TypesFile: file, doc: doc, reader: reader}
		if file.BuiltIn {
			d.keys = sectionKeys(doc.Bytes())
		} else {
			err = cmp.Or(err, doc.Check())
		}
		all = append(all, d)
	}
	if err != nil {
		reader.Syntax(err)
		return []document{{TypesFile: file, reader: reader}}
	}
	return all
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

// at returns a value of the document for reading. Null stays, since it has a position.
func (d document) at(v gaby.Value) strict.Value {
	read := d.reader.Value(gaby.Value{}, "")
	read.Value = v
	return read
}

// failKey reports what is wrong with an entry at its key.
func (d document) failKey(entry gaby.Value, hint, problem string) {
	d.reader.Report(entry.KeyPosition(), hint, "%s: %s", entry.Key(), problem)
}

// hintFor returns a hint with what may be meant by a name that is not known.
func hintFor(name string, known []string) string {
	hint := configkit.DidYouMean("", configkit.Suggest(name, known))
	if hint == "" && len(known) <= 12 {
		hint = "known are " + strings.Join(known, ", ")
	}
	return hint
}

// reads reads the fields of an entry, and reports whether nothing is wrong with them. noun is what
// messages call it.
func reads(v strict.Value, noun string, fields ...strict.Field) bool {
	before := v.Reader().Count()
	v.Path = ""
	if !v.IsNull() {
		v.Object(noun, fields...)
	}
	return v.Reader().Count() == before
}

// lacks reports a field of an entry that is missing.
func lacks(entry strict.Value, name string, missing bool) bool {
	if missing {
		entry.Fail("", "%s: it is missing", name)
	}
	return missing
}

// text returns a field with a text, which may look like a number.
func text(name string, to *string) strict.Field { return strict.To(name, to, strict.Value.Scalar) }

// texts returns a field with a list of such texts.
func texts(name string, to *[]string) strict.Field {
	return strict.List(name, to, strict.Value.Scalar)
}

// textMap returns a field with a map of such texts.
func textMap(name string, to *map[string]string) strict.Field {
	return strict.Map(name, to, strict.Value.Scalar)
}
