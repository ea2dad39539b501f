package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
)

// args are the words of `do` from FUNCTION on.
type args struct {
	words []string
	// noUnit is true if UNIT was left out: the unit is named after the file.
	noUnit bool
	// problem is about an unknown flag before FUNCTION. It is reported later, because a missing
	// UNIT explains it better.
	problem error
}

// splitArgs takes FILE and UNIT off the words, unless -f names the files or UNIT is left out. Flags
// may come before each of them; pflag parses these and stops at the next word that is not a flag.
func splitArgs(a *command.App, cmd *cobra.Command, o *runFlags, words []string) (g args, err error) {
	flags, files := cmd.Flags(), &o.files
	if err := o.readFileList(cmd.Context(), a); err != nil {
		return g, err
	}
	if words, err = moreFiles(a, cmd, o, words); err != nil {
		return g, err
	}
	for _, to := range []*string{&files.File, &files.Unit} {
		if len(files.Paths) > 0 {
			break
		}
		if to == &files.Unit && unitLeftOut(a, cmd, o, words) {
			g.noUnit = true
			break
		}
		if len(words) == 0 {
			return g, missingArgs(files.File, len(o.functions) > 0)
		}
		*to = words[0]
		rest := words[1:]
		if err := flags.Parse(rest); err != nil {
			if to == &files.File {
				return g, flagProblem(cmd, err)
			}
			return args{words: rest, problem: flagProblem(cmd, err)}, nil
		}
		words = flags.Args()
	}
	if len(files.Paths) > 0 && files.File != "" {
		return g, pathsAfterFile(files, words)
	}
	g.words = words
	if flags.ArgsLenAtDash() >= 0 && len(words) > 0 {
		// A "--" before FUNCTION applies to the arguments of FUNCTION as well.
		g.words = append([]string{words[0], "--"}, words[1:]...)
	}
	if len(words) == 0 && len(o.functions) == 0 {
		hint := "'fctl list' shows the functions"
		if files.Unit != "" {
			executor, toolchains := o.toolchains(a, cmd)
			var names []string
			for _, t := range toolchains {
				for _, s := range executor.Signatures(t) {
					names = append(names, s.FunctionName)
				}
			}
			hint = cmp.Or(configkit.DidYouMean("", configkit.Suggest(files.Unit, names)), hint)
		}
		g.problem = diag.UsageHint(hint, "FUNCTION is missing")
	}
	return g, nil
}

// moreFiles takes files off the words after -f, until FUNCTION. Programs such as pre-commit append
// several.
func moreFiles(a *command.App, cmd *cobra.Command, o *runFlags, words []string) ([]string, error) {
	flags := cmd.Flags()
	for len(o.files.Paths) > 0 && len(words) > 0 && words[0] != "-" && isFile(a, words[0]) &&
		(strings.ContainsAny(words[0], "*?[") || exists(a, words[0])) {
		file := words[0]
		if err := flags.Parse(words[1:]); err != nil {
			return nil, flagProblem(cmd, err)
		}
		o.files.Paths = append(o.files.Paths, file)
		words = flags.Args()
	}
	return words, nil
}

// readFileList adds the files that the list of --files-from names. It is read once.
func (o *runFlags) readFileList(ctx context.Context, a *command.App) error {
	if o.filesFrom == "" || o.fileListRead {
		return nil
	}
	o.fileListRead = true
	reader := &source.Reader{In: a.Streams.In, MaxSize: maxFileList}
	text, err := reader.Bytes(ctx, source.InDirectory(a.Dir, o.filesFrom))
	if err != nil {
		return err
	}
	end := "\n"
	if bytes.IndexByte(text, 0) >= 0 {
		end = "\x00"
	}
	n := len(o.files.Paths)
	for name := range strings.SplitSeq(string(text), end) {
		if name = strings.TrimSuffix(name, "\r"); name != "" {
			o.files.Paths = append(o.files.Paths, name)
		}
	}
	if len(o.files.Paths) > n {
		return nil
	}
	if o.options.AllowEmpty {
		return errNoFiles
	}
	return &api.Failure{
		Class: api.FailureInput, Message: "--files-from: the list names no file",
		Hint: "--allow-empty accepts that",
	}
}

// errNoFiles says that there is nothing to do because the list of files is empty, which is
// accepted.
var errNoFiles = errors.New("no files")

// maxFileList is the maximum size in bytes of a list of files.
const maxFileList = 64 << 20

func exists(a *command.App, path string) bool {
	_, err := os.Stat(source.InDirectory(a.Dir, path))
	return err == nil
}

