package semantics

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

//go:embed fields.txt
var fieldsText string

// table has the checks of the fields of a type, or of a part of resources.
type table struct {
	fields   fieldChecks
	pod      string   // path of the PodSpec of a Pod
	template string   // path of the pod template
	restart  []string // restart policies that the template allows
}

// fieldChecks are the checks of a value and, by key, of the values below it, so that each key is
// followed once for all checks. The key * is that of every element of a list and every entry of a
// map.
type fieldChecks struct {
	key    string
	checks []valueCheck
	below  []*fieldChecks
}

// at returns the checks at a path, which is keys joined by dots. It adds what is missing.
func (f *fieldChecks) at(path string) *fieldChecks {
	if path == "" {
		return f
	}
	key, rest, _ := strings.Cut(path, ".")
	for _, below := range f.below {
		if below.key == key {
			return below.at(rest)
		}
	}
	below := &fieldChecks{key: key}
	f.below = append(f.below, below)
	return below.at(rest)
}

// add adds all checks of other.
func (f *fieldChecks) add(other *fieldChecks) {
	f.checks = append(f.checks, other.checks...)
	for _, below := range other.below {
		f.at(below.key).add(below)
	}
}

// valueCheck returns the violated rule and a message; the message is empty for a valid value.
type valueCheck func(v gaby.Value) (rule, message string)

// tables returns the tables of fields.txt by name.
var tables = sync.OnceValue(func() map[string]*table { //nolint:gochecknoglobals // never changed
	all := map[string]*table{}
	var t *table
	for line := range strings.Lines(fieldsText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0, words[0][0] == '#':
		case line[0] == '[':
			name, pods, _ := strings.Cut(line[1:], "]")
			t = newTable(strings.Fields(pods))
			all[name] = t
		case words[0] == "include":
			name, below, _ := strings.Cut(strings.Join(words[1:], " "), " at ")
			t.fields.at(below).add(&all[name].fields)
		default:
			f := t.fields.at(words[0])
			f.checks = append(f.checks, checkNamed(words[1], words[2:]))
		}
	}
	return all
})

// newTable returns a table without fields. pods says where the pods are.
func newTable(pods []string) *table {
	t := &table{}
	if len(pods) > 0 {
		t.pod, _ = strings.CutPrefix(pods[0], "pod=")
		if template, is := strings.CutPrefix(pods[0], "template="); is {
			t.pod, t.template, t.restart = "", template, pods[1:]
		}
	}
	return t
}

// checkNamed returns the check that fields.txt calls by a name, with what follows the name.
func checkNamed(name string, arguments []string) valueCheck {
	integer := func(i int) int64 {
		n, err := strconv.ParseInt(arguments[i], 0, 64)
		if err != nil {
			panic(err) // a test reads the file
		}
		return n
	}
	switch name {
	case "at-least":
		return atLeast(integer(0))
	case "between":
		return between(integer(0), integer(1))
	case "size":
		return notTooBig(int(integer(0)))
	case "one-of":
		if i := slices.Index(arguments, `""`); i >= 0 {
			arguments[i] = ""
		}
		return oneOf(arguments)
	case "name", "format", "required":
		return inForm(name, formNamed(arguments[0]))
	case "optional":
		return inForm("name", optional(formNamed(arguments[0])))
	case "key":
		return keyInForm(formNamed(arguments[0]))
	}
	return map[string]valueCheck{
		"port": port, "port-or-name": portOrName, "target-port": targetPort,
		"count-or-percent": countOrPercent, "count-or-percent-of-all": countOrPercentOfAll,
		"not-negative": notNegative, "positive": positive, "must-be-false": mustBeFalse,
	}[name]
}

// formNamed returns the form that fields.txt calls by a name.
func formNamed(name string) textForm {
	return map[string]textForm{
		"dns-label": dnsLabel, "dns-label-1035": dnsLabel1035, "dns-subdomain": dnsSubdomain,
		"host-name": hostName, "ingress-host": ingressHost, "external-name": externalName,
		"label-key": labelKey, "annotation-key": annotationKey, "label-value": labelValue,
		"port-name": portName, "data-key": dataKey, "env-name": envName,
		"resource-name": resourceName, "container-resource": containerResource,
		"container-field": containerField, "sysctl": sysctl, "job-prefix": jobPrefix,
		"begins-with-letter": beginsWithLetter, "address": address, "cidr": cidr,
		"relative-path": relativePath, "without-backstep": withoutBackstep, "trimmed": trimmed,
		"not-empty": notEmpty, "schedule": schedule,
	}[name]
}
