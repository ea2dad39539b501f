// Package printed turns what a program printed for a resource into edits of the document that the
// resource came from, so that all bytes stay that the program did not mean to change.
//
// Layer: systems.
package printed

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// updater turns a resource that a function returned into edits of the document it was made from.
// Maps are compared key by key, lists by their merge keys or values, so that what the function did
// not change keeps its text: comments, order, quotes and layout.
type updater struct {
	doc  *gaby.YamlDoc
	skip func(annotation string) bool
	// comments says that new line comments of the returned resource are taken over. known has the
	// comments that were sent: one of these at another path was only moved by a printer.
	comments bool
	known    map[string]bool
}

// Apply makes doc equal to the resource that was printed. Annotations that skip selects are neither
// taken over nor removed. keys are the merge keys of the resource's lists; it may be nil. After an
// error doc may have some of the edits.
func Apply(doc *gaby.YamlDoc, returned gaby.Value, keys *configkit.MergeKeyTree,
	skip func(annotation string) bool,
) error {
	u := &updater{doc: doc, skip: skip}
	old := doc.Value()
	if hasNewComments(old, returned) {
		u.comments, u.known = true, map[string]bool{}
		collectComments(old, u.known)
	}
	return u.value(old, returned, nil, keys)
}

// hasNewComments reports whether a line of the returned text ends in what may be a comment that no
// line of the old text ends in. Most functions make no comments, and to find those of each value is
// as expensive as everything else.
func hasNewComments(old, returned gaby.Value) bool {
	text := returned.YAML()
	if !strings.Contains(text, "#") {
		return false
	}
	ends := map[string]bool{}
	for end := range commentLike(old.YAML()) {
		ends[end] = true
	}
	for end := range commentLike(text) {
		if !ends[end] {
			return true
		}
	}
	return false
}

// commentLike iterates over the ends of lines from their first # on.
func commentLike(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if at := strings.IndexByte(line, '#'); at >= 0 &&
				!yield(strings.TrimRight(line[at:], "\r\n")) {
				return
			}
		}
	}
}

// collectComments adds the line comments of the entries below v.
func collectComments(v gaby.Value, known map[string]bool) {
	for _, c := range v.All() {
		if text := c.Comments().Line; text != "" {
			known[text] = true
		}
		if !c.IsAliased() {
			collectComments(c, known)
		}
	}
}

// isStrings reports whether path is that of a map whose values must be strings.
func isStrings(path []string) bool {
	return len(path) == 2 && path[0] == "metadata" &&
		(path[1] == "annotations" || path[1] == "labels")
}

// value makes the value at path equal to what was returned.
func (u *updater) value(old, returned gaby.Value, path []string, keys *configkit.MergeKeyTree,
) error {
	kind := returned.Kind()
	var err error
	switch {
	case kind == gaby.Map && old.Kind() == gaby.Map:
		err = u.mapping(old, returned, path, keys)
	case kind == gaby.List && old.Kind() == gaby.List:
		err = u.list(old, returned, path, keys)
	case kind == gaby.Scalar && !returned.IsNull() && isText(path):
		if !old.EqualText(returned.Text()) && !same(old, returned) {
			_, err = u.doc.Set(returned.Text(), path...)
		}
	case isStrings(path) && kind == gaby.Map:
		if entries := Strings(returned, u.skip); len(entries) > 0 || !old.IsNull() {
			_, err = u.doc.Set(entries, path...)
		}
	case !same(old, returned):
		if _, err = u.doc.Set(gaby.WithComments(returned), path...); err == nil {
			err = u.quote(returned, path)
		}
	}
	if err == nil && u.comments && len(path) > 0 {
		u.comment(old, returned, path)
	}
	return err
}

// same reports whether two values are equal, numbers by their value: a printer may write 1000 for
// 1e3. A program that reads YAML 1.1, as many in Python do, prints true for a plain yes.
func same(old, returned gaby.Value) bool {
	if old.Equal(returned) {
		return true
	}
	if value, ok := returned.Data().(bool); ok && returned.Kind() == gaby.Scalar {
		was, isSwitch := switchWord(old)
		return isSwitch && was == value
	}
	a, isNumber := number(old)
	b, areNumbers := number(returned)
	return isNumber && areNumbers && a == b
}

