package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/shellwords"
	"github.com/fctl-dev/fctl/internal/diag"
)

// CheckUnit checks the word at the position of the unit's name. words are those after it, from the
// function on. If the word is the name of a function, the unit was probably forgotten: the problem
// says so and shows the correct command.
func (r *Resolver) CheckUnit(file, unit string, words []string) *api.Failure {
	if _, isFunction := r.Functions.Signature(r.Toolchain, unit); isFunction {
		next := false
		if len(words) > 0 {
			_, next = r.Functions.Signature(r.Toolchain, words[0])
		}
		if !next {
			rest := append([]string{unit}, words...)
			hint := shellwords.Quote(append([]string{"fctl", "do", file, "UNIT"}, rest...)...) +
				", or " + shellwords.Quote(append([]string{"fctl", "do", "-f", file}, rest...)...)
			return diag.UsageHint(hint, "the unit name is missing between %s and %s", file,
				unit)
		}
	}
	problem := CheckUnitName(unit)
	if problem != nil && strings.Contains(unit, "/") {
		problem.Hint = shellwords.Quote(append([]string{"fctl", "do", "-f", file, "-f", unit},
			words...)...) + " processes both files"
	}
	return problem
}

// CheckNoUnit checks the words after the paths of -f, where no unit is expected because the files
// name the units. It reports a unit's name, and a further path, which may come from a pattern that
// the shell has expanded. Resolve reports anything else.
func (r *Resolver) CheckNoUnit(paths, words []string) *api.Failure {
	if len(words) < 2 {
		return nil
	}
	function := slices.IndexFunc(words, func(word string) bool {
		_, known := r.Functions.Signature(r.Toolchain, word)
		return known
	})
	switch {
	case function == 1 && filepath.Ext(words[0]) == "":
		hint := shellwords.Quote(slices.Concat([]string{"fctl", "do", "-f"}, paths, words[1:])...)
		return diag.UsageHint(hint, "%s is not a function; with -f, units are named after their files",
			words[0])
	case function > 0 && filepath.Ext(words[0]) != "":
		return diag.UsageHint("-f takes one path: quote a pattern, or write -f before each path",
			"FUNCTION is expected, not the file %s", words[0])
	}
	return nil
}

// CheckUnitName checks the name of a unit.
func CheckUnitName(unit string) *api.Failure {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.()@#"
	switch {
	case unit == "":
		return diag.Usage("the unit name is empty")
	case strings.Trim(unit, allowed) != "":
		return diag.UsageHint("letters, digits, blanks and -_.()@# are allowed",
			"unit name '%s' contains invalid characters", unit)
	}
	return nil
}
