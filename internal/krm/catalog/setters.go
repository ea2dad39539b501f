package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func applySetters(ctx context.Context, list *krm.ResourceList) error {
	c, err := dataOf(list)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, s := range pairs(c.data) {
		values[s.key] = s.value
	}
	known := patterns{}
	err = eachFound(list.Items, setterComment, func(v gaby.Value) bool {
		p, ok := known.of(v)
		return ok && p.uses(values) && !v.IsNull()
	}, func(item *krm.Item, s scalar) error {
		return applySetter(ctx, list, item, s, known, values)
	})
	if len(list.Results) == 0 && err == nil {
		info(list, "no matches for input setter(s)")
	}
	return err
}

// eachFound calls do for the values that find selects, of items that may have a text. What do
// replaces is not visited, so the values of an item are collected first.
func eachFound(items []*krm.Item, text string, find func(gaby.Value) bool,
	do func(*krm.Item, scalar) error,
) error {
	var problems []error
	for _, item := range items {
		if !item.Doc.MayContain(text) {
			continue
		}
		var found []scalar
		_ = eachValue(item.Doc.Value(), nil, func(path []string, v gaby.Value) error {
			if find(v) {
				found = append(found, scalar{path, v})
			}
			return nil
		})
		for _, s := range found {
			if err := do(item, s); err != nil {
				problems = append(problems, fmt.Errorf("%s: %s: %w", item, fieldPath(s.path), err))
			}
		}
	}
	return errors.Join(problems...)
}

// applySetter sets one value that has a setter comment.
func applySetter(ctx context.Context, list *krm.ResourceList, item *krm.Item, s scalar,
	known patterns, values map[string]string,
) error {
	p, _ := known.of(s.value)
	switch s.value.Kind() {
	case gaby.Map:
		return nil
	case gaby.List:
		if len(p.names) != 1 || p.texts[0]+p.texts[1] != "" {
			return errors.New("the comment of a list must be one setter")
		}
		text, _, err := p.expand(ctx, values)
		if err != nil {
			return err
		}
		want, ok := listOf(cmp.Or(text, "[]"))
		if !ok {
			return fmt.Errorf("the value %q of the setter is not a list", text)
		}
		if !s.value.Equal(want) {
			if _, err := item.Doc.Set(want, s.path...); err != nil {
				return err
			}
		}
		report(list, item, fnresult.SeverityInfo, s.path, "set field value to %q", listText(want))
		return nil
	}
	current, err := p.current(s.value.Text())
	if err != nil {
		return err
	}
	text, missing, err := p.expand(ctx, values, current)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("values for setters [%s] must be provided",
			"${"+strings.Join(missing, "}, ${")+"}")
	}
	if err := setText(item.Doc, s.path, s.value, text); err != nil {
		return err
	}
	report(list, item, fnresult.SeverityInfo, s.path, "set field value to %q", text)
	return nil
}

// createSetters adds comments to the values in which values of setters occur.
func createSetters(ctx context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "")
	if err != nil {
		return err
	}
	setters := pairs(c.data)
	if len(setters) == 0 {
		return errors.New("input setters list cannot be empty")
	}
	var scalars []pair
	lists := map[string][]string{}
	for _, s := range setters {
		if v, ok := listOf(s.value); ok {
			lists[s.key] = sortedItems(v)
		} else if s.value == "" {
			return fmt.Errorf("functionConfig: the setter %s has no value", s.key)
		} else {
			scalars = append(scalars, s)
		}
	}
	scalars = longestFirst(scalars)
	index := indexSetters(scalars)
	var problems []error
	for _, item := range list.Items {
		var found []scalar
		err := eachValue(item.Doc.Value(), nil, func(path []string, v gaby.Value) error {
			found = append(found, scalar{path, v})
			return nil
		})
		problems = append(problems, err)
		for _, s := range found {
			comment, value := "", ""
			switch {
			case s.value.Kind() == gaby.List:
				comment, value = listComment(s.value, lists), listText(s.value)
			case s.value.Kind() == gaby.Scalar && !strings.Contains(s.value.Text(), "\n"):
				value = s.value.Text()
				if comment, err = scalarComment(ctx, value, index.within(value)); err != nil {
					return fmt.Errorf("%s: %s: %w", item, fieldPath(s.path), err)
				}
			}
			if comment == "" {
				continue
			}
			problems = append(problems, addSetter(list, item, s, comment, value))
		}
	}
	if err := errors.Join(problems...); err != nil || len(list.Results) > 0 || len(list.Items) == 0 {
		return err
	}
	return errors.New("no matches for the input list of setters")
}

// addSetter writes a setter comment, unless the value has another comment, which would be lost.
func addSetter(list *krm.ResourceList, item *krm.Item, s scalar, comment, value string) error {
	had := s.value.Comments().Line
	if had != "" && !strings.HasPrefix(had, setterComment) {
		report(list, item, fnresult.SeverityWarning, s.path,
			"the value has the comment %q, so %q was not added", had, comment)
		return nil
	}
	if had != comment {
		if err := item.Doc.SetComment(comment, string(yamlpath.Join(s.path))); err != nil {
			return fmt.Errorf("%s: %w", item, err)
		}
	}
	report(list, item, fnresult.SeverityInfo, s.path,
		"Added line comment %q for field with value %q", comment, value)
	return nil
}

