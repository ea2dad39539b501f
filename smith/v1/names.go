package v1

import "strings"

// IsValid reports whether the name is a DNS subdomain.
func (n ResourceName) IsValid() bool { return IsSubdomain(string(n)) }

// IsValid reports whether the name is a DNS subdomain.
func (n PluginName) IsValid() bool { return IsSubdomain(string(n)) }

// IsSubdomain reports whether s is a DNS subdomain as Kubernetes defines it: lower case letters,
// digits and -, in parts that are joined by dots, at most 253 characters.
func IsSubdomain(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}
