package mutationpath

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// ElementID returns the ID of a list element: key=value for each merge key, escaped and separated
// by commas. It is "" if a key is missing or not a scalar.
func ElementID(element gaby.Value, keys *configkit.MergeKeyTree) string {
	fields := make([]string, len(keys.Keys))
	for i, key := range keys.Keys {
		text, ok := KeyText(element, key, keys)
		if !ok {
			return ""
		}
		fields[i] = Escape(key) + "=" + Escape(text)
	}
	return strings.Join(fields, ",")
}

// ElementName returns the name of an element in orders and renames: the values of its merge keys.
func ElementName(element gaby.Value, keys *configkit.MergeKeyTree) string {
	texts := make([]string, len(keys.Keys))
	for i, key := range keys.Keys {
		texts[i], _ = KeyText(element, key, keys)
	}
	return strings.Join(texts, ",")
}

// KeyText returns the text of a merge key of element. Scalars of any type count by their text; a
// missing key has its default, if there is one.
func KeyText(element gaby.Value, key string, keys *configkit.MergeKeyTree) (string, bool) {
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

// HasKeys reports whether keys belong to a list with merge keys.
func HasKeys(keys *configkit.MergeKeyTree) bool { return keys != nil && len(keys.Keys) > 0 }

// SplitID returns the merge keys in an ID and their values, for lists with unknown merge keys.
func SplitID(id string) (keys *configkit.MergeKeyTree, values []string) {
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

// SplitName returns the values of the n merge keys in the name of an element, or nil if the name
// has the wrong number of values.
func SplitName(name string, n int) []string {
	if n == 1 {
		return []string{name}
	}
	if values := strings.Split(name, ","); len(values) == n {
		return values
	}
	return nil
}

// KeyedList has the IDs of the elements of a list with merge keys.
type KeyedList struct {
	IDs []string
	At  map[string]int // indexes by ID
}

// KeyedLists returns the element IDs of each list. ok is false if an element lacks an ID or an ID
// occurs twice in a list: then the lists are treated as lists without merge keys.
func KeyedLists(keys *configkit.MergeKeyTree, lists ...gaby.Value) (keyed []KeyedList, ok bool) {
	if !HasKeys(keys) {
		return nil, false
	}
	keyed = make([]KeyedList, len(lists))
	for i, list := range lists {
		k := KeyedList{At: map[string]int{}}
		for _, e := range list.All() {
			id := ElementID(e, keys)
			if _, again := k.At[id]; id == "" || again {
				return nil, false
			}
			k.At[id], k.IDs = len(k.IDs), append(k.IDs, id)
		}
		keyed[i] = k
	}
	return keyed, true
}

// Digests returns the segments of the elements of a list without merge keys. The digest of an
// element is the first four bytes of the SHA-256 of its canonical JSON, in hex. It finds an element
// that moved, without storing the whole element in the path. Equal digests are distinguished by
// their number, so a collision does no harm.
func Digests(list gaby.Value) []Segment {
	var all []Segment
	count := map[string]int{}
	for _, e := range list.All() {
		sum := sha256.Sum256(AppendCanonicalJSON(nil, e))
		text := hex.EncodeToString(sum[:4])
		all = append(all, Segment{
			Kind: ByDigest, Text: text, Nth: count[text], Index: len(all),
		})
		count[text]++
	}
	return all
}

// Name returns the element's name in orders and renames; see ElementName.
func (s Segment) Name() string {
	_, values := SplitID(s.Text)
	return strings.Join(values, ",")
}

// Renamed returns the ID of the element under another name, or "" if the name has the wrong number
// of values.
func (s Segment) Renamed(name string) string {
	keys, _ := SplitID(s.Text)
	fields := SplitName(name, len(keys.Keys))
	for i, value := range fields {
		fields[i] = Escape(keys.Keys[i]) + "=" + Escape(value)
	}
	return strings.Join(fields, ",")
}
