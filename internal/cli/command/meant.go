package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/source"
)

// verbs are words with which people ask for what a command of fctl does, by that command.
func verbs() map[string][]string {
	return map[string][]string{
		"vet": {
			"validate", "check", "lint", "verify", "test", "kubeconform", "kubeval", "conftest",
			"audit", "scan",
		},
		"get": {"get", "read", "show", "print", "view", "query", "eval", "e", "yq", "jq", "cat"},
		"set": {"set", "edit", "change", "update", "patch", "write", "replace", "transform"},
	}
}

// Meant returns the command line that words probably mean, which are in another order than fctl reads
// them or are those of another program. It returns "" if it has no idea.
func (a *App) Meant(words []string) string {
	file, words := a.takeFile(words)
	verb := verbOf(words)
	if len(words) > 1 && verb == verbOf(words[1:]) && verb != "" { // kustomize edit set image
		words = words[1:]
	}
	line := func(command string, more ...string) string {
		return shellwords.Quote(slices.Concat([]string{"fctl", command}, file, more)...)
	}
	switch function, arguments := a.takeFunction(words, verb); {
	case function.Validating:
		return line("vet", append([]string{function.FunctionName}, arguments...)...)
	case function.FunctionName != "":
		return line("do", append([]string{function.FunctionName}, arguments...)...)
	case verb == "vet" && len(words) == 1:
		return line("vet")
	}
	if verb != "" {
		words = words[1:]
	}
	switch path, value, ok := asPath(words, verb == "set"); {
	case ok && value == "":
		return line("do", "get-path", path)
	case ok:
		return line("do", "set-path", path, value)
	case verb == "get" || verb == "set":
		return "'fctl list " + verb + "' shows the functions, and fctl do FILE FUNCTION runs one"
	}
	return ""
}

// verbOf returns what the first of the words asks for, or "".
func verbOf(words []string) string {
	if len(words) > 0 {
		for verb, others := range verbs() {
			if slices.Contains(others, words[0]) {
				return verb
			}
		}
	}
	return ""
}

// takeFile takes the first word off that is a file here or looks like one, and returns how a command
// line has it. Without one it is FILE.
func (a *App) takeFile(words []string) (file, others []string) {
	without := func(i int) []string { return slices.Delete(slices.Clone(words), i, i+1) }
	for i, word := range words {
		info, err := os.Stat(source.InDirectory(a.Dir, word))
		switch {
		case err == nil && i > 0 && words[i-1] == "-f":
			return words[i-1 : i+1], slices.Delete(slices.Clone(words), i-1, i+1)
		case err == nil && info.IsDir():
			return []string{"-f", word, "-R"}, without(i)
		case err == nil:
			return []string{word}, without(i)
		}
	}
	for i, word := range words {
		if slices.Contains([]string{".yaml", ".yml", ".json", ".toml", ".tf"}, filepath.Ext(word)) {
			return []string{word}, without(i)
		}
	}
	return []string{"FILE"}, words
}

// takeFunction finds the function that words name, and its arguments: by its name, by a verb and a
// noun ("get replicas"), or by its noun ("replicas").
func (a *App) takeFunction(words []string, verb string) (function api.FunctionSignature, arguments []string) {
	executor, err := a.NewExecutor()
	if err != nil {
		return function, nil
	}
	named := func(name string) bool {
		for _, t := range executor.Toolchains() {
			if s, ok := executor.Signature(t, name); ok {
				if function = s; s.AliasOf != "" {
					function, _ = executor.Signature(t, s.AliasOf)
				}
				return true
			}
		}
		return false
	}
	for i, word := range words {
		name, value, hasValue := strings.Cut(word, "=") // set-replicas=5
		if strings.Contains(name, "-") && named(name) {
			if others := slices.Delete(slices.Clone(words), i, i+1); !hasValue {
				return function, others
			}
			return function, slices.Replace(slices.Clone(words), i, i+1, value)
		}
	}
	if verb != "" && len(words) > 1 &&
		slices.ContainsFunc([]string{words[0] + "-" + words[1], verb + "-" + words[1]}, named) {
		return function, words[2:]
	}
	if verb == "" && len(words) == 1 && named("get-"+words[0]) {
		return function, nil
	}
	if verb == "" && len(words) == 2 && named("set-"+words[0]) {
		return function, words[1:]
	}
	return api.FunctionSignature{}, nil
}

// plainPath is a path with more than one part, which yq writes with a dot at its beginning.
var plainPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.?[A-Za-z][\w-]*(\.[\w-]+|\[\d+\])+$`)
})

// asPath reports whether words are a path, a path and a value, or PATH=VALUE.
func asPath(words []string, mayHaveValue bool) (path, value string, ok bool) {
	switch {
	case len(words) == 1:
		path, value, _ = strings.Cut(words[0], "=")
		path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	case len(words) == 2 && mayHaveValue:
		path, value = words[0], words[1]
	}
	if !plainPath().MatchString(path) {
		return "", "", false
	}
	path = strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(path, "."))
	return path, value, true
}
