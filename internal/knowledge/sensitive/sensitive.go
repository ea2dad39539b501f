// Package sensitive masks secret values in what people and logs see.
//
// The registry of resource types marks the paths of secret values as sensitive. Find looks for the
// values at these paths in the texts of a unit. Text that is shown, such as a diff, is masked by
// the positions of the values. Messages are masked by the content of the values, because it is
// unknown how a function came to quote them. Nothing is computed until something is shown.
//
// Layer: configkit.
package sensitive

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Mask replaces a secret value.
const Mask = "(sensitive)"

// Values holds the secret values in the texts of a unit. A nil Values has none and masks nothing.
type Values struct {
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
	texts     []*text
	units     int // how many of the texts are of the unit; the first two are before and after
	// The types of resources that have secret values in one of the texts, by name.
	secret map[string]api.ResourceType
	kind   *regexp.Regexp // matches their kinds in unreadable documents
	// The places where a change wrote copies of values that are words, and these values.
	places  map[string]bool
	written *SecretSet
	mu      sync.Mutex  // of making what follows
	known   *known      // built for the first message
	words   *wordList   // of the values that are words
	copies  *SecretSet  // built for the first text that may have copies
	own     *SecretSet  // built for the first text that may have the values themselves
	shown   *plainNames // built for the first message that quotes a value

	documents []gaby.Container // of the texts
	isWritten bool             // the second text is of a change, which may have copied values
}

// text is one text of a unit.
type text struct {
	data   formatkit.Text
	isYAML bool
	spans  []span
	copied []span          // of scalars that a change wrote with copies of values
	loose  []string        // lines of unreadable documents, without keys
	quoted []string        // values in mutations, and numbers as parsed
	named  map[string]bool // resources whose types have secret values
}

// span is a scalar or a comment in a text.
type span struct {
	from, to int
	path     string // of a scalar, with its resource
	value    string
	isCopy   bool // only words of it are secret
}

// Find finds the secret values in the texts of a unit, such as the text before a change and the one
// after it, and in other texts, such as arguments. It returns nil if it finds none. A resource
// whose type has secret values in one of the texts has them in all texts, whatever its type there.
func Find(
	converter configkit.ConfigConverter, provider configkit.ResourceProvider, units [][]byte,
	others ...[]byte,
) *Values {
	return find(converter, provider, units, others, nil)
}

func find(
	converter configkit.ConfigConverter, provider configkit.ResourceProvider,
	units, others [][]byte, given *Values,
) *Values {
	texts := slices.Concat(units, others)
	kinds := provider.SensitiveKinds()
	if given == nil &&
		!slices.ContainsFunc(texts, func(data []byte) bool { return mentions(data, kinds) }) {
		return nil
	}
	v := &Values{
		converter: converter, provider: provider, units: len(units),
		secret: map[string]api.ResourceType{}, kind: kindPattern(kinds),
	}
	_, isOther := converter.(interface{ Traits() formatkit.Traits })
	for i, data := range append(texts, wholeResources(texts)...) {
		docs, err := converter.NativeToDocuments(data)
		t := &text{data: data, isYAML: !isOther, named: map[string]bool{}}
		// What a kind in the text does not show is assumed of the unit only.
		if err != nil && v.kind.Match(data) && (i < len(units) || v.kind.String() != "") {
			t.addUnreadable(0, len(data))
		}
		v.texts, v.documents = append(v.texts, t), append(v.documents, docs)
		for _, doc := range docs {
			if of := v.typeOf(doc); provider.Sensitive(of, "") != configkit.NotSensitive {
				name := v.nameOf(doc)
				v.secret[name], t.named[name] = of, true
			}
		}
	}
	found := false
	for i, t := range v.texts {
		v.search(t, v.documents[i])
		v.addChanges(t)
		found = found || len(t.spans)+len(t.quoted) > 0
	}
	if !found && given == nil {
		return nil
	}
	return v
}

// mentions reports whether a text contains one of the words, or may contain one because letters are
// escaped.
func mentions(data []byte, words []string) bool {
	if escapedLetter().Match(data) {
		return len(words) > 0
	}
	return slices.ContainsFunc(words, func(word string) bool {
		return word == string(api.ResourceTypeAny) || bytes.Contains(data, []byte(word))
	})
}