// unitLeftOut reports whether the words after FILE begin with FUNCTION instead of UNIT: the first
// one is a function and the next one that is not a flag is not.
func unitLeftOut(a *command.App, cmd *cobra.Command, o *runFlags, words []string) bool {
	switch {
	case len(words) == 0:
		return len(o.functions) > 0
	case strings.Trim(words[0], "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return false // as names of functions are
	}
	executor, toolchains := o.toolchains(a, cmd)
	isFunction := func(word string) bool {
		return slices.ContainsFunc(toolchains, func(t api.ToolchainType) bool {
			_, known := executor.Signature(t, word)
			return known
		})
	}
	return isFunction(words[0]) && !isFunction(firstArg(cmd.Flags(), words[1:]))
}

// toolchains returns those that FILE can have, none after a problem, which prepare reports.
func (o *runFlags) toolchains(
	a *command.App, cmd *cobra.Command,
) (*functions.Executor, []api.ToolchainType) {
	l, err := o.load(cmd.Context(), a, cmd)
	if err != nil {
		return nil, nil
	}
	if t := api.ToolchainType(l.settings.Toolchain); t != "" {
		return l.executor, []api.ToolchainType{t}
	} else if t, sure := source.Formats(l.executor.ToolchainsOf).ByName(o.files.File); sure {
		return l.executor, []api.ToolchainType{t}
	}
	return l.executor, l.executor.Toolchains()
}

// firstArg returns the first word that is not a flag, or the unknown flag before it.
func firstArg(flags *pflag.FlagSet, words []string) string {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			continue
		}
		if len(word) < 2 || word[0] != '-' {
			return word
		}
		flag, needsValue := lookupFlag(flags, word)
		if flag == nil {
			return word
		}
		if needsValue && len(words) > 0 {
			words = words[1:]
		}
	}
	return ""
}

// takeToolchain sets the toolchain when its flag comes after FUNCTION: the toolchain must be known
// before the function is looked up. A word after --param is the value of that parameter.
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

// awaitsValue reports whether the next word is the value of this one, which is a flag of fctl or,
// as far as can be known, --param.
func awaitsValue(flags *pflag.FlagSet, word string) bool {
	if !strings.HasPrefix(word, "--") || strings.Contains(word, "=") {
		return false
	}
	flag, needsValue := lookupFlag(flags, word)
	return flag == nil || needsValue
}

// pathsAfterFile returns the error for -f after FILE, or after what was taken for FILE.
func pathsAfterFile(t *do.Files, words []string) error {
	hint := []string{"fctl", "do", "-f", t.Paths[0]}
	if filepath.Ext(t.File) != "" || t.File == "-" {
		hint = append(hint, "-f", t.File, "FUNCTION")
	} else {
		hint = append(hint, t.File)
		if t.Unit != "" {
			hint = append(append(hint, t.Unit), words...)
		}
	}
	return diag.UsageHint(shellwords.Quote(hint...),
		"use FILE or -f, not both, and put -f before FUNCTION")
}

// missingArgs returns the error for a command line that ends too soon. With --functions no FUNCTION
// is needed.
func missingArgs(file string, functions bool) error {
	switch {
	case functions:
		return diag.UsageHint("fctl do --functions CHAIN FILE, or fctl do --functions CHAIN "+
			"-f PATH",
			"FILE is missing")
	}
	what := "FILE and FUNCTION are"
	if file != "" {
		what = "FUNCTION is"
	}
	return diag.UsageHint("fctl do FILE FUNCTION, as in: fctl do deployment.yaml set-replicas 5",
		"%s missing", what)
}

// checkUnit rejects an invalid unit name, and any unit name when -f is given.
func (g args) checkUnit(o *runFlags, resolver *plan.Resolver) *api.Failure {
	switch {
	case g.noUnit:
		return nil
	case len(o.files.Paths) == 0:
		return resolver.CheckUnit(o.files.File, o.files.Unit, g.words)
	}
	return resolver.CheckNoUnit(o.files.Paths, g.words)
}

// lookupFlag returns the flag that word begins, nil for an unknown one, and whether its value is
// the next word.
func lookupFlag(flags *pflag.FlagSet, word string) (flag *pflag.Flag, needsValue bool) {
	if name, ok := strings.CutPrefix(word, "--"); ok {
		name, _, hasValue := strings.Cut(name, "=")
		flag = flags.Lookup(name)
		return flag, flag != nil && !hasValue && flag.NoOptDefVal == ""
	}
	// -q, -ojson, -o json, -qo json: the first letter decides whether the word is a flag, the last
	// whether its value is the next word.
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
