package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// CheckUnit checks the word at the position of the unit's name. words are those after it, from the
// function on. If a function was probably meant and misspelt, the problem says so.
func (r *Resolver) CheckUnit(file, unit string, words []string) *api.Failure {
	if len(words) > 0 && !r.isFunction(words[0]) &&
		len(configkit.LikelyTypos(unit, r.names())) > 0 {
		return r.unknownFunction(unit)
	}
	problem := CheckUnitName(unit)
	if problem != nil && strings.Contains(unit, "/") {
		problem.Hint = shellwords.Quote(append([]string{"fctl", "do", "-f", file, "-f", unit},
			words...)...) + " processes both files"
	}
	return problem
}

// FunctionAsUnit returns a hint if the unit's name is also the name of a function, empty if not.
func (r *Resolver) FunctionAsUnit(file, unit string, words []string) string {
	if !r.isFunction(unit) {
		return ""
	}
	command := append([]string{"fctl", "do", "-f", file, unit}, words...)
	return unit + " is read as the name of the unit; to run the function: " +
		shellwords.Quote(command...)
}

// CheckNoUnit checks the words after the paths of -f, where no unit is expected because the files
// name the units. It reports a unit's name, and a further path, which may come from a pattern that
// the shell has expanded. Resolve reports anything else.
func (r *Resolver) CheckNoUnit(paths, words []string) *api.Failure {
	if len(words) < 2 {
		return nil
	}
	function := slices.IndexFunc(words, r.isFunction)
	switch {
	case function == 1 && filepath.Ext(words[0]) == "":
		hint := shellwords.Quote(slices.Concat([]string{"fctl", "do", "-f"}, paths, words[1:])...)
		return diag.UsageHint(hint, "%s is not a function; with -f, units are named after their "+
			"files",
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

// isFunction reports whether the toolchain has a function of that name.
func (r *Resolver) isFunction(name string) bool {
	_, known := r.Functions.Signature(r.Toolchain, name)
	return known
}
