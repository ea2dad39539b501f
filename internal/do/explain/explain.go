// Package explain says what functions do, in words for people.
//
// Layer: systems.
package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out"
)

// CommandLine has the parts of a command line that calls an explained function.
type CommandLine struct {
	Program string // its name
	Flags   string // those that decide which functions there are, with a space before each
	File    string // an example file
}

// Function returns all there is to know about a function, as 'fctl explain' prints it. head styles headings.
func Function(d *functions.Description, c CommandLine, head func(string) string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	section := func(title string) { say("\n%s", head(title)) }

	say("%s: %s", head(d.FunctionName), strings.TrimSpace(d.Description))
	switch {
	case d.AliasOf != "" && d.Deprecated:
		say("This name is deprecated. Use %s.", d.AliasOf)
	case d.AliasOf != "":
		say("This is an alias of %s.", d.AliasOf)
	}
	do := c.Program + " do" + c.Flags
	if !d.Hermetic {
		do += " --allow-external"
	}
	section("Usage")
	say("  %s", strings.TrimRight(fmt.Sprintf("%s FILE %s %s", do, d.FunctionName,
		UsageOf(d.FunctionSignature)), " "))
	if len(d.Parameters) > 0 {
		section("Parameters")
	}
	parameters := out.Table{Indent: "  "}
	for i, p := range d.Parameters {
		of := Constraints(p, d.VarArgs && i == len(d.Parameters)-1)
		parameters.Rows = append(parameters.Rows, []string{p.ParameterName, p.Description},
			[]string{"", strings.Join(of, "; ")})
	}
	b.WriteString(parameters.String())
	section("What it does")
	for _, line := range Behaviour(d.FunctionSignature, c) {
		say("  %s", line)
	}
	if others := OtherNames(d); len(others) > 0 {
		section("Other names")
		say("  %s", strings.Join(others, ", "))
	}
	if len(d.Examples) > 0 {
		section("Examples")
		for _, example := range d.Examples {
			unit := ""
			if strings.Contains(example, "UnitSlug") {
				unit = " MyUnit" // the name matters
			}
			say("  %s %s%s %s", do, c.File, unit, example)
		}
	}
	if len(d.Paths) > 0 {
		section("Where it applies")
		own := maps.Clone(d.Paths)
		for _, t := range d.Operators {
			delete(own, t)
		}
		b.WriteString(pathGroups(own))
		if len(d.Operators) > 0 {
			say("  %s of operators (%s)", diag.Count(len(d.Operators), "type"), allPaths(d, c))
		}
	} else if len(d.AffectedResourceTypes) > 0 {
		section("Resource types")
		for _, t := range d.AffectedResourceTypes {
			say("  %s", t)
		}
	}
	return b.String()
}

// allPaths returns the command that lists the paths of a function in all types.
func allPaths(d *functions.Description, c CommandLine) string {
	if d.AttributeName == "" {
		return c.Program + " explain" + c.Flags + " -o json " + d.FunctionName
	}
	return c.Program + " listpaths" + c.Flags + " --attribute " + string(d.AttributeName)
}

// OtherNames returns the other names of a function.
func OtherNames(d *functions.Description) []string {
	all := append([]string{}, d.Aliases...)
	if d.AliasOf != "" {
		all = append([]string{d.AliasOf}, all...)
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name == d.FunctionName })
	for _, name := range d.DeprecatedAliases {
		if name != d.FunctionName {
			all = append(all, name+" (deprecated)")
		}
	}
	return all
}

// longRegexp is the length from which a regular expression is not printed: it would explain
// nothing.
const longRegexp = 60

