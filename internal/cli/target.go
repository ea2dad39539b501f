package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
)

// target is what the words of `do` say before the walk: the file and the unit,
// or the paths, and the words from the function on.
type target struct {
	file, unit string
	paths      []string // of -f; file and unit are empty then
	words      []string
	help       bool
	// problem is a flag before FUNCTION that does not exist. It is told later,
	// because a forgotten UNIT explains it better.
	problem error
}

func (t target) helpOr(cmd *cobra.Command, err error) error {
	if t.help {
		return cmd.Help()
	}
	return err
}

// splitTarget takes FILE and UNIT off the words, unless -f says what the files
// are. Flags may stand before each of them; pflag reads those, and stops at the
// next word that is no flag.
func splitTarget(cmd *cobra.Command, words []string) (t target, err error) {
	flags := cmd.Flags()
	defer func() { t.help, _ = flags.GetBool("help") }()
	for _, to := range []*string{&t.file, &t.unit} {
		if flags.Changed("filename") {
			break
		}
		if len(words) == 0 {
			return t, missingTarget(t.file, flags.Changed("functions"))
		}
		*to = words[0]
		rest := words[1:]
		if err := flags.Parse(rest); err != nil {
			if to == &t.file {
				return t, flagProblem(cmd, err)
			}
			t.words, t.problem = rest, flagProblem(cmd, err)
			return t, nil
		}
		words = flags.Args()
	}
	if t.paths, _ = flags.GetStringArray("filename"); flags.Changed("filename") {
		switch {
		case len(t.paths) == 0 || slices.Contains(t.paths, ""):
			return t, diag.Usage("-f: the path is empty")
		case t.file != "":
			return t, t.misplacedPaths(words)
		}
	}
	t.words = words
	if flags.ArgsLenAtDash() >= 0 && len(words) > 0 {
		// A "--" that stood before FUNCTION means its arguments too.
		t.words = append([]string{words[0], "--"}, words[1:]...)
	}
	if len(words) == 0 && !flags.Changed("functions") {
		t.problem = diag.UsageHint("'fctl list' shows the functions", "FUNCTION is missing")
	}
	return t, nil
}

// takeToolchain sets the toolchain when its flag comes after FUNCTION: it must be known before the function is looked up. A word
// after --param is the value of that.
func takeToolchain(cmd *cobra.Command, words []string) error {
	for i, word := range words {
		name, _, hasValue := strings.Cut(word, "=")
		end := i + 2
		if hasValue {
			end = i + 1
		}
		switch {
		case word == "--":
			return nil
		case i == 0, name != "--toolchain", awaitsValue(cmd.Flags(), words[i-1]):
			continue
		}
		if err := cmd.Flags().Parse(words[i:min(end, len(words))]); err != nil {
			return flagProblem(cmd, err)
		}
	}
	return nil
}

// awaitsValue reports whether the next word is the value of a word, which is --flag or, as far as can be known, --param.
func awaitsValue(flags *pflag.FlagSet, word string) bool {
	if !strings.HasPrefix(word, "--") || strings.Contains(word, "=") {
		return false
	}
	flag, needsValue := lookupFlag(flags, word)
	return flag == nil || needsValue
}

// misplacedPaths is said when -f stands behind FILE, or behind what was taken for FILE.
func (t target) misplacedPaths(words []string) error {
	hint := []string{"fctl", "do", "-f", t.paths[0]}
	if filepath.Ext(t.file) != "" || t.file == "-" {
		hint = append(hint, "-f", t.file, "FUNCTION")
	} else {
		hint = append(hint, t.file)
		if t.unit != "" {
			hint = append(append(hint, t.unit), words...)
		}
	}
	return diag.UsageHint(plan.Quote(hint), "FILE and -f exclude each other, and -f stands before FUNCTION")
}

// missingTarget is said when the words end too soon; with --functions they need
// no FUNCTION.
func missingTarget(file string, functions bool) error {
	switch {
	case functions && file != "":
		return diag.UsageHint("fctl do --functions CHAIN "+plan.Quote([]string{file})+" UNIT, or fctl do --functions CHAIN -f "+plan.Quote([]string{file}), "UNIT is missing")
	case functions:
		return diag.UsageHint("fctl do --functions CHAIN FILE UNIT, or fctl do --functions CHAIN -f PATH", "FILE and UNIT are missing")
	}
	what := "FILE, UNIT and FUNCTION are"
	if file != "" {
		what = "UNIT and FUNCTION are"
	}
	return diag.UsageHint("fctl do FILE UNIT FUNCTION, as in: fctl do deployment.yaml MyUnit set-replicas 5", "%s missing", what)
}

// checkUnit refuses what cannot be the name of a unit, and a name where there
// is no place for one.
func (t target) checkUnit(walk *plan.Walk) *api.Failure {
	if len(t.paths) == 0 {
		return walk.CheckUnit(t.file, t.unit, t.words)
	}
	return walk.CheckNoUnit(t.paths, t.words)
}

// lookupFlag finds the flag a word begins, and tells whether its value is the
// next word.
func lookupFlag(flags *pflag.FlagSet, word string) (flag *pflag.Flag, needsValue bool) {
	if name, ok := strings.CutPrefix(word, "--"); ok {
		name, _, hasValue := strings.Cut(name, "=")
		flag = flags.Lookup(name)
		return flag, flag != nil && !hasValue && flag.NoOptDefVal == ""
	}
	// -q, -ojson, -o json, -qo json: the first flag decides whether the word is
	// one, the last whether its value is the next word.
	letters := word[1:]
	for i := range letters {
		f := flags.ShorthandLookup(letters[i : i+1])
		if i == 0 {
			flag = f
		}
		if f == nil || f.NoOptDefVal == "" {
			return flag, f != nil && i == len(letters)-1
		}
	}
	return flag, false
}
