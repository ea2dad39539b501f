package sensitive

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Before and After are the indexes of the texts of a change, in the order in which Find gets them.
const (
	Before = iota
	After
)

// Text returns a text with its secret values, and copies of them, masked; the number of lines does
// not change. If a value differs in the other text of a change, its mask says which text it is in,
// so that readers see what changed. Without a text after the change, it is the one before.
func (v *Values) Text(which int) []byte {
	which = min(which, v.units-1)
	t := v.texts[which]
	var other map[string]string
	if v.units == 2 {
		other = v.texts[1-which].values()
	}
	var b []byte
	at := 0
	spans := slices.Concat(t.spans, t.copied)
	slices.SortStableFunc(spans, func(a, b span) int { return a.from - b.from })
	for _, s := range spans {
		if s.from < at {
			continue
		}
		if s.isCopy {
			b = v.appendCopied(b, t.data[at:s.from])
			b = append(b, v.written.Mask(string(v.appendCopied(nil, t.data[s.from:s.to])))...)
			at = s.to
			continue
		}
		mask := Mask
		if was, ok := other[s.path]; ok && s.path != "" && was != s.value {
			mask = [...]string{"(sensitive, before)", "(sensitive, after)"}[which]
		}
		b = v.appendCopied(b, t.data[at:s.from])
		if at = s.from; t.isYAML {
			at += len(blockHeader().Find(t.data[s.from:s.to]))
		}
		b = append(b, t.data[s.from:at]...)
		b = appendMasked(b, t.data[at:s.to], mask)
		at = s.to
	}
	return v.appendCopied(b, t.data[at:])
}

// Rest returns a text without its secret values. Copies of them stay.
func (v *Values) Rest(which int) []byte {
	t := v.texts[min(which, v.units-1)]
	var b []byte
	at := 0
	for _, s := range t.spans {
		if s.from >= at {
			b = append(append(b, t.data[at:s.from]...), '\n')
			at = s.to
		}
	}
	return append(b, t.data[at:]...)
}

// Copied returns text, which is not about a secret value, with the values masked that were copied
// there.
func (v *Values) Copied(text string) string {
	if v == nil {
		return text
	}
	return v.maskWith(&v.copies, false, text)
}

// maskWith masks text with a set of the values, made when it is first used.
func (v *Values) maskWith(set **SecretSet, words bool, text string) string {
	v.mu.Lock()
	if *set == nil {
		*set = &SecretSet{}
		(*set).Add(v, words)
	}
	v.mu.Unlock()
	return (*set).Mask(text)
}

// ofResource returns text that a function has read from a resource with the secret values masked,
// including words and numbers if the resource has secret values, or if the text may be of any.
func (v *Values) ofResource(r api.ResourceInfo, text string) string {
	if r.ResourceType != "" && v.provider.Sensitive(v.typeIn(r), "") == configkit.NotSensitive {
		return v.Copied(text)
	}
	return v.maskWith(&v.own, true, text)
}

// body returns the text of a resource with the secret values masked.
func (v *Values) body(r api.ResourceInfo, text string) string {
	if found := Find(v.converter, v.provider, [][]byte{[]byte(text)}); found != nil {
		return v.at(r, "", v.Copied(string(found.Text(Before))))
	}
	return v.at(r, "", v.ofResource(r, text))
}

// appendCopied appends what Copied returns for each line of text.
func (v *Values) appendCopied(b, text []byte) []byte {
	for line := range bytes.Lines(text) {
		b = append(b, v.Copied(string(line))...)
	}
	return b
}

// values returns the values of a text by path.
func (t *text) values() map[string]string {
	values := map[string]string{}
	for _, s := range t.spans {
		values[s.path] = s.value
	}
	return values
}

// appendMasked appends value with each of its lines replaced by mask.
func appendMasked(b, value []byte, mask string) []byte {
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

// blockHeader matches the header of a block scalar.
var blockHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[|>][-+0-9]*[ \t]*`)
})

// Value returns the YAML value at a path of a resource as users may see it: a mask in place of each
// secret scalar, the keys of maps as they are. An empty value stays empty.
func (v *Values) Value(r api.ResourceInfo, path api.ResolvedPath, value string) string {
	if v == nil || value == "" {
		return value
	}
	t := v.typeIn(r)
	secret := v.provider.Sensitive(t, path)
	if secret == configkit.NotSensitive {
		return value
	}
	doc, err := gaby.ParseYAML([]byte(value))
	if err != nil || path == "" {
		return Mask
	}
	switch masked, err := v.maskScalars(t, path, doc.Value(), secret); {
	case err != nil:
		return Mask
	case !masked:
		return value
	case doc.Value().Kind() == gaby.Scalar:
		return Mask
	}
	return doc.String()
}

// Has reports whether the value at a path of a resource is secret.
func (v *Values) Has(r api.ResourceInfo, path api.ResolvedPath) bool {
	return v != nil && v.provider.Sensitive(v.typeIn(r), path) == configkit.IsSensitive
}

// typeIn returns the type whose paths determine which values of a resource are secret.
func (v *Values) typeIn(r api.ResourceInfo) api.ResourceType {
	// If all texts of the unit have another one with a secret type, its own type counts.
	isAnother := !slices.ContainsFunc(v.texts[:v.units], func(t *text) bool {
		return !t.named[string(r.ResourceName)]
	})
	return v.secretType(r.ResourceType, string(r.ResourceName), isAnother)
}

// maskScalars masks the secret scalars of the value at a path of a type, and reports whether there are any.
func (v *Values) maskScalars(
	t api.ResourceType, path api.ResolvedPath, value gaby.Value, secret configkit.Sensitivity,
) (masked bool, err error) {
	switch {
	case secret == configkit.NotSensitive:
		return false, nil
	case !value.First().Exists():
		if secret == configkit.AboveSensitive {
			return false, nil
		}
		return true, value.Set(Mask)
	}
	for _, entry := range value.All() {
		at, below := path+".0", secret // any index will do
		if value.Kind() == gaby.Map {
			at = path + "." + api.ResolvedPath(yamlpath.Escape(entry.Key()))
		}
		if secret == configkit.AboveSensitive {
			below = v.provider.Sensitive(t, at)
		}
		found, err := v.maskScalars(t, at, entry, below)
		if err != nil {
			return false, err
		}
		masked = masked || found
	}
	return masked, nil
}