// Constraints returns what the values of a parameter must satisfy.
func Constraints(p api.FunctionParameter, repeated bool) []string {
	words := []string{string(p.DataType), "optional"}
	if p.Required {
		words[1] = "required"
	}
	if repeated {
		words = append(words, "may be repeated")
	}
	if len(p.EnumValues) > 0 {
		words = append(words, "one of "+strings.Join(p.EnumValues, ", "))
	}
	switch {
	case p.Min != nil && p.Max != nil:
		words = append(words, fmt.Sprintf("%d to %d", *p.Min, *p.Max))
	case p.Min != nil:
		words = append(words, fmt.Sprintf("at least %d", *p.Min))
	case p.Max != nil:
		words = append(words, fmt.Sprintf("at most %d", *p.Max))
	}
	switch {
	case len(p.Regexp) > longRegexp:
		words = append(words, "matches a regular expression (-o json prints it)")
	case p.Regexp != "":
		words = append(words, "matches "+p.Regexp)
	}
	if p.Schema != "" {
		words = append(words, "with a JSON schema (-o json prints it)")
	}
	if p.Default != "" {
		words = append(words, "default "+p.Default)
	}
	if p.Example != "" {
		words = append(words, "for example "+p.Example)
	}
	if len(p.DeprecatedNames) > 0 {
		words = append(words, "deprecated names: "+strings.Join(p.DeprecatedNames, ", "))
	}
	return words
}

// Behaviour describes a function's effect, output and requirements, one line each.
func Behaviour(s api.FunctionSignature, c CommandLine) []string {
	var lines []string
	switch KindOf(s) {
	case "changes":
		lines = append(lines, "changes the configuration")
	case "validates":
		lines = append(lines, "validates: the exit status is 1 if something does not pass")
	default:
		lines = append(lines, "reads the configuration")
	}
	if s.OutputInfo != nil {
		lines = append(lines, fmt.Sprintf("returns %s (%s): %s", s.OutputInfo.ResultName,
			s.OutputInfo.OutputType, s.OutputInfo.Description))
	}
	if s.Idempotent && s.Mutating {
		lines = append(lines, "is idempotent: run again, it changes nothing")
	}
	if !s.Hermetic {
		lines = append(lines, "uses files, programs or the network, and needs --allow-external")
	}
	if len(s.OtherDataExpected) > 0 {
		sources := strings.Join(s.OtherDataExpected, "=FILE or --other-data ") + "=FILE"
		lines = append(lines, "reads other data: --other-data "+strings.ReplaceAll(sources, ":=",
			":SOURCE="))
	}
	if s.AttributeName != "" {
		lines = append(lines, fmt.Sprintf("uses the attribute %s: '%s listpaths%s --attribute %s'",
			s.AttributeName, c.Program, c.Flags, s.AttributeName))
	}
	return lines
}

// pathGroups lists the paths of an attribute. Types with the same paths share one group.
func pathGroups(paths api.ResourceTypeToPathToVisitorInfoType) string {
	types := map[string][]string{}
	var order []string
	for _, t := range slices.Sorted(maps.Keys(paths)) {
		var b strings.Builder
		for _, path := range slices.Sorted(maps.Keys(paths[t])) {
			shown := path
			if info := paths[t][path]; info != nil && info.Path != "" {
				shown = info.Path
			}
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(string(shown), "%s", "*"))
		}
		if _, known := types[b.String()]; !known {
			order = append(order, b.String())
		}
		name := string(t)
		if t == api.ResourceTypeAny {
			name = "every resource"
		}
		types[b.String()] = append(types[b.String()], name)
	}
	var b strings.Builder
	for _, text := range order {
		b.WriteString("  " + strings.Join(types[text], ", ") + "\n" + text)
	}
	return b.String()
}

// UsageOf returns the parameters of a function for a usage line.
func UsageOf(s api.FunctionSignature) string {
	words := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		word := strings.ToUpper(p.ParameterName)
		if s.VarArgs && i == len(s.Parameters)-1 {
			word += "..."
		}
		if !p.Required {
			word = "[" + word + "]"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

// KindOf says what a function does with the configuration.
func KindOf(s api.FunctionSignature) string {
	switch {
	case s.Mutating:
		return "changes"
	case s.Validating:
		return "validates"
	}
	return "reads"
}
