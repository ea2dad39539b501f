package functionconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/process"
)

// ExecutorKind is a way to run a function.
type ExecutorKind string

// The kinds of executors. A container takes the part of a pod where no cluster is used.
const (
	KindGo        ExecutorKind = "go"
	KindBinary    ExecutorKind = "binary"
	KindPod       ExecutorKind = "pod"
	KindContainer ExecutorKind = "container"
)

// ParseKinds reads kinds of executors, separated by commas, in the order in which they are tried.
// known are those that may be named.
func ParseKinds(text string, known ...ExecutorKind) ([]ExecutorKind, error) {
	var kinds []ExecutorKind
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		kind := ExecutorKind(word)
		if word == "exec" { // the word of others for it
			kind = KindBinary
		}
		switch {
		case !slices.Contains(known, kind):
			return nil, fmt.Errorf("%q is not one", word)
		case slices.Contains(kinds, kind):
			return nil, fmt.Errorf("%s is named twice", word)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// Lookup is the function that is looked up.
type Lookup struct {
	Image string // the name as it was written
	// Tag replaces the tag of the image. It may be a constraint: then the highest version that the
	// lists of tags have and that it allows is taken. "" leaves the tag of the image.
	Tag string
	// IgnoreDigest lets programs and Go functions run for an image with a tag and a digest.
	IgnoreDigest bool
}

// ConfigMatch is the FunctionConfig that a set selects for a request.
type ConfigMatch struct {
	// Image is the image that is run: with the default prefix if the request had no repository, and
	// with the tag of the request.
	Image process.Image
	// Constraint is the tag of the request if it is a constraint that no listed version satisfies.
	// Image has no tag then: who runs the image asks the registry.
	Constraint *Tag
	// Config is the FunctionConfig of the image, nil for none. If Other is set, a FunctionConfig
	// has the base name of the image, but not its repository.
	Config *Config
	Other  *Config

	request    Lookup
	entry      *configEntry
	pinned     bool // the digest excludes programs and Go functions
	alone      bool // the set has no configs
	candidates [4]Candidate
	count      int
}

// Candidate is an executor that may run the function.
type Candidate struct {
	Kind   ExecutorKind
	Config *Config // nil for the default configuration of pods
	// Entry is the element of the list of tags that matched, "" if there is no list.
	Entry string
	// Exact says that the element is the tag itself and not a constraint.
	Exact bool
}

// Candidates returns the executors that may run the function, in the order in which they are tried.
// The last is a pod.
func (m *ConfigMatch) Candidates() []Candidate { return m.candidates[:m.count] }

// Find looks up the function of a request. The error says that the name of the image or the tag
// cannot be read.
func (s *Set) Find(r Lookup) (ConfigMatch, error) {
	image, err := process.ParseImage(r.Image)
	if err != nil {
		return ConfigMatch{}, err
	}
	m := ConfigMatch{Image: image, request: r, alone: len(s.configs) == 0}
	var wanted *Tag
	if r.Tag != "" {
		tag, err := ParseTag(r.Tag)
		if err != nil {
			return ConfigMatch{}, fmt.Errorf("image %s: tag: %w", r.Image, err)
		}
		if m.Image.Tag = r.Tag; tag.IsConstraint() {
			m.Image.Tag, wanted = "", &tag
		}
	}
	m.Image.Repository = cmp.Or(image.Repository, s.defaultPrefix)
	if e := s.byImage[image.Base]; e != nil {
		if slices.Contains(e.prefixes, m.Image.Repository) {
			m.entry, m.Config = e, e.config
		} else {
			m.Other = e.config
		}
	}
	if wanted != nil {
		m.Constraint = wanted
		if tag := m.resolve(wanted); tag != "" {
			m.Image.Tag, m.Constraint = tag, nil
		}
	}
	m.pinned = image.Digest != "" && (image.Tag == "" && r.Tag == "" || !r.IgnoreDigest)
	m.choose()
	return m, nil
}

// resolve returns the highest listed version that a constraint allows. A version of a pinned image
// is not looked for.
func (m *ConfigMatch) resolve(wanted *Tag) string {
	if m.entry == nil || m.Image.Digest != "" {
		return ""
	}
	var listed []string
	for i := range m.entry.sections {
		for j := range m.entry.sections[i].tags {
			if t := &m.entry.sections[i].tags[j]; t.IsVersion() {
				listed = append(listed, t.Text)
			}
		}
	}
	return wanted.Highest(listed)
}

// choose puts the candidates in order: those that list the tag itself, then those with a constraint
// that allows it, each in the order of the set, which is go, binary, pod if nobody says otherwise;
// and a pod at the end.
func (m *ConfigMatch) choose() {
	if m.entry != nil {
		tag := m.tag()
		listed := m.entry.literal[tag]
		for i := range m.entry.sections {
			s := &m.entry.sections[i]
			if listed&(1<<i) != 0 && !m.excluded(s) && m.Constraint == nil {
				m.add(Candidate{s.kind, m.Config, tag, true})
			}
		}
		var v version
		isVersion := false
		if m.entry.patterns {
			v, isVersion = parseVersion(tag)
		}
		for i := range m.entry.sections {
			s := &m.entry.sections[i]
			if !s.used || m.has(s.kind) || m.excluded(s) {
				continue
			}
			if s.every {
				m.add(Candidate{Kind: s.kind, Config: m.Config})
			} else if t := m.pattern(s, v, isVersion); t != nil {
				m.add(Candidate{s.kind, m.Config, t.Text, false})
			}
		}
	}
	if !m.has(KindPod) {
		m.add(Candidate{Kind: KindPod})
	}
}

// tag returns the tag that is looked up. An image without a tag means the tag latest.
func (m *ConfigMatch) tag() string {
	if m.Image.Tag == "" {
		return "latest"
	}
	return m.Image.Tag
}

// pattern returns the first pattern of a section that allows a tag. A constraint of the request
// without a version is allowed only by a pattern for every tag and by the same constraint.
func (m *ConfigMatch) pattern(s *executorTags, v version, isVersion bool) *Tag {
	for _, t := range s.patterns {
		switch {
		case t.every, m.Constraint != nil && m.Constraint.Text == t.Text,
			m.Constraint == nil && isVersion && t.constraint.allows(v):
			return t
		}
	}
	return nil
}

func (m *ConfigMatch) excluded(s *executorTags) bool { return m.pinned && s.kind != KindPod }

func (m *ConfigMatch) has(kind ExecutorKind) bool {
	for i := range m.count {
		if m.candidates[i].Kind == kind {
			return true
		}
	}
	return false
}

func (m *ConfigMatch) add(c Candidate) {
	m.candidates[m.count] = c
	m.count++
}
