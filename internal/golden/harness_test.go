// Package golden_test runs the golden cases in process and checks the list itself.
//
// testdata/cases.txt is the list of cases: a name, then the words after `fctl`. manual-test.sh runs
// the list with the real binary and writes the golden files; this package runs the same list and
// compares with the same files. So that both read a line alike, its words are quoted as for a POSIX
// shell and contain nothing that a shell would expand. A case runs inside testdata/.
//
// The golden file of a case is golden-output/FOLDER/NAME.out. FOLDER is the first function of a
// `do` case, else its first word without leading dashes. A global flag with a value, such as -C
// DIR, before the command does not count.
//
// Layer: systems.
package golden_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// Case is one line of the list.
type Case struct {
	Name  string
	File  string   // path of its golden file in golden-output/
	Line  string   // the words, quoted
	Words []string // the words, unquoted
}

// Load reads the list. The error has all problems with its lines.
func Load(path string) ([]Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []Case
	var problems []error
	seen := map[string]bool{}
	known := functionNames()
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		words, err := shellwords.Split(rest)
		switch {
		case err != nil:
		case !isName(name):
			err = fmt.Errorf("the name %q is not a file name", name)
		case seen[name]:
			err = fmt.Errorf("a second case is called %s", name)
		case rest == "" || rest != strings.TrimSpace(rest):
			err = errors.New("a name, one blank and words are expected")
		default:
			err = shellSafe(rest)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", path, i+1, err))
			continue
		}
		seen[name] = true
		cases = append(cases, Case{
			Name: name, File: folder(words, known) + "/" + name + ".out",
			Line: rest, Words: words,
		})
	}
	return cases, errors.Join(problems...)
}

// functionNames returns the names of all functions of all toolchains.
func functionNames() map[string]bool {
	names := map[string]bool{}
	executor := functions.NewStandardExecutor()
	for _, toolchain := range executor.Toolchains() {
		for _, s := range executor.Signatures(toolchain) {
			names[s.FunctionName] = true
		}
	}
	return names
}

// folder returns the folder of the golden file of a case: see the comment of the package.
func folder(words []string, functions map[string]bool) string {
	for len(words) > 2 && slices.Contains(globalFlags(), words[0]) {
		words = words[2:]
	}
	if words[0] == "do" {
		for _, word := range words {
			if functions[word] {
				return word
			}
		}
	}
	return strings.TrimLeft(words[0], "-")
}

// globalFlags returns the flags of every command that have a value. manual-test.sh has them too.
func globalFlags() []string {
	return []string{"-C", "--directory", "--config", "--color", "--max-size"}
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// shellSafe returns an error if a shell would not take the line literally.
func shellSafe(line string) error {
	inDouble := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\':
			i++
		case c == '"':
			inDouble = !inDouble
		case c == '\'' && !inDouble:
			i += 1 + strings.IndexByte(line[i+1:], '\'')
		case c == '$', c == '`', !inDouble && strings.IndexByte(";&|<>()#", c) >= 0,
			c == '~' && (i == 0 || line[i-1] == ' '):
			return fmt.Errorf("a shell does something with %c; put it in single quotes", c)
		}
	}
	return nil
}

// Result is the status and the output of a case.
type Result struct {
	Status         int
	Stdout, Stderr []byte
}

// Run runs words in this process, with a new executor as in a new process.
func Run(ctx context.Context, words []string) Result {
	streams, _, out, errOut := iostreams.Test()
	a := &command.App{Streams: streams, Executor: func() (*functions.Executor, error) {
		return functions.NewStandardExecutor(), nil
	}}
	status := cli.Run(ctx, a, words)
	return Result{Status: status, Stdout: out.Bytes(), Stderr: errOut.Bytes()}
}

// Text returns the golden file of a case with this result, as manual-test.sh writes it.
func (c Case) Text(r Result) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "$ fctl %s\nexit status %d\n", c.Line, r.Status)
	for _, section := range []struct {
		title string
		text  []byte
	}{{"stdout", r.Stdout}, {"stderr", r.Stderr}} {
		if len(section.text) == 0 {
			continue
		}
		b.WriteString("== " + section.title + "\n")
		b.Write(section.text)
		if !bytes.HasSuffix(section.text, []byte("\n")) {
			b.WriteString("\n\\ no newline at end\n")
		}
	}
	return b.Bytes()
}

// Missing returns the cases without a golden file, and the golden files without a case.
func Missing(cases []Case, dir string) (missing, orphans []string, err error) {
	files := map[string]bool{}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = true
		return err
	})
	for _, c := range cases {
		if !files[c.File] {
			missing = append(missing, c.Name)
		}
		delete(files, c.File)
	}
	return missing, slices.Sorted(maps.Keys(files)), err
}

// Uncovered returns the names of functions that no case runs.
func Uncovered(cases []Case, names []string) []string {
	covered := map[string]bool{}
	for _, c := range cases {
		for _, name := range c.Functions() {
			covered[name] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return covered[name] })
}

// Functions returns the names of the functions that a `do` case runs, in order. The first word with
// a file extension, or "-", counts as FILE.
func (c Case) Functions() []string {
	at := c.file()
	if at < 0 || at+2 >= len(c.Words) {
		return nil
	}
	names := []string{c.Words[at+2]}
	for i, word := range c.Words[:len(c.Words)-1] {
		if i > at+2 && word == "then" {
			names = append(names, c.Words[i+1])
		}
	}
	return names
}

func (c Case) file() int {
	if len(c.Words) == 0 || c.Words[0] != "do" {
		return -1
	}
	return slices.IndexFunc(c.Words, func(word string) bool {
		return word == "-" || filepath.Ext(word) != "" && word[0] != '-'
	})
}

// Extension returns the extension of its FILE.
func (c Case) Extension() string {
	if at := c.file(); at > 0 {
		return filepath.Ext(c.Words[at])
	}
	return ""
}

// OnFile returns the words of the case changed to print the configuration, and to read another FILE
// if path is not empty.
func (c Case) OnFile(path string) []string {
	at := c.file()
	words := []string{"do", "--data-only"}
	for i := 1; i < len(c.Words); i++ {
		switch word := c.Words[i]; {
		case i == at && path != "":
			words = append(words, path)
		case word == "--data-only" || word == "--output-only" ||
			strings.HasPrefix(word, "--output="):
		case word == "-o" || word == "--output":
			i++
		default:
			words = append(words, word)
		}
	}
	return words
}
