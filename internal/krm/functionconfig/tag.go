package functionconfig

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/internal/process"
)

// Tag is an entry of a list of tags: a literal tag, a constraint on versions, or every tag.
//
// A plain version is literal: v0.2 matches the tag v0.2 and not v0.2.9. Only a text with an
// operator, a wildcard or a range is a constraint, with the syntax of
// [constraint].
type Tag struct {
	Text       string
	version    version // of a literal that is one
	isVersion  bool
	constraint constraint // nil for a literal
	every      bool       // the text is "*"
}

// ParseTag reads an entry of a list of tags, or the tag that a pipeline asks for.
func ParseTag(text string) (Tag, error) {
	t := Tag{Text: text}
	if text == "*" {
		t.every = true
		return t, nil
	}
	if t.version, t.isVersion = parseVersion(text); t.isVersion && process.IsTag(text) {
		return t, nil
	}
	t.isVersion = false
	if isConstraint(text) && strings.TrimSpace(text) == text {
		c, err := parseConstraint(text)
		if err != nil {
			return Tag{}, fmt.Errorf("%q is not a constraint on versions: %w", text, err)
		}
		t.constraint = c
		return t, nil
	}
	if !process.IsTag(text) {
		return Tag{}, fmt.Errorf("%q is neither a tag of an image nor a constraint on versions",
			text)
	}
	return t, nil
}

// IsConstraint reports whether the entry can match several tags.
func (t *Tag) IsConstraint() bool { return t.every || t.constraint != nil }

// IsVersion reports whether the tag is one version.
func (t *Tag) IsVersion() bool { return t.isVersion }

// Allows reports whether a constraint allows a tag of an image. A literal tag allows itself.
func (t *Tag) Allows(tag string) bool {
	switch {
	case t.every:
		return true
	case t.constraint == nil:
		return t.Text == tag
	}
	v, ok := parseVersion(tag)
	return ok && t.constraint.allows(v)
}

// Highest returns the highest of tags that a constraint allows, "" for none. Of equal versions the
// first counts. Tags that are not versions are skipped.
func (t *Tag) Highest(tags []string) string {
	var best version
	highest := ""
	for _, tag := range tags {
		v, ok := parseVersion(tag)
		if !ok || t.constraint != nil && !t.constraint.allows(v) || t.every && v.pre != "" {
			continue
		}
		if highest == "" || v.compare(best) > 0 {
			best, highest = v, tag
		}
	}
	return highest
}

// isConstraint reports whether a text that is not a version is meant as a constraint: it has an
// operator, a wildcard or a range.
func isConstraint(text string) bool {
	if strings.ContainsAny(text, "~^<>=*,| ") {
		return true
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "v"), ".") {
		switch {
		case part == "x" || part == "X":
			return true
		case part == "" || strings.Trim(part, "0123456789") != "":
			return false
		}
	}
	return false
}
