// Package sops knows the documents that SOPS has encrypted: values and a block with their MAC.
//
// Nothing here decrypts. A value belongs to the block that it was encrypted with: sops refuses a
// document that has values of another encryption.
//
// Layer: knowledge.
package sops

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// encrypted is how a value begins that SOPS has encrypted.
const encrypted = "ENC[AES256_GCM,"

// Outdated returns the note about the documents that Check counts.
func Outdated(n int) api.Note {
	return api.Note{
		Lead: "changed values that the MAC covers in ", Count: n, Of: "resource",
		Message: ": sops refuses the file until it is encrypted again (--ignore-mac decrypts it)",
	}
}

// Check returns an error for each value encrypted by SOPS that was replaced by another one or
// deleted since marks, unless the document was decrypted or encrypted again as a whole: sops cannot
// decrypt the rest. It counts the documents whose MAC covers other values that were changed.
func Check(provider configkit.ResourceProvider, documents gaby.Container, marks []gaby.Mark,
) (outdated int, problems []error) {
	var suspects gaby.Container
	var since []gaby.Mark
	for i, d := range documents {
		if d.Checkpoint() != marks[i] && d.SourceMayContain(encrypted) {
			suspects, since = append(suspects, d), append(since, marks[i])
		}
	}
	before := suspects.At(since)
	for i, d := range suspects {
		texts := map[string]bool{} // an element of a list may have another index
		walk(nil, d.Value(), func(_ []string, v gaby.Value) {
			if isEncrypted(v) {
				texts[v.Text()] = true
			}
		})
		then, mac := before[i], pathOfMAC(d)
		if len(texts) == 0 && mac == nil || mac != nil && isAgain(then, d, mac) {
			continue
		}
		// Documents that are not resources have encrypted values, too.
		info, _ := yamlpath.ResourceInfo(d, provider)
		changed, others := false, len(problems)
		walk(nil, then.Value(), func(path []string, v gaby.Value) {
			changed = changed || !d.Search(path...).Value().Same(v)
			if isEncrypted(v) && !texts[v.Text()] {
				problems = append(problems, yamlpath.Locate(&gaby.EditError{
					Pos: v.Position(), Path: string(yamlpath.Join(path)),
					Msg:  "value is encrypted by SOPS, and cannot be set or deleted without its key",
					Hint: "change it with sops edit, which encrypts the file again",
				}, info))
			}
		})
		if changed && mac != nil && len(problems) == others && coversAll(d, mac) {
			outdated++
		}
	}
	return outdated, problems
}

// CheckMerge counts the documents of a merge whose MAC was not made for the values that they have,
// but for those of given, the texts that were merged, in their order: the first one that has the
// MAC, as another one with it was changed since. Documents of one text may have a MAC in common.
func CheckMerge(merged gaby.Container, given ...gaby.Container) (outdated int) {
	now, macs := covered(merged)
	for _, mac := range macs {
		for _, docs := range given {
			if values, _ := covered(docs); len(values[mac]) > 0 {
				if !reflect.DeepEqual(now[mac], values[mac]) {
					outdated += len(now[mac])
				}
				break
			}
		}
	}
	return outdated
}

// covered returns by MAC the values that it covers, for each document that has it, and the MACs in
// the order of the documents.
func covered(docs gaby.Container) (values map[string][]any, macs []string) {
	values = map[string][]any{}
	for _, d := range docs {
		at := pathOfMAC(d)
		if at == nil {
			continue
		}
		all, inDocument := coversAll(d, at), map[string]any{}
		walk(nil, d.Value(), func(path []string, v gaby.Value) {
			isLeaf := v.Kind() == gaby.Scalar || v.Len() == 0
			if isLeaf && !isOwn(path) && (all || isEncrypted(v)) {
				inDocument[string(yamlpath.Join(path))] = v.Data()
			}
		})
		mac := d.Search(at...).Value().Text()
		if values[mac] == nil {
			macs = append(macs, mac)
		}
		values[mac] = append(values[mac], inDocument)
	}
	return values, macs
}

// isOwn reports whether a path is in the block of SOPS, or one of its keys in an ENV file.
func isOwn(path []string) bool {
	return len(path) > 0 && (path[0] == "sops" || strings.HasPrefix(path[0], "sops_"))
}

// MayContain reports whether a text may have encrypted values.
func MayContain(text []byte) bool { return bytes.Contains(text, []byte(encrypted)) }

// isAgain reports whether a document was encrypted again: it has another MAC.
func isAgain(then, now *gaby.YamlDoc, mac []string) bool {
	was, is := then.Search(mac...).Value(), now.Search(mac...).Value()
	return isEncrypted(is) && is.Text() != was.Text()
}

// State returns everything in a document that belongs to its encryption, sorted, so that moved keys
// and elements make no difference. It is empty if nothing is encrypted.
func State(d *gaby.YamlDoc) []string {
	var state []string
	if d == nil || !d.Changed() && !d.SourceMayContain(encrypted) {
		return nil
	}
	walk(nil, d.Value(), func(path []string, v gaby.Value) {
		if v.Kind() == gaby.Scalar && Contains(path, v) {
			keys := slices.DeleteFunc(slices.Clone(path), func(s string) bool {
				_, err := strconv.Atoi(s)
				return err == nil // an element of a list may have another index
			})
			state = append(state, string(yamlpath.Join(append(keys, v.Text()))))
		}
	})
	slices.Sort(state)
	return state
}

// Contains reports whether a value at a path belongs to the encryption of its document, or has
// something inside that does.
func Contains(path []string, v gaby.Value) bool {
	if isOwn(path) {
		return true
	}
	found := isEncrypted(v)
	walk(path, v, func(_ []string, v gaby.Value) { found = found || isEncrypted(v) })
	return found
}

// walk visits the values below v, which is at a path, in the order of the document.
func walk(path []string, v gaby.Value, visit func(path []string, v gaby.Value)) {
	kind, index := v.Kind(), 0
	if kind != gaby.Map && kind != gaby.List {
		return
	}
	for _, c := range v.All() {
		segment := strconv.Itoa(index)
		if kind == gaby.Map {
			segment = c.Key()
		}
		below := append(path[:len(path):len(path)], segment)
		visit(below, c)
		walk(below, c, visit)
		index++
	}
}

func isEncrypted(v gaby.Value) bool {
	return v.Kind() == gaby.Scalar && strings.HasPrefix(v.Text(), encrypted)
}

// pathOfMAC returns the path of the MAC of SOPS in a document, or nil without one.
func pathOfMAC(d *gaby.YamlDoc) []string {
	for _, path := range [][]string{{"sops", "mac"}, {"sops_mac"}} {
		if d.Exists(path...) {
			return path
		}
	}
	return nil
}

// coversAll reports whether a MAC covers also values that are not encrypted.
func coversAll(d *gaby.YamlDoc, mac []string) bool {
	path := slices.Clone(mac)
	path[len(path)-1] += "_only_encrypted"
	return d.Search(path...).Value().Text() != "true"
}
