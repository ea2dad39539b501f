package kubernetes

import (
	"errors"
	"fmt"
	"strings"
)

// maxDomainLabels is the number of labels that may follow the first one in host names whose parts
// have getters and setters.
const maxDomainLabels = 10

// checkHostname reports what is wrong with a host name, which may begin with *.
func checkHostname(name string) error {
	if len(name) > 253 {
		return fmt.Errorf("a host name of %d characters, at most 253 are allowed", len(name))
	}
	return checkLabels(strings.Split(strings.TrimPrefix(name, "*."), "."))
}

// checkSubdomain reports what is wrong with the first label of a host name, which may be *.
func checkSubdomain(label string) error {
	if label == "*" {
		return nil
	}
	if strings.Contains(label, ".") {
		return fmt.Errorf("%s is more than one label", label)
	}
	return checkLabel(label)
}

// checkDomain reports what is wrong with the labels after the first one of a host name.
func checkDomain(domain string) error {
	labels := strings.Split(domain, ".")
	if len(labels) > maxDomainLabels || len(domain) > 251 {
		return fmt.Errorf("a domain of %d labels and %d characters, at most %d and 251 are allowed",
			len(labels), len(domain), maxDomainLabels)
	}
	return checkLabels(labels)
}

// checkLabels reports what is wrong with the labels of a name without a wildcard.
func checkLabels(labels []string) error {
	for _, label := range labels {
		if err := checkLabel(label); err != nil {
			return err
		}
	}
	if last := labels[len(labels)-1]; len(labels) > 1 && strings.Trim(last, "0123456789") == "" {
		return fmt.Errorf("%s is an address or ends like one, not a host name",
			strings.Join(labels, "."))
	}
	return nil
}

// checkLabel reports what is wrong with one label.
func checkLabel(label string) error {
	switch {
	case label == "":
		return errors.New("a label is empty")
	case len(label) > 63:
		return fmt.Errorf("label %.20s... has %d characters, at most 63 are allowed", label,
			len(label))
	case label[0] == '-' || label[len(label)-1] == '-':
		return fmt.Errorf("label %s begins or ends with a dash", label)
	}
	for _, r := range label {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
		case 'A' <= r && r <= 'Z':
			return fmt.Errorf("label %s is not in lower case", label)
		case r == '*':
			return fmt.Errorf("label %s: a * must be alone and come first", label)
		case r > 0x7f:
			return fmt.Errorf("label %s is not in punycode (xn--...)", label)
		default:
			return fmt.Errorf("label %s: %q is not one of a to z, 0 to 9 and -", label, r)
		}
	}
	return nil
}