// switchWord returns the value of a plain word that is a boolean in YAML 1.1 and a string in 1.2.
func switchWord(v gaby.Value) (value, ok bool) {
	if v.Kind() != gaby.Scalar || !v.SourceStyle().Plain {
		return false, false
	}
	switch v.Text() {
	case "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// number returns the value of a number that is not too large for an exact comparison.
func number(v gaby.Value) (n float64, ok bool) {
	const exact = 1 << 53
	if v.Kind() != gaby.Scalar {
		return 0, false
	}
	switch data := v.Data().(type) {
	case int:
		return float64(data), data < exact && data > -exact
	case float64:
		return data, data < exact && data > -exact
	}
	return 0, false
}

// comment takes over a line comment that the function made. A comment that cannot be written where
// it belongs is left out.
func (u *updater) comment(old, returned gaby.Value, path []string) {
	text := returned.Comments().Line
	if text != "" && !u.known[text] && old.Comments().Line != text {
		_ = u.doc.SetComment(text, string(yamlpath.Join(path)))
	}
}

// mapping makes a map equal to what was returned. New keys come after the key they follow there.
func (u *updater) mapping(old, returned gaby.Value, path []string, keys *configkit.MergeKeyTree,
) error {
	annotations := len(path) == 2 && isStrings(path) && path[1] == "annotations"
	at := func(key string) []string { return append(path[:len(path):len(path)], key) }
	var gone [][]string
	for _, c := range old.All() {
		key := c.Key()
		if annotations && u.skip(key) || returned.Get(key).Exists() {
			continue
		}
		if len(path) == 1 && path[0] == "metadata" && key == "annotations" {
			gone = append(gone, u.own(c, at(key))...)
			continue
		}
		gone = append(gone, at(key))
	}
	before := ""
	for _, c := range returned.All() {
		key := c.Key()
		if annotations && u.skip(key) || len(path) == 0 && u.implied(key, c) {
			continue
		}
		had := old.Get(key)
		if had.Exists() {
			if err := u.value(had, c, at(key), keys.Child(key)); err != nil {
				return err
			}
		} else if added, err := u.add(c, at(key)); err != nil {
			return err
		} else if !added {
			continue
		} else if err := u.doc.MoveKeyAfter(before, at(key)...); err != nil {
			return err
		}
		before = key
	}
	if len(gone) == 0 {
		return nil
	}
	if annotations && len(gone) == old.Len() {
		// Nothing of the user's annotations is left.
		if len(Strings(returned, u.skip)) == 0 {
			return u.doc.Delete(path...)
		}
	}
	return errors.Join(u.doc.DeleteAll(gone)...)
}

// own returns the paths of the annotations that skip does not select, or that of the map at path if
// these are all.
func (u *updater) own(v gaby.Value, path []string) [][]string {
	var own [][]string
	for _, c := range v.All() {
		if !u.skip(c.Key()) {
			own = append(own, append(path[:len(path):len(path)], c.Key()))
		}
	}
	if len(own) == v.Len() {
		return [][]string{path}
	}
	return own
}

// implied reports whether an entry of a resource only says what the list around it says for all
// items.
func (u *updater) implied(key string, v gaby.Value) bool {
	if u.doc.IsDocument() || key != "apiVersion" && key != "kind" || u.doc.Exists(key) {
		return false
	}
	h, _ := u.doc.Header()
	return v.EqualText(h.APIVersion) && key == "apiVersion" || v.EqualText(h.Kind) && key == "kind"
}

// add adds an entry that the document does not have, and reports whether there was something to
// add: maps that have only annotations that are skipped are left out.
func (u *updater) add(v gaby.Value, path []string) (added bool, err error) {
	switch {
	case len(path) == 1 && path[0] == "metadata" && v.Kind() == gaby.Map:
		for _, c := range v.All() {
			one, err := u.add(c, append(path[:1:1], c.Key()))
			if err != nil {
				return added, err
			}
			added = added || one
		}
		return added, nil
	case isStrings(path) && v.Kind() == gaby.Map:
		entries := Strings(v, u.skip)
		if len(entries) == 0 && v.Len() > 0 {
			return false, nil
		}
		_, err = u.doc.Set(entries, path...)
	case v.Kind() == gaby.Scalar && !v.IsNull() && isText(path):
		_, err = u.doc.Set(v.Text(), path...)
	default:
		if _, err = u.doc.Set(gaby.WithOwnComments(v), path...); err == nil {
			err = u.quote(v, path)
		}
	}
	return true, err
}

// Strings returns the entries of annotations or labels with their values as strings, without those
// that skip selects. Null, maps and lists stay.
func Strings(v gaby.Value, skip func(key string) bool) gaby.Entries {
	entries := gaby.Entries{}
	for _, c := range v.All() {
		switch {
		case skip(c.Key()):
		case c.Kind() == gaby.Scalar && !c.IsNull():
			entries = append(entries, gaby.Entry{Key: c.Key(), Value: c.Text()})
		default:
			entries = append(entries, gaby.Entry{Key: c.Key(), Value: c})
		}
	}
	return entries
}

// list makes a list equal to what was returned. Elements are the same if they have the same merge
// key, the same value, or else the same position between such elements.
func (u *updater) list(old, returned gaby.Value, path []string, keys *configkit.MergeKeyTree,
) error {
	if old.Equal(returned) && !u.comments {
		return nil
	}
	have, want := slices.Collect(old.Entries()), slices.Collect(returned.Entries())
	from := pair(old, returned, keys)
	var kept []int
	for k, i := range from {
		if i < 0 {
			continue
		}
		kept = append(kept, i)
		at := append(path[:len(path):len(path)], strconv.Itoa(i))
		if err := u.value(have[i], want[k], at, keys.Child("*")); err != nil {
			return err
		}
	}
	at := string(yamlpath.Join(path))
	if len(kept) != len(have) || !slices.IsSorted(kept) {
		if err := u.doc.ArrayRearrangeP(kept, at); err != nil {
			if _, err = u.doc.Set(gaby.WithComments(returned), path...); err == nil {
				err = u.quote(returned, path)
			}
			return err
		}
	}
	for k, i := range from {
		if i >= 0 {
			continue
		}
		if err := u.doc.ArrayInsertP(gaby.WithComments(want[k]), k, at); err != nil {
			return err
		}
		item := append(path[:len(path):len(path)], strconv.Itoa(k))
		if err := u.quote(want[k], item); err != nil {
			return err
		}
	}
	return nil
}
