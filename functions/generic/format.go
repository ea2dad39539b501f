package generic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// vetFormatFunction returns vet-format, which finds YAML that parsers interpret differently.
func vetFormatFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-format",
			Description: "Check that the YAML is unambiguous: no anchors and aliases, no " +
				"repeated keys, no empty values, no yes, no, on and off without quotes, no old " +
				"octal numbers",
			Examples: []string{"vet-format"},
		},
		PerDocument: true,
	}, "whether the YAML is unambiguous, and the ambiguities found",
		func(c *handler.Call) (api.ValidationResult, error) {
			l := formatLinter{}
			resources := 0
			err := yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					resources++
					if why := doc.ReadOnly(); why != nil {
						return &api.Failure{
							Class: api.FailureFunction, Pos: why.Pos, Err: why,
							Message: "how the document is written cannot be checked: " + why.Msg,
							Hint:    why.Hint,
						}
					}
					l.resource, l.path = info, l.path[:0]
					l.value(doc.Value())
					return nil
				})
			c.Matched(resources)
			return handler.Verdict(l.found), err
		})
}

// formatLinter checks how values are written.
type formatLinter struct {
	resource *api.ResourceInfo
	path     []string
	found    api.AttributeValueList
}

// add reports an issue at the current path.
func (l *formatLinter) add(pos gaby.Position, rule, format string, args ...any) {
	l.found = append(l.found, api.AttributeValue{
		AttributeInfo: api.AttributeInfo{
			AttributeIdentifier: api.AttributeIdentifier{
				ResourceInfo: *l.resource, Path: yamlpath.Join(l.path),
			},
			AttributeMetadata: api.AttributeMetadata{AttributeName: api.AttributeNameNone},
		},
		Issues:   []api.Issue{{Identifier: rule, Message: fmt.Sprintf(format, args...)}},
		Position: &pos,
	})
}

// value checks a value and everything below it.
func (l *formatLinter) value(v gaby.Value) {
	w := v.SourceStyle()
	if w.Anchor != "" {
		l.add(
			v.Position(), "no-anchors", "anchor %q is not allowed; inline the value instead",
			w.Anchor,
		)
	}
	if w.Alias != "" {
		l.add(v.Position(), "no-anchors", "alias is not allowed; inline the value instead")
		return
	}
	isMap := v.Kind() == gaby.Map
	var seen map[string]bool // allocated only if the map has duplicate keys
	if w.Repeats {
		seen = map[string]bool{}
	}
	index := 0
	for e := range v.Entries() {
		key := e.Key()
		if !isMap {
			key = strconv.Itoa(index)
			index++
		}
		l.path = append(l.path, key)
		if isMap {
			l.entry(e, key, seen[key])
			if seen != nil {
				seen[key] = true
			}
		}
		if e.Kind() == gaby.Scalar && e.SourceStyle().Plain {
			l.plain(e)
		}
		l.value(e)
		l.path = l.path[:len(l.path)-1]
	}
}

// entry checks an entry of a map. again is set if an earlier entry has the same key.
func (l *formatLinter) entry(e gaby.Value, key string, again bool) {
	if again {
		l.add(e.KeyPosition(), "no-duplicate-keys", "duplicate key %q", key)
	}
	if e.SourceStyle().Empty {
		l.add(
			e.KeyPosition(), "no-empty-values",
			"empty value for key %q; use an explicit value or \"null\"", key,
		)
	}
}

// plain checks an unquoted scalar.
func (l *formatLinter) plain(v gaby.Value) {
	switch text := v.Text(); {
	case isTruthy(text):
		l.add(
			v.Position(), "no-truthy",
			"value %q is ambiguous; YAML 1.1 interprets it as a boolean; quote it to be safe", text,
		)
	case isOldOctal(text):
		sign, digits := "", text
		if text[0] == '-' || text[0] == '+' {
			sign, digits = text[:1], text[1:]
		}
		l.add(v.Position(), "no-octal-values",
			"value %q uses old-style octal notation; use %s0o%s prefix for clarity or quote it "+
				"if a string was intended",
			text, sign, digits[1:])
	}
}

// isTruthy reports whether text is a boolean in YAML 1.1 but not in YAML 1.2.
func isTruthy(text string) bool {
	if len(text) > 3 {
		return false
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}

// isOldOctal reports whether text is an octal number in YAML 1.1 but a decimal number in YAML 1.2.
func isOldOctal(text string) bool {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	return len(text) > 1 && text[0] == '0' && strings.Trim(text, "01234567") == ""
}
