package catalog

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const docSearchReplace = `functionConfig: a ConfigMap with these keys in data.

Which fields match, all of these that are given:
  by-value         the value of the field
  by-value-regex   a regular expression for a part of the value
  by-path          a path: a.b.c, a.*.c, a.**.c, a.b[1].c, a.b[*].c
  by-file-path     a pattern for the path of the file: dir/**/*.yaml

What happens to them:
  put-value        the new value; ${1} is a group of by-value-regex
  put-comment      the new comment on the line

With by-path alone, put-value adds the field where it is missing. An empty put-value does nothing.
A reference such as ${2} to a group that there is not is an error.`

// search is what search-replace looks for and does.
type search struct {
	value, file, putValue, putComment string
	byValue, put, comment             bool
	regex                             *regexp.Regexp
	path                              []string // nil for any
}

func searchReplace(ctx context.Context, list *krm.ResourceList) error {
	c, err := dataOf(list)
	if err != nil {
		return err
	}
	s, err := searchOf(c)
	if err != nil {
		return err
	}
	if s == nil { // the published program says no more
		info(list, "no matches")
		return nil
	}
	err = each(list.Items, func(item *krm.Item) error {
		if s.file != "" {
			if ok, err := doublestar.Match(s.file, item.Path); err != nil || !ok {
				return nil
			}
		}
		return s.item(ctx, list, item)
	})
	if len(list.Results) == 0 && err == nil {
		info(list, "no matches")
	}
	return err
}

// searchOf reads the functionConfig. It returns nil if that has no data or changes nothing.
func searchOf(c *config) (*search, error) {
	s, empty := &search{}, false
	known := []string{
		"by-value", "by-value-regex", "by-path", "by-file-path", "put-value", "put-comment",
	}
	for _, p := range pairs(c.data) {
		var err error
		switch p.key {
		case "by-value":
			s.value, s.byValue = p.value, true
		case "by-value-regex":
			s.regex, err = pattern.Compile(p.value)
		case "by-path":
			s.path, err = splitPattern(p.value)
		case "by-file-path":
			s.file = p.value
			if !doublestar.ValidatePattern(s.file) {
				err = errors.New("the pattern is not valid")
			}
		case "put-value":
			s.putValue, s.put, empty = p.value, p.value != "", p.value == ""
		case "put-comment":
			s.putComment, s.comment = p.value, true
		default:
			return nil, fmt.Errorf("invalid matcher or mutator %q: these are %s", p.key,
				strings.Join(known, ", "))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", p.key, p.value, err)
		}
	}
	switch {
	case c.data.Len() == 0 || empty && !s.comment:
		return nil, nil
	case s.byValue && s.regex != nil:
		return nil, errors.New(`only one of ["by-value", "by-value-regex"] can be provided`)
	case !s.byValue && s.regex == nil && s.path == nil && s.file == "":
		return nil, fmt.Errorf("at least one of [%s] must be provided",
			strings.Join(known[:4], ", "))
	}
	return s, nil
}

// splitPattern splits a path with patterns: names, *, **, [1] and [*].
func splitPattern(path string) ([]string, error) {
	var segments []string
	for segment := range strings.SplitSeq(strings.ReplaceAll(path, `\.`, "\x00"), ".") {
		segment = strings.ReplaceAll(segment, "\x00", ".")
		name, rest, _ := strings.Cut(segment, "[")
		if name != "" {
			segments = append(segments, name)
		}
		for rest != "" {
			index, after, ok := strings.Cut(rest, "]")
			if _, err := strconv.Atoi(index); !ok || err != nil && index != "*" {
				return nil, fmt.Errorf("%q is not an index", "["+rest)
			}
			segments = append(segments, "["+index+"]")
			rest = strings.TrimPrefix(after, "[")
		}
		if segment == "" {
			return nil, errors.New("a part of the path is empty")
		}
	}
	return segments, nil
}

// item searches in one item. With a path that names one field, a missing field is added.
func (s *search) item(ctx context.Context, list *krm.ResourceList, item *krm.Item) error {
	if s.byValue && s.value != "" && !item.Doc.MayContain(s.value) {
		return nil
	}
	var matches []scalar
	err := s.walk(item.Doc.Value(), nil, nil, func(path []string, v gaby.Value) {
		matches = append(matches, scalar{path, v})
	})
	if err != nil {
		return err
	}
	if len(matches) == 0 && s.put && s.canAdd(item.Doc) {
		if _, err := item.Doc.Set(s.newValue(), s.path...); err != nil {
			return err
		}
		added := scalar{s.path, item.Doc.Search(s.path...).Value()}
		return s.report(ctx, list, item, added, s.putValue)
	}
	for _, m := range matches {
		if m.value.Kind() == gaby.List {
			if err := s.commentList(list, item, m); err != nil {
				return err
			}
			continue
		}
		was := m.value.Text()
		now := was
		if s.put {
			if now, err = s.expand(ctx, s.putValue, was, true); err != nil {
				return err
			}
			if err := setText(item.Doc, m.path, m.value, now); err != nil {
				return err
			}
		}
		if err := s.report(ctx, list, item, m, now); err != nil {
			return err
		}
	}
	return nil
}

