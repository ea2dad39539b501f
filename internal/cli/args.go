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

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
)

// takeWords takes FILE and UNIT off the words, unless -f names the files or UNIT is left out. Flags
// may come before each of them; pflag parses these and stops at the next word that is not a flag.
func (r *run) takeWords(ctx context.Context, words []string) (err error) {
	flags, files := r.cmd.Flags(), &r.flags.files
	if err := r.readFileList(ctx); err != nil {
		return err
	}
	if words, err = r.moreFiles(words, func(word string) bool {
		return len(files.Paths) > 0 && word != "-" && r.isFile(word) &&
			(strings.ContainsAny(word, "*?[") || r.exists(word))
	}); err != nil {
		return err
	}
	for _, to := range []*string{&files.File, &files.Unit} {
		if len(files.Paths) > 0 {
			break
		}
		if to == &files.Unit && r.unitLeftOut(ctx, words) {
			r.chain.UnitLeftOut = true
			break
		}
		if len(words) == 0 {
			return missingArgs(files.File, len(r.flags.functions) > 0)
		}
		if to == &files.File && words[0] != "-" && !r.exists(words[0]) && r.app.IsFunction(words[0]) {
			return diag.UsageHint(r.app.Meant(words), "FILE comes before FUNCTION, and %s is a function",
				words[0])
		}
		if to == &files.Unit && strings.Contains(words[0], "=") { // PATH=VALUE is neither UNIT nor FUNCTION
			if meant := r.app.Meant(append([]string{files.File}, words...)); meant != "" {
				return diag.UsageHint(meant, "FUNCTION is missing")
			}
		}
		*to = words[0]
		rest := words[1:]
		err := flags.Parse(rest)
		switch {
		case err != nil && to == &files.File:
			return flagProblem(r.cmd, err)
		case err != nil:
			r.chain.Words, r.chain.Problem = rest, flagProblem(r.cmd, err)
			return r.takeToolchain()
		case len(flags.Args()) < len(rest):
			r.executor = nil // flags may decide which functions there are
		}
		words = flags.Args()
	}
	if len(files.Paths) > 0 && files.File != "" {
		return pathsAfterFile(files, words)
	}
	r.chain.Words = words
	if flags.ArgsLenAtDash() >= 0 && len(words) > 0 {
		// A "--" before FUNCTION applies to the arguments of FUNCTION as well.
		r.chain.Words = append([]string{words[0], "--"}, words[1:]...)
	}
	if len(words) == 0 && len(r.flags.functions) == 0 {
		hint := ""
		if files.File != "" && files.Unit != "" {
			hint = r.app.Meant([]string{files.File, files.Unit})
		}
		r.chain.Problem = diag.UsageHint(cmp.Or(hint, r.meantFunction(ctx),
			"'fctl list' shows the functions"), "FUNCTION is missing")
	}
	return r.takeToolchain()
}

// meantFunction returns a hint at the function that the last word, UNIT, may mean.
func (r *run) meantFunction(ctx context.Context) string {
	if r.flags.files.Unit == "" {
		return ""
	}
	var names []string
	for _, t := range r.toolchains(ctx) {
		for _, s := range r.executor.Signatures(t) {
			names = append(names, s.FunctionName)
		}
	}
	return configkit.DidYouMean("", configkit.Suggest(r.flags.files.Unit, names))
}

// moreFiles takes files off the words, with the flags after each of them, as long as a word is one.
// Programs such as pre-commit append several after -f.
func (r *run) moreFiles(words []string, isFile func(string) bool) ([]string, error) {
	flags := r.cmd.Flags()
	for len(words) > 0 && isFile(words[0]) {
		file := words[0]
		if err := flags.Parse(words[1:]); err != nil {
			return nil, flagProblem(r.cmd, err)
		}
		r.flags.files.Paths = append(r.flags.files.Paths, file)
		words = flags.Args()
	}
	return words, nil
}

// readFileList adds the files that the list of --files-from names.
func (r *run) readFileList(ctx context.Context) error {
	o := r.flags
	if o.filesFrom == "" {
		return nil
	}
	reader := &source.Reader{In: r.app.Streams.In, MaxSize: maxFileList}
	text, err := reader.Bytes(ctx, source.InDirectory(r.app.Dir, o.filesFrom))
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

func (r *run) exists(path string) bool {
	_, err := os.Stat(source.InDirectory(r.app.Dir, path))
	return err == nil
}

// unitLeftOut reports whether the words after FILE begin with FUNCTION instead of UNIT: the first
// one is a function, perhaps of another format, and the next one that is not a flag is not one.
func (r *run) unitLeftOut(ctx context.Context, words []string) bool {
	switch {
	case len(words) == 0:
		return len(r.flags.functions) > 0
	case strings.Trim(words[0], "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return false // as names of functions are
	}
	toolchains := r.toolchains(ctx)
	isFunction := func(word string) bool {
		return slices.ContainsFunc(toolchains, func(t api.ToolchainType) bool {
			_, known := r.executor.Signature(t, word)
			return known
		})
	}
	return !isFunction(firstArg(r.cmd.Flags(), words[1:])) &&
		(isFunction(words[0]) || r.app.IsFunction(words[0]))
}

// toolchains returns those that FILE can have, none after a problem, which load reports again.
func (r *run) toolchains(ctx context.Context) []api.ToolchainType {
	if r.load(ctx) != nil {
		return nil
	}
	if t := api.ToolchainType(r.settings.Toolchain); t != "" {
		return []api.ToolchainType{t}
	} else if t, sure := source.Formats(r.executor.ToolchainsOf).ByName(r.flags.files.File); sure {
		return []api.ToolchainType{t}
	}
	return r.executor.Toolchains()
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
		flag, needsValue := command.LookupFlag(flags, word)
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
func (r *run) takeToolchain() error {
	words := r.chain.Words
	for i, word := range words {
		name, _, hasValue := strings.Cut(word, "=")
		end := i + 2
		if hasValue {
			end = i + 1
		}
		switch {
		case word == "--":
			return nil
		case i == 0, name != "--toolchain", awaitsValue(r.cmd.Flags(), words[i-1]):
			continue
		}
		if err := r.cmd.Flags().Parse(words[i:min(end, len(words))]); err != nil {
			return flagProblem(r.cmd, err)
		}
		r.executor = nil
	}
	return nil
}

// awaitsValue reports whether the next word is the value of this one, which is a flag of fctl or,
// as far as can be known, --param.
func awaitsValue(flags *pflag.FlagSet, word string) bool {
	if !strings.HasPrefix(word, "--") || strings.Contains(word, "=") {
		return false
	}
	flag, needsValue := command.LookupFlag(flags, word)
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
