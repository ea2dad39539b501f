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

// A mutationPath leads to a place of a resource. In text its segments are separated by dots:
//
//	key                              of a map; a dot in it is ~1, a tilde ~0
//	?name=app;@0                     the element of a list with a merge key
//	?port=53,protocol=UDP;@1         with a merge key of several fields
//	?~h=1b9d3f0c;@2                  an element of another list: by the digest of its value, with ,~o=1 the second equal one
//	?~h=+1b9d3f0c;@2                 an element that is new in such a list
//	2                                read only: an element of any list by its index
//
// What follows ";@" is the index the element had, for those without better knowledge; it does not count when paths are compared.
type mutationPath []mutationSegment

type mutationSegment struct {
	kind  mutationSegmentKind
	text  string // a key as it is; of an element what stands between "?" and ";@", escaped; of elementByDigest the digest alone
	nth   int    // of equal elements of a list without merge keys, from 0
	index int    // of an element, -1 when it is not given
}

type mutationSegmentKind uint8

const (
	mapKey          mutationSegmentKind = iota
	elementByKey                        // ?name=app
	elementByDigest                     // ?~h=1b9d3f0c
	newElement                          // ?~h=+1b9d3f0c
)

// child is the path with one more segment. It shares no memory with other children.
func (p mutationPath) child(s mutationSegment) mutationPath {
	return append(p[:len(p):len(p)], s)
}

// String is the path with the indexes of elements.
func (p mutationPath) String() string {
	var b [128]byte // mostly enough
	return string(p.appendTo(b[:0], true))
}

// canonical is the path without the indexes of elements: what is equal for equal places.
func (p mutationPath) canonical() string {
	var b [128]byte
	return string(p.appendTo(b[:0], false))
}

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

// segments are the keys and indexes of a path in the document its indexes are from.
func (p mutationPath) segments() []string {
	segments := make([]string, len(p))
	for i, s := range p {
		if segments[i] = s.text; s.kind != mapKey {
			segments[i] = strconv.Itoa(s.index)
		}
	}
	return segments
}

// parseMutationPath reads the text of a path. Every text is one: what is no element of a list is a key of a map, and which of the
// two a number is only the document tells.
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

// escapeSegment is the inverse of Unescape. It escapes every tilde, so that there is one way only to write a path.
func escapeSegment(s string) string {
	if strings.IndexByte(s, '.') < 0 && strings.IndexByte(s, '~') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), ".", "~1")
}

// asKey is the segment as the key of a map, for a "?" that was none of a list.
func (s mutationSegment) asKey() string {
	if s.kind == mapKey {
		return s.text
	}
	return yamlpath.Unescape(string(mutationPath{s}.appendTo(nil, true)))
}

// elementID is what an element of a list is known by: key=value of its merge keys, escaped. It is "" when one of them is missing or
// no scalar.
func elementID(element gaby.Value, keys []string, defaults map[string]string) string {
	if len(keys) == 1 { // hardly ever anything else
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

func keyID(key, text string) string { return escapeSegment(key) + "=" + escapeSegment(text) }

// elementName is what orders and renames call an element: the values of its merge keys.
func elementName(element gaby.Value, keys []string, defaults map[string]string) string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i], _ = keyText(element, key, defaults)
	}
	return strings.Join(texts, ",")
}

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

// keysOfID are the names of the fields an element is known by, for lists about which nothing is known.
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

// keyedIDs are the IDs of the elements of lists that are known by their merge keys; ok is false when one has none or one occurs
// twice in its list: such lists are no lists with merge keys.
func keyedIDs(keys *configkit.MergeKeyTree, lists ...gaby.Value) (ids [][]string, ok bool) {
	if keys == nil || len(keys.Keys) == 0 {
		return nil, false
	}
	ids = make([][]string, len(lists))
	for i, list := range lists {
		var seen map[string]bool // of long lists
		first := lists[0].First()
		for e := list.First(); e.Exists(); e = e.Next() {
			n := len(ids[i])
			id := ""
			if i > 0 && e.Same(first) { // mostly most are the ones they were
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

// fewElements of a list are looked through faster than they are put into a map.
const fewElements = 16

// digests are the digests of the elements of a list, and which of the equal ones each is.
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

// name is what orders and renames call the element of a segment, see elementName.
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

// renamed is the ID of the element when it is called otherwise, "" when the name does not fit.
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
