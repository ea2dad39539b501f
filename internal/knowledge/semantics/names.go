package semantics

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// form returns what is wrong with a name, and nothing for a good one.
type form func(s string) string

// named checks the form of a string.
func named(is form) check {
	return func(v gaby.Value) (rule, message string) {
		if s, ok := text(v); ok {
			return "name", is(s)
		}
		return "", ""
	}
}

// keyed checks the form of the key of a map entry.
func keyed(is form) check {
	return func(v gaby.Value) (rule, message string) { return "name", is(v.Key()) }
}

func isLower(c rune) bool  { return c >= 'a' && c <= 'z' }
func isDigit(c rune) bool  { return c >= '0' && c <= '9' }
func isLetter(c rune) bool { return isLower(c) || c >= 'A' && c <= 'Z' }

// optional accepts an empty name, which is as good as none.
func optional(is form) form {
	return func(s string) string {
		if s == "" {
			return ""
		}
		return is(s)
	}
}

// made reports whether all characters are letters, digits or among others, and the first and last
// one are letters or digits.
func made(s, others string, letter func(rune) bool) bool {
	inside := strings.Trim(s, others)
	return s != "" && s == inside && strings.IndexFunc(s, func(c rune) bool {
		return !letter(c) && !isDigit(c) && !strings.ContainsRune(others, c)
	}) < 0
}

// length returns a message if a text is too long.
func length(s string, longest int) string {
	if len(s) > longest {
		return fmt.Sprintf("%d characters are too many, at most %d are allowed", len(s), longest)
	}
	return ""
}

// dnsLabel is the form of most names: RFC 1123.
func dnsLabel(s string) string {
	if !made(s, "-", isLower) {
		return fmt.Sprintf(
			"%q is not a valid name: use lower-case letters, digits and '-', with a letter or "+
				"digit at both ends", s)
	}
	return length(s, 63)
}

// dnsLabel1035 is the form of the names of a CustomResourceDefinition.
func dnsLabel1035(s string) string {
	if !made(s, "-", isLower) || !isLower(rune(s[0])) {
		return fmt.Sprintf(
			"%q is not a valid name: use lower-case letters, digits and '-', with a letter first "+
				"and a letter or digit last", s)
	}
	return length(s, 63)
}

// dnsSubdomain is the form of names that may have dots: labels joined by dots, without their limit.
func dnsSubdomain(s string) string {
	for label := range strings.SplitSeq(s, ".") {
		if !made(label, "-", isLower) {
			return fmt.Sprintf(
				"%q is not a valid name: use lower-case letters, digits, '-' and '.', with a "+
					"letter or digit at both ends of each part", s)
		}
	}
	return length(s, 253)
}

// hostName is the form of hosts of an Ingress: a DNS name, whose first label may be *.
func hostName(s string) string { return dnsSubdomain(strings.TrimPrefix(s, "*.")) }

// pathSegment is the form of the names of roles and other objects that are only part of a URL.
func pathSegment(s string) string {
	if s == "." || s == ".." || strings.ContainsAny(s, "/%") {
		return fmt.Sprintf("%q is not a valid name: it is part of a URL, without '/' and '%%'", s)
	}
	return ""
}

// labelKey is the form of the keys of labels and annotations: a name, after an optional DNS name
// and a slash.
func labelKey(s string) string {
	if prefix, rest, ok := strings.Cut(s, "/"); ok {
		if problem := dnsSubdomain(prefix); problem != "" {
			return fmt.Sprintf("the prefix of the key %q is not a DNS name", s)
		}
		s = rest
	}
	if !made(s, "-_.", isLetter) {
		return fmt.Sprintf(
			"%q is not a valid key: use letters, digits, '-', '_' and '.', with a letter or "+
				"digit at both ends", s)
	}
	return length(s, 63)
}

// labelValue is the form of the values of labels.
func labelValue(s string) string {
	if s != "" && !made(s, "-_.", isLetter) {
		return fmt.Sprintf(
			"%q is not a valid label value: use letters, digits, '-', '_' and '.', with a letter "+
				"or digit at both ends", s)
	}
	return length(s, 63)
}

// portName is the form of the names of ports: RFC 6335.
func portName(s string) string {
	if !made(s, "-", isLower) || strings.Contains(s, "--") || strings.IndexFunc(s, isLower) < 0 {
		return fmt.Sprintf(
			"%q is not a valid port name: use lower-case letters, digits and single '-', with at "+
				"least one letter", s)
	}
	return length(s, 15)
}

// dataKey is the form of the keys of ConfigMaps and Secrets.
func dataKey(s string) string {
	switch {
	case s == "." || strings.HasPrefix(s, ".."):
		return fmt.Sprintf("%q is not a valid key: it may not be '.' nor begin with '..'", s)
	case !made("x"+s+"x", "-_.", isLetter) || s == "":
		return fmt.Sprintf("%q is not a valid key: use letters, digits, '-', '_' and '.'", s)
	}
	return length(s, 253)
}

// envName is the form of names of environment variables: anything printable but '='.
func envName(s string) string {
	if s == "" ||
		strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c > '~' || c == '=' }) >= 0 {
		return fmt.Sprintf("%q is not a valid name of an environment variable", s)
	}
	return ""
}
