package mutation

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// A mutationPath is the path of a value in a resource. As text, its segments are separated by dots:
//
//	key                              a map key; a dot in it is written ~1, a tilde ~0
//	?name=app;@0                     an element of a list with a merge key
//	?port=53,protocol=UDP;@1         with a merge key of several fields
//	?~h=1b9d3f0c;@2                  an element of another list, by digest of its value;
//	                                 ,~o=1 is the second of equal elements
//	?~h=+1b9d3f0c;@2                 a new element of such a list
//	2                                read only: an element of any list, by index
//
// The number after ";@" is the index that the element had. It helps readers that cannot find the
// element otherwise, and does not count when paths are compared.
type mutationPath []mutationSegment

// mutationSegment is a segment of a mutationPath.
type mutationSegment struct {
	kind mutationSegmentKind
	// A key, unescaped; of an element, the escaped text between "?" and ";@"; of elementByDigest,
	// the digest only.
	text  string
	nth   int // among equal elements of a list without merge keys, from 0
	index int // of an element; -1 if not given
}

type mutationSegmentKind uint8

const (
	mapKey          mutationSegmentKind = iota
	elementByKey                        // ?name=app
	elementByDigest                     // ?~h=1b9d3f0c
	newElement                          // ?~h=+1b9d3f0c
)

// child returns p with one more segment, sharing no memory with other children of p.
func (p mutationPath) child(s mutationSegment) mutationPath {
	return append(p[:len(p):len(p)], s)
}

// String returns the path with the indexes of elements.
func (p mutationPath) String() string {
	var b [128]byte // usually enough
	return string(p.appendTo(b[:0], true))
}

// canonical returns the path without the indexes of elements. Equal paths have equal canonical
// forms.
func (p mutationPath) canonical() string {
	var b [128]byte
	return string(p.appendTo(b[:0], false))
}

// appendTo appends the text of the path to b.
func (p mutationPath) appendTo(b []byte, indexes bool) []byte {
	for i, s := range p {
		if i > 0 {
			b = append(b, '.')
		}
		switch s.kind {
		case mapKey:
			b = append(b, escapeSegment(s.text)...)
			continue
		case elementByKey:
			b = append(append(b, '?'), s.text...)
		case elementByDigest:
			b = append(append(b, "?~h="...), s.text...)
		case newElement:
			b = append(append(b, "?~h=+"...), s.text...)
		}
		if s.nth > 0 {
			b = strconv.AppendInt(append(b, ",~o="...), int64(s.nth), 10)
		}
		if indexes && s.index >= 0 {
			b = strconv.AppendInt(append(b, ";@"...), int64(s.index), 10)
		}
	}
	return b
}

// segments returns the keys and indexes of the path, for the document that its indexes are from.
func (p mutationPath) segments() []string {
	segments := make([]string, len(p))
	for i, s := range p {
		if segments[i] = s.text; s.kind != mapKey {
			segments[i] = strconv.Itoa(s.index)
		}
	}
	return segments
}

// parseMutationPath parses a path. Every text is a path: a segment that is not an element is a key.
// Whether a number is a key or an index depends on the document.
func parseMutationPath(text api.ResolvedPath) mutationPath {
	if text == "" {
		return nil
	}
	parts := strings.Split(string(text), ".")
	p := make(mutationPath, len(parts))
	for i, part := range parts {
		p[i] = parseMutationSegment(part)
	}
	return p
}

// parseMutationSegment parses a segment. Whatever is not a well-formed element is a key.
func parseMutationSegment(part string) mutationSegment {
	plain := mutationSegment{text: yamlpath.Unescape(part), index: -1}
	body, ok := strings.CutPrefix(part, "?")
	if !ok || !strings.Contains(body, "=") {
		return plain
	}
	s := mutationSegment{kind: elementByKey, index: -1}
	if at := strings.LastIndex(body, ";@"); at >= 0 {
		n, err := strconv.Atoi(body[at+2:])
		if err != nil || n < 0 {
			return plain
		}
		body, s.index = body[:at], n
	}
	digest, ok := strings.CutPrefix(body, "~h=")
	if !ok {
		s.text = escapeSegment(yamlpath.Unescape(body))
		return s
	}
	s.kind = elementByDigest
	if digest, ok = strings.CutPrefix(digest, "+"); ok {
		s.kind = newElement
	}
	if at := strings.Index(digest, ",~o="); at >= 0 {
		n, err := strconv.Atoi(digest[at+4:])
		if err != nil || n < 0 {
			return plain
		}
		digest, s.nth = digest[:at], n
	}
	s.text = digest
	return s
}

// escapeSegment is the inverse of yamlpath.Unescape. It escapes every tilde, so that a path has
// only one spelling.
func escapeSegment(s string) string {
	if strings.IndexByte(s, '.') < 0 && strings.IndexByte(s, '~') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), ".", "~1")
}

