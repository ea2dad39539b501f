package plan

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// Words are the words of a command line from FUNCTION on, classified by the rules of this package.
type Words struct {
	// Flags are the command's own flags among the words. The caller sets them, and reports errors
	// in Problem.
	Flags []*FlagWords
	links []linkWords
}

// FlagWords are the words of a flag.
type FlagWords struct {
	Words   []string
	At      int // the index of the first one
	Problem error
}

// linkWords are the words of one link of the chain.
type linkWords struct {
	missing   *api.Failure // the problem if a function is missing
	name      string       // of the function; empty if "--" or a flag comes instead
	after     []string     // the words from there on, if name is empty
	signature api.FunctionSignature
	known     bool // the function exists
	words     []word
}

// word is an argument, or a flag of the command.
type word struct {
	kind             wordKind
	parameter, value string
	flag             *FlagWords
}

type wordKind int

const (
	valued  wordKind = iota // a value, perhaps with a prefix, of the named parameter or of the next
	literal                 // a literal value
	noValue                 // a parameter without a value
	unknown                 // neither a parameter nor a flag
)

// Split classifies the words. It reads no files and sets no flags.
func (r *Resolver) Split(words []string) *Words {
	s := &splitter{resolver: r, total: len(words), rest: words}
	for first, more := true, true; more; first = false {
		var l linkWords
		switch end := len(s.rest) == 0; {
		case end || s.rest[0] == Then:
			l.missing = missingFunction(first, end)
			s.rest = s.rest[min(1, len(s.rest)):]
			more = !end
		case !first && strings.HasPrefix(s.rest[0], "-"):
			l.after = s.rest
			l.words, more = s.link(l.signature)
		default:
			l.name = s.rest[0]
			s.rest = s.rest[1:]
			l.signature, l.known = r.Functions.Signature(r.Toolchain, l.name)
			l.words, more = s.link(l.signature)
		}
		s.words.links = append(s.words.links, l)
	}
	return &s.words
}

// splitter splits words.
type splitter struct {
	resolver *Resolver
	total    int
	rest     []string
	words    Words
}

// link splits the words up to the next then, and reports whether there is one.
func (s *splitter) link(of api.FunctionSignature) (words []word, then bool) {
	isLiteral := false
	for len(s.rest) > 0 {
		text := s.rest[0]
		name, value, hasValue := strings.Cut(strings.TrimPrefix(text, "--"), "=")
		isNamed := strings.HasPrefix(text, "--") && hasParameter(of, name)
		switch {
		case isLiteral && isNamed && hasValue:
			words = append(words, word{parameter: name, value: value})
		case isLiteral:
			words = append(words, word{kind: literal, value: text})
		case text == Then:
			s.rest = s.rest[1:]
			return words, true
		case text == "--":
			isLiteral = true
		case isNamed && !hasValue:
			if len(s.rest) == 1 || s.rest[1] == Then {
				words = append(words, word{kind: noValue, parameter: name})
				break
			}
			s.rest = s.rest[1:]
			words = append(words, word{parameter: name, value: s.rest[0]})
		case isNamed:
			words = append(words, word{parameter: name, value: value})
		case len(text) > 1 && text[0] == '-':
			if flag := s.flag(); flag != nil {
				words = append(words, word{flag: flag})
				continue
			}
			if strings.HasPrefix(text, "--") {
				words = append(words, word{kind: unknown, parameter: name})
			} else {
				words = append(words, word{value: text})
			}
		default:
			words = append(words, word{value: text})
		}
		s.rest = s.rest[1:]
	}
	return words, false
}

// flag takes the flag of the command that the rest begins with, nil if it begins with no flag.
func (s *splitter) flag() *FlagWords {
	n := s.resolver.Flags.Recognize(s.rest)
	if n == 0 {
		return nil
	}
	f := &FlagWords{Words: s.rest[:n], At: s.total - len(s.rest)}
	s.words.Flags = append(s.words.Flags, f)
	s.rest = s.rest[n:]
	return f
}
