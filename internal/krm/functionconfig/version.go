package functionconfig

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// version is a semantic version, with or without a v. The second and third number may be left out;
// they are 0 then. Metadata is checked and not kept, because it has no part in comparisons.
type version struct {
	numbers [3]uint64
	pre     string // the pre-release, with the hyphen
}

// parseVersion reads one to three numbers and what may follow: -PRERELEASE and +METADATA.
func parseVersion(text string) (version, bool) {
	v, given, ok := parsePattern(text)
	return v, ok && given > 0 && !strings.ContainsAny(firstNumbers(text), "xX*")
}

// firstNumbers returns the text of a version before its pre-release and metadata.
func firstNumbers(text string) string {
	if i := strings.IndexAny(text, "-+"); i >= 0 {
		return text[:i]
	}
	return text
}

// parsePattern reads a version whose last numbers may be x, X or *. given is how many numbers it
// has before the first of these.
func parsePattern(text string) (v version, given int, ok bool) {
	rest := strings.TrimPrefix(text, "v")
	if len(rest) > 128 {
		return v, 0, false
	}
	numbers := firstNumbers(rest)
	if suffix := rest[len(numbers):]; suffix != "" {
		whole := "v0.0.0" + suffix
		if !semver.IsValid(whole) {
			return v, 0, false
		}
		v.pre = semver.Prerelease(whole)
	}
	rest = numbers
	wild := false
	for i := 0; ; i++ {
		part, after, more := strings.Cut(rest, ".")
		if i == len(v.numbers) {
			return v, 0, false
		}
		if part == "x" || part == "X" || part == "*" {
			wild = true
		} else {
			n, err := strconv.ParseUint(part, 10, 64)
			if err != nil || wild {
				return v, 0, false
			}
			v.numbers[i] = n
			given = i + 1
		}
		if !more {
			return v, given, true
		}
		rest = after
	}
}

// compare orders versions as the specification of semantic versions does: a pre-release comes
// before its version.
func (v version) compare(w version) int {
	for i := range v.numbers {
		if c := cmp.Compare(v.numbers[i], w.numbers[i]); c != 0 {
			return c
		}
	}
	if v.pre == w.pre {
		return 0
	}
	return semver.Compare("v0.0.0"+v.pre, "v0.0.0"+w.pre)
}
