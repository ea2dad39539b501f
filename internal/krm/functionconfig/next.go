package functionconfig

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Part is a file, or an object of a cluster, as it was read.
type Part struct {
	Name     string // as positions have it
	Problems []ConfigProblem

	objects []*Config // in the order of the text, also with errors
	// text is that of a file in which the name of some object cannot be read.
	text []byte
	dir  bool // it is a directory that cannot be read
}

// Problems returns the problems of parts.
func Problems(parts []Part) []ConfigProblem {
	var all []ConfigProblem
	for i := range parts {
		all = append(all, parts[i].Problems...)
	}
	return all
}

// identity identifies an object in all its generations. A file has no part in it: an object may
// move to another one.
type identity struct{ cluster, namespace, name, uid string }

func (c *Config) identity() identity {
	if c.cluster == "" {
		return identity{namespace: c.Namespace, name: c.Name}
	}
	return identity{c.cluster, c.Namespace, c.Name, c.UID}
}

// named is identity without what distinguishes an object from an earlier one of its name.
func (c *Config) named() identity {
	id := c.identity()
	id.uid = ""
	return id
}

// Next returns the set that follows when all parts were read again. Of two configs of one image
// the one in the first part counts. An object that cannot be used stays as it was when it could: one
// with errors, one that check refuses, one whose new image another object has, and one that is
// missing but may be in a part that cannot be read whole. check may be nil. An object that check
// refuses and that could never be used is in the set, so that a request for it says why it does not
// run.
func (s *Set) Next(parts []Part, check func(*Config) error) (*Set, []ConfigProblem) {
	before, present, good := map[identity]*Config{}, map[identity]bool{}, map[identity]bool{}
	for _, c := range s.last {
		before[c.identity()] = c
	}
	for i := range parts {
		for _, c := range parts[i].objects {
			present[c.named()] = true
			good[c.identity()] = good[c.identity()] || !c.broken
		}
	}
	var missing []*Config
	for _, c := range s.last {
		if !present[c.named()] {
			missing = append(missing, c)
		}
	}
	unsure := whereMissing(parts, missing)
	var all, replaced []*Config
	stays := map[*Config]bool{}
	var problems []ConfigProblem
	for i := range parts {
		part := &parts[i]
		problems = append(problems, part.Problems...)
		images := map[string]bool{}
		for _, c := range part.objects {
			id := c.identity()
			old := before[id]
			switch {
			case c.broken && (old == nil || good[id]):
				continue
			case c.broken:
				c, good[id], stays[old] = old, true, true
			case check != nil:
				if err := check(c); err != nil {
					problems = append(problems, c.problem(c.Pos, "", PodTemplate, err))
					if old != nil && check(old) == nil {
						c, stays[old] = old, true
					}
				}
			}
			images[c.Image] = true
			all = append(all, c)
		}
		for _, c := range unsure[i] {
			if images[c.Image] { // probably its new name, which is not a conflict
				replaced = append(replaced, c)
				continue
			}
			images[c.Image], stays[c] = true, true
			all = append(all, c)
		}
	}
	next, twice := newSet(all, s.defaultPrefix, s.order, func(c *Config) *Config {
		old := before[c.identity()]
		stays[old] = true
		return old
	})
	for _, c := range next.configs {
		if stays[c] {
			next.stays = append(next.stays, c)
		}
	}
	next.remember(s, append(all, replaced...))
	return next, append(problems, twice...)
}

// remember adds the configs of before that objects had and that are not in use, because others have
// their images now: these may go while the former have errors.
func (s *Set) remember(before *Set, objects []*Config) {
	used, exists := map[identity]bool{}, map[identity]bool{}
	for _, c := range s.configs {
		used[c.identity()] = true
	}
	for _, c := range objects {
		exists[c.identity()] = true
	}
	s.last = s.configs[:len(s.configs):len(s.configs)]
	for _, c := range before.last {
		if id := c.identity(); exists[id] && !used[id] {
			s.last = append(s.last, c)
		}
	}
}

// whereMissing returns, by the index of a part with errors, the configs that are probably in it:
// it had them before, or has their names in a text that cannot be read whole. The others are
// deleted.
func whereMissing(parts []Part, missing []*Config) map[int][]*Config {
	found := map[int][]*Config{}
	if len(missing) == 0 {
		return found
	}
	byName := map[string]int{}
	var dirs, texts []int
	for i := range parts {
		byName[parts[i].Name] = i
		if parts[i].dir {
			dirs = append(dirs, i)
		}
		if parts[i].text != nil {
			texts = append(texts, i)
		}
	}
	moved := map[string][]*Config{}
	for _, c := range missing {
		i, ok := byName[c.Pos.File]
		for _, dir := range dirs {
			if !ok && strings.HasPrefix(c.Pos.File, parts[dir].Name+string(filepath.Separator)) {
				i, ok = dir, true
			}
		}
		switch {
		case ok && len(Errors(parts[i].Problems)) > 0:
			found[i] = append(found[i], c)
		case c.cluster == "":
			moved[c.Name] = append(moved[c.Name], c)
		}
	}
	for _, i := range texts {
		for word := range bytes.FieldsFuncSeq(parts[i].text, func(r rune) bool {
			return r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		}) {
			found[i] = append(found[i], moved[string(word)]...)
			delete(moved, string(word))
		}
	}
	return found
}
