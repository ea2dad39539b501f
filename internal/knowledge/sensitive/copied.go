package sensitive

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// FindChange is Find for the texts of a unit before and after a change by functions or links, which
// may have copied secret values to other places.
func FindChange(
	converter configkit.ConfigConverter, provider configkit.ResourceProvider, before, after []byte,
	others ...[]byte,
) *Values {
	v := find(converter, provider, [][]byte{before, after}, others, nil)
	if v != nil {
		v.findCopied(v)
	}
	return v
}

// Change is FindChange for a change that may have copied the values of v, which are of other units.
func (v *Values) Change(before, after []byte) *Values {
	change := find(v.converter, v.provider, [][]byte{before, after}, nil, v)
	change.findCopied(v)
	return change
}

// copying finds the places where a change of a unit wrote copies of secret values. The text of a
// word or a number does not show where it is from. It is a copy only where the change wrote it, and only
// if more places have it than before, so that moved and renamed values stay as they are.
type copying struct {
	*Values
	words *wordList
	more  map[string]int // by value: how many places more than before have it
	wrote []written
}

// written is a scalar that a change wrote with words that it did not have.
type written struct {
	span
	resource string // from placeOf
	words    map[string]int
}

// resource is a resource in a text.
type resource struct {
	text *text
	doc  *gaby.YamlDoc
	part formatkit.Span
	name string // from placeOf
}

func (r resource) source() []byte {
	if r.text == nil {
		return nil
	}
	return r.text.data[r.part.From:r.part.To]
}

// findCopied finds the copies of given in the second text of a unit.
func (v *Values) findCopied(given *Values) {
	v.isWritten = true
	for _, t := range v.texts[v.units:] {
		if len(t.spans)+len(t.quoted) == 0 {
			given.Said(t.data)
		}
	}
	c := &copying{Values: v, words: given.shortWords(), more: map[string]int{}}
	if len(c.words.has) == 0 {
		return
	}
	before, _ := c.resources(Before)
	after, names := c.resources(After)
	for _, name := range names {
		if old := before[name]; !bytes.Equal(old.source(), after[name].source()) {
			c.compare(old, after[name])
		}
		delete(before, name)
	}
	for _, old := range before {
		c.compare(old, resource{})
	}
	copies := &SecretSet{}
	for _, w := range c.wrote {
		isCopy := false
		for word, n := range w.words {
			if n > 0 && c.more[word] > 0 {
				copies.AddTexts([]string{word}, true)
				isCopy = true
			}
		}
		if isCopy {
			c.add(w)
		}
	}
	v.written = copies
}

// shortWords returns the values that text has anyway, so that only their places tell that they are
// secret. Of a change it returns those before the change, since others have come with it.
func (v *Values) shortWords() *wordList {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.words == nil {
		v.words = &wordList{}
		for _, text := range spelledIn(v.texts[:1]) {
			if len(text) < longRun && isRevealing(text) && !isRandom(text) {
				v.words.add(text)
			}
		}
	}
	return v.words
}

// Said notes a text that people wrote for the command, such as an argument. A word in it that a
// change writes is from there.
func (v *Values) Said(text []byte) {
	words := v.shortWords()
	for word := range words.count(string(text)) {
		delete(words.has, word)
	}
}

// resources returns the resources in a text of a unit by name, and the names in order.
func (c *copying) resources(which int) (map[string]resource, []string) {
	t, docs := c.texts[which], c.documents[which]
	byName, names := make(map[string]resource, len(docs)), make([]string, len(docs))
	count := map[string]int{}
	for i, part := range t.parts(docs) {
		name := placeOf(c.typeOf(docs[i]), c.nameOf(docs[i]), "")
		count[name]++
		names[i] = name + strconv.Itoa(count[name])
		byName[names[i]] = resource{t, docs[i], part, name}
	}
	return byName, names
}

// placeOf returns the key of a path of a resource.
func placeOf(t api.ResourceType, name string, path api.ResolvedPath) string {
	return string(t) + "\x00" + name + "\x00" + string(path)
}

// compare compares the scalars of a resource that are not secret before and after the change.
func (c *copying) compare(before, after resource) {
	was := map[string]string{}
	for _, s := range before.scalars() {
		was[s.path] = s.value
		for word, n := range c.words.count(s.value) {
			c.more[word] -= n
		}
	}
	for _, s := range after.scalars() {
		words := c.words.count(s.value)
		for word, n := range words {
			c.more[word] += n
		}
		if old, ok := was[s.path]; len(words) > 0 && (!ok || old != s.value) {
			for word, n := range c.words.count(old) {
				words[word] -= n
			}
			c.wrote = append(c.wrote, written{s, after.name, words})
		}
	}
}

// scalars returns the scalars of a resource that are not secret, none of one that cannot be read.
func (r resource) scalars() []span {
	if r.doc == nil || r.doc.Check() != nil || r.doc.ReadOnly() != nil {
		return nil
	}
	s := search{text: &text{data: r.text.data, isYAML: r.text.isYAML}, anchors: map[string]bool{}}
	if n := formatkit.NodeOf(r.doc.Value()); n != nil {
		s.addNode(n, "", nil)
	} else {
		s.addYAML(r.doc.Value(), "", nil)
	}
	return slices.DeleteFunc(s.spans, func(one span) bool {
		_, secret := slices.BinarySearchFunc(r.text.spans, one.from, func(s span, from int) int {
			return cmp.Compare(s.from, from)
		})
		return secret
	})
}

// count returns how often a text has each of the words, nil if it has none.
func (l *wordList) count(text string) (words map[string]int) {
	for at := 0; at < len(text); at++ {
		if n := l.longest(text, at); n > 0 {
			if words == nil {
				words = map[string]int{}
			}
			words[text[at:at+n]]++
			at += n - 1
		}
	}
	return words
}

// add adds a place and the places above it.
func (c *copying) add(w written) {
	t := c.texts[After]
	w.isCopy = true
	t.copied = append(t.copied, w.span)
	if c.places == nil {
		c.places = map[string]bool{}
	}
	path := strings.TrimPrefix(w.path, ".")
	for c.places[w.resource+path] = true; path != ""; c.places[w.resource+path] = true {
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
}

// at returns text, which is at a path of a resource, with the values masked that the change copied
// there.
func (v *Values) at(r api.ResourceInfo, path api.ResolvedPath, text string) string {
	if v == nil || !v.places[placeOf(r.ResourceType, string(r.ResourceName), path)] {
		return text
	}
	return v.written.Mask(text)
}
