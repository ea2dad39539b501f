package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// FieldInfo describes a field of a resource type, as its schema does.
type FieldInfo struct {
	ResourceType api.ResourceType
	Path         string      `json:",omitzero"` // as functions take it
	Type         string      `json:",omitzero"`
	Required     bool        `json:",omitzero"`
	Values       []string    `json:",omitempty"` // if they are listed
	Limits       []string    `json:",omitempty"` // keywords of JSON Schema with their values
	Fields       []FieldInfo `json:",omitempty"`
}

// SplitField splits the words for a field, such as Deployment.spec.strategy, into those for the type
// and for the path. A type may have a group with dots.
func SplitField(word string) (of, path string) {
	slash := strings.LastIndexByte(word, '/') + 1
	of, path, _ = strings.Cut(word[slash:], ".")
	return word[:slash] + of, path
}

// Field finds a field of a resource type. Elements of lists need no segment of their own, as for
// kubectl explain.
func Field(provider yamlpath.FieldProvider, of api.ResourceType, path string) (*FieldInfo, error) {
	var segments []string
	look := func(more ...string) yamlpath.Field {
		return provider.Field(of, yamlpath.Exactly(slices.Concat(segments, more)))
	}
	if !look().Known {
		return nil, diag.UsageHint("FCTL_SCHEMA and schema in the settings name files with "+
			"CustomResourceDefinitions or JSON Schemas",
			"no schema of %s is known", of)
	}
	required := false
	for segment := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		if segment == "" {
			return nil, diag.Usage("a segment of %s is empty", configkit.Quote(path))
		}
		if look().Type == "array" {
			segments = append(segments, "0")
			if strings.Trim(segment, "*0123456789") == "" || segment[0] == '?' {
				continue
			}
		}
		segment = yamlpath.Unescape(segment)
		if field := look(segment); field.Missing >= 0 {
			return nil, diag.UsageHint(configkit.DidYouMean("", configkit.Suggest(segment, field.Keys)),
				"%s has no field %s", cmp.Or(named(segments), string(of)), segment)
		}
		required = slices.Contains(look().Required, segment)
		segments = append(segments, segment)
	}
	describe := func(more ...string) FieldInfo {
		field := look(more...)
		info := FieldInfo{
			ResourceType: of, Path: named(slices.Concat(segments, more)), Type: field.Type,
			Values: field.Values, Limits: field.Limits,
		}
		if field.Type == "array" {
			info.Type += " of " + cmp.Or(look(append(more, "0")...).Type, "any")
		}
		return info
	}
	info := describe()
	info.Required = required
	if look().Type == "array" {
		segments = append(segments, "0")
	}
	// A key that no schema has tells which there are, also where they have no order.
	for _, key := range look("\x00").Keys {
		field := describe(key)
		field.Required = slices.Contains(look().Required, key)
		info.Fields = append(info.Fields, field)
	}
	return &info, nil
}

// named returns a path with * for the elements of lists.
func named(segments []string) string {
	all := slices.Clone(segments)
	for i := range all {
		if all[i] == "0" {
			all[i] = "*"
		}
	}
	return string(yamlpath.Join(all))
}

// limits returns in words which values the field can have.
func (f *FieldInfo) limits() string {
	var all []string
	if f.Required {
		all = append(all, "required")
	}
	if len(f.Values) > 0 {
		all = append(all, "one of "+strings.Join(f.Values, ", "))
	}
	return strings.Join(append(all, f.Limits...), "; ")
}

// Text returns the description for people.
func (f *FieldInfo) Text(head func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", head(strings.TrimSuffix(string(f.ResourceType)+" "+f.Path, " ")),
		cmp.Or(f.Type, "any"))
	if limits := f.limits(); limits != "" {
		b.WriteString(limits + "\n")
	}
	if len(f.Fields) == 0 {
		return b.String()
	}
	table := out.Table{Head: []string{"PATH", "TYPE", "LIMITS"}}
	for i := range f.Fields {
		field := &f.Fields[i]
		table.Rows = append(table.Rows, []string{field.Path, cmp.Or(field.Type, "any"), field.limits()})
	}
	b.WriteString("\n" + table.String())
	return b.String()
}