// escapedLetter matches an escape that may mean a letter, or an escaped newline, which may
// split a word.
var escapedLetter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:[xuU]|\r?\n)`)
})

// kindPattern matches the kind field of a document of one of the kinds.
func kindPattern(kinds []string) *regexp.Regexp {
	if slices.Contains(kinds, string(api.ResourceTypeAny)) {
		return regexp.MustCompile("")
	}
	quoted := make([]string, len(kinds))
	for i, kind := range kinds {
		quoted[i] = regexp.QuoteMeta(kind)
	}
	return regexp.MustCompile(`\bkind["']?\s*:\s*["']?(?:` + strings.Join(quoted, "|") + `)\b`)
}

// typeOf returns the type of a document, even if the document has no name.
func (v *Values) typeOf(doc *gaby.YamlDoc) api.ResourceType {
	if t, err := v.provider.ResourceTypeGetter(doc); err == nil {
		return t
	}
	root := doc.Value()
	return api.ResourceType(root.Get("apiVersion").Text() + "/" + root.Get("kind").Text())
}

func (v *Values) nameOf(doc *gaby.YamlDoc) string {
	name, _ := v.provider.ResourceNameGetter(doc)
	return string(name)
}

// secretType returns the type whose paths determine which values of a resource are secret: its own,
// or the one it has in another text.
func (v *Values) secretType(t api.ResourceType, name string, hasBoth bool) api.ResourceType {
	similar, ok := v.provider.(interface {
		SimilarTypes(a, b api.ResourceType) bool
	})
	if was, found := v.secret[name]; found && ok && !hasBoth && similar.SimilarTypes(was, t) {
		return was
	}
	return t
}

// search finds the secret values in the documents of a text.
func (v *Values) search(t *text, docs gaby.Container) {
	parts := t.parts(docs)
	for i, doc := range docs {
		from, to := parts[i].From, parts[i].To
		name := v.nameOf(doc)
		if of, err := v.provider.ResourceTypeGetter(doc); err == nil && v.secret[name] == "" &&
			v.provider.Sensitive(of, "") == configkit.NotSensitive {
			continue // do not read the rest
		}
		if doc.Check() != nil || doc.ReadOnly() != nil {
			if v.kind.Match(t.data[from:to]) {
				t.addUnreadable(from, to)
			}
			continue
		}
		s := search{text: t, anchors: map[string]bool{}}
		v.provider.SensitiveValues(
			v.secretType(v.typeOf(doc), name, t.named[name]), doc,
			func(value gaby.Value) { s.add(value, name) },
		)
		if len(s.anchors) > 0 {
			s.addAnchored(doc.Value(), name)
		}
	}
	slices.SortFunc(t.spans, func(a, b span) int { return a.from - b.from })
}

// parts returns where each document of a text is.
func (t *text) parts(docs gaby.Container) []formatkit.Span {
	lines, parts := lineStarts(t.data), make([]formatkit.Span, len(docs))
	for i, doc := range docs {
		parts[i] = formatkit.Span{From: lines[doc.FirstLine()-1], To: len(t.data)}
		if i > 0 {
			parts[i-1].To = parts[i].From
		}
	}
	return parts
}

// lineStarts returns the offsets of the lines of data.
func lineStarts(data []byte) []int {
	starts := make([]int, 1, bytes.Count(data, []byte("\n"))+1)
	for at := 0; ; {
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			return starts
		}
		at += end + 1
		starts = append(starts, at)
	}
}

// search collects the secret values of a document.
type search struct {
	*text
	anchors map[string]bool // of values that are elsewhere
}

// add adds everything below a value except keys.
func (s *search) add(v gaby.Value, path string) {
	n := formatkit.NodeOf(v)
	var covered []formatkit.Span
	path += "." + yamlpath.Escape(v.Key())
	if n != nil {
		covered = s.addNode(n, path, nil)
	} else {
		covered = s.addYAML(v, path, nil)
	}
	if len(covered) == 0 {
		return
	}
	slices.SortFunc(covered, func(a, b formatkit.Span) int { return a.From - b.From })
	end := covered[0].To
	for _, next := range covered[1:] {
		if next.From > end {
			s.addBetween(end, next.From)
		}
		end = max(end, next.To)
	}
	if n != nil {
		s.addBelow(end, n.Kind != gaby.Scalar)
	} else {
		s.addTrailing(v, end)
	}
}

