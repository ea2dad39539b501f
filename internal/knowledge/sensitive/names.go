package sensitive

import (
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// plainNames are texts that the input shows outside of secret values: files, resources, types, namespaces and
// keys. A text that people read writes them in places of their own, and stays readable there though
// a secret value has the same text. Elsewhere the value is masked.
type plainNames struct {
	files map[string]bool // as paths, with and without their extensions
	has   map[string]bool // types, namespaces, and names of resources with and without their scopes
	keys  map[string]bool
	// variables are the names in references like ${NAME} in values.
	variables map[string]bool
}

// addFile adds a file that a command has read.
func (n *plainNames) addFile(file string) {
	if n.files == nil {
		n.files = map[string]bool{}
	}
	file = strings.TrimPrefix(file, "./")
	n.files[file], n.files[strings.TrimSuffix(file, path.Ext(file))] = true, true
}

// addResource adds a type, and the name of a resource with its scope.
func (n *plainNames) addResource(of, name string) {
	if n.has == nil {
		n.has = map[string]bool{}
	}
	namespace, bare, scoped := strings.Cut(name, "/")
	if !scoped {
		bare, namespace = namespace, ""
	}
	for _, word := range []string{of, name, namespace, bare} {
		n.has[word] = true
	}
}

// addPath adds the keys in a path.
func (n *plainNames) addPath(path string) {
	if n.keys == nil {
		n.keys = map[string]bool{}
	}
	for key := range strings.SplitSeq(path, ".") {
		if !strings.HasPrefix(key, "?") { // a value
			n.keys[key] = true
		}
	}
}

// addKeys adds the keys below a value.
func (n *plainNames) addKeys(v gaby.Value) {
	for entry := range v.Entries() {
		if v.Kind() == gaby.Map {
			n.keys[entry.Key()] = true
		}
		n.addKeys(entry)
	}
}

// visible returns the names in the texts of v.
func (v *Values) visible() *plainNames {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shown == nil {
		v.shown = &plainNames{keys: map[string]bool{}, variables: map[string]bool{}}
		for _, t := range v.texts {
			for _, s := range t.spans {
				for _, at := range variable().FindAllStringSubmatchIndex(s.value, -1) {
					rest := s.value[at[1]:]
					if s.value[at[0]] == '$' && rest != "" && strings.Contains(rest, "}") &&
						strings.Contains("}:=-+?", rest[:1]) {
						v.shown.variables[s.value[at[2]:at[3]]] = true
					}
				}
			}
		}
		for doc := range v.given() {
			v.shown.addResource(string(v.typeOf(doc)), v.nameOf(doc))
			if doc.Check() == nil && doc.ReadOnly() == nil {
				v.shown.addKeys(doc.Value())
			}
		}
	}
	return v.shown
}

// given iterates over the documents of the texts, except those of a change, which may have made names
// of secret values.
func (v *Values) given() iter.Seq[*gaby.YamlDoc] {
	return func(yield func(*gaby.YamlDoc) bool) {
		for i, docs := range v.documents {
			if i == After && v.isWritten {
				continue
			}
			for _, doc := range docs {
				if !yield(doc) {
					return
				}
			}
		}
	}
}

// reveal takes the marks off the bytes of text that are names in places of names.
func (n *plainNames) reveal(text string, marked []bool) {
	for at := 0; at < len(text); at++ {
		if !marked[at] {
			continue
		}
		from, to := at, at
		for from > 0 && !isDelimiter(text[from-1]) {
			from--
		}
		for to < len(text) && !isDelimiter(text[to]) {
			to++
		}
		end := at
		for end < len(text) && marked[end] {
			end++
		}
		if end <= to && (at == 0 || !marked[at-1]) && n.isName(text, marked, from, to) {
			clear(marked[from:to])
		}
		at = max(to, end) // of several values in a word, all are names or none
	}
}

// variable matches where values and messages name a variable.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\$\{|\b(?:variable|give) )([A-Za-z_][A-Za-z0-9_]*)`)
})

// revealVariables takes the marks off the names of variables in values, also in a message about one.
func (n *plainNames) revealVariables(message string, marked []bool) {
	if len(n.variables) == 0 {
		return
	}
	for _, at := range variable().FindAllStringSubmatchIndex(message, -1) {
		if n.variables[message[at[2]:at[3]]] {
			clear(marked[at[0]:at[3]])
		}
	}
}

// isVariable reports whether a value is nothing but a reference to a variable: that is not a secret.
func isVariable(value string) bool {
	at := variable().FindStringIndex(value)
	return at != nil && at[0] == 0 && value[0] == '$' && value[at[1]:] == "}"
}

// isDelimiter reports whether a byte of a text is between names.
func isDelimiter(b byte) bool {
	return b <= ' ' || strings.IndexByte("\"'`(){}[]<>,;=|", b) >= 0
}

// isName reports whether the word of text from one offset to another is a name in a place of names:
// a file, a resource or type with a slash, a path, or a word after one that announces it.
func (n *plainNames) isName(text string, marked []bool, from, to int) bool {
	word := strings.TrimRight(text[from:to], ":.?!")
	file := strings.TrimRight(strings.TrimRight(word, "0123456789"), ":")
	file = strings.TrimRight(strings.TrimRight(file, "0123456789"), ":")
	for _, file := range []string{word, file} {
		for _, side := range []string{"./", "a/", "b/"} { // of a diff
			if rest, cut := strings.CutPrefix(file, side); cut && n.files[rest] {
				return true
			}
		}
		if n.files[file] && (from == 0 || strings.ContainsAny(file, "/.")) {
			return true
		}
	}
	if strings.Contains(word, "/") && n.has[word] {
		return true
	}
	// all reports whether the marked parts of the word are in one of the sets.
	all := func(separator string, sets ...map[string]bool) bool {
		at := from
		for part := range strings.SplitSeq(word, separator) {
			is := func(set map[string]bool) bool { return set[part] }
			if slices.Contains(marked[at:at+len(part)], true) && !slices.ContainsFunc(sets, is) {
				return false
			}
			at += len(part) + len(separator)
		}
		return true
	}
	if strings.Contains(word, ".") && all(".", n.keys) {
		return true
	}
	before := strings.TrimRight(text[:from], " ")
	if len(before) == from && from > 0 {
		return false // in quotes or brackets
	}
	before = before[strings.LastIndexFunc(before, func(r rune) bool {
		return r < 0x80 && isDelimiter(byte(r))
	})+1:]
	switch before {
	case "resource", "namespace":
		return all("/", n.has)
	case "field", "key", "property", "mean":
		return all("/", n.has, n.keys)
	}
	_, kind, isType := strings.Cut(before, "/")
	kind = kind[strings.LastIndexByte(kind, '/')+1:]
	return isType && kind != "" && 'A' <= kind[0] && kind[0] <= 'Z' && all("/", n.has)
}
