package sensitive

import (
	"encoding/base64"
	"encoding/json"
	"index/suffixarray"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// longRun is the number of bytes that a message and a secret value must have in common to be masked
// at the beginning of a word. In the middle of a word, a part of a value must be twice as long.
const longRun = 12

// known is an index of secret values for masking messages.
type known struct {
	index *suffixarray.Index // over all values
	runs  runs               // of all values, as most of a message is in none
	words wordList           // values shorter than longRun, and short lines
	parts wordList           // words in values, masked in messages about a secret value
}

// Message returns message with the secret values it quotes masked.
func (v *Values) Message(message string) string { return v.mask(message, false) }

// About returns a message about a path of a resource with the secret values it quotes masked. If
// the path itself is secret, all quotations and all words of values are masked.
func (v *Values) About(t api.ResourceType, path api.ResolvedPath, message string) string {
	if v == nil {
		return message
	}
	return v.mask(
		message, path != "" && v.provider.Sensitive(t, path) == configkit.IsSensitive, string(path),
		string(t),
	)
}

// mask masks what message quotes, except names.
func (v *Values) mask(message string, about bool, names ...string) string {
	if v == nil || message == "" {
		return message
	}
	marked := v.index().mark(message, about)
	if marked == nil {
		return message
	}
	v.visible().revealVariables(message, marked)
	if !about {
		v.visible().reveal(message, marked)
	}
	for _, name := range names {
		for at := 0; name != ""; at += len(name) {
			n := strings.Index(message[at:], name)
			if n < 0 {
				break
			}
			at += n
			clear(marked[at : at+len(name)])
		}
	}
	return hide(message, marked)
}

// index returns the index for messages.
func (v *Values) index() *known {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = newKnown(v.spelled(), isRevealing)
	}
	return v.known
}

// hide replaces the marked bytes of text by masks, one for each value.
func hide(text string, marked []bool) string {
	if !slices.Contains(marked, true) {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); at++ {
		switch {
		case !marked[at]:
			b.WriteByte(text[at])
		case at == 0 || !marked[at-1]:
			b.WriteString(Mask)
		}
	}
	return shortened().ReplaceAllString(repeated().ReplaceAllString(b.String(), Mask), Mask+"$1")
}

// mark returns for each byte of message whether it belongs to a secret value, nil if none does.
func (k *known) mark(message string, about bool) (marked []bool) {
	set := func(from, to int) {
		if marked == nil && from < to {
			marked = make([]bool, len(message))
		}
		for i := from; i < to; i++ {
			marked[i] = true
		}
	}
	for at := 0; at < len(message); at++ {
		if n := k.quoted(message[at:], about); n > 0 {
			set(at+1, at+n)
			at += n
			continue
		}
		if utf8.RuneStart(message[at]) {
			set(at, at+k.run(message, at, about))
		}
	}
	return marked
}

var (
	// repeated matches the masks of several parts of one value.
	repeated = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\(sensitive\)(?:[^\pL\pN"'` + "`" + `]{0,2}\(sensitive\))+`)
	})
	// shortened matches what follows the beginning of a long value.
	shortened = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\(sensitive\)(["'` + "`" + `]?)…(?: \(\d+ characters\))?`)
	})
)

// quoted returns the length, without the closing quote, of the quotation at the beginning of
// message if it must be masked, else 0.
func (k *known) quoted(message string, about bool) int {
	quote := message[0]
	if quote != '"' && quote != '\'' && quote != '`' {
		return 0
	}
	end := 1
	for ; end < len(message) && message[end] != quote; end++ {
		if message[end] == '\\' && quote == '"' {
			end++
		}
	}
	if end >= len(message) || end == 1 {
		return 0
	}
	content := strings.TrimSuffix(strings.TrimSuffix(message[1:end], "…"), "...")
	if about || k.has(content, len(content) < 4) {
		return end
	}
	if plain, err := strconv.Unquote(message[:end+1]); err == nil && k.has(plain, len(plain) < 4) {
		return end
	}
	return 0
}

