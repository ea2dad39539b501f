package functionconfig

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/fctl-dev/fctl/internal/runtime"
)

// Tag is an entry of a list of tags: a literal tag, a constraint on versions, or every tag.
//
// A plain version is literal: v0.2 matches the tag v0.2 and not v0.2.9. Only a text with an
// operator, a wildcard or a range is a constraint, with the syntax of Masterminds/semver.
type Tag struct {
	Text       string
	version    *semver.Version // of a literal that is a version
	constraint *semver.Constraints
	every      bool // the text is "*"
}

// ParseTag reads an entry of a list of tags, or the tag that a pipeline asks for.
func ParseTag(text string) (Tag, error) {
	t := Tag{Text: text}
	if text == "*" {
		t.every = true
		return t, nil
	}
	if v := parseVersion(text); v != nil && runtime.IsTag(text) {
		t.version = v
		return t, nil
	}
	if isConstraint(text) && strings.TrimSpace(text) == text {
		c, err := semver.NewConstraint(text)
		if err != nil {
			return Tag{}, fmt.Errorf("%q is not a constraint on versions: %w", text, err)
		}
		t.constraint = c
		return t, nil
	}
	if !runtime.IsTag(text) {
		return Tag{}, fmt.Errorf("%q is neither a tag of an image nor a constraint on versions", text)
	}
	return t, nil
}

// IsConstraint reports whether the entry can match several tags.
func (t *Tag) IsConstraint() bool { return t.every || t.constraint != nil }

// IsVersion reports whether the tag is one version.
func (t *Tag) IsVersion() bool { return t.version != nil }

// Allows reports whether a constraint allows a tag of an image. A literal tag allows itself.
func (t *Tag) Allows(tag string) bool {
	switch {
	case t.every:
		return true
	case t.constraint == nil:
		return t.Text == tag
	}
	v := parseVersion(tag)
	return v != nil && t.constraint.Check(v)
}

// Highest returns the highest of tags that a constraint allows, "" for none. Of equal versions the
// first counts. Tags that are not versions are skipped.
func (t *Tag) Highest(tags []string) string {
	var best *semver.Version
	highest := ""
	for _, tag := range tags {
		v := parseVersion(tag)
		if v == nil || t.constraint != nil && !t.constraint.Check(v) ||
			t.every && v.Prerelease() != "" {
			continue
		}
		if best == nil || v.GreaterThan(best) {
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

// parseVersion reads a version of one to three numbers, with or without a v, and what may follow
// the third: -PRERELEASE and +METADATA. It returns nil for other texts. It is here because a
// look-up happens for every request, and the library's parser takes a microsecond.
func parseVersion(text string) *semver.Version {
	rest := strings.TrimPrefix(text, "v")
	if rest == "" || rest[0] < '0' || rest[0] > '9' || len(rest) > 128 {
		return nil
	}
	rest, metadata, hasMetadata := strings.Cut(rest, "+")
	rest, pre, hasPre := strings.Cut(rest, "-")
	if hasMetadata && !identifiers(metadata, false) || hasPre && !identifiers(pre, true) {
		return nil
	}
	var numbers [3]uint64
	count := 0
	for part := range strings.SplitSeq(rest, ".") {
		if count == len(numbers) {
			return nil
		}
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil || part[0] == '+' {
			return nil
		}
		numbers[count] = n
		count++
	}
	return semver.New(numbers[0], numbers[1], numbers[2], pre, metadata)
}

// identifiers reports whether a text is a list of identifiers as semantic versions have them.
// Numbers in a pre-release have no zero in front.
func identifiers(text string, pre bool) bool {
	for part := range strings.SplitSeq(text, ".") {
		number := true
		for i := range len(part) {
			c := part[i]
			digit := '0' <= c && c <= '9'
			number = number && digit
			if !digit && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' {
				return false
			}
		}
		if part == "" || pre && number && len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return true
}
