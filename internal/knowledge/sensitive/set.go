package sensitive

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/fctl-dev/fctl/api"
)

// SecretSet is the secret values that a command has read. It masks them wherever they were copied
// to, in all text that the command prints for people. Values that are words, numbers or names are
// masked only if they are from Words: text has them anyway.
//
// A Set can be used concurrently.
type SecretSet struct {
	mu      sync.Mutex
	seen    map[string]bool // by text; whether it is masked if it is a word
	indexes []*valueIndex   // the largest first, each more than twice as large as the next
	shown   plainNames
}

// valueIndex is an index of some of the values.
type valueIndex struct {
	texts []string
	size  int
	known *known // made when text is first masked
}

// Add adds values. With words, those that are words or numbers are masked as well, since it is
// known that they were copied to what is shown.
func (s *SecretSet) Add(v *Values, words bool) {
	if v != nil {
		s.AddTexts(v.spelled(), words)
		s.mu.Lock()
		defer s.mu.Unlock()
		for doc := range v.given() {
			s.shown.addResource(string(v.typeOf(doc)), v.nameOf(doc))
		}
	}
}

// Show keeps the name of a file that the command has read readable, and the types, names and paths
// of what changed there.
func (s *SecretSet) Show(file string, changed api.ResourceMutationList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.addFile(file)
	for _, m := range changed {
		for name := range m.Names() {
			s.shown.addResource(string(m.Resource.ResourceType), string(name))
		}
		for path := range m.PathMutationMap {
			s.shown.addPath(string(path))
		}
	}
}

// AddTexts is Add for the texts of values, such as the result of Found.
func (s *SecretSet) AddTexts(texts []string, words bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	more := &valueIndex{}
	for _, text := range texts {
		if was, known := s.seen[text]; known && (was || !words) {
			continue
		}
		s.seen[text] = words
		more.texts = append(more.texts, text)
		more.size += len(text) + 1
	}
	if more.size == 0 {
		return
	}
	// Merging indexes of similar sizes makes the cost of many small additions linear, but for a
	// logarithm.
	for n := len(s.indexes); n > 0 && s.indexes[n-1].size <= 2*more.size; n-- {
		last := s.indexes[n-1]
		more = &valueIndex{texts: slices.Concat(last.texts, more.texts), size: last.size +
			more.size}
		s.indexes = s.indexes[:n-1]
	}
	s.indexes = append(s.indexes, more)
}

// Mask returns text with the values masked. It has the same number of lines.
func (s *SecretSet) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.CutSuffix(line, "\n")
		b.WriteString(s.line(body))
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// MaskJSON returns JSON texts with the values masked in strings and keys. It leaves all other bytes
// as they are.
func (s *SecretSet) MaskJSON(text []byte) []byte {
	return stringsOfJSON().ReplaceAllFunc(text, func(quoted []byte) []byte {
		var plain string
		if json.Unmarshal(quoted, &plain) != nil {
			return quoted
		}
		masked := s.Mask(plain)
		if masked == plain {
			return quoted
		}
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(masked) // a buffer never fails, and neither does a string
		return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	})
}

// stringsOfJSON matches strings, with their quotes.
var stringsOfJSON = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
})

// Found returns the parts of text that Mask would mask, each once and sorted.
func (s *SecretSet) Found(text string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		marked := s.marked(line)
		for from := 0; from < len(line); from++ {
			to := from
			for to < len(line) && marked[to] {
				to++
			}
			if to > from {
				found[line[from:to]] = true
				from = to
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (s *SecretSet) line(text string) string {
	marked := s.marked(text)
	if slices.Contains(marked, true) {
		s.shown.reveal(text, marked)
	}
	return hide(text, marked)
}

// marked tells for each byte of a line whether it is masked.
func (s *SecretSet) marked(text string) []bool {
	marked := make([]bool, len(text))
	for _, x := range s.indexes {
		if x.known == nil {
			x.known = newKnown(x.texts, func(word string) bool {
				return isRevealing(word) && (s.seen[word] || isRandom(word))
			})
		}
		for at := range text {
			n := x.known.run(text, at, false)
			for i := at; i < at+n; i++ {
				marked[i] = true
			}
		}
	}
	return marked
}

// isRandom reports whether a short text is unlike what texts have anyway: names, numbers, words.
func isRandom(text string) bool {
	const least = 6
	var classes [4]bool // lower and upper case, digits, the rest
	for i, r := range text {
		switch {
		case unicode.IsLower(r), unicode.IsUpper(r) && i == 0:
			classes[0] = true
		case unicode.IsUpper(r):
			classes[1] = true
		case unicode.IsDigit(r):
			classes[2] = true
		case !strings.ContainsRune("-_./:", r):
			classes[3] = true
		}
	}
	n := 0
	for _, has := range classes {
		if has {
			n++
		}
	}
	return len(text) >= least && n > 1
}
