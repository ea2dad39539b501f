package functionconfig

import (
	"path/filepath"
	"slices"
	"strings"
)

// Part is a file, or an object of a cluster, as it was read.
type Part struct {
	Name     string // as positions have it
	Configs  []*Config
	Problems []ConfigProblem

	broken []*Config // with errors
	files  bool      // it is a directory that cannot be read
}

// Problems returns the problems of parts.
func Problems(parts []Part) []ConfigProblem {
	var all []ConfigProblem
	for i := range parts {
		all = append(all, parts[i].Problems...)
	}
	return all
}

// identity identifies an object in all its generations.
type identity struct{ file, namespace, name, uid string }

func (c *Config) identity() identity { return identity{c.Pos.File, c.Namespace, c.Name, c.UID} }

// Next returns the set that follows when all parts were read again. Of two configs of one image
// the one in the first part counts. An object that cannot be used stays as it is in this set: one
// of a part with errors, one that check refuses, and one whose new image another object has. check
// may be nil. An object that check refuses and that is not in this set is used, so that a request
// for it says why it does not run.
func (s *Set) Next(parts []Part, check func(*Config) error) (*Set, []ConfigProblem) {
	before, byFile := map[identity]*Config{}, map[string][]*Config{}
	for _, c := range s.configs {
		before[c.identity()] = c
		byFile[c.Pos.File] = append(byFile[c.Pos.File], c)
	}
	read := map[string]bool{}
	for i := range parts {
		read[parts[i].Name] = true
	}
	var all []*Config
	var problems []ConfigProblem
	for i := range parts {
		part := &parts[i]
		problems = append(problems, part.Problems...)
		for _, c := range part.Configs {
			var err error
			if check != nil {
				err = check(c)
			}
			if err != nil {
				problems = append(problems, c.problem(c.Pos, "", err))
				if old := before[c.identity()]; old != nil {
					c = old
				}
			}
			all = append(all, c)
		}
		if len(Errors(part.Problems)) == 0 {
			continue
		}
		old := byFile[part.Name]
		if part.files {
			old = slices.DeleteFunc(slices.Clone(s.configs), func(c *Config) bool {
				below := strings.HasPrefix(c.Pos.File, part.Name+string(filepath.Separator))
				return !below && c.Pos.File != part.Name || below && read[c.Pos.File]
			})
		}
		all = append(all, part.stay(old)...)
	}
	next, twice := newSet(all, s.defaultPrefix, s.order, func(c *Config) *Config {
		return before[c.identity()]
	})
	return next, append(problems, twice...)
}

// stay returns the configs of old, which a part with errors had, that it has no successor of. They
// may be deleted or only unreadable.
func (p *Part) stay(old []*Config) []*Config {
	names, images := map[identity]bool{}, map[string]bool{}
	for _, c := range p.Configs {
		names[c.identity()], images[c.Image] = true, true
	}
	return slices.DeleteFunc(slices.Clone(old), func(c *Config) bool {
		deleted := slices.ContainsFunc(p.broken, func(b *Config) bool {
			return b.Namespace == c.Namespace && b.Name == c.Name && b.UID != c.UID
		})
		return deleted || names[c.identity()] || images[c.Image]
	})
}
