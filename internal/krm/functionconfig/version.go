package functionconfig

import (
	"cmp"
	"strconv"
	"strings"
)

// version is a semantic version, with or without a v. The second and third number may be left out;
// they are 0 then. Metadata is checked and not kept, because it has no part in comparisons.
type version struct {
	numbers [3]uint64
	pre     string // the pre-release, without the hyphen
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
	rest, metadata, hasMetadata := strings.Cut(rest, "+")
	rest, pre, hasPre := strings.Cut(rest, "-")
	if hasMetadata && !identifiers(metadata, false) || hasPre && !identifiers(pre, true) {
		return v, 0, false
	}
	v.pre = pre
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

// compare orders versions as the specification of semantic versions does: a pre-release comes
// before its version.
func (v version) compare(w version) int {
	for i := range v.numbers {
		if c := cmp.Compare(v.numbers[i], w.numbers[i]); c != 0 {
			return c
		}
	}
	switch {
	case v.pre == w.pre:
		return 0
	case v.pre == "":
		return 1
	case w.pre == "":
		return -1
	}
	return comparePre(v.pre, w.pre)
}

func comparePre(a, b string) int {
	for {
		x, restX, moreX := strings.Cut(a, ".")
		y, restY, moreY := strings.Cut(b, ".")
		if c := compareIdentifier(x, y); c != 0 {
			return c
		}
		switch {
		case !moreX && !moreY:
			return 0
		case !moreX:
			return -1
		case !moreY:
			return 1
		}
		a, b = restX, restY
	}
}

// compareIdentifier orders numbers by value and before texts.
func compareIdentifier(x, y string) int {
	isNumber := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	switch nx, ny := isNumber(x), isNumber(y); {
	case nx && ny:
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	case nx:
		return -1
	case ny:
		return 1
	}
	return cmp.Compare(x, y)
}
