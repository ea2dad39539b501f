package functionconfig

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fctl-dev/fctl/internal/process"
)

// Set finds the FunctionConfig of an image. It never changes.
type Set struct {
	byImage       map[string]*configEntry
	configs       []*Config
	defaultPrefix string
	order         []ExecutorKind
	// last has for each object that could be used the newest generation that was, in use or not.
	last  []*Config
	stays []*Config
}

// configEntry is a config as it is looked up.
type configEntry struct {
	config   *Config
	prefixes []string // with the default prefix in place of ""
	// literal says for the text of a tag which sections list it: bit i is that of sections[i].
	literal  map[string]uint8
	sections [3]executorTags
	patterns bool // a section has some
}

// executorTags is the tags of one executor.
type executorTags struct {
	kind  ExecutorKind
	used  bool
	every bool // it has no tags, and no tags is every tag
	tags  []Tag
	// patterns are the tags that match several.
	patterns []*Tag
}

// NewSet returns the set of configs. "" as a prefix of a config is defaultPrefix, which is
// process.DefaultPrefix if it is empty. The executors of a config are tried in the given order; the
// others come after these, in the usual order. Of two configs of one image the first counts, and
// the other is a problem.
func NewSet(
	configs []*Config,
	defaultPrefix string,
	order ...ExecutorKind,
) (*Set, []ConfigProblem) {
	return newSet(configs, defaultPrefix, order, nil)
}

// newSet is NewSet with a config, or nil, in place of one whose image another one has.
func newSet(configs []*Config, defaultPrefix string, order []ExecutorKind,
	instead func(*Config) *Config,
) (*Set, []ConfigProblem) {
	if defaultPrefix == "" {
		defaultPrefix = process.DefaultPrefix
	}
	defaultPrefix = strings.TrimRight(defaultPrefix, "/")
	s := &Set{
		byImage: make(
			map[string]*configEntry,
			len(configs),
		), defaultPrefix: defaultPrefix, order: order,
	}
	common := &common{
		texts: map[string]string{}, patterns: map[pattern]*Tag{}, order: sectionOrder(order),
	}
	var problems []ConfigProblem
	for _, c := range configs {
		if first := s.byImage[c.Image]; first != nil {
			problems = append(problems, sameImage(c, first.config))
			if instead == nil {
				continue
			}
			if c = instead(c); c == nil || s.byImage[c.Image] != nil {
				continue
			}
		}
		s.byImage[c.Image] = common.newEntry(c, defaultPrefix)
		s.configs = append(s.configs, c)
	}
	return s, problems
}

// sameImage returns the problem that the image of a config has another one.
func sameImage(c, other *Config) ConfigProblem {
	return c.problem(c.ImagePos, "spec.image", Conflict, fmt.Errorf(
		"the image %s has a FunctionConfig already: %s at %s", c.Image, other.Name,
		other.ImagePos))
}

// Configs returns the configs of the set, in the order in which they were given. The caller must
// not change them.
func (s *Set) Configs() []*Config { return s.configs }

// Stays returns those configs of the set whose objects changed, or cannot be found, and that stay as
// they were.
func (s *Set) Stays() []*Config { return s.stays }

// Lookup returns the config for the base name of an image, nil if the set has none.
func (s *Set) Lookup(base string) *Config {
	if e := s.byImage[base]; e != nil {
		return e.config
	}
	return nil
}

// common are the texts and patterns of a set. Many configs have the same ones. One copy of each
// makes a look-up in a large set twice as fast.
type common struct {
	texts    map[string]string
	patterns map[pattern]*Tag
	order    [3]ExecutorKind // of the sections of an entry
}

// sectionOrder returns the kinds that have a section. A container is one of a pod.
func sectionOrder(order []ExecutorKind) [3]ExecutorKind {
	var all [3]ExecutorKind
	n := 0
	for _, kind := range slices.Concat(order, []ExecutorKind{KindGo, KindBinary, KindPod}) {
		if kind == KindContainer {
			kind = KindPod
		}
		if !slices.Contains(all[:n], kind) {
			all[n] = kind
			n++
		}
	}
	return all
}

// pattern identifies a tag that matches several.
type pattern struct {
	text  string
	every bool
}

// text returns the one copy of a text.
func (m *common) text(s string) string {
	if kept, ok := m.texts[s]; ok {
		return kept
	}
	m.texts[s] = s
	return s
}

func (m *common) newEntry(c *Config, defaultPrefix string) *configEntry {
	e := &configEntry{config: c, literal: map[string]uint8{}}
	for _, p := range c.Prefixes {
		if p == "" {
			p = defaultPrefix
		}
		if !slices.Contains(e.prefixes, p) {
			e.prefixes = append(e.prefixes, m.text(p))
		}
	}
	for i, kind := range m.order {
		e.sections[i].kind = kind
		switch {
		case kind == KindGo && c.Go != nil:
			m.use(e, i, c.Go.Tags)
		case kind == KindBinary && c.Binary != nil:
			m.use(e, i, c.Binary.Tags)
		case kind == KindPod && c.Pod != nil:
			m.use(e, i, c.Pod.Tags)
			e.sections[i].every = len(c.Pod.Tags) == 0
		}
	}
	return e
}

// use sets the tags of a section.
func (m *common) use(e *configEntry, section int, tags []Tag) {
	s := &e.sections[section]
	s.used, s.tags = true, tags
	for i := range tags {
		t := &tags[i]
		if !t.IsConstraint() || t.Text == "latest" {
			e.literal[m.text(t.Text)] |= 1 << section
		}
		if !t.IsConstraint() {
			continue
		}
		key := pattern{t.Text, t.every}
		if m.patterns[key] == nil {
			m.patterns[key] = t
		}
		s.patterns, e.patterns = append(s.patterns, m.patterns[key]), true
	}
}

// Cache holds the current set. Its methods may be called from several goroutines.
type Cache struct{ current atomic.Pointer[Set] }

// NewCache returns a cache with a set.
func NewCache(s *Set) *Cache {
	c := &Cache{}
	c.current.Store(s)
	return c
}

// Set returns the current set. A request asks for it once, and keeps what it got.
func (c *Cache) Set() *Set { return c.current.Load() }

// Swap replaces the set as a whole and returns the old one.
func (c *Cache) Swap(s *Set) *Set { return c.current.Swap(s) }
