package command

import (
	"strings"

	"github.com/spf13/pflag"
)

// LookupFlag returns the flag that word begins, nil for an unknown one, and whether its value is
// the next word.
func LookupFlag(flags *pflag.FlagSet, word string) (flag *pflag.Flag, needsValue bool) {
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

// FlagWords recognizes the flags of a command among the words of functions.
type FlagWords struct{ Flags *pflag.FlagSet }

// Recognize implements plan.CommandFlags.
func (w FlagWords) Recognize(words []string) int {
	flag, needsValue := LookupFlag(w.Flags, words[0])
	switch {
	case flag == nil:
		return 0
	case needsValue && len(words) > 1:
		return 2
	}
	return 1
}

// Names implements plan.CommandFlags.
func (w FlagWords) Names() []string { return FlagNames(w.Flags) }
