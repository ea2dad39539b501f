package command

import (
	"runtime"
	"slices"

	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// StartPager starts a pager for the commands whose output may be long, if it goes to a terminal.
// The program is that of FCTL_PAGER, else that of PAGER, else less; nothing is started if it is
// empty or cat, or if the terminal cannot show pages: less then waits for a key that nobody
// expects.
func (a *App) StartPager(args []string) *iostreams.Pager {
	if !a.Streams.OutIsTerminal() || !slices.ContainsFunc(args, isPaged) {
		return nil
	}
	if kind := a.Streams.Getenv("TERM"); kind == "dumb" || kind == "" && runtime.GOOS != "windows" {
		return nil
	}
	command := "less"
	for _, name := range []string{"PAGER", "FCTL_PAGER"} {
		if value, set := a.Streams.LookupEnv(name); set {
			command = value
		}
	}
	words, err := shellwords.Split(command)
	if err != nil || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	return a.Streams.StartPager(words)
}

// isPaged reports whether a word is a command, or a flag, with long output.
func isPaged(word string) bool {
	return slices.Contains([]string{
		"do", "doseq", "vet", "diff", "list", "listpaths", "explain", "help", "--help", "-h",
	}, word)
}
