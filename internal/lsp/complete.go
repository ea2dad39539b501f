package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/strict"
)

// marker takes the place of what is typed, so that the text can be read.
const marker = "fctl-cursor-q7x"

// typed is a text in which something is typed.
type typed struct {
	*text
	path     string
	from, to int // the word at the cursor
}

// typedAt finds the word at a place. It reports false in a place where no word is expected.
func (p *project) typedAt(q question) (w typed, ok bool) {
	w.text, w.path = p.text(q.path), q.path
	at := w.offset(q.Position)
	w.from, w.to = at, at
	begin, end := w.line(w.lineOf(at))
	for w.from > begin && !strings.ContainsRune(" \t{}[],\"'", rune(w.bytes[w.from-1])) {
		w.from--
	}
	for w.to < end && !strings.ContainsRune(" \t{}[],\"'", rune(w.bytes[w.to])) && !w.colon(w.to) {
		w.to++
	}
	return w, w.from == at || w.bytes[at-1] != ':'
}

// colon reports whether the colon after a key is at an offset.
func (w typed) colon(at int) bool {
	return at < len(w.bytes) && w.bytes[at] == ':' &&
		(at+1 == len(w.bytes) || strings.ContainsRune(" \t\r\n", rune(w.bytes[at+1])))
}

// marked returns the text with the marker and more in place of the word.
func (w typed) marked(more string) []byte {
	return slices.Concat(w.bytes[:w.from], []byte(marker+more), w.bytes[w.to:])
}

// offers are what may be written at the cursor.
type offers struct {
	keys bool
	all  []offer
	seen map[string]bool
}

// offer is one text that may be written.
type offer struct {
	name, about string
	block       bool // a map or a list follows the key
}

func (o *offers) add(name, about string) {
	if o.seen[name] {
		return
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[name] = true
	o.all = append(o.all, offer{name: name, about: about})
}

// of returns the offers of a choice.
func offersOf(c *strict.Choice) offers {
	o := offers{keys: c.Keys}
	for i, name := range c.Names {
		about := ""
		if i < len(c.About) {
			about = c.About[i]
		}
		o.add(name, about)
	}
	return o
}

// complete returns what may be written at a place.
func (p *project) complete(ctx context.Context, q question) (any, error) {
	items := []completion{}
	w, ok := p.typedAt(q)
	if !ok {
		return items, nil
	}
	ways := []string{"", ": "}
	if w.colon(w.to) {
		ways = ways[:1]
	}
	for _, more := range ways {
		content := w.marked(more)
		s, ok := spotAt(content, w.from)
		if !ok || s.key && s.entry.Key() != marker || !s.key && s.entry.Text() != marker {
			continue
		}
		o, err := p.offers(ctx, w, content, s)
		if err != nil {
			return nil, err
		}
		if len(o.all) > 0 {
			return w.completions(o, s), nil
		}
	}
	return items, nil
}

// offers returns what may be written in place of the marker: what the reader of such files expects
// there, or what is known about resources.
func (p *project) offers(ctx context.Context, w typed, content []byte, s spot) (offers, error) {
	as := *p
	as.buffers = maps.Clone(p.buffers)
	as.buffers[w.path] = content
	marks := newText(content, w.utf8)
	line, column := marks.place(w.from)
	problems, ours := as.defined(ctx, w.path)
	for _, problem := range problems {
		if problem.choice != nil && problem.at.Line == line && problem.at.Column == column {
			return offersOf(problem.choice), nil
		}
	}
	if o := kptfileOffers(ctx, w.path, s); len(o.all) > 0 {
		return o, nil
	}
	executor, err := p.known(ctx)
	if err != nil {
		return offers{}, err
	}
	if o := p.pathOffers(executor, string(w.bytes[w.from:w.to]), s); len(o.all) > 0 || ours {
		return o, nil
	}
	return resourceOffers(executor, w.path, s)
}

// completion is an item of a list of completions.
type completion struct {
	Label         string         `json:"label"`
	Kind          int            `json:"kind"`
	Documentation string         `json:"documentation,omitempty"`
	SortText      string         `json:"sortText"`
	TextEdit      map[string]any `json:"textEdit"`
}

// The kinds of completions.
const kindProperty, kindValue = 10, 12

// mostOffers is the number of offers from which only those are sent that begin with what is typed.
const mostOffers = 1000

// completions returns offers for the editor, without the keys that the map has.
func (w typed) completions(o offers, s spot) []completion {
	items := []completion{}
	if len(o.all) > mostOffers {
		word := string(w.bytes[w.from:w.to])
		o.all = slices.DeleteFunc(o.all, func(o offer) bool {
			return !strings.HasPrefix(o.name, word)
		})
		o.all = o.all[:min(len(o.all), mostOffers)]
	}
	place := w.span(w.from, w.to)
	colon := o.keys && !w.colon(w.to)
	for i, offer := range o.all {
		if o.keys && s.key && s.parent.Get(offer.name).Exists() {
			continue
		}
		c := completion{
			Label: offer.name, Kind: kindValue, Documentation: offer.about,
			SortText: fmt.Sprintf("%04d", i), TextEdit: map[string]any{"range": place},
		}
		with := offer.name
		if o.keys {
			c.Kind = kindProperty
		}
		switch {
		case colon && offer.block:
			with += ":"
		case colon:
			with += ": "
		}
		c.TextEdit["newText"] = with
		items = append(items, c)
	}
	return items
}

// typeNames returns the types of resources that agree with what a resource has of its type.
func typeNames(all []api.ResourceType, key, other string) (o offers) {
	for _, t := range all {
		at := strings.LastIndexByte(string(t), '/')
		if at < 0 {
			continue
		}
		version, kind := string(t)[:at], string(t)[at+1:]
		switch {
		case key == "kind" && (other == "" || other == version):
			o.add(kind, version)
		case key == "apiVersion" && (other == "" || other == kind):
			o.add(version, "")
		}
	}
	slices.SortFunc(o.all, func(a, b offer) int { return cmp.Compare(a.name, b.name) })
	return o
}