// commentList sets the comment of a list. Its result names the comment together with the field, and
// the one before with the value.
func (s *search) commentList(list *krm.ResourceList, item *krm.Item, m scalar) error {
	was := strings.TrimSpace(m.value.Doc().String())
	if comment := m.value.Comments().Line; comment != "" {
		was += " # " + comment
	}
	if err := item.Doc.SetComment(s.putComment, string(yamlpath.Join(m.path))); err != nil {
		return err
	}
	result := about(item, fnresult.SeverityInfo, m.path, fmt.Sprintf("Mutated field value to %q", was))
	result.Field.Path += " # " + s.putComment
	list.Results = append(list.Results, result)
	return nil
}

// report sets the comment of a match and appends its result.
func (s *search) report(
	ctx context.Context, list *krm.ResourceList, item *krm.Item, m scalar, value string,
) error {
	message := "Matched field value %q"
	if s.put || s.comment {
		message = "Mutated field value to %q"
	}
	if s.comment {
		comment, err := s.expand(ctx, s.putComment, m.value.Text(), false)
		if err != nil {
			return err
		}
		if m.value.Comments().Line != comment {
			if err := item.Doc.SetComment(comment, string(yamlpath.Join(m.path))); err != nil {
				return err
			}
		}
	}
	report(list, item, fnresult.SeverityInfo, m.path, message, value)
	return nil
}

// canAdd reports whether the path names a field that can be added to a document.
func (s *search) canAdd(doc *gaby.YamlDoc) bool {
	if s.byValue || s.regex != nil || len(s.path) == 0 || doc.Exists(s.path...) ||
		doc.Value().Get("kind").EqualText("Kptfile") {
		return false
	}
	return !slices.ContainsFunc(s.path, func(segment string) bool {
		return strings.HasPrefix(segment, "*") || strings.HasPrefix(segment, "[")
	})
}

// newValue returns the value of a field that is added.
func (s *search) newValue() any {
	if v, ok := plain(s.putValue); ok && s.path[0] != "metadata" {
		return v
	}
	return s.putValue
}

// expand replaces ${1} and so on by the groups that the regular expression finds in value. Other
// text in braces stays: it may be a setter. With all, a group that there is not is an error.
func (s *search) expand(ctx context.Context, text, value string, all bool) (string, error) {
	if s.regex == nil {
		return text, nil
	}
	groups := s.regex.FindStringSubmatch(value)
	group := func(reference string) string {
		n, err := strconv.Atoi(reference[2 : len(reference)-1])
		if err != nil || n >= len(groups) {
			return reference
		}
		return groups[n]
	}
	size := int64(len(text))
	references := regexp.MustCompile(`\$\{\d+\}`)
	for _, at := range references.FindAllStringIndex(text, -1) {
		reference := text[at[0]:at[1]]
		replaced := group(reference)
		if all && replaced == reference {
			return "", errors.New("unable to resolve capture groups")
		}
		size += int64(len(replaced))
	}
	if err := limit.Of(ctx).Check("replaced text", size); err != nil {
		return "", err
	}
	return references.ReplaceAllStringFunc(text, group), nil
}

// comments reports whether a value that is not a scalar gets the comment, if it has the path and is
// in brackets. As in the published program, a list does if only its path is sought.
func (s *search) comments(v gaby.Value) bool {
	return v.Kind() == gaby.List && s.path != nil && s.comment && !s.put && !s.byValue && s.regex == nil
}

// walk calls do for the scalars that match, and the lists that get a comment. steps is the path as
// patterns have it.
func (s *search) walk(v gaby.Value, path, steps []string,
	do func(path []string, v gaby.Value),
) error {
	for i, c := range v.All() {
		key, step := c.Key(), c.Key()
		if v.Kind() == gaby.List {
			key = strconv.Itoa(i)
			step = "[" + key + "]"
		}
		if c.IsAliased() {
			continue
		}
		at := append(path[:len(path):len(path)], key)
		atSteps := append(steps[:len(steps):len(steps)], step)
		if c.Kind() != gaby.Scalar {
			if s.comments(c) && matchSteps(s.path, atSteps) && strings.HasPrefix(c.Doc().String(), "[") {
				do(at, c)
			}
			if err := s.walk(c, at, atSteps, do); err != nil {
				return err
			}
			continue
		}
		text := c.Text()
		switch {
		case s.byValue && text != s.value, s.regex != nil && !s.regex.MatchString(text),
			s.path != nil && !matchSteps(s.path, atSteps):
		default:
			do(at, c)
		}
	}
	return nil
}

// matchSteps reports whether a path matches a pattern.
func matchSteps(pattern, steps []string) bool {
	for len(pattern) > 0 {
		switch p := pattern[0]; {
		case p == "**":
			for skip := range len(steps) + 1 {
				if matchSteps(pattern[1:], steps[skip:]) {
					return true
				}
			}
			return false
		case len(steps) == 0:
			return false
		case p == "[*]" && strings.HasPrefix(steps[0], "["):
		case p != "*" && p != steps[0]:
			return false
		}
		pattern, steps = pattern[1:], steps[1:]
	}
	return len(steps) == 0
}
