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

// keySegment returns the segment of a map key.
func keySegment(key string) mutationSegment { return mutationSegment{text: key, index: -1} }

// isElement reports whether the segment can only be a list element.
func (s mutationSegment) isElement() bool { return s.kind != mapKey }

// hasDigest reports whether the segment is an element of a list without merge keys.
func (s mutationSegment) hasDigest() bool {
	return s.kind == elementByDigest || s.kind == newElement
}

// child returns p with one more segment, sharing no memory with other children of p.
func (p mutationPath) child(s mutationSegment) mutationPath {
	return append(p[:len(p):len(p)], s)
}

// String returns the path with the indexes of elements.
func (p mutationPath) String() string { return string(p.appendTo(make([]byte, 0, 64), true)) }

// canonical returns the path without the indexes of elements. Equal paths have equal canonical
// forms.
func (p mutationPath) canonical() string { return string(p.appendTo(make([]byte, 0, 64), false)) }

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
func elementID(element gaby.Value, keys *configkit.MergeKeyTree) string {
	fields := make([]string, len(keys.Keys))
	for i, key := range keys.Keys {
		text, ok := keyText(element, key, keys)
		if !ok {
			return ""
		}
		fields[i] = escapeSegment(key) + "=" + escapeSegment(text)
	}
	return strings.Join(fields, ",")
}

// elementName returns the name of an element in orders and renames: the values of its merge keys.
func elementName(element gaby.Value, keys *configkit.MergeKeyTree) string {
	texts := make([]string, len(keys.Keys))
	for i, key := range keys.Keys {
		texts[i], _ = keyText(element, key, keys)
	}
	return strings.Join(texts, ",")
}

// keyText returns the text of a merge key of element. Scalars of any type count by their text; a
// missing key has its default, if there is one.
func keyText(element gaby.Value, key string, keys *configkit.MergeKeyTree) (string, bool) {
	v := element.Get(key)
	switch {
	case !v.Exists():
		text, ok := keys.Defaults[key]
		return text, ok
	case v.Kind() != gaby.Scalar || v.Tag() == "!!null":
		return "", false
	}
	return v.Text(), true
}

// hasKeys reports whether keys belong to a list with merge keys.
func hasKeys(keys *configkit.MergeKeyTree) bool { return keys != nil && len(keys.Keys) > 0 }

// splitID returns the merge keys in an ID and their values, for lists with unknown merge keys.
func splitID(id string) (keys *configkit.MergeKeyTree, values []string) {
	keys = &configkit.MergeKeyTree{}
	for field := range strings.SplitSeq(id, ",") {
		if key, value, ok := strings.Cut(field, "="); ok {
			keys.Keys = append(keys.Keys, yamlpath.Unescape(key))
			values = append(values, yamlpath.Unescape(value))
		} else if n := len(values); n > 0 { // a comma in a value
			values[n-1] += "," + yamlpath.Unescape(field)
		}
	}
	return keys, values
}

// splitName returns the values of the n merge keys in the name of an element, or nil if the name
// has the wrong number of values.
func splitName(name string, n int) []string {
	if n == 1 {
		return []string{name}
	}
	if values := strings.Split(name, ","); len(values) == n {
		return values
	}
	return nil
}

// keyedList has the IDs of the elements of a list with merge keys.
type keyedList struct {
	ids []string
	at  map[string]int // indexes by ID
}

// keyedLists returns the element IDs of each list. ok is false if an element lacks an ID or an ID
// occurs twice in a list: then the lists are treated as lists without merge keys.
func keyedLists(keys *configkit.MergeKeyTree, lists ...gaby.Value) (keyed []keyedList, ok bool) {
	if !hasKeys(keys) {
		return nil, false
	}
	keyed = make([]keyedList, len(lists))
	for i, list := range lists {
		k := keyedList{at: map[string]int{}}
		for e := list.First(); e.Exists(); e = e.Next() {
			id := elementID(e, keys)
			if id == "" || has(k.at, id) {
				return nil, false
			}
			k.at[id], k.ids = len(k.ids), append(k.ids, id)
		}
		keyed[i] = k
	}
	return keyed, true
}

// digests returns the segments of the elements of a list without merge keys. The digest of an
// element is the first four bytes of the SHA-256 of its canonical JSON, in hex. It finds an element
// that moved, without storing the whole element in the path. Equal digests are distinguished by
// their number, so a collision does no harm.
func digests(list gaby.Value) []mutationSegment {
	var all []mutationSegment
	count := map[string]int{}
	for e := list.First(); e.Exists(); e = e.Next() {
		sum := sha256.Sum256(appendCanonicalJSON(nil, e))
		text := hex.EncodeToString(sum[:4])
		all = append(all, mutationSegment{
			kind: elementByDigest, text: text, nth: count[text], index: len(all),
		})
		count[text]++
	}
	return all
}

// indexOfDigest returns the index of the element that s names by digest, or -1.
func indexOfDigest(list []mutationSegment, s mutationSegment) int {
	return slices.IndexFunc(list, func(e mutationSegment) bool {
		return e.text == s.text && e.nth == s.nth
	})
}

// name returns the element's name in orders and renames; see elementName.
func (s mutationSegment) name() string {
	_, values := splitID(s.text)
	return strings.Join(values, ",")
}

// renamed returns the ID of the element under another name, or "" if the name has the wrong number
// of values.
func (s mutationSegment) renamed(name string) string {
	keys, _ := splitID(s.text)
	fields := splitName(name, len(keys.Keys))
	for i, value := range fields {
		fields[i] = escapeSegment(keys.Keys[i]) + "=" + escapeSegment(value)
	}
	return strings.Join(fields, ",")
}
