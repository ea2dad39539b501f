package semantics

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// textForm returns what is wrong with a text, and nothing for a good one.
type textForm func(s string) string

// inForm checks the form of a string.
func inForm(rule string, is textForm) valueCheck {
	return func(v gaby.Value) (string, string) {
		if s, ok := text(v); ok {
			return rule, is(s)
		}
		return "", ""
	}
}

// keyInForm checks the form of the key of a map entry.
func keyInForm(is textForm) valueCheck {
	return func(v gaby.Value) (rule, message string) { return "name", is(v.Key()) }
}

func isLower(c rune) bool  { return c >= 'a' && c <= 'z' }
func isDigit(c rune) bool  { return c >= '0' && c <= '9' }
func isLetter(c rune) bool { return isLower(c) || c >= 'A' && c <= 'Z' }

// optional accepts an empty name, which is as good as none.
func optional(is textForm) textForm {
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

// valid returns a message if a text is not good or too long. rule is what it must be.
func valid(s string, good bool, rule string, longest int) string {
	if !good {
		return fmt.Sprintf("%q is not a valid %s", s, rule)
	}
	return length(s, longest)
}

// dnsLabel is the form of most names: RFC 1123.
func dnsLabel(s string) string {
	return valid(s, made(s, "-", isLower), "name: use lower-case letters, digits and '-', with a "+
		"letter or digit at both ends", 63)
}

// dnsLabel1035 is the form of the names of a CustomResourceDefinition.
func dnsLabel1035(s string) string {
	return valid(s, made(s, "-", isLower) && isLower(rune(s[0])), "name: use lower-case letters, "+
		"digits and '-', with a letter first and a letter or digit last", 63)
}

// dnsSubdomain is the form of names that may have dots: labels joined by dots, without their limit.
func dnsSubdomain(s string) string {
	good := true
	for label := range strings.SplitSeq(s, ".") {
		good = good && made(label, "-", isLower)
	}
	return valid(s, good, "name: use lower-case letters, digits, '-' and '.', with a letter or "+
		"digit at both ends of each part", 253)
}

// hostName is the form of hosts of an Ingress: a DNS name, whose first label may be *.
func hostName(s string) string { return dnsSubdomain(strings.TrimPrefix(s, "*.")) }

// ingressHost is the form of the host of a rule of an Ingress, which may not be an address.
func ingressHost(s string) string {
	if address(s) == "" {
		return "the host is an address; it must be a name"
	}
	return hostName(s)
}

// externalName is the form of the DNS name of a Service, which may end in a dot.
func externalName(s string) string { return dnsSubdomain(strings.TrimSuffix(s, ".")) }

// jobPrefix is the form of the names of CronJobs, to which their Jobs add something.
func jobPrefix(s string) string { return length(s, 52) }

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
	return valid(s, made(s, "-_.", isLetter), "key: use letters, digits, '-', '_' and '.', with a "+
		"letter or digit at both ends", 63)
}

// annotationKey is the form of the keys of annotations, whose case does not matter.
func annotationKey(s string) string { return labelKey(strings.ToLower(s)) }

// labelValue is the form of the values of labels.
func labelValue(s string) string {
	return valid(s, s == "" || made(s, "-_.", isLetter), "label value: use letters, digits, '-', "+
		"'_' and '.', with a letter or digit at both ends", 63)
}

// portName is the form of the names of ports: RFC 6335.
func portName(s string) string {
	good := made(s, "-", isLower) && !strings.Contains(s, "--") &&
		strings.IndexFunc(s, isLower) >= 0
	return valid(s, good,
		"port name: use lower-case letters, digits and single '-', with at least "+
			"one letter", 15)
}

// dataKey is the form of the keys of ConfigMaps and Secrets.
func dataKey(s string) string {
	if s == "." || strings.HasPrefix(s, "..") {
		return valid(s, false, "key: it may not be '.' nor begin with '..'", 0)
	}
	return valid(s, s != "" && made("x"+s+"x", "-_.", isLetter),
		"key: use letters, digits, '-', '_' and '.'", 253)
}

// envName is the form of names of environment variables: anything printable but '='.
func envName(s string) string {
	if s == "" ||
		strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c > '~' || c == '=' }) >= 0 {
		return fmt.Sprintf("%q is not a valid name of an environment variable", s)
	}
	return ""
}

// resourceName is the form of names of resources: a known one, or one with a domain.
func resourceName(s string) string {
	switch {
	case s == "cpu", s == "memory", s == "storage", s == "ephemeral-storage":
		return ""
	case strings.HasPrefix(s, "hugepages-"), strings.HasPrefix(s, "attachable-volumes-"):
		return ""
	case !strings.Contains(s, "/"):
		return `"` + s +
			`" is not a resource: use cpu, memory, ephemeral-storage, hugepages-SIZE or a name ` +
			`with a domain`
	}
	return labelKey(s)
}

// containerResource is the form of names of resources that a container can have.
func containerResource(s string) string {
	switch {
	case s == "storage", strings.HasPrefix(s, "attachable-volumes-"):
		return `"` + s + `" is not a resource of containers: use ephemeral-storage for disk space`
	case strings.HasPrefix(s, "requests."):
		return `"` + s + `" begins with requests., as only names in a ResourceQuota do`
	}
	return resourceName(s)
}

// containerField is the form of the resources of a container that a variable can have.
func containerField(s string) string {
	kind, name, _ := strings.Cut(s, ".")
	known := name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
		strings.HasPrefix(name, "hugepages-")
	if (kind != "limits" && kind != "requests") || !known {
		return fmt.Sprintf("%q is not a resource of a container: use limits or requests, a dot, "+
			"and cpu, memory, ephemeral-storage or hugepages-SIZE", s)
	}
	return ""
}

// sysctl is the form of the names of parameters of the kernel.
func sysctl(s string) string {
	good := true
	for part := range strings.SplitSeq(strings.ReplaceAll(s, "/", "."), ".") {
		good = good && made(part, "-_", isLower)
	}
	return valid(s, good, "name of a kernel parameter: use lower-case letters, digits, '-' and "+
		"'_' in parts that '.' or '/' joins", 253)
}