// asKey returns the segment as a map key, for a key that looks like an element.
func (s mutationSegment) asKey() string {
	if s.kind == mapKey {
		return s.text
	}
	return yamlpath.Unescape(string(mutationPath{s}.appendTo(nil, true)))
}

// elementID returns the ID of a list element: key=value for each merge key, escaped and separated
// by commas. It is "" if a key is missing or not a scalar.
func elementID(element gaby.Value, keys []string, defaults map[string]string) string {
	if len(keys) == 1 { // by far the most common case
		if text, ok := keyText(element, keys[0], defaults); ok {
			return keyID(keys[0], text)
		}
		return ""
	}
	var b strings.Builder
	for i, key := range keys {
		text, ok := keyText(element, key, defaults)
		if !ok {
			return ""
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(keyID(key, text))
	}
	return b.String()
}

// keyID returns the ID of an element with a single merge key.
func keyID(key, text string) string { return escapeSegment(key) + "=" + escapeSegment(text) }

// elementName returns the name of an element in orders and renames: the values of its merge keys.
func elementName(element gaby.Value, keys []string, defaults map[string]string) string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i], _ = keyText(element, key, defaults)
	}
	return strings.Join(texts, ",")
}

// keyText returns the text of a merge key of element. Scalars of any type count by their text; a
// missing key has its default, if there is one.
func keyText(element gaby.Value, key string, defaults map[string]string) (string, bool) {
	v := element.Get(key)
	switch {
	case !v.Exists():
		text, ok := defaults[key]
		return text, ok
	case v.Kind() != gaby.Scalar || v.Tag() == "!!null":
		return "", false
	}
	return v.Text(), true
}

// keysOfID returns the field names in an ID, for lists with unknown merge keys.
func keysOfID(id string) []string {
	var keys []string
	for field := range strings.SplitSeq(id, ",") {
		key, _, ok := strings.Cut(field, "=")
		if !ok {
			continue // a comma in a value
		}
		keys = append(keys, yamlpath.Unescape(key))
	}
	return keys
}

// keyedIDs returns the element IDs of each list. ok is false if an element lacks an ID or an ID
// occurs twice in a list: then the lists are treated as lists without merge keys.
func keyedIDs(keys *configkit.MergeKeyTree, lists ...gaby.Value) (ids [][]string, ok bool) {
	if keys == nil || len(keys.Keys) == 0 {
		return nil, false
	}
	ids = make([][]string, len(lists))
	for i, list := range lists {
		var seen map[string]bool // only for long lists
		first := lists[0].First()
		for e := list.First(); e.Exists(); e = e.Next() {
			n := len(ids[i])
			id := ""
			if i > 0 && e.Same(first) { // most elements are unchanged
				id = ids[0][n]
			} else {
				id = elementID(e, keys.Keys, keys.Defaults)
			}
			first = first.Next()
			if n == fewElements {
				seen = toSet(ids[i])
			}
			if id == "" || seen[id] || n < fewElements && slices.Contains(ids[i], id) {
				return nil, false
			}
			if seen != nil {
				seen[id] = true
			}
			ids[i] = append(ids[i], id)
		}
	}
	return ids, true
}

// fewElements is the list length up to which a linear search is faster than a map.
const fewElements = 16

// digests returns the digest of each element, the first four bytes of a SHA-256 in hex, and its
// number among the elements with the same digest.
func digests(list gaby.Value) (digest []string, nth []int) {
	count := map[string]int{}
	for e := list.First(); e.Exists(); e = e.Next() {
		sum := sha256.Sum256(appendCanonicalJSON(nil, e))
		text := hex.EncodeToString(sum[:4])
		digest, nth = append(digest, text), append(nth, count[text])
		count[text]++
	}
	return digest, nth
}

// name returns the element's name in orders and renames; see elementName.
func (s mutationSegment) name() string {
	var values []string
	for field := range strings.SplitSeq(s.text, ",") {
		if _, value, ok := strings.Cut(field, "="); ok {
			values = append(values, yamlpath.Unescape(value))
		} else if n := len(values); n > 0 { // a comma in a value
			values[n-1] += "," + yamlpath.Unescape(field)
		}
	}
	return strings.Join(values, ",")
}

// renamed returns the ID of the element under another name, or "" if the name has the wrong number
// of fields.
func (s mutationSegment) renamed(name string) string {
	keys := keysOfID(s.text)
	values := []string{name}
	if len(keys) > 1 {
		values = strings.Split(name, ",")
	}
	if len(values) != len(keys) {
		return ""
	}
	fields := make([]string, len(keys))
	for i := range keys {
		fields[i] = escapeSegment(keys[i]) + "=" + escapeSegment(values[i])
	}
	return strings.Join(fields, ",")
}