// has reports whether text is part of a secret value or, with whole, equal to one.
func (k *known) has(text string, whole bool) bool {
	if whole {
		text = "\x00" + text + "\x00"
	}
	return len(text) > 0 && len(k.index.Lookup([]byte(text), 1)) > 0
}

// run returns how many bytes of message must be masked from offset at on.
func (k *known) run(message string, at int, about bool) int {
	if n := k.long(message, at); n > 0 {
		return n
	}
	if about {
		return k.parts.longest(message, at)
	}
	return k.words.longest(message, at)
}

// long returns how many bytes of message from offset at on belong to a value, if they are many or a
// whole value.
func (k *known) long(message string, at int) int {
	rest := message[at:]
	if len(rest) < longRun || rest[0] == ' ' || !k.runs.mayHave(rest) ||
		!k.runs.mayHave(rest[longRun-runLength:]) {
		return 0
	}
	n := longRun
	if isInWord(message, at) {
		n *= 2 // a few words of a value may coincide with the message
		if whole := k.whole(rest); whole > 0 {
			n = whole
		}
	}
	if len(rest) < n || !k.has(rest[:n], false) {
		return 0
	}
	for n < len(rest) && k.has(rest[:n+1], false) {
		n++
	}
	for n < len(rest) && !utf8.RuneStart(rest[n]) {
		n++
	}
	return n
}

// whole returns the length of the longest value that rest begins with, if it is longRun or more.
func (k *known) whole(rest string) int {
	longest := 0
	for n := longRun; n <= len(rest) && k.has("\x00"+rest[:n], false); n++ {
		if k.has(rest[:n], true) {
			longest = n
		}
	}
	return longest
}

// isInWord reports whether the characters before and at an offset belong to one word. The n of \n
// does not belong to the word after it.
func isInWord(message string, at int) bool {
	begin, _ := utf8.DecodeRuneInString(message[at:])
	before, _ := utf8.DecodeLastRuneInString(message[:at])
	return isWord(begin) && isWord(before) && (at < 2 || message[at-2] != '\\')
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// wordList holds words. The cost of looking for them does not grow with their number.
type wordList struct {
	has     map[string]bool
	lengths [256][]int // of the words with a first byte, the longest first
}

func (l *wordList) add(word string) {
	if l.has == nil {
		l.has = map[string]bool{}
	}
	l.has[word] = true
	lengths := &l.lengths[word[0]]
	if at, known := slices.BinarySearchFunc(*lengths, len(word), func(a, b int) int {
		return b - a
	}); !known {
		*lengths = slices.Insert(*lengths, at, len(word))
	}
}

// longest returns the length of the longest word that text has at an offset, or 0. A word that text
// has anyway counts only if it is not part of another word.
func (l *wordList) longest(text string, at int) int {
	rest := text[at:]
	for _, n := range l.lengths[rest[0]] {
		if n > len(rest) || !l.has[rest[:n]] {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(rest[:n])
		after, _ := utf8.DecodeRuneInString(rest[n:])
		if !isInWord(text, at) && !(isWord(last) && isWord(after)) || isRandom(rest[:n]) {
			return n
		}
	}
	return 0
}

// newKnown builds the index of texts. isWord selects the short ones to mask wherever they occur.
func newKnown(texts []string, isWord func(string) bool) *known {
	k := &known{}
	var all strings.Builder
	all.WriteByte(0)
	isPart := map[string]bool{}
	for _, text := range texts {
		all.WriteString(text)
		all.WriteByte(0)
		if len(text) < longRun {
			k.parts.add(text)
			if isWord(text) {
				k.words.add(text)
			}
		}
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(`"'=:,{}[]`, r)
		}) {
			if part != text && isPlain(part) {
				continue
			}
			// Skip punctuation that joins words, as in get-path.
			if !isPart[part] && strings.Trim(part, "-./_$") != "" {
				isPart[part] = true
				k.parts.add(part)
			}
		}
	}
	k.index = suffixarray.New([]byte(all.String()))
	k.runs = newRuns(all.String())
	return k
}

