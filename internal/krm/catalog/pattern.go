package catalog

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// docSetters documents the functions with setters.
const docSetters = `functionConfig: a ConfigMap with the setters in data: their names and values.

A setter is a comment on the line of a value:

  image: nginx:1.16.1 # kpt-set: nginx:${tag}
  environments: # kpt-set: ${env}
    - dev

The value of a setter for a list is a list in a string.`

// setterComment begins the comments that contain setters, after "# ".
const setterComment = "kpt-set: "

// setterPattern is the text of a setter comment, split at its setters.
type setterPattern struct {
	texts  []string // around the setters, one more than these
	names  []string
	values *regexp.Regexp // matches values, a group for each setter
	err    error          // why there is no values
}

// patterns are the patterns of setter comments by their texts.
type patterns map[string]*setterPattern

// of returns the pattern of an entry. It reports false if the entry has none.
func (p patterns) of(v gaby.Value) (*setterPattern, bool) {
	comment := v.Comments().Line
	if comment == "" && v.Kind() == gaby.List {
		// Some write the comment of a list above its first item.
		comment = strings.TrimSpace(v.First().Comments().Head)
	}
	text, ok := strings.CutPrefix(comment, setterComment)
	if doc := v.Doc(); !ok || doc.SourceMayContain("#"+setterComment) &&
		!doc.SourceMayContain("# "+setterComment) {
		return nil, false // the published programs want the blank
	}
	known := p[text]
	if known == nil {
		known = newSetterPattern(strings.TrimSpace(text))
		p[text] = known
	}
	return known, len(known.names) > 0
}

// newSetterPattern splits the text of a comment. A setter is ${NAME}.
func newSetterPattern(text string) *setterPattern {
	p := &setterPattern{}
	before := ""
	for {
		head, rest, ok := strings.Cut(text, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			break
		}
		if name == "" || strings.ContainsAny(name, "{$") {
			before, text = before+head+"${", rest
			continue
		}
		p.texts, p.names = append(p.texts, before+head), append(p.names, name)
		before, text = "", after
	}
	p.texts = append(p.texts, before+text)
	var b strings.Builder
	b.WriteString("^(?s:" + regexp.QuoteMeta(p.texts[0]))
	for _, t := range p.texts[1:] {
		b.WriteString("(.*)" + regexp.QuoteMeta(t))
	}
	b.WriteString(")$")
	p.values, p.err = pattern.Compile(b.String())
	return p
}

// current returns the values that the setters have in a value, nil if it does not match.
func (p *setterPattern) current(value string) (map[string]string, error) {
	if p.err != nil {
		return nil, fmt.Errorf("setter comment: %w", p.err)
	}
	match := p.values.FindStringSubmatch(value)
	if match == nil {
		return nil, nil
	}
	values := map[string]string{}
	for i, name := range p.names {
		if was, ok := values[name]; ok && was != match[i+1] {
			return nil, nil
		}
		values[name] = match[i+1]
	}
	return values, nil
}

// uses reports whether one of the setters occurs.
func (p *setterPattern) uses(setters map[string]string) bool {
	return slices.ContainsFunc(p.names, func(name string) bool {
		_, ok := setters[name]
		return ok
	})
}

// expand returns the pattern with its setters replaced. missing lists setters without a value.
// It fails if the text would be too long.
func (p *setterPattern) expand(ctx context.Context, values ...map[string]string) (
	text string, missing []string, err error,
) {
	size := int64(0)
	for i, name := range p.names {
		for _, m := range values {
			size += int64(len(m[name])) // at most: the first that has one counts
		}
		size += int64(len(p.texts[i]))
	}
	if err := limit.Of(ctx).Check("value of the setters", size); err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString(p.texts[0])
	for i, name := range p.names {
		found := false
		for _, m := range values {
			if value, ok := m[name]; ok && !found {
				b.WriteString(value)
				found = true
			}
		}
		if !found && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		b.WriteString(p.texts[i+1])
	}
	return b.String(), missing, nil
}

// listOf returns the list that the text of a setter holds. It reports false if it holds none.
func listOf(text string) (gaby.Value, bool) {
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil || doc.Value().Kind() != gaby.List {
		return gaby.Value{}, false
	}
	return doc.Value(), true
}

// listText returns the items of a list of scalars in brackets.
func listText(v gaby.Value) string {
	var items []string
	for _, c := range v.All() {
		items = append(items, c.Text())
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// longestFirst sorts setters so that those with long values come first, then by name: of two
// setters whose values occur, the one that says more is used.
func longestFirst(setters []pair) []pair {
	return slices.SortedFunc(slices.Values(setters), func(a, b pair) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), strings.Compare(a.key, b.key))
	})
}
