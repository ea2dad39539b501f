package semantics

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	"github.com/robfig/cron/v3"
)

// between checks that an integer is in a range.
func between(low, high int64) valueCheck {
	return func(v gaby.Value) (rule, message string) {
		if n, ok := number(v); ok && (n < low || n > high) {
			return "range", fmt.Sprintf("%d is not in the range %d to %d", n, low, high)
		}
		return "", ""
	}
}

// atLeast checks that an integer is not too small.
func atLeast(low int64) valueCheck {
	return func(v gaby.Value) (rule, message string) {
		if n, ok := number(v); ok && n < low {
			return "range", fmt.Sprintf("%d is less than %d", n, low)
		}
		return "", ""
	}
}

// oneOf checks that a string is one of a few.
func oneOf(values []string) valueCheck {
	return func(v gaby.Value) (rule, message string) {
		s, ok := text(v)
		if !ok || slices.Contains(values, s) {
			return "", ""
		}
		return "enum", fmt.Sprintf("%q is not one of %s", s,
			strings.TrimPrefix(strings.Join(values, ", "), ", ")) // the first may be empty
	}
}

// port checks the number of a port.
func port(v gaby.Value) (rule, message string) { return between(1, 65535)(v) }

// portOrName checks the number or the name of a port.
func portOrName(v gaby.Value) (rule, message string) {
	if s, ok := text(v); ok {
		return "name", portName(s)
	}
	return port(v)
}

// percentage returns the number in a text such as 25%, and whether it is such a text.
func percentage(v gaby.Value) (int64, bool) {
	s, ok := text(v)
	digits, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseUint(digits, 10, 31)
	return int64(n), ok && percent && err == nil
}

// countOrPercent checks a number or percentage of replicas.
func countOrPercent(v gaby.Value) (rule, message string) {
	if s, ok := text(v); ok {
		if _, ok := percentage(v); !ok {
			return "format", fmt.Sprintf("%q is neither a number nor a percentage", s)
		}
		return "", ""
	}
	return atLeast(0)(v)
}

// countOrPercentOfAll checks a number of replicas, or a percentage up to 100%.
func countOrPercentOfAll(v gaby.Value) (rule, message string) {
	if n, ok := percentage(v); ok && n > 100 {
		return "range", fmt.Sprintf("%d%% is more than 100%%", n)
	}
	return countOrPercent(v)
}

// isZero reports whether a number or percentage of replicas is 0.
func isZero(v gaby.Value) bool {
	if n, ok := percentage(v); ok {
		return n == 0
	}
	n, ok := number(v)
	return ok && n == 0
}

// amount returns a quantity, and whether the value is one.
func amount(v gaby.Value) (quantity.Quantity, bool) {
	if v.Kind() != gaby.Scalar || v.IsNull() {
		return quantity.Quantity{}, false
	}
	return quantity.Parse(v.Text())
}

// notNegative checks a quantity.
func notNegative(v gaby.Value) (rule, message string) {
	s := v.Text()
	if !strings.HasPrefix(s, "-") {
		return "", ""
	}
	if q, ok := amount(v); ok && q.Sign() < 0 {
		return "range", s + " is negative"
	}
	return "", ""
}

// positive checks a quantity.
func positive(v gaby.Value) (rule, message string) {
	if q, ok := amount(v); ok && q.Sign() <= 0 {
		return "range", v.Text() + " is not more than 0"
	}
	return "", ""
}

// mustBeFalse checks a boolean.
func mustBeFalse(v gaby.Value) (rule, message string) {
	if isTrue(v) {
		return "enum", "it must be false"
	}
	return "", ""
}

// notTooBig checks that a map has at most a number of bytes.
func notTooBig(limit int) valueCheck {
	return func(v gaby.Value) (rule, message string) {
		size := 0
		for _, e := range v.All() {
			size += len(e.Key()) + len(e.Text())
		}
		if size > limit {
			return "range", fmt.Sprintf("%d bytes are too many, at most %d are allowed", size,
				limit)
		}
		return "", ""
	}
}

// targetPort checks the port of pods; 0 means that of the Service.
func targetPort(v gaby.Value) (rule, message string) {
	if n, ok := number(v); ok && n == 0 {
		return "", ""
	}
	return portOrName(v)
}

// notEmpty is the form of a text with characters.
func notEmpty(s string) string {
	if s == "" {
		return "the value is empty"
	}
	return ""
}

// relativePath is the form of a path that must not leave its directory.
func relativePath(s string) string {
	if strings.HasPrefix(s, "/") {
		return fmt.Sprintf("%q is not a relative path", s)
	}
	return withoutBackstep(s)
}

// withoutBackstep is the form of a path of which no element is "..".
func withoutBackstep(s string) string {
	if slices.Contains(strings.Split(s, "/"), "..") {
		return fmt.Sprintf("%q contains \"..\"", s)
	}
	return ""
}

// cidr is the form of a network in CIDR notation.
func cidr(s string) string {
	if _, err := netip.ParsePrefix(strings.TrimSpace(s)); err != nil {
		return fmt.Sprintf("%q is not a network such as 10.0.0.0/8", s)
	}
	return ""
}

// address is the form of an IP address.
func address(s string) string {
	if _, err := netip.ParseAddr(s); err != nil {
		return fmt.Sprintf("%q is not an IP address", s)
	}
	return ""
}

// trimmed is the form of a text without blanks at its ends.
func trimmed(s string) string {
	if s != strings.TrimSpace(s) {
		return fmt.Sprintf("%q has blanks at an end", s)
	}
	return ""
}

// schedule is the form of the schedule of a CronJob. Kubernetes reads it with the same library.
func schedule(s string) string {
	if strings.Contains(s, "TZ") {
		return "the schedule has a time zone: timeZone is the field for it"
	}
	if _, err := cron.ParseStandard(s); err != nil {
		return err.Error()
	}
	return ""
}