// runs is a Bloom filter over the runs of eight bytes in a text.
type runs struct {
	bits  []uint64
	shift int
}

const runLength = 8

func newRuns(text string) runs {
	// Eight bits for each run: one of eight runs that the text does not have passes.
	size := max(6, bits.Len(uint(len(text)))+3)
	r := runs{bits: make([]uint64, 1<<(size-6)), shift: 64 - size}
	for at := 0; at+runLength <= len(text); at++ {
		bit := r.bit(text[at:])
		r.bits[bit/64] |= 1 << (bit % 64)
	}
	return r
}

// mayHave reports whether the text may have the run that rest begins with.
func (r runs) mayHave(rest string) bool {
	bit := r.bit(rest)
	return r.bits[bit/64]&(1<<(bit%64)) != 0
}

// bit returns the bit of the run that text begins with, by Knuth's multiplicative hash.
func (r runs) bit(text string) uint64 {
	var run uint64
	for i := range runLength {
		run |= uint64(text[i]) << (8 * i)
	}
	return run * 0x9E3779B97F4A7C15 >> r.shift
}

// spelled returns the spellings of the values in messages, each once.
func (v *Values) spelled() []string { return spelledIn(v.texts) }

func spelledIn(texts []*text) []string {
	var all []string
	seen := map[string]bool{}
	add := func(text string) {
		if text != "" && !seen[text] {
			seen[text] = true
			all = append(all, text)
		}
	}
	for _, t := range texts {
		for _, s := range t.spans {
			for _, spelling := range spellings(string(t.data[s.from:s.to]), s.value) {
				add(spelling)
			}
		}
		for _, value := range t.quoted {
			for _, spelling := range spellings(value, value) {
				add(spelling)
			}
		}
		for _, line := range t.loose {
			for word := range strings.FieldsSeq(line) {
				add(strings.TrimRight(word, ":,"))
				add(strings.TrimFunc(word, func(r rune) bool { return !isWord(r) }))
			}
		}
	}
	return all
}

// isRevealing reports whether a word must be masked wherever it occurs. Words that messages use
// anyway need not.
func isRevealing(word string) bool {
	return len(word) > 1 && !slices.Contains(
		[]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(word),
	)
}

// plainWords are the words of messages, with a space before and after each. A message has them
// whatever the value is: a mask would only show that the value has them, too.
const plainWords = " a an and as at base64 be bool but by byte characters decimal does element" +
	" elements expected expression failed field fit for from got has have in int integer " +
	"invalid is it key least list match matches more most must no none not null number object " +
	"of on one only or path read required resource string such text than that the there this to" +
	" type valid value values with "

func isPlain(word string) bool { return strings.Contains(plainWords, " "+word+" ") }

// spellings returns the ways in which messages may write a value whose source text is raw.
func spellings(raw, value string) []string {
	all := []string{strings.TrimSpace(raw)}
	texts := []string{value}
	if decoded, err := base64.StdEncoding.DecodeString(strings.Join(
		strings.Fields(value), "",
	)); err == nil &&
		utf8.Valid(decoded) {
		texts = append(texts, string(decoded))
	}
	for _, text := range texts {
		all = append(
			all, text, escaped(strconv.Quote(text)),
			base64.StdEncoding.EncodeToString([]byte(text)),
		)
		if spelled, err := json.Marshal(text); err == nil {
			all = append(all, escaped(string(spelled)))
		}
	}
	for _, text := range append(texts, raw) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= 4 || !strings.Contains(text, "\n") {
				all = append(all, line)
			}
		}
	}
	return all
}

// escaped returns quoted without its quotes.
func escaped(quoted string) string { return quoted[1 : len(quoted)-1] }