// addYAML adds the scalars below a value at a path. It appends the spans of keys, values and closing brackets
// to covered.
func (s *search) addYAML(v gaby.Value, path string, covered []formatkit.Span) []formatkit.Span {
	at, ok := v.Extent()
	if !ok {
		return covered
	}
	alias := v.SourceStyle().Alias
	if alias != "" {
		s.anchors[alias] = true
	}
	covered = append(covered, formatkit.Span{From: at.Key, To: max(at.Key, at.KeyEnd)})
	if v.Kind() == gaby.Scalar || alias != "" {
		if at.To > at.From && !isVariable(v.Text()) {
			s.spans = append(s.spans, span{from: at.From, to: at.To, path: path, value: v.Text()})
			s.addRead(v.Data())
		}
		return append(covered, formatkit.Span{From: at.From, To: at.To})
	}
	item := 0
	for entry := range v.Entries() {
		segment := yamlpath.Escape(entry.Key())
		if v.Kind() == gaby.List {
			segment = strconv.Itoa(item)
			item++
		}
		covered = s.addYAML(entry, path+"."+segment, covered)
	}
	if at.To > at.From && strings.IndexByte("]}", s.data[at.To-1]) >= 0 {
		covered = append(covered, formatkit.Span{From: at.To - 1, To: at.To})
	}
	return covered
}

// addRead adds a number as it is parsed, since messages write 5349 for 0012345.
func (s *search) addRead(value any) {
	switch value.(type) {
	case int, int64, uint64, float64:
		s.quoted = append(s.quoted, fmt.Sprint(value))
	}
}

// firstLine returns the first line of data without its line end.
func firstLine(data []byte) []byte {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// addTrailing adds the comment on the last line of a value, and the comments below it that are
// indented more than its key.
func (s *search) addTrailing(v gaby.Value, end int) {
	at, _ := v.Extent()
	indent := at.Key - (bytes.LastIndexByte(s.data[:at.Key], '\n') + 1)
	if end > 0 && s.data[end-1] != '\n' {
		line := firstLine(s.data[end:])
		if rest := bytes.TrimLeft(line, " \t"); len(rest) > 0 && rest[0] != '#' {
			return // inside a flow collection on one line
		}
		s.addBetween(end, end+len(line))
		end = min(end+len(line)+1, len(s.data))
	}
	for end < len(s.data) {
		line := firstLine(s.data[end:])
		rest := bytes.TrimLeft(line, " ")
		if len(rest) > 0 && (rest[0] != '#' || len(line)-len(rest) <= indent) {
			return
		}
		s.addBetween(end, end+len(line))
		next := bytes.IndexByte(s.data[end:], '\n')
		if next < 0 {
			return
		}
		end += next + 1
	}
}

// addAnchored adds the values that aliases among the secret values refer to.
func (s *search) addAnchored(v gaby.Value, path string) {
	if anchor := v.SourceStyle().Anchor; anchor != "" && s.anchors[anchor] {
		s.add(v, path+".&")
		return
	}
	for entry := range v.Entries() {
		s.addAnchored(entry, path)
	}
}

// addUnreadable adds what follows the keys in the lines of an unreadable document, except its
// apiVersion and kind.
func (t *text) addUnreadable(from, to int) {
	signs := ":="
	if t.isYAML {
		signs = ":"
	}
	for line := range bytes.Lines(t.data[from:to]) {
		body := bytes.TrimRight(line, "\r\n")
		key, value := []byte(nil), bytes.TrimLeft(body, " -")
		if sign := bytes.IndexAny(body, signs); sign >= 0 {
			key, value = body[:sign], body[sign+1:]
		}
		start, end := from+len(body)-len(bytes.TrimLeft(value, " \t")), from+len(body)
		from += len(line)
		if start < end && string(key) != "apiVersion" && string(key) != "kind" &&
			!bytes.HasPrefix(body, []byte("---")) {
			t.spans = append(t.spans, span{from: start, to: end})
			t.loose = append(t.loose, string(t.data[start:end]))
		}
	}
}
