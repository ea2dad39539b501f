package yamlkit

import (
	"fmt"
	"regexp"

	"github.com/fctl-dev/fctl/functions/api"
)

// EmbeddedAccessor reaches a part of a scalar, the sub of path#sub.
type EmbeddedAccessor interface {
	// Extract returns the part, and whether there is one.
	Extract(text, sub string) (any, bool)
	// Replace returns the text with another part in its place, and whether there was one.
	Replace(text, sub string, value any) (string, bool)
}

// NewEmbeddedAccessor makes the accessor of a type and configuration.
func NewEmbeddedAccessor(t api.EmbeddedAccessorType, config string) (EmbeddedAccessor, error) {
	switch t {
	case api.EmbeddedAccessorNone:
		return nil, nil
	case api.EmbeddedAccessorRegexp:
		re, err := regexp.Compile(config)
		if err != nil {
			return nil, fmt.Errorf("embedded accessor: %w", err)
		}
		return regexpAccessor{re}, nil
	}
	return nil, fmt.Errorf("embedded accessor: unknown type %s", t)
}

// regexpAccessor knows the named groups of a regular expression.
type regexpAccessor struct{ re *regexp.Regexp }

func (a regexpAccessor) Extract(text, sub string) (any, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return nil, false
	}
	return text[from:to], true
}

func (a regexpAccessor) Replace(text, sub string, value any) (string, bool) {
	from, to := a.find(text, sub)
	if from < 0 {
		return text, false
	}
	return text[:from] + fmt.Sprint(value) + text[to:], true
}

// find is where the group is, -1 when the expression does not match, has no such group or the group took no part.
func (a regexpAccessor) find(text, group string) (from, to int) {
	i := a.re.SubexpIndex(group)
	if i < 0 {
		return -1, -1
	}
	places := a.re.FindStringSubmatchIndex(text)
	if places == nil {
		return -1, -1
	}
	return places[2*i], places[2*i+1]
}