// setterIndex finds the setters whose values occur in a text.
type setterIndex struct {
	setters []pair
	byValue map[string][]int
	lengths []int // of the values, each once
}

func indexSetters(setters []pair) *setterIndex {
	x := &setterIndex{setters: setters, byValue: map[string][]int{}}
	for i, s := range setters {
		x.byValue[s.value] = append(x.byValue[s.value], i)
		x.lengths = append(x.lengths, len(s.value))
	}
	slices.Sort(x.lengths)
	x.lengths = slices.Compact(x.lengths)
	return x
}

// within returns the setters whose values occur in a text, in their order.
func (x *setterIndex) within(text string) []pair {
	var found []int
	for _, n := range x.lengths {
		for at := 0; at+n <= len(text); at++ {
			found = append(found, x.byValue[text[at:at+n]]...)
		}
	}
	slices.Sort(found)
	var setters []pair
	for _, i := range slices.Compact(found) {
		setters = append(setters, x.setters[i])
	}
	return setters
}

// scalarComment returns the comment for a value in which values of setters occur, "" if none does.
func scalarComment(ctx context.Context, value string, setters []pair) (string, error) {
	type part struct {
		text   string
		setter bool
	}
	const partSize = 48 // two parts and ${}
	parts := []part{{text: value}}
	found := false
	for _, s := range setters {
		var next []part
		for _, p := range parts {
			if p.setter || !strings.Contains(p.text, s.value) {
				next = append(next, p)
				continue
			}
			found = true
			err := limit.Of(ctx).Check("comment", int64(strings.Count(p.text, s.value))*
				int64(partSize+len(s.key)))
			if err != nil {
				return "", err
			}
			for i, rest := range strings.Split(p.text, s.value) {
				if i > 0 {
					next = append(next, part{"${" + s.key + "}", true})
				}
				next = append(next, part{text: rest})
			}
		}
		parts = next
	}
	if !found {
		return "", nil
	}
	var comment strings.Builder
	comment.WriteString(setterComment)
	for _, p := range parts {
		comment.WriteString(p.text)
	}
	return comment.String(), nil
}

// listComment returns the comment for a list whose items are those of a setter, in any order.
func listComment(v gaby.Value, lists map[string][]string) string {
	have := sortedItems(v)
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		if len(have) == v.Len() && slices.Equal(have, lists[name]) {
			return setterComment + "${" + name + "}"
		}
	}
	return ""
}

// sortedItems returns the texts of a list of scalars, sorted; nil if there are maps or lists in it.
func sortedItems(v gaby.Value) []string {
	var items []string
	for _, c := range v.All() {
		if c.Kind() != gaby.Scalar {
			return nil
		}
		items = append(items, c.Text())
	}
	slices.Sort(items)
	return items
}

// listSetters lists the setters in the comments and those that Kptfiles give, with their values.
func listSetters(_ context.Context, list *krm.ResourceList) error {
	type setter struct {
		value, kind string
		count       int
	}
	found, known := map[string]*setter{}, patterns{}
	add := func(name, value, kind string) {
		if found[name] == nil {
			found[name] = &setter{value: value, kind: kind}
		}
		found[name].count++
	}
	isSetter := func(v gaby.Value) bool {
		_, ok := known.of(v)
		return ok && v.Kind() != gaby.Map && !v.IsNull() &&
			(v.Kind() != gaby.Scalar || v.Text() != "")
	}
	err := eachFound(list.Items, setterComment, isSetter, func(_ *krm.Item, s scalar) error {
		p, _ := known.of(s.value)
		if s.value.Kind() == gaby.List {
			add(p.names[0], listText(s.value), "array")
			return nil
		}
		values, err := p.current(s.value.Text())
		if err != nil || values == nil {
			return err
		}
		kind := "str"
		if len(p.names) == 1 && p.texts[0]+p.texts[1] == "" {
			kind = strings.TrimPrefix(s.value.Tag(), "!!")
		}
		for _, name := range slices.Compact(slices.Sorted(slices.Values(p.names))) {
			add(name, values[name], kind)
		}
		return nil
	})
	for _, s := range declaredSetters(list.Items) {
		if found[s.key] != nil {
			continue
		}
		found[s.key] = &setter{value: s.value, kind: "str"}
		if v, ok := listOf(s.value); ok {
			found[s.key] = &setter{value: listText(v), kind: "array"}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		s := found[name]
		info(list, "Name: %s, Value: %s, Type: %s, Count: %d", name, s.value, s.kind, s.count)
	}
	if len(found) == 0 {
		list.Results = append(list.Results, fnresult.Result{
			Message: "no setters found", Severity: fnresult.SeverityWarning,
		})
	}
	return err
}

// declaredSetters returns the setters that Kptfiles among items pass to apply-setters.
func declaredSetters(items []*krm.Item) []pair {
	var all []pair
	for _, item := range items {
		if h, err := item.Doc.Header(); err != nil || h.Kind != krm.KptfileName {
			continue
		}
		for _, f := range item.Doc.Search("pipeline", "mutators").Value().All() {
			if name, _, _ := splitImage(text(f.Get("image"))); path.Base(name) == "apply-setters" {
				all = append(all, pairs(f.Get("configMap"))...)
			}
		}
	}
	return all
}
