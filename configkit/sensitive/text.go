package sensitive

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// Before and After are the texts of a change, in the order in which Find gets them.
const (
	Before = iota
	After
)

// Text returns a text with its secret values masked. It has the same lines. The masks of values that differ in the other text of a change
// say which one they are in, so that people see what is equal.
func (v *Values) Text(which int) []byte {
	t := v.texts[which]
	var other map[string]string
	if len(v.texts) == 2 {
		other = v.texts[1-which].values()
	}
	var b []byte
	at := 0
	for _, s := range t.spans {
		if s.from < at {
			continue
		}
		mask := Mask
		if was, ok := other[s.path]; ok && s.path != "" && was != s.value {
			mask = [...]string{"(sensitive, before)", "(sensitive, after)"}[which]
		}
		b = append(b, t.data[at:s.from]...)
		b = appendMasked(b, t.data[s.from:s.to], mask)
		at = s.to
	}
	return append(b, t.data[at:]...)
}

// values are the values of a text by their places.
func (t *text) values() map[string]string {
	values := map[string]string{}
	for _, s := range t.spans {
		values[s.path] = s.value
	}
	return values
}

// appendMasked appends a value with a mask in the place of each of its lines.
func appendMasked(b, value []byte, mask string) []byte {
	if header := blockHeader.Find(value); header != nil {
		b, value = append(b, header...), value[len(header):]
	}
	for line := range bytes.Lines(value) {
		body := bytes.TrimRight(line, "\r\n")
		rest := bytes.TrimLeft(body, " \t")
		b = append(b, body[:len(body)-len(rest)]...)
		if len(rest) > 0 {
			b = append(b, mask...)
		}
		b = append(b, line[len(body):]...)
	}
	return b
}

// BlockHeader is what a scalar begins with that goes over lines of their own.
var blockHeader = regexp.MustCompile(`^[|>][-+0-9]*[ \t]*`)

// Value returns what people see of a value at a path of a resource: the value, or a mask when it is secret or holds something that is.
// It is YAML; nothing stays nothing.
func (v *Values) Value(r api.ResourceInfo, path api.ResolvedPath, value string) string {
	if v == nil || value == "" {
		return value
	}
	t := v.typeIn(r)
	switch v.provider.Sensitive(t, path) {
	case configkit.IsSensitive:
		return Mask
	case configkit.AboveSensitive:
		if v.holds(t, path, value) {
			return Mask
		}
	}
	return value
}

// Has reports whether the value at a path of a resource is secret.
func (v *Values) Has(r api.ResourceInfo, path api.ResolvedPath) bool {
	return v != nil && v.provider.Sensitive(v.typeIn(r), path) == configkit.IsSensitive
}

// typeIn is the type by whose paths the values of a resource are secret.
func (v *Values) typeIn(r api.ResourceInfo) api.ResourceType {
	// A resource that is in none of the texts of another type has its own.
	isAnother := !slices.ContainsFunc(v.texts, func(t *text) bool { return !t.named[string(r.ResourceName)] })
	return v.secretType(r.ResourceType, string(r.ResourceName), isAnother)
}

// holds reports whether there is something secret in the value at a path of a type.
func (v *Values) holds(t api.ResourceType, path api.ResolvedPath, value string) bool {
	doc, err := gaby.ParseYAML([]byte(value))
	if err != nil || path == "" {
		return true
	}
	found := false
	for entry := doc.Value().First(); entry.Exists() && !found; entry = entry.Next() {
		key := "0" // of any element
		if doc.Value().Kind() == gaby.Map {
			key = yamlpath.Escape(entry.Key())
		}
		below := path + "." + api.ResolvedPath(key)
		switch v.provider.Sensitive(t, below) {
		case configkit.IsSensitive:
			found = true
		case configkit.AboveSensitive:
			found = v.holds(t, below, entry.YAML())
		}
	}
	return found
}
