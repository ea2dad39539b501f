package functionconfig

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fctl-dev/fctl/internal/runtime"
)

// Set finds the FunctionConfig of an image. It never changes.
type Set struct {
	byImage       map[string]*entry
	configs       []*Config
	defaultPrefix string
}

// entry is a config as it is looked up.
type entry struct {
	config   *Config
	prefixes []string // with the default prefix in place of ""
	sections [3]section
}

// section is the tags of one executor.
type section struct {
	kind    ExecutorKind
	used    bool
	every   bool // it has no tags, and no tags is every tag
	literal map[string]bool
	tags    []Tag
	// patterns are the tags that match several.
	patterns []*Tag
}

// NewSet returns the set of configs. "" as a prefix of a config is defaultPrefix, which is
// runtime.DefaultPrefix if it is empty. Of two configs of one image the first counts, and the other
// is a problem.
func NewSet(configs []*Config, defaultPrefix string) (*Set, []Problem) {
	if defaultPrefix == "" {
		defaultPrefix = runtime.DefaultPrefix
	}
	defaultPrefix = strings.TrimRight(defaultPrefix, "/")
	s := &Set{
		byImage: make(map[string]*entry, len(configs)), defaultPrefix: defaultPrefix,
	}
	var problems []Problem
	for _, c := range configs {
		if first := s.byImage[c.Image]; first != nil {
			problems = append(problems, Problem{
				Pos: c.ImagePos, Object: Kind + "/" + c.Name, Field: "spec.image",
				Message: "the image " + c.Image + " has a FunctionConfig already: " +
					first.config.Name + " at " + first.config.ImagePos.String(),
			})
			continue
		}
		s.byImage[c.Image] = newEntry(c, defaultPrefix)
		s.configs = append(s.configs, c)
	}
	return s, problems
}

// Configs returns the configs of the set, in the order in which they were given. The caller must
// not change them.
func (s *Set) Configs() []*Config { return s.configs }

// Lookup returns the config for the base name of an image, nil if the set has none.
func (s *Set) Lookup(base string) *Config {
	if e := s.byImage[base]; e != nil {
		return e.config
	}
	return nil
}

func newEntry(c *Config, defaultPrefix string) *entry {
	e := &entry{config: c}
	for _, p := range c.Prefixes {
		if p == "" {
			p = defaultPrefix
		}
		if !slices.Contains(e.prefixes, p) {
			e.prefixes = append(e.prefixes, p)
		}
	}
	e.sections = [3]section{{kind: KindGo}, {kind: KindBinary}, {kind: KindPod}}
	if c.Go != nil {
		e.sections[0].use(c.Go.Tags)
	}
	if c.Binary != nil {
		e.sections[1].use(c.Binary.Tags)
	}
	if c.Pod != nil {
		e.sections[2].use(c.Pod.Tags)
		e.sections[2].every = len(c.Pod.Tags) == 0
	}
	return e
}

func (s *section) use(tags []Tag) {
	s.used, s.tags, s.literal = true, tags, make(map[string]bool, len(tags))
	for i := range tags {
		if !tags[i].IsConstraint() || tags[i].Text == "latest" {
			s.literal[tags[i].Text] = true
		}
		if tags[i].IsConstraint() {
			s.patterns = append(s.patterns, &tags[i])
		}
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
